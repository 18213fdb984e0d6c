"""A name for the state of these sources, so that no compiled code outlives them.

numba keeps compiled functions on disk, by their own file and the types of their arguments; it does not see when a file changes
whose functions they call. So `MARK` is the name of a field of the records that the kernels take: with other sources they have
other types, and the kernels are compiled anew.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final


def _mark() -> str:
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"sources_{digest.hexdigest()[:12]}"


MARK: Final = _mark()
"""Name of the field. It holds nothing."""
