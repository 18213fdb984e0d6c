"""Compiling in the background: interpreted code answers the first questions, compiled code those that come once it is there.

One interpreted answer takes milliseconds, compiling half a minute. So it begins where a process has asked so much that it
pays, in a thread that no exit waits for. A process that forks meanwhile waits until one function is compiled, for a lock of the
compiler that a thread holds stays locked in the child; the child begins anew.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any, Final
from weakref import WeakSet

from big2_env.errors import ConfigError

PATIENCE: Final = 2.0
"""Seconds that interpreted code answers one kind of question before compiling begins."""
_LOG: Final = logging.getLogger(__name__)
_ALL: Final[WeakSet[BackgroundCompile]] = WeakSet()


class BackgroundCompile:
    """Whether one kind of question is answered by compiled code yet.

    Args:
        prepare: compiles, or loads from numba's cache, all that the answers need. It is called once, in a thread. Where it
            raises ConfigError, nothing can be compiled: then interpreted code answers for good, as it does without numba.
        mark: names a file that says that numba's cache has it all, so that another process can load it in a second.
        what: what is compiled, for the log (`logging`, level INFO).
    """

    def __init__(self, prepare: Callable[[], object], mark: Callable[[], Path] | None = None, what: str = "an agent") -> None:
        self._prepare = prepare
        self._mark = mark
        self._what = what
        self._spent = 0.0
        self.thread: Thread | None = None
        """The thread that compiles, `None` before it begins."""
        self.is_ready = False
        """True once compiled code can answer at once."""
        _ALL.add(self)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time of a `with` block as spent by interpreted code."""
        start = perf_counter()
        yield
        self.spend(perf_counter() - start)

    def spend(self, seconds: float) -> None:
        """Note that interpreted code has taken so long; begin to compile where it has taken long enough in all."""
        self._spent += seconds
        if self._spent >= PATIENCE and self.thread is None:
            self.thread = Thread(target=self._run, name="compiling", daemon=True)
            with suppress(RuntimeError):  # a browser starts no threads, and has nothing to compile with
                self.thread.start()

    def finish(self) -> None:
        """Compile, unless that is done, and come back when it is; at once where it cannot be compiled."""
        if self.thread is None:
            self._run()
        elif self.thread.ident is not None:
            self.thread.join()

    def is_at_hand(self) -> bool:
        """True if compiled code can answer; where it lies on the disk it is loaded first. Nothing is compiled."""
        with suppress(ImportError):
            if not self.is_ready and self._mark is not None and self._mark().is_file():
                self.finish()
        return self.is_ready

    def _run(self) -> None:
        start = perf_counter()
        _LOG.info("compiling %s", self._what)
        try:
            self._prepare()
        except (ConfigError, ImportError):
            return
        _LOG.info("compiled %s in %.1f s", self._what, perf_counter() - start)
        self.is_ready = True
        if self._mark is not None:
            with suppress(OSError):  # a cache that cannot be written to
                self._mark().touch()

    def _begin_anew(self) -> None:
        """Forget a thread that a fork has left behind."""
        if self.thread is not None and not self.is_ready:
            self.thread, self._spent = None, 0.0


def _lock_of_compiler() -> Any:
    """The lock that numba holds while it compiles a function; `None` where nothing has been compiled."""
    module = sys.modules.get("numba.core.compiler_lock")
    return None if module is None else module.global_compiler_lock


def _before_fork() -> None:
    if (lock := _lock_of_compiler()) is not None:
        lock.acquire()


def _after_fork() -> None:
    if (lock := _lock_of_compiler()) is not None:
        with suppress(RuntimeError):  # numba was imported by another thread since
            lock.release()


def _in_child() -> None:
    _after_fork()
    for one in _ALL:
        one._begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
