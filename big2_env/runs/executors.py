"""Executors: values that decide where long work runs, in threads or processes of this machine or on a Ray cluster.

Results come in the order of the items. So they depend neither on the place nor on the number of workers.

Each process has its own pipe. A killed process loses only its own work. A process whose parent has died reads the end of its
pipe and exits silently.
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
from threading import Lock, Thread
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError
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
Work: TypeAlias = Callable[[Any], T] | Task[T]
"""The work of an executor, with results of a type."""


class Executor(Protocol):
    """Where work runs: `Local` or `Ray`."""

    @property
    def jobs(self) -> int:
        """Number of workers; 0 for one per core."""

    @property
    def limit(self) -> float | None:
        """Most seconds per item, `None` for any number."""

    def map(self, work: Work[T], items: Iterable[Any], *, releases_gil: bool = False) -> AbstractContextManager[Iterator[T]]:
        """Yield an iterator over the results of a function, in the order of the items. All workers end with the block.

        Args:
            work: Importable function that is called with one item, or a `Task`, whose workers begin with its `start`.
            items: Items, read as needed; each is pickled.
            releases_gil: True if threads of this process can do the work in parallel.

        Raises:
            ConfigError: An item takes too long, or ends its worker repeatedly.
        """

    def workers(self, task: Task[Any]) -> AbstractContextManager[SharingWorkerPool]:
        """Yield workers that end with the block, for items that depend on earlier results (`in_order`)."""

    def running(self) -> AbstractContextManager[object]:
        """Keep the executor ready between calls of `map` inside the block."""


@dataclass(frozen=True)
class Local:
    """Threads or new processes of this machine. With one job the work runs in the calling process.

    Args:
        jobs: Items computed at a time; 0 for one per core.
        limit: Most seconds per item, `None` for any number. A limit needs processes, because a thread cannot be stopped.

    Raises:
        ConfigError: `jobs` is negative, or `limit` is not positive.

    >>> with Local(1).map(abs, range(-3, 0)) as results:
    ...     list(results)
    [3, 2, 1]
    """

    jobs: int = 0
    limit: float | None = None

    def __post_init__(self) -> None:
        _check(self.jobs, self.limit)

    @contextmanager
    def map(self, work: Work[T], items: Iterable[Any], *, releases_gil: bool = False) -> Iterator[Iterator[T]]:
        """Yield the results in order; see `Executor.map`."""
        jobs, rest = self.jobs or num_cores(), iter(items)
        first = list(islice(rest, jobs))
        every, jobs = chain(first, rest), min(jobs, len(first))
        if self.limit is None and (jobs <= 1 or releases_gil):
            function = Task.of(work).started()
            with closing(by_threads(function, every, jobs)) if jobs > 1 else nullcontext(map(function, every)) as results:
                yield results
            return
        with closing(Processes(Task.of(work), jobs)) as workers:
            yield in_order(workers, every, self.limit)

    def workers(self, task: Task[Any]) -> AbstractContextManager[SharingWorkerPool]:
        """Yield processes of this machine; see `Executor.workers`."""
        return closing(Processes(task, self.jobs or num_cores()))

    def running(self) -> AbstractContextManager[object]:
        """Do nothing: there is nothing to keep ready."""
        return nullcontext()


@dataclass(frozen=True)
class Ray:
    """A Ray cluster (extra `ray`), where each worker is an actor that takes one core. Workers and machines may come and go.

    Args:
        address: `auto`, HOST:PORT or ray://HOST:PORT of a cluster to join. `None` starts Ray on this machine and stops it.
        jobs: Number of workers; 0 for one per core of the cluster.
        limit: Most seconds per item, `None` for any number.

    Raises:
        ConfigError: `jobs` is negative, or `limit` is not positive.
    """

    address: str | None = None
    jobs: int = 0
    limit: float | None = None

    def __post_init__(self) -> None:
        _check(self.jobs, self.limit)

    @contextmanager
    def map(self, work: Work[T], items: Iterable[Any], *, releases_gil: bool = False) -> Iterator[Iterator[T]]:
        """Yield the results in order; see `Executor.map`."""
        rest = iter(items)
        first = list(islice(rest, 1))
        if not first:  # nothing to start a cluster for
            yield iter(())
            return
        with self.workers(Task.of(work)) as workers:
            yield in_order(workers, chain(first, rest), self.limit)

    @contextmanager
    def workers(self, task: Task[Any]) -> Iterator[SharingWorkerPool]:
        """Yield Ray actors; see `Executor.workers`."""
        from big2_env.runs.cluster import Actors

        with self.running(), closing(Actors(task, self.jobs)) as workers:
            yield workers

    def running(self) -> AbstractContextManager[object]:
        """Keep a connection to Ray during the block; every `map` inside it shares the connection."""
        from big2_env.runs.cluster import connected

        return connected(self.address, self.jobs or num_cores())


def _check(jobs: int, limit: float | None) -> None:
    if jobs < 0:
        raise ConfigError(f"expected 0 or more jobs, got {jobs}")
    if limit is not None and not limit > 0:
        raise ConfigError(f"expected a limit of more than 0 seconds, got {limit}")


def num_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(function: Callable[[S], T], items: Iterable[S], threads: int = 0) -> Generator[T]:
    """Yield the results of a function that releases the GIL, in the order of the items.

    At most two items per thread are unfinished or unread. That bounds the memory, and Ctrl-C takes effect soon.

    Args:
        function: Called with one item, in any thread.
        items: Items, read as needed in this thread.
        threads: Number of threads, 0 for one per core.

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
                begun.extend(pool.submit(function, item) for item in islice(rest, 2 * threads - len(begun)))
                if not begun:
                    return
                yield begun.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


