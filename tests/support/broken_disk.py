"""A disk that fails: the n-th thing that is done to the files of a folder goes wrong."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from errno import EIO, ENOSPC
from pathlib import Path
from typing import Any
from unittest.mock import patch


class Fault(Enum):
    """What goes wrong."""

    ONCE = EIO
    """One operation fails, and the next one works."""
    FULL = ENOSPC
    """From then on there is no space: nothing can be created or written, but removed and renamed."""
    KILLED = 0
    """The process ends: nothing is done any more."""


class Killed(BaseException):
    """The end of a process, as far as files can tell."""


@dataclass
class Disk:
    """What is done to the files of a folder, and what of it fails.

    Args:
        folder: the folder; files elsewhere are left alone.
        at: the number of the operation that fails, from 0.
        fault: how it fails.
        share: how much of its bytes a write that fails writes first.
    """

    folder: Path
    at: int
    fault: Fault
    share: float = 0.0
    done: list[str] = field(default_factory=list)
    """What was done, by name."""
    owes: bool = False
    """True after a write that was short: as on any system, the error comes with the next one."""

    @property
    def has_failed(self) -> bool:
        """True once something has failed."""
        return len(self.done) > self.at

    def holds(self, path: object) -> bool:
        """True for a path in the folder."""
        return isinstance(path, str | Path) and Path(path).absolute().is_relative_to(self.folder)

    def fails(self, name: str, *, needs_space: bool = False) -> bool:
        """Count an operation; True if it fails."""
        if self.fault is Fault.FULL and not needs_space:
            return False
        self.done.append(name)
        return len(self.done) == self.at + 1 if self.fault is Fault.ONCE else self.has_failed

    def error(self, path: object = None) -> BaseException:
        """What an operation that fails raises."""
        if self.fault is Fault.KILLED:
            return Killed()
        return OSError(self.fault.value, os.strerror(self.fault.value), *([] if path is None else [str(path)]))


class _File(io.FileIO):
    """A file on such a disk."""

    def __init__(self, path: str | Path, mode: str, disk: Disk) -> None:
        if disk.fails("open", needs_space=not os.path.exists(path)):
            raise disk.error(path)
        super().__init__(path, mode)
        self._disk = disk

    def write(self, data: Any) -> int:
        disk = self._disk
        if disk.owes:
            disk.owes = False
            raise disk.error()
        if not disk.fails("write", needs_space=True):
            return super().write(data)
        if len(disk.done) == disk.at + 1 and (part := super().write(data[: int(len(data) * disk.share)])):
            disk.owes = disk.fault is not Fault.KILLED
            if disk.owes:
                return part
        raise disk.error()

    def truncate(self, size: int | None = None) -> int:
        if self._disk.fails("truncate"):
            raise self._disk.error()
        return super().truncate(size)

    def close(self) -> None:
        was_open = not self.closed
        super().close()
        if was_open and self._disk.fault is Fault.ONCE and self._disk.fails("close"):
            raise self._disk.error()


@contextmanager
def failing(disk: Disk) -> Iterator[Disk]:
    """Let files be opened, written, renamed and removed on a disk that fails."""
    real_open = io.open

    def opened(
        file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None, errors: str | None = None,
        newline: str | None = None, *more: Any,
    ) -> Any:  # fmt: skip
        if not disk.holds(file) or not set(mode) & set("wax+"):
            return real_open(file, mode, buffering, encoding, errors, newline, *more)
        raw = _File(file, mode.replace("b", "").replace("t", ""), disk)
        if buffering == 0:
            return raw
        buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffer if "b" in mode else io.TextIOWrapper(buffer, encoding, errors, newline)

    def guarded(name: str, needs_space: bool) -> Callable[..., Any]:
        real = getattr(os, name)

        def act(path: Any, *given: Any, **options: Any) -> Any:
            if disk.holds(path) and disk.fails(name, needs_space=needs_space):
                raise disk.error(path)
            return real(path, *given, **options)

        return act

    names = {"replace": False, "rename": False, "unlink": False, "truncate": False, "mkdir": True}
    moves: Any = {name: guarded(name, needs_space) for name, needs_space in names.items()}
    with (
        patch.object(io, "open", opened),
        patch.multiple(os, **moves),
    ):
        yield disk


CASES = [(fault, share) for fault in Fault for share in (0.0, 0.5)] + [(Fault.KILLED, 1.0)]
"""How an operation can fail."""


def each_fault(
    folder: Path, fault: Fault, share: float, act: Callable[[Path], object]
) -> Iterator[tuple[Path, Disk, OSError | None]]:
    """Do something again and again, each time in a new folder, while the first, the second, ... operation fails.

    Args:
        folder: where the folders are made.
        fault: how it fails.
        share: as for `Disk`.
        act: what is done, given the folder.

    Yields:
        After each: the folder, the disk, and what the system's error was, if it came out.
    """
    at = 0
    while True:
        place = folder / f"{fault.name}-{share}-{at}"
        place.mkdir(parents=True)
        error = None
        with failing(Disk(place, at, fault, share)) as disk:
            try:
                act(place)
            except Killed:
                pass
            except OSError as caught:
                error = caught
        if not disk.has_failed:
            assert at > 1, "nothing was done to files"
            return
        yield place, disk, error
        at += 1
