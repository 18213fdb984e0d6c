"""Compilation in a background thread: interpreted code answers first, compiled code as soon as it is ready.

An interpreted answer takes milliseconds, compiling half a minute. So compilation starts only after a process has spent
`PATIENCE` seconds in interpreted code, in a daemon thread that never delays the exit.

A thread that compiles holds a lock of numba, which would stay locked in a forked child. So a fork waits until the current
function is compiled, and the child starts compiling from the beginning. LLVM aborts a process that exits during one of its
calls, so the exit waits for the end of the call.
"""

from __future__ import annotations

import atexit
import ctypes
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

from big2_env.compile_note import NOTE
from big2_env.errors import ConfigError

PATIENCE: Final = 2.0
"""Seconds of interpreted answers to one kind of question before compilation starts."""
MOST_WAITED: Final = 30.0
"""Seconds that the exit waits for a call of LLVM; the longest takes two."""
_LOG: Final = logging.getLogger(__name__)
_ALL: Final[WeakSet[BackgroundCompile]] = WeakSet()


class BackgroundCompile:
    """Switch from interpreted to compiled code for one kind of question.

    Args:
        prepare: Compiles everything the answers need, or loads it from numba's cache. Called once, in a thread. If it raises
            `ConfigError` or `ImportError`, interpreted code answers for good, as it does without numba.
        mark: Returns the path of a file whose presence shows that numba's cache is complete. Another process can then load it
            in about a second.
        what: Name of the compiled code for the log (`logging`, level INFO).
    """

    def __init__(self, prepare: Callable[[], object], mark: Callable[[], Path] | None = None, what: str = "an agent") -> None:
        self._prepare = prepare
        self._mark = mark
        self._what = what
        self._spent, self._has_ended = 0.0, False
        self.thread: Thread | None = None
        """Thread that compiles, `None` before it starts."""
        self.is_ready = False
        """True once compiled code can answer immediately."""
        _ALL.add(self)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time of a `with` block as spent by interpreted code."""
        start = perf_counter()
        yield
        self.spend(perf_counter() - start)

    def spend(self, seconds: float) -> None:
        """Add to the time spent by interpreted code; start to compile once it reaches `PATIENCE`.

        Args:
            seconds: Time of the last answer.
        """
        self._spent += seconds
        if self._spent >= PATIENCE:
            self.start()

    def start(self) -> None:
        """Start to compile in the background, unless that has begun."""
        if self.thread is None and not self.is_ready:
            self.thread = Thread(target=self._run_in_background, name="compiling", daemon=True)
            with suppress(RuntimeError):  # a browser starts no threads, and has nothing to compile with
                self.thread.start()

    def finish(self) -> None:
        """Compile if needed, and wait until it is done; return immediately if compiling is impossible."""
        if self.thread is None:
            self._run()
        elif self.thread.ident is not None:
            NOTE.wait_for(self.thread)
            self.thread.join()

    def is_at_hand(self) -> bool:
        """Return whether compiled code can answer, after loading it from the disk cache if it is complete. Compiles nothing."""
        with suppress(ImportError):
            if not self.is_ready and self._mark is not None and self._mark().is_file():
                self.finish()
        return self.is_ready

    @property
    def is_compiling(self) -> bool:
        """True while the thread that compiles is at work."""
        return not self.is_ready and self.thread is not None and self.thread.is_alive()

    @property
    def has_failed(self) -> bool:
        """True if compilation has ended without compiled code, so that interpreted code answers for good."""
        thread = self.thread
        return thread is not None and thread.ident is not None and not thread.is_alive() and not self.is_ready

    def _run_in_background(self) -> None:
        with NOTE.in_background():
            try:
                self._run()
            except Exception:
                if not self._has_ended:  # what numba was doing fails when it is ended
                    raise

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

    def _end(self) -> None:
        """End the thread that compiles, after its current call of LLVM."""
        until, self._has_ended = perf_counter() + MOST_WAITED, True
        while self.thread is not None and self.thread.is_alive() and perf_counter() < until:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread.ident or 0), ctypes.py_object(SystemExit))
            self.thread.join(0.1)

    def _begin_anew(self) -> None:
        """Reset a thread that did not survive a fork."""
        if self.thread is not None and not self.is_ready:
            self.thread, self._spent = None, 0.0


def _lock_of_compiler() -> Any:
    """Return the lock that numba holds while it compiles a function; `None` if numba has not been imported."""
    module = sys.modules.get("numba.core.compiler_lock")
    return None if module is None else module.global_compiler_lock


def _before_fork() -> None:
    if (lock := _lock_of_compiler()) is not None:
        lock.acquire()


def _after_fork() -> None:
    if (lock := _lock_of_compiler()) is not None:
        with suppress(RuntimeError):  # numba was imported by another thread since
            lock.release()


@atexit.register
def _end_all() -> None:
    hook, sys.unraisablehook = sys.unraisablehook, lambda error: None  # what LLVM has called may be ended, too
    for one in list(_ALL):
        one._end()
    sys.unraisablehook = hook


def _in_child() -> None:
    _after_fork()
    for one in _ALL:
        one._begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
