"""Safe changes to files: replaced as a whole, appended to as a whole, or locked."""

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

from big2_env.base.errors import ConfigError

SUFFIX: Final = ".big2new"
"""Suffix of a file that is still being written."""
AGE: Final = 10.0
"""Seconds after which an unlocked file with that suffix counts as left by a kill; a younger one may be about to be locked."""


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield the path of a new file that replaces `path` at the end of the block: a kill leaves the old file or the new one.

    Any number of threads and processes may replace files of the same folder, or the same file, at once. If the block fails, the
    new file is removed. If a kill leaves it behind, it is removed when a file of the folder is replaced at least 10 s later.
    A symbolic link stays a link, and the file keeps its permissions. A device or a pipe is not replaced but written to
    directly.

    Args:
        path: File to replace.

    Raises:
        OSError: The file cannot be written; the error names `path`.
    """
    if path.exists() and not path.is_file():
        with name_errors(path):
            yield path
        return
    target = Path(os.path.realpath(path))
    new = target.with_name(f"{token_hex(8)}{SUFFIX}")
    with name_errors(path, new):
        remove_leftovers(target.parent)
        try:
            with _held(new, target):
                yield new
                new.replace(target)
        finally:
            new.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8, all or nothing, as `replace_file` does.

    Raises:
        OSError: The file cannot be written; the error names it.
    """
    with replace_file(path) as new:
        new.write_text(text, encoding="utf-8")


def append_text(path: Path, text: str) -> None:
    """Append text to a file, all or nothing. After a failure the file is as before, or removed if it was empty.

    Args:
        path: File, created if it does not exist.
        text: Text to append, encoded as UTF-8.

    Raises:
        OSError: The file cannot be written; the error names it.
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
    """Hold the lock of a folder during the block, to read a file and replace it. Other threads and processes wait.

    Takes no lock on systems without `flock`.
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
    """Make system errors name `path` if they name no file.

    Args:
        path: File that the errors shall name.
        other: Temporary file that is written instead of `path`; an error that names it is changed too.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is not None and str(error.filename) != str(other)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def _held(new: Path, target: Path) -> Iterator[None]:
    """Lock the new file, to show other processes that it is being written. The lock ends with the process at the latest."""
    if sys.platform == "win32":  # an open file cannot take another's place
        yield
        return
    with new.open("xb") as stream:
        lock(stream)
        with suppress(OSError):  # there is none yet, or the folder has no permissions
            shutil.copymode(target, new)
        yield


def remove_leftovers(folder: Path, age: float | None = None) -> None:
    """Remove the unfinished files that killed processes left in a folder.

    Args:
        folder: The folder.
        age: Seconds since they were written; `AGE` by default, 0 in a folder that no other process writes to.
    """
    if sys.platform == "win32":
        return
    for left in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime >= (AGE if age is None else age):
                with left.open("rb") as stream:
                    if lock(stream):
                        left.unlink()


def lock(stream: IO[bytes]) -> bool:
    """Lock a file as long as it is open, and return whether that succeeded.

    False means that another process has the lock. On systems without `flock` no lock is taken, and the result is True.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def check_writable(path: Path, ending: str = "") -> None:
    """Check that a result can be written to `path`, before the work starts.

    Args:
        path: File to write.
        ending: Required suffix, such as `.html`; empty for any.

    Raises:
        ConfigError: `path` is a folder or a device, its folder does not exist, it cannot be written to, or its suffix differs.
    """
    if ending and path.suffix.lower() != ending:
        raise ConfigError(f"expected a file name that ends in {ending}, got {path}")
    if not path.name or (path.exists() and not path.is_file()):
        raise ConfigError(f"expected a file to write, got {path}")
    if not path.parent.is_dir():
        raise ConfigError(f"expected a folder that exists, got {path.parent}")
    if not os.access(place := path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(f"expected a place that can be written to, got {place}")
