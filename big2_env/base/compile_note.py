"""Note that kernels are being compiled: one line per process, and progress on terminals and in notebooks.

Compiling takes up to a minute, in which a call does not return. `kernels.dialect.kernel` reports to `NOTE` when numba starts
and ends to compile; kernels loaded from the cache are not reported. Compilation in the background is not noted, because
no caller waits for it. Worker processes pass the line to the process that started them (`runs.executors`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Event, Thread, current_thread
from time import perf_counter
from typing import Final
from weakref import WeakSet

PATIENCE: Final = 2.0
"""Seconds of compilation in a process before the note."""
BRIEF: Final = 0.5
"""Seconds of a later compilation before it shows its progress."""
TICK: Final = 0.5
"""Seconds between two updates of the progress."""
LINE: Final = (
    "big2_env is compiling its kernels: up to a minute, only once. Later processes load them from numba's cache (%s). "
    "`big2 warm` compiles them in advance."
)


class CompileNote:
    """Note about compilation, for a process.

    Args:
        patience: Seconds of compilation before the note.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self.say: Callable[[str], object] = log_line
        """Function that receives the place of the cache, once per process. It logs a line, unless replaced."""
        self.title = "compiling kernels"
        """Description of the progress."""
        self.shows_progress = True
        self.has_open_line = False
        """True while the last line on the terminal is being written by another function."""
        self._quiet: WeakSet[Thread] = WeakSet()
        self._spent = self._began = 0.0
        self._is_announced = False
        self._over, self._watcher = Event(), Thread()

    def begin(self) -> None:
        """Start the clock: this thread compiles a function now. Calls are not nested."""
        self._began = perf_counter()
        self._over = Event()
        delay = BRIEF if self._is_announced else max(self.patience - self._spent, 0)
        self._watcher = Thread(target=self._watch, args=(current_thread(), delay, self._over), name="noting", daemon=True)
        with suppress(RuntimeError):  # no new threads while the interpreter exits
            self._watcher.start()

    def end(self) -> None:
        """Stop the clock, and remove the progress from the screen."""
        self._over.set()
        if self._watcher.ident is not None:
            self._watcher.join(1.0)
        if current_thread() not in self._quiet:
            self._spent += perf_counter() - self._began

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """Note nothing that this thread compiles during the block."""
        self._quiet.add(current_thread())
        try:
            yield
        finally:
            self._quiet.discard(current_thread())

    def wait_for(self, thread: Thread) -> None:
        """Note what a thread compiles in the background from now on, because the caller waits for it."""
        self._quiet.discard(thread)

    def announce(self) -> None:
        """Say that kernels are being compiled, unless this process has said so."""
        if self._is_announced:
            return
        self._is_announced = True
        if self.has_open_line:
            print(file=sys.stderr, flush=True)
        self.say(os.environ.get("NUMBA_CACHE_DIR") or "__pycache__")

    def _watch(self, thread: Thread, delay: float, over: Event) -> None:
        if over.wait(delay):
            return
        while thread in self._quiet:
            if over.wait(TICK):
                return
        self.announce()
        with self._progress() as update:
            while not over.wait(TICK):
                update(self._text())

    def _text(self) -> str:
        return f"{self.title}, {self._spent + perf_counter() - self._began:.0f} s"

    @contextmanager
    def _progress(self) -> Iterator[Callable[[str], object]]:
        """Show progress on a terminal or in a notebook during the block; yield a function that changes its text."""
        if not self.shows_progress or _is_worker() or self.has_open_line:
            yield str
        elif _is_notebook():
            display = import_module("IPython.display").display
            shown = display(_html(self._text()), raw=True, display_id=True)
            yield lambda text: shown.update(_html(text), raw=True)
            shown.update({"text/html": "", "text/plain": ""}, raw=True)
        elif _is_free_terminal():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            columns, console = (TextColumn("{task.description}"), BarColumn()), Console(stderr=True)
            with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
                task = bar.add_task(self._text(), total=None)
                yield lambda text: bar.update(task, description=text)
        else:
            yield str


def log_line(place: str) -> None:
    """Log that kernels are being compiled. Of the processes that `multiprocessing` starts, only the first one does.

    Args:
        place: Folder of numba's cache.
    """
    import logging  # here, because most processes compile nothing
    from multiprocessing import current_process

    if not _is_worker() or current_process().name.endswith(("-1", ":1")):
        logging.getLogger("big2_env.kernels").warning(LINE, place)


def _is_worker() -> bool:
    """Return whether `multiprocessing` started this process."""
    from multiprocessing import parent_process

    return parent_process() is not None


def _is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find is not None and hasattr(find(), "kernel")


def _html(text: str) -> dict[str, str]:
    return {"text/html": f"<progress></progress> {text}", "text/plain": text}


def _is_free_terminal() -> bool:
    """Return whether standard error is a terminal without a progress bar."""
    with suppress(ValueError):  # a closed stream
        if sys.stderr is not None and sys.stderr.isatty():
            from rich.file_proxy import FileProxy  # stands for both streams while rich shows a bar

            return not any(isinstance(stream, FileProxy) for stream in (sys.stdout, sys.stderr))
    return False


NOTE: Final = CompileNote()
"""This process's note."""
