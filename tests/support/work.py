"""Work for executors, importable by workers in other processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import current_thread, main_thread

_begun: list[str] = []


def begin(name: str) -> None:
    """What a worker does first."""
    _begun.append(name)


def how_begun(_: object, item: int) -> tuple[list[str], bool]:
    """What this worker has begun, and whether it works in its main thread, as time limits by signals need it."""
    return list(_begun), current_thread() is main_thread()


def negative(item: int) -> int:
    """A small piece of work."""
    return -item


def slow(item: int) -> int:
    """A piece of work of 50 ms."""
    time.sleep(0.05)
    return -item


def fail_at(bad: int, item: int) -> int:
    """Work that fails at an item."""
    if item == bad:
        raise ValueError(f"item {item}")
    return -item


def kill_once(marks: Path, item: int) -> int:
    """Work in which each multiple of ten kills its worker the first time."""
    mark = marks / str(item)
    if item % 10 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return -item


def kill_at(bad: int, item: int) -> int:
    """Work in which an item kills its worker every time."""
    if item == bad:
        os.kill(os.getpid(), signal.SIGKILL)
    return -item


def hang_at(bad: int, item: int) -> int:
    """Work in which an item takes for ever."""
    while item == bad:
        time.sleep(10)
    return -item


def niceness(_: int) -> int:
    """How willingly this process lets others go first."""
    return os.nice(0)


def large(marks: Path, item: int) -> bytes:
    """Work whose result is more than a pipe holds."""
    (marks / str(item)).touch()
    return bytes(1 << 20)


def unsendable(item: int) -> object:
    """A result that cannot be sent to another process."""
    return lambda: item


def refuse(name: str) -> None:
    """A worker that cannot begin."""
    raise ValueError(name)
