"""Where long work is done: an executor is a value, so that no command knows.

Results come in the order of the work, so they depend neither on where it is done nor on how many workers do it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, Protocol, TypeVar

from big2_env.errors import ConfigError
from big2_env.runs.batches import SharingCrew, in_order
from big2_env.runs.processes import Processes
from big2_env.runs.worker import Task

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

    def crew(self, task: Task) -> AbstractContextManager[SharingCrew]:
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
        with closing(Processes(Task(function, start, given), jobs)) as crew:
            yield in_order(crew, every, self.limit)

    def crew(self, task: Task) -> AbstractContextManager[SharingCrew]:
        """As `Executor.crew`: processes."""
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
        with self.crew(Task(function, start, given)) as crew:
            yield in_order(crew, chain(first, rest), self.limit)

    @contextmanager
    def crew(self, task: Task) -> Iterator[SharingCrew]:
        """As `Executor.crew`: actors."""
        from big2_env.runs.cluster import Actors

        with self.running(), closing(Actors(task, self.jobs)) as crew:
            yield crew

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
