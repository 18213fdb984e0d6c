"""Switch between interpreted and compiled kernels: interpreted ones answer at once, compiled ones as soon as they are ready.

An interpreted answer takes milliseconds, compiling half a minute. So a `Compilation` starts only after a process has spent
`PATIENCE` seconds in interpreted code, in a daemon thread that never delays the exit. A `Switch` holds both forms of an object
that answers questions. Neither imports numba or numpy before compiled code is wanted.

A thread that compiles holds a lock of numba, which would stay locked in a forked child. So a fork waits until the current
function is compiled, and the child starts compiling from the beginning. LLVM aborts a process that exits during one of its
calls, so the exit waits for the end of the call.
"""

from __future__ import annotations

import atexit
import ctypes
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, RLock, Thread
from time import monotonic, perf_counter
from typing import Any, Final, Generic, TypeVar
from weakref import WeakSet

from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

Form = TypeVar("Form")
Answer = TypeVar("Answer")
PATIENCE: Final = 2.0
"""Seconds of interpreted answers to one kind of question before compilation starts."""
LOOK_AGAIN: Final = 5.0
"""Seconds between two looks at the disk for code that another process has compiled."""
MOST_WAITED: Final = 30.0
"""Seconds that the exit waits for a call of LLVM; the longest takes two."""
NICE: Final = 10
"""Priority of a process that compiles for this one: it gets a tenth of a core that this one needs too."""
_LOG: Final = logging.getLogger(__name__)
_ALL: Final[WeakSet[Compilation]] = WeakSet()
_SHARED: Final = RLock()
_ONE_PROCESS: Final = Lock()
"""Held while another process compiles, so that they compile one after another."""


class Compilation:
    """Compilation of the kernels for one kind of question, in this process.

    Args:
        prepare: Compiles everything the answers need, or loads it from numba's cache. Called once, in a thread. If it raises
            `ConfigError` or `ImportError`, interpreted code answers for good, as it does without numba.
        entry: The last entry kernel that `prepare` compiles, `MODULE.KERNEL`. Without one, numba's cache is not looked at.
        arguments: Returns arguments of the entry kernel, of the types for which it is compiled.
        kind: Returns the name of the compiled code, if `entry` does not decide alone that all of it is compiled. A file of this
            name next to the code then says so.
        elsewhere: Arguments of Python for a process that fills numba's cache first, so that this one only loads it.
        what: Name of the compiled code for the log (`logging`, level INFO).
    """

    def __init__(
        self,
        prepare: Callable[[], object],
        entry: str = "",
        *,
        arguments: Callable[[], tuple[Any, ...]] = tuple,
        kind: Callable[[], str] | None = None,
        elsewhere: Sequence[str] = (),
        what: str = "an agent",
    ) -> None:
        self._prepare, self._elsewhere, self._what = prepare, elsewhere, what
        self._entry, self._arguments, self._kind = entry, arguments, kind
        self.spent = 0.0
        """Seconds that interpreted code has spent."""
        self._has_ended = False
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
        """Add to the time spent by interpreted code; start to compile once it reaches `PATIENCE`."""
        self.spent += seconds
        if self.spent >= PATIENCE:
            self.start()

    def start(self) -> None:
        """Start to compile in the background, unless that has begun."""
        if self.thread is None and not self.is_ready:
            self.thread = Thread(target=self._run_in_background, name="compiling", daemon=True)
            with suppress(RuntimeError):  # a browser starts no threads, and has nothing to compile with
                self.thread.start()

    def finish(self) -> None:
        """Compile if needed, and wait until it is done; return immediately if compiling is impossible."""
        if self.is_ready:
            return
        if self.thread is None:
            self._run()
        elif self.thread.ident is not None:
            NOTE.wait_for(self.thread)
            self.thread.join()

    def is_cached(self) -> bool:
        """Return whether the code is compiled, in this process or in numba's cache on disk. Compiles nothing."""
        if self.is_ready or not (self._entry and may_be_compiled(self._entry)):
            return self.is_ready
        with suppress(ConfigError, ImportError):
            if self._kind is not None:
                return self._mark().is_file()
            from big2_env.kernels.dialect.kernel import is_compiled

            return is_compiled(kernel_of(self._entry), *self._arguments())
        return False

    def load(self) -> bool:
        """Return whether compiled code can answer, after loading it if numba's cache has all of it. Compiles nothing."""
        if self.thread is None and self.is_cached():
            self.finish()
        return self.is_ready

    def _mark(self) -> Path:
        """Return the path of the file that says that numba's cache has all of the code; `may_be_compiled` finds it too."""
        from big2_env.kernels.dialect.sources import source_hash

        assert self._kind is not None
        module, _, kernel = self._entry.rpartition(".")
        file = module.rpartition(".")[2]
        name = f"{file}.{kernel}.{source_hash(module)[:12]}-{self._kind()}-numba{version('numba')}.compiled"
        return Path(kernel_of(self._entry).stats.cache_path, name)

    def makes_wait(self) -> bool:
        """Return whether a caller would have to wait for the kernels, whose compilation then begins."""
        if self.load() or self.has_failed:
            return False
        self.start()
        return True

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
        if self._elsewhere:
            self._compile_elsewhere()
        try:
            self._prepare()
        except (ConfigError, ImportError):
            return
        _LOG.info("compiled %s in %.1f s", self._what, perf_counter() - start)
        self.is_ready = True
        if self._kind is not None:
            with suppress(OSError):  # a cache that cannot be written to
                self._mark().parent.mkdir(parents=True, exist_ok=True)
                self._mark().touch()

    def _compile_elsewhere(self) -> None:
        """Compile in another process, until it ends. If it fails, this process compiles what it needs."""
        command = [sys.executable, "-P", *self._elsewhere, str(os.getpid())]
        paths = os.pathsep.join(path for path in sys.path if path)
        with _ONE_PROCESS, suppress(OSError):
            nobody = subprocess.DEVNULL
            child = subprocess.Popen(
                command, env=os.environ | {"PYTHONPATH": paths}, stdin=nobody, stdout=nobody, stderr=nobody
            )
            atexit.register(child.kill)
            child.wait()
            atexit.unregister(child.kill)

    def _end(self) -> None:
        """End the thread that compiles, after its current call of LLVM."""
        until, self._has_ended = perf_counter() + MOST_WAITED, True
        while self.thread is not None and self.thread.is_alive() and perf_counter() < until:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread.ident or 0), ctypes.py_object(SystemExit))
            self.thread.join(0.1)

    def _begin_anew(self) -> None:
        """Reset a thread that did not survive a fork."""
        if self.thread is not None and not self.is_ready:
            self.thread, self.spent = None, 0.0


