"""Compiling in the background: plain Python answers the first questions, and compiled code those that come once it is there.

One answer in plain Python takes milliseconds, compiling half a minute. So it begins where a process has asked so much that it
pays, in a thread that no exit waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

from big2_env.errors import ConfigError

PATIENCE: Final = 2.0
"""Seconds that plain Python answers one kind of question before compiling begins."""


class Meanwhile:
    """Whether one kind of question is answered by compiled code yet.

    Args:
        prepare: compiles, or loads from numba's cache, all that the answers need. It is called once, in a thread. Where it
            raises ConfigError, nothing can be compiled: then plain Python answers for good, as it does without numba.
        mark: names a file that says that numba's cache has it all, so that another process can load it in a second.
    """

    def __init__(self, prepare: Callable[[], object], mark: Callable[[], Path] | None = None) -> None:
        self._prepare = prepare
        self._mark = mark
        self._spent = 0.0
        self.thread: Thread | None = None
        """The thread that compiles, `None` before it begins."""
        self.is_ready = False
        """True once compiled code can answer at once."""

    def spend(self, seconds: float) -> None:
        """Note that plain Python has taken so long for an answer; begin to compile where it has taken long enough in all."""
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
        try:
            self._prepare()
        except (ConfigError, ImportError):
            return
        self.is_ready = True
        if self._mark is not None:
            with suppress(OSError):  # a cache that cannot be written to
                self._mark().touch()
