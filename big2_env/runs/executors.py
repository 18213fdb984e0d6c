"""Where long work is done: threads and processes of this machine, or a Ray cluster, as values that a command passes on.

Results come in the order of the work, so they depend neither on where it is done nor on how many workers do it.

Processes have a pipe each. So a process that is killed loses only the work it had, and one whose parent is gone reads the end
of its pipe and exits too, silently.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Protocol, TypeVar

from big2_env.errors import ConfigError
from big2_env.runs.batches import (
    BatchResult,
    Done,
    Event,
    Lost,
    Pickled,
    Ready,
    SharingWorkerPool,
    StartFailed,
    Task,
    Worker,
    in_order,
    portable,
)

S = TypeVar("S")
T = TypeVar("T")


class Executor(Protocol):
    """Where work is done: `Local` or `Ray`."""

    @property
    def limit(self) -> float | None:
        """Most seconds that one item may take, `None` for any number."""
        ...

    def map(
        self,
        function: Callable[[S], T],
        items: Iterable[S],
        *,
        start: Callable[..., object] | None = None,
        given: tuple[Any, ...] = (),
        releases_gil: bool = False,
    ) -> AbstractContextManager[Iterator[T]]:
        """Results of a function in the order of the items; all workers end with the block.

        Args:
            function: importable; called with one item.
            items: taken as they are needed; each is pickled.
            start: importable; called once in each worker, before its first item.
            given: the arguments of `start`.
            releases_gil: whether threads of this process can do the work side by side.

        Raises:
            ConfigError: an item takes too long, or ends its worker again and again.
        """
        ...

    def workers(self, task: Task) -> AbstractContextManager[SharingWorkerPool]:
        """Workers beside this process that end with the block, for items that follow from earlier results (`in_order`)."""
        ...

    def running(self) -> AbstractContextManager[object]:
        """What keeps the executor ready from one `map` to the next."""
        ...


@dataclass(frozen=True)
class Local:
    """Threads or fresh processes of this machine; with one job the work is done in this process.

    >>> with Local(1).map(abs, range(-3, 0)) as results:
    ...     list(results)
    [3, 2, 1]
    """

    jobs: int = 0
    """How many at a time; 0 for one on each core."""
    limit: float | None = None
    """Most seconds that one item may take, `None` for any number. It needs processes, for a thread cannot be stopped."""

    def __post_init__(self) -> None:
        _check(self.jobs, self.limit)

    @contextmanager
    def map(
        self,
        function: Callable[[S], T],
        items: Iterable[S],
        *,
        start: Callable[..., object] | None = None,
        given: tuple[Any, ...] = (),
        releases_gil: bool = False,
    ) -> Iterator[Iterator[T]]:
        """As `Executor.map`."""
        jobs, rest = self.jobs or num_cores(), iter(items)
        first = list(islice(rest, jobs))
        every, jobs = chain(first, rest), min(jobs, len(first))
        if self.limit is None and (jobs <= 1 or releases_gil):
            if start is not None:
                start(*given)
            with closing(by_threads(function, every, jobs)) if jobs > 1 else nullcontext(map(function, every)) as results:
                yield results
            return
        with closing(Processes(Task(function, start, given), jobs)) as workers:
            yield in_order(workers, every, self.limit)

    def workers(self, task: Task) -> AbstractContextManager[SharingWorkerPool]:
        """As `Executor.workers`: processes."""
        return closing(Processes(task, self.jobs or num_cores()))

    def running(self) -> AbstractContextManager[object]:
        """Nothing has to be kept."""
        return nullcontext()


@dataclass(frozen=True)
class Ray:
    """A Ray cluster (extra `ray`): each worker is an actor that takes a core. Workers and machines may come and go."""

    address: str | None = None
    """`auto`, HOST:PORT or ray://HOST:PORT of a cluster to join; `None` starts a Ray on this machine and stops it."""
    jobs: int = 0
    """How many workers; 0 for one on each core of the cluster."""
    limit: float | None = None
    """Most seconds that one item may take, `None` for any number."""

    def __post_init__(self) -> None:
        _check(self.jobs, self.limit)

    @contextmanager
    def map(
        self,
        function: Callable[[S], T],
        items: Iterable[S],
        *,
        start: Callable[..., object] | None = None,
        given: tuple[Any, ...] = (),
        releases_gil: bool = False,
    ) -> Iterator[Iterator[T]]:
        """As `Executor.map`."""
        rest = iter(items)
        first = list(islice(rest, 1))
        if not first:  # nothing to start a cluster for
            yield iter(())
            return
        with self.workers(Task(function, start, given)) as workers:
            yield in_order(workers, chain(first, rest), self.limit)

    @contextmanager
    def workers(self, task: Task) -> Iterator[SharingWorkerPool]:
        """As `Executor.workers`: actors."""
        from big2_env.runs.cluster import Actors

        with self.running(), closing(Actors(task, self.jobs)) as workers:
            yield workers

    def running(self) -> AbstractContextManager[object]:
        """A connection that ends with the block; inside it all `map` share one."""
        from big2_env.runs.cluster import connected

        return connected(self.address, self.jobs or num_cores())


