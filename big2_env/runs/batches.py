"""Batches of items for workers: cut, sent, resent if a worker is lost, results in order.

A batch takes about `WorkerPool.batch_seconds`, so sending it costs little compared with the work. The way items are cut into
batches changes no result. This file does not know whether workers are processes of this machine or of a cluster.
"""

from __future__ import annotations

import pickle
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from big2_env.base.errors import ConfigError

T = TypeVar("T")

AHEAD: Final = 2
"""Batches per worker at a time. The second one waits at the worker, so that no worker waits for its next one."""
WINDOW: Final = 16
"""Unfinished or unread batches per worker, which bounds the memory of a run."""
MAX_SIZE: Final = 1 << 16
MAX_LOSSES: Final = 3
"""Times that the same single item may end its worker, or that workers may end before their first item."""
TICK: Final = 1.0
"""Seconds between checks for workers that hang or have joined."""


class Task(NamedTuple, Generic[T]):
    """The work of a pool of workers."""

    function: Callable[..., T]
    """Importable function that is called with one item, after the result of `start` if there is one."""
    start: Callable[..., object] | None = None
    """Importable function that is called once in each worker, before its first item."""
    given: tuple[Any, ...] = ()
    """Arguments of `start`."""

    @classmethod
    def of(cls, work: Callable[[Any], T] | Task[T]) -> Task[T]:
        """Return the task of a function of an item; a task stays as it is."""
        return work if isinstance(work, Task) else cls(work)

    def started(self) -> Callable[[Any], T]:
        """Call `start` and return the function of an item."""
        return self.function if self.start is None else partial(self.function, self.start(*self.given))


class BatchResult(NamedTuple):
    """Results of a batch, or of its items before the first failure."""

    results: list[Any]
    """Results of the items before the end or the failure."""
    seconds: float
    error: BaseException | None = None
    """Exception that the next item raised."""
    traceback: str = ""
    """Traceback of the exception, as text."""


class Shared(Protocol):
    """A value that many items contain, sent to workers in a way that it knows itself."""

    def get(self) -> Any:
        """Return the value: a copy, or an object that must not be written to."""


class Pickled(NamedTuple):
    """A value as bytes, pickled once for all workers."""

    data: bytes

    def get(self) -> Any:
        """Return a copy of the value."""
        return pickle.loads(self.data)


class Worker:
    """The code that runs in a worker process.

    Args:
        task: Work to do; its `start` is called.
    """

    def __init__(self, task: Task[Any]) -> None:
        self._function = task.started()

    def do(self, items: Sequence[Any]) -> BatchResult:
        """Run the items in order up to the first exception, which becomes part of the result."""
        began, results = time.perf_counter(), []
        try:
            for item in items:
                results.append(self._function(item))  # noqa: PERF401 - what is done before an error is kept
        except (Exception, SystemExit) as error:
            return BatchResult(results, time.perf_counter() - began, portable(error), traceback.format_exc())
        return BatchResult(results, time.perf_counter() - began)


def portable(error: BaseException) -> BaseException:
    """Return the exception itself if it can be pickled, else a `RuntimeError` with its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def installed_version() -> str:
    """Return the installed version of this package; empty if it is used from a folder without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("big2_env")
    except PackageNotFoundError:
        return ""


def check_version(version: str, where: str) -> None:
    """Refuse a worker with another version of this package, because its results might differ.

    Args:
        version: Version that the worker has installed.
        where: Machine of the worker, for the message.

    Raises:
        ConfigError: The versions differ.
    """
    if version != installed_version():
        raise ConfigError(f"expected big2_env {installed_version()} on every machine, got {version or 'none'} on {where}")


class Ready(NamedTuple):
    """Event: a worker has started."""

    worker: int


class Done(NamedTuple):
    """Event: a worker has finished a batch."""

    worker: int
    first: int
    """Number of the batch's first item."""
    outcome: BatchResult


class Lost(NamedTuple):
    """Event: a worker has died, with all its unfinished batches."""

    worker: int
    why: str


class StartFailed(NamedTuple):
    """Event: a worker failed to start, as every other one would."""

    error: BaseException


