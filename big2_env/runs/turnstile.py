"""A turnstile for games in threads: one thread plays at a time, and others play while it waits for an endpoint.

Agents, kernels and engines are therefore never called by two threads at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, local

_playing = Lock()
_thread = local()


@contextmanager
def playing() -> Iterator[None]:
    """Let no other thread play during the block, except while this one is `waiting`."""
    with _playing:
        _thread.plays = True
        try:
            yield
        finally:
            _thread.plays = False


@contextmanager
def waiting() -> Iterator[None]:
    """Let other threads play during the block. It does nothing in a thread that is not `playing`."""
    if not getattr(_thread, "plays", False):
        yield
        return
    _playing.release()
    try:
        yield
    finally:
        _playing.acquire()