def _check(jobs: int, limit: float | None) -> None:
    if jobs < 0:
        raise ConfigError(f"expected 0 or more jobs, got {jobs}")
    if limit is not None and not limit > 0:
        raise ConfigError(f"expected a limit of more than 0 seconds, got {limit}")


def num_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(function: Callable[[S], T], items: Iterable[S], threads: int = 0) -> Generator[T]:
    """Results of a function that releases the interpreter's lock, in the order of the items.

    At most two items a thread are begun and not yet asked for, so memory is bounded and an interrupt is heard soon.

    Args:
        function: called with one item, in any thread.
        items: taken as they are needed, in this thread.
        threads: number of threads, 0 for one on each core.

    >>> list(by_threads(abs, range(-3, 0), threads=2))
    [3, 2, 1]
    """
    threads = threads or num_cores()
    rest = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        begun: deque[Future[T]] = deque()
        try:
            while True:
                # More than run at once, so that no thread waits for the one whose result is taken.
                while len(begun) < 2 * threads:
                    try:
                        item = next(rest)
                    except StopIteration:
                        break
                    begun.append(pool.submit(function, item))
                if not begun:
                    return
                yield begun.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


LOCAL: Final = Local()
"""This machine, all cores."""


BATCH_SECONDS: Final = 0.25
"""How long a batch takes: sending it takes a fifth of a millisecond."""


class Processes:
    """Up to so many processes, each started afresh, not forked: agents may bring threads, which a fork does not survive."""

    batch_seconds: Final = BATCH_SECONDS

    def __init__(self, task: Task, number: int) -> None:
        self._task = pickle.dumps(task)
        self._number = number
        self._context = get_context("spawn")
        self._processes: dict[int, Any] = {}
        self._pipes: dict[int, Any] = {}

    def capacity(self) -> int:
        """How many processes there may be."""
        return self._number

    def start(self, worker: int) -> None:
        """Start a process; it gets its task as soon as it listens."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), name=f"worker {worker}", daemon=True)
        with _no_interrupts():
            process.start()
        theirs.close()
        self._processes[worker], self._pipes[worker] = process, ours
        self._say(worker, self._task)

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Give a process a batch."""
        self._say(worker, pickle.dumps((first, items)))

    def _say(self, worker: int, data: bytes) -> None:
        with suppress(OSError):  # it is gone, which `wait` finds
            self._pipes[worker].send_bytes(data)

    def share(self, value: Any) -> Pickled:
        """A value to be sent through the pipes."""
        return Pickled(pickle.dumps(value))

    def wait(self, seconds: float) -> list[Event]:
        """What the processes say, or that one is gone."""
        workers = {pipe: worker for worker, pipe in self._pipes.items()}
        return [self._read(workers[pipe]) for pipe in wait(list(workers), seconds)]

    def _read(self, worker: int) -> Event:
        try:
            said = pickle.loads(self._pipes[worker].recv_bytes())
        except (EOFError, OSError):
            process = self._processes[worker]
            process.join(1)
            self.stop(worker)
            return Lost(worker, f"exit status {process.exitcode}")
        if isinstance(said, BaseException):
            return StartFailed(said)
        return Ready(worker) if said is None else Done(worker, *said)

    def stop(self, worker: int) -> None:
        """Kill a process."""
        process = self._processes.pop(worker)
        process.kill()
        process.join()
        self._pipes.pop(worker).close()

    def close(self) -> None:
        """Kill all processes."""
        for process in self._processes.values():
            process.kill()
        for worker in list(self._processes):
            self.stop(worker)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C: it is the parent's to end them."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # the first process would start it, which lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(pipe: Connection) -> None:
    """Do what comes through a pipe until it ends: first a task, then batches."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before the task is loaded, and numpy with it
    came: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(pipe, came), name="listening", daemon=True).start()
    try:
        worker = Worker(pickle.loads(came.get()))
    except (Exception, SystemExit) as error:
        _answer(pipe, pickle.dumps(portable(error)))
        return
    _answer(pipe, pickle.dumps(None))
    said: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_speak, args=(pipe, said), name="speaking", daemon=True).start()
    while True:
        first, items = pickle.loads(came.get())
        outcome = worker.do(items)
        try:
            data = pickle.dumps((first, outcome))
        except Exception as error:
            data = pickle.dumps((first, BatchResult([], outcome.seconds, portable(error))))
        said.put(data)


def _listen(pipe: Connection, came: SimpleQueue[bytes]) -> None:
    """Take what comes at once, so that the parent never waits to send; where the parent is gone, end the process."""
    with suppress(EOFError, OSError):
        while True:
            came.put(pipe.recv_bytes())
    os._exit(1)


def _speak(pipe: Connection, said: SimpleQueue[bytes]) -> None:
    """Send what is done, so that a worker never waits for a parent that is busy."""
    while True:
        _answer(pipe, said.get())


def _answer(pipe: Connection, data: bytes) -> None:
    try:
        pipe.send_bytes(data)
    except OSError:
        os._exit(1)