Event: TypeAlias = Ready | Done | Lost | StartFailed


class WorkerPool(Protocol):
    """Workers of one task, numbered in the order they are started."""

    @property
    def batch_seconds(self) -> float:
        """Intended duration of a batch, in seconds."""

    def capacity(self) -> int:
        """Return how many workers may exist now."""

    def start(self, worker: int) -> None:
        """Start a worker; `Ready` follows when it has started."""

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Send a worker a batch, to be done after those it has.

        Args:
            worker: Number of the worker.
            first: Number of the batch's first item.
            items: Items of the batch.
        """

    def wait(self, seconds: float) -> list[Event]:
        """Return the events that arrive within some seconds; empty if none did."""

    def stop(self, worker: int) -> None:
        """Kill a worker; no event reports it."""


class SharingWorkerPool(WorkerPool, Protocol):
    """A pool of workers to which large values can be sent once, outside their items."""

    def share(self, value: Any) -> Shared:
        """Return a handle of a value that workers can read, to be sent as a part of items."""


@dataclass
class _Batch:
    """Consecutive items."""

    first: int
    items: list[Any]
    losses: int = 0
    """Workers that died while working on it."""
    is_again: bool = False
    """True if a worker that had it has died. It is then sent alone, which shows whether this batch kills workers."""

    def halves(self) -> list[_Batch]:
        """Return the two halves of the batch in order, or the batch itself if it has a single item."""
        half = len(self.items) // 2
        if not half:
            return [self]
        return [_Batch(self.first, self.items[:half]), _Batch(self.first + half, self.items[half:])]

    def singles(self) -> list[_Batch]:
        """Return a batch per item, in order."""
        return [_Batch(self.first + number, [item]) for number, item in enumerate(self.items)]


@dataclass
class _WorkerState:
    """State of a worker."""

    is_ready: bool = False
    batches: deque[_Batch] = field(default_factory=deque)
    """Its batches, in the order it works on them."""
    began: float = 0.0
    """Time at which it started the first of its batches."""


class WorkerError(Exception):
    """The traceback of an item that failed in a worker."""


def in_order(workers: WorkerPool, items: Iterable[Any], limit: float | None = None, largest: int = MAX_SIZE) -> Iterator[Any]:
    """Yield the results of items in order; the exception of an item is raised at its place.

    Args:
        workers: Workers that compute the items.
        items: Items, read as needed. An exhausted iterator may have more items when the next result is requested.
        limit: Most seconds per item, `None` for any number.
        largest: Most items per batch.

    Raises:
        ConfigError: An item takes longer, an item ends its worker repeatedly, or the workers cannot start.
    """
    return iter(_Run(workers, items, limit, largest))


class _Run:
    """Items on their way through workers."""

    def __init__(self, workers: WorkerPool, items: Iterable[Any], limit: float | None, largest: int) -> None:
        self._workers = workers
        self._rest = iter(items)
        self._limit = limit
        self._largest = largest
        self._next: deque[Any] = deque()
        """Items read, but in no batch yet."""
        self._again: list[_Batch] = []
        """Batches to be resent, the lowest number last."""
        self._done: dict[int, BatchResult] = {}
        """Results that were not yielded yet, by the number of the first item."""
        self._hands: dict[int, _WorkerState] = {}
        self._started = self._taken = self._out = self._deaths = 0
        self._size = 1
        self._each: float | None = None
        """Recent seconds per item."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            while (outcome := self._done.pop(self._out, None)) is not None:
                yield from outcome.results
                self._out += len(outcome.results)
                if outcome.error is not None:
                    raise outcome.error from WorkerError(f"in a worker:\n{outcome.traceback}")
            self._feed()
            if not any(hand.batches for hand in self._hands.values()) and not self._again and not self._next:
                return
            for event in self._workers.wait(TICK):
                self._take(event)
            self._stop_hanging()

    def _feed(self) -> None:
        """Start as many workers as may exist, and give each ready one as many batches as it may have."""
        capacity = self._workers.capacity()
        self._next.extend(islice(self._rest, max(1, capacity) - len(self._next)) if len(self._next) < max(1, capacity) else ())
        busy = sum(bool(hand.batches) for hand in self._hands.values())
        for _ in range(min(capacity, busy + len(self._again) + len(self._next)) - len(self._hands)):
            self._hands[self._started] = _WorkerState()
            self._workers.start(self._started)
            self._started += 1
        for round_ in range(AHEAD):
            for worker, hand in self._hands.items():
                if not hand.is_ready or len(hand.batches) != round_ or any(batch.is_again for batch in hand.batches):
                    continue
                if (batch := self._batch(is_second=round_ > 0)) is not None:
                    hand.began = hand.began if hand.batches else time.monotonic()
                    hand.batches.append(batch)
                    self._workers.send(worker, batch.first, batch.items)

    def _batch(self, *, is_second: bool) -> _Batch | None:
        """Return the next batch, or `None` if there is none for this worker or enough batches are unfinished.

        Args:
            is_second: True if the worker has a batch already; a resent batch is only sent to a free worker.
        """
        if self._again:
            return None if is_second else self._again.pop()
        begun = len(self._done) + sum(len(hand.batches) for hand in self._hands.values())
        if begun >= WINDOW * max(1, len(self._hands)):
            return None
        self._next.extend(islice(self._rest, max(0, self._size - len(self._next))))
        items = [self._next.popleft() for _ in range(min(self._size, len(self._next)))]
        if not items:
            return None
        self._taken += len(items)
        return _Batch(self._taken - len(items), items)

    def _take(self, event: Event) -> None:
        match event:
            case StartFailed(error):
                raise error
            case Ready(worker):
                self._hands[worker].is_ready, self._deaths = True, 0
            case Done(worker, first, outcome):
                hand = self._hands[worker]
                hand.batches = deque(batch for batch in hand.batches if batch.first != first)
                hand.began = time.monotonic()
                self._done[first] = outcome
                self._measure(outcome)
                self._deaths = 0
            case Lost(worker, why):
                self._lose(worker, why)

    def _measure(self, outcome: BatchResult) -> None:
        """Choose the size of the next batches from the time of the last items."""
        if not outcome.results:
            return
        each = outcome.seconds / len(outcome.results)
        self._each = each if self._each is None else (self._each + each) / 2
        wanted = int(self._workers.batch_seconds / max(self._each, 1e-9))
        self._size = max(1, min(wanted, 2 * self._size, self._largest))

    def _lose(self, worker: int, why: str) -> None:
        """Take back the batches of a dead worker. The one it was working on is halved, to find an item that kills workers."""
        hand = self._hands.pop(worker)
        if not hand.is_ready:
            self._deaths += 1
            if self._deaths >= MAX_LOSSES * max(1, self._workers.capacity()):
                raise ConfigError(f"expected workers that begin, got {self._deaths} that ended before ({why})")
        if not hand.batches:
            return
        at = hand.batches.popleft()
        at.losses += 1
        if len(at.items) == 1 and at.losses >= MAX_LOSSES:
            raise ConfigError(f"expected a result of {at.items[0]!r}, got the end of {at.losses} workers ({why})")
        self._send_again([*at.halves(), *hand.batches])

    def _send_again(self, batches: Sequence[_Batch]) -> None:
        for batch in batches:
            batch.is_again = True
        self._again = sorted([*self._again, *batches], key=lambda batch: -batch.first)

    def _stop_hanging(self) -> None:
        """Kill workers whose batch takes too long and retry its items one by one.

        Raises:
            ConfigError: A single item takes too long.
        """
        if self._limit is None:
            return
        now = time.monotonic()
        for worker, hand in list(self._hands.items()):
            if not hand.batches:
                continue
            at, is_single = hand.batches[0], len(hand.batches[0].items) == 1
            if now - hand.began <= self._limit + (0 if is_single else self._workers.batch_seconds):
                continue
            self._workers.stop(worker)
            del self._hands[worker]
            if is_single:
                raise ConfigError(f"expected a result of {at.items[0]!r} within {self._limit:g} s, got none")
            hand.batches.popleft()
            self._send_again([*at.singles(), *hand.batches])