LOCAL: Final = Local()
"""This machine, all cores."""


BATCH_SECONDS: Final = 0.25
"""Intended duration of a batch; sending one takes a fraction of a millisecond."""


class Processes:
    """A pool of processes. Each is spawned, not forked, because agents may bring threads, which a fork does not survive.

    Args:
        task: Work of the processes.
        number: Most processes at a time.
    """

    batch_seconds: Final = BATCH_SECONDS

    def __init__(self, task: Task[Any], number: int) -> None:
        self._task = pickle.dumps(task)
        self._number = number
        self._context = get_context("spawn")
        self._processes: dict[int, Any] = {}
        self._pipes: dict[int, Any] = {}

    def capacity(self) -> int:
        """Return the most processes at a time."""
        return self._number

    def start(self, worker: int) -> None:
        """Start a process; it receives its task as soon as it listens."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), name=f"worker {worker}", daemon=True)
        with _no_interrupts():
            process.start()
        theirs.close()
        self._processes[worker], self._pipes[worker] = process, ours
        self._say(worker, self._task)

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Send a process a batch."""
        self._say(worker, pickle.dumps((first, items)))

    def _say(self, worker: int, data: bytes) -> None:
        with suppress(OSError):  # it is gone, which `wait` finds
            self._pipes[worker].send_bytes(data)

    def share(self, value: Any) -> Pickled:
        """Return a value pickled once, to be sent through the pipes."""
        return Pickled(pickle.dumps(value))

    def wait(self, seconds: float) -> list[Event]:
        """Return what the processes sent within some seconds, or that one has died."""
        workers = {pipe: worker for worker, pipe in self._pipes.items()}
        events = (self._read(workers[pipe]) for pipe in wait(list(workers), seconds))
        return [event for event in events if event is not None]

    def _read(self, worker: int) -> Event | None:
        try:
            said = pickle.loads(self._pipes[worker].recv_bytes())
        except (EOFError, OSError):
            process = self._processes[worker]
            process.join(1)
            self.stop(worker)
            return Lost(worker, f"exit status {process.exitcode}")
        if isinstance(said, BaseException):
            return StartFailed(said)
        if said == _COMPILING:
            NOTE.announce()
            return None
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
    """Block Ctrl-C in processes that are started during the block; ending them is the parent's task."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # the first process would start it, which lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_COMPILING: Final = "compiling"
"""Message of a process that compiles kernels while its parent waits."""
_SENDING: Final = Lock()
"""Held while a process sends a message, which several of its threads do."""


def serve(pipe: Connection) -> None:
    """Serve a pipe until it ends: first a task arrives, then batches."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    NOTE.say = lambda place: _answer(pipe, pickle.dumps(_COMPILING))
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
    """Receive messages immediately, so that the parent never waits to send; end the process if the parent has died."""
    with suppress(EOFError, OSError):
        while True:
            came.put(pipe.recv_bytes())
    os._exit(1)


def _speak(pipe: Connection, said: SimpleQueue[bytes]) -> None:
    """Send results, so that the worker never waits for a busy parent."""
    while True:
        _answer(pipe, said.get())


def _answer(pipe: Connection, data: bytes) -> None:
    try:
        with _SENDING:
            pipe.send_bytes(data)
    except OSError:
        os._exit(1)
