"""A name for the state of these sources, so that no compiled code outlives them.

numba keeps compiled functions on disk, by their own file and the types of their arguments; it does not see when a file changes
whose functions they call. So `MARK` is the name of a field of the records that the kernels take: with other sources they have
other types, and the kernels are compiled anew.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final


def mark_of(folder: Path, base: str = "") -> str:
    """A name for the state of the sources in a folder, and of others that they build on, whose name is `base`."""
    digest = sha256(base.encode())
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"sources_{digest.hexdigest()[:12]}"


MARK: Final = mark_of(Path(__file__).parent)
"""Name of the field. It holds nothing."""
