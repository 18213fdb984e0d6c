"""Files that are replaced whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from big2_env.errors import ConfigError

SUFFIX: Final = ".big2new"
"""The end of the name of a file that is not written to its end yet."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file to write, which takes the place of `path` when the block ends: a kill leaves the old one or the new one.

    Where the block fails the new file goes; what a kill leaves of it goes when the next file of the folder is replaced.
    """
    new = path.with_name(f"{path.name}{SUFFIX}")
    _sweep(path.parent)
    with _held(new):
        try:
            yield new
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


@contextmanager
def _held(new: Path) -> Iterator[None]:
    """A lock on a new file, by which other processes see that somebody writes it; it ends with the process at the latest."""
    if sys.platform == "win32":  # an open file cannot take another's place
        yield
        return
    with new.open("ab") as stream:
        lock(stream)
        yield


def _sweep(folder: Path) -> None:
    """Remove the new files of a folder that nobody writes any more."""
    if sys.platform == "win32":
        return
    for left in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError), left.open("rb") as stream:
            if lock(stream):
                left.unlink()


def lock(stream: IO[bytes]) -> bool:
    """Lock a file as long as it is open; False where another process has. Where the system has no such locks, none is taken."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


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
