"""Files that are replaced whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file to write, which takes the place of `path` when the block ends: a kill leaves the old one or the new one."""
    new = path.with_name(f"{path.name}.new")
    yield new
    new.replace(path)