class Switch(Generic[Form]):
    """The two forms of an object that answers questions: interpreted kernels until compiled ones are ready.

    Args:
        compilation: Compilation of the kernels; objects that need the same ones share it.
        interpreted: Makes the interpreted form.
        compiled: Makes the compiled form; called once.
        game: Rules and number of seats of the game that the questions are about.
        is_shared: True if other switches have the same interpreted form, whose records serve one thread at a time.
    """

    def __init__(
        self,
        compilation: Compilation,
        interpreted: Callable[[], Form],
        compiled: Callable[[], Form],
        *,
        game: tuple[RuleSet, int] | None = None,
        is_shared: bool = False,
    ) -> None:
        self.compilation, self._game = compilation, game
        self._make_interpreted, self._make_compiled = interpreted, compiled
        self._interpreted: Form | None = None
        self._compiled: Form | None = None
        self._lock = _SHARED if is_shared else nullcontext()

    @property
    def is_compiled(self) -> bool:
        """True once the compiled form has been made."""
        return self._compiled is not None

    def serves(self, view: View) -> bool:
        """Return True for views of the switch's game."""
        return self._game is not None and self._game[0] is view.ruleset and self._game[1] == view.num_players

    @property
    def form(self) -> Form:
        """The current form."""
        if self.compilation.is_ready:
            if self._compiled is None:
                self._compiled, self._interpreted = self._make_compiled(), None
            return self._compiled
        if self._interpreted is None:
            self._interpreted = self._make_interpreted()
        return self._interpreted

    def ask(self, question: Callable[[Form], Answer]) -> Answer:
        """Return the answer to a question. The time that interpreted kernels take is counted."""
        form = self.form
        if form is self._compiled:
            return question(form)
        with self._lock, self.compilation.timed():
            return question(form)


def may_be_compiled(entry: str) -> bool:
    """Return whether an entry kernel may be compiled, without importing numba.

    Args:
        entry: The kernel, `MODULE.KERNEL`.

    Returns:
        False only if this process has not imported the module and numba's cache recently held no form of the kernel.
    """
    is_loaded = entry.rpartition(".")[0] in sys.modules
    return is_loaded or _lies_on_disk(entry, os.environ.get("NUMBA_CACHE_DIR"), int(monotonic() / LOOK_AGAIN))


@lru_cache(maxsize=64)
def _lies_on_disk(entry: str, folder: str | None, _period: int) -> bool:
    module, _, kernel = entry.rpartition(".")
    package, _, file = module.rpartition(".")
    if folder:
        return any(Path(folder).glob(f"*/{file}.{kernel}.*"))
    spec = find_spec(package)
    places = [] if spec is None else spec.submodule_search_locations or []
    return any(any(Path(own, "__pycache__").glob(f"{file}.{kernel}.*")) or not os.access(own, os.W_OK) for own in places)


def kernel_of(entry: str) -> Any:
    """Return an entry kernel, `MODULE.KERNEL`, compiled."""
    module, _, kernel = entry.rpartition(".")
    return getattr(import_module(module), kernel)


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
