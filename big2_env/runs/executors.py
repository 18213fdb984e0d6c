"""Work spread over threads or processes; results come in the order of the work, so they depend on no number of workers."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def num_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(function: Callable[[S], T], items: Iterable[S], threads: int = 0) -> Iterator[T]:
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


@contextmanager
def by_processes(
    function: Callable[[S], T],
    items: Iterable[S],
    processes: int,
    start: Callable[..., object] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[Iterator[T]]:
    """Results of a function in the order of the items, from processes that end with the block.

    Processes are started afresh, not forked: agents may bring threads, which a fork does not survive. Ctrl-C reaches only the
    calling process, and linear algebra uses one thread in each.

    Args:
        function: importable; called with one item.
        items: what to call it with; each is pickled.
        processes: number of processes; with 1 the work is done in this one.
        start: importable; called once in each process, before its first item.
        given: the arguments of `start`.
    """
    if processes == 1:
        if start is not None:
            start(*given)
        yield map(function, items)
        return
    with get_context("spawn").Pool(processes, _start, (start, given)) as pool:
        yield pool.imap(function, items)


def _start(start: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if start is not None:
        start(*given)
