"""Files that are replaced whole, added to whole, or locked."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Final

from big2_env.errors import ConfigError

SUFFIX: Final = ".big2new"
"""The end of the name of a file that is not written to its end yet."""
AGE: Final = 3600.0
"""Seconds after which a file with that ending that has no lock was left by a kill; a younger one may be about to be locked."""


@contextmanager
def replace_file(path: Path, *, sweeps: bool = True) -> Iterator[Path]:
    """A new file to write, which takes the place of `path` when the block ends: a kill leaves the old one or the new one.

    Any number of processes and threads may replace files of one folder, or one file, at a time. If the block fails, the new
    file is removed; what a kill leaves of it is removed when a file of the folder is replaced an hour later. A link stays a
    link, and the file keeps its permissions. A device or a pipe is not replaced: the block writes to it.

    Args:
        path: the file to replace.
        sweeps: False if the caller calls `remove_leftovers` itself, in a folder that is too large to list each time.

    Raises:
        OSError: the file cannot be written; the error names `path`.
    """
    if path.exists() and not path.is_file():
        with name_errors(path):
            yield path
        return
    target = Path(os.path.realpath(path))
    new = target.with_name(f"{token_hex(8)}{SUFFIX}")
    with name_errors(path, new):
        if sweeps:
            remove_leftovers(target.parent)
        try:
            with _held(new, target):
                yield new
                new.replace(target)
        finally:
            new.unlink(missing_ok=True)


def append_text(path: Path, text: str) -> None:
    """Add text to the end of a file, all of it or none: if that fails, the file is as before, and removed if it is empty.

    Raises:
        OSError: the file cannot be written; the error names it.
    """
    size, rest = -1, memoryview(text.encode())
    with name_errors(path, path.parent), folder_lock(path.parent):
        try:
            with path.open("ab", buffering=0) as stream:
                size = os.fstat(stream.fileno()).st_size
                while rest:
                    rest = rest[stream.write(rest) :]
        except OSError:
            if size >= 0 and path.is_file():
                os.truncate(path, size)
                if not size:
                    path.unlink()
            raise


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, for which other threads and processes wait: to read a file and replace it by what follows.

    Where the system has no such locks, none is held.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


@contextmanager
def name_errors(path: Path, other: Path | None = None) -> Iterator[None]:
    """Make the system's errors name a file if they name none, or the other one, which stands in for it."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is not None and str(error.filename) != str(other)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def _held(new: Path, target: Path) -> Iterator[None]:
    """A lock on a new file, which shows other processes that it is being written; it ends with the process at the latest."""
    if sys.platform == "win32":  # an open file cannot take another's place
        yield
        return
    with new.open("xb") as stream:
        lock(stream)
        with suppress(OSError):  # there is none yet, or the folder has no permissions
            shutil.copymode(target, new)
        yield


def remove_leftovers(folder: Path) -> None:
    """Remove the new files of a folder that kills have left."""
    if sys.platform == "win32":
        return
    for left in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > AGE:
                with left.open("rb") as stream:
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


def check_writable(path: Path, ending: str = "") -> None:
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
