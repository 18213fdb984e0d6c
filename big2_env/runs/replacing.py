"""Files that are replaced whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from big2_env.errors import ConfigError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file to write, which takes the place of `path` when the block ends: a kill leaves the old one or the new one.

    Where the block fails the new file goes; what a kill leaves of it is written over the next time.
    """
    new = path.with_name(f"{path.name}.new")
    try:
        yield new
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def check_place(path: Path, ending: str = "") -> None:
    """Refuse a place where no file can be written, before the work whose result goes there.

    Raises:
        ConfigError: a folder or a device, a folder that there is not, or a name with another ending.
    """
    if ending and path.suffix.lower() != ending:
        raise ConfigError(f"expected a file name that ends in {ending}, got {path}")
    if not path.name or (path.exists() and not path.is_file()):
        raise ConfigError(f"expected a file to write, got {path}")
    if not path.parent.is_dir():
        raise ConfigError(f"expected a folder that exists, got {path.parent}")
