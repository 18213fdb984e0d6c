"""Items cut into batches, sent to workers, and their results put in order. Lost batches are sent again.

A batch takes about as long as `WorkerPool.batch_seconds`, so sending it costs little compared with doing it. How items
are cut into batches changes no result. Nothing here knows whether workers are processes of this machine or of a cluster.
"""

from __future__ import annotations

import pickle
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from big2_env.errors import ConfigError

AHEAD: Final = 2
"""Batches that a worker has at a time: the second one waits there, so that no worker waits for its next one."""
WINDOW: Final = 16
"""Batches for each worker that may be begun and not yet asked for: they bound the memory of a run."""
MAX_SIZE: Final = 1 << 16
MAX_LOSSES: Final = 3
"""How often the same single item may take its worker along, or workers may end before their first item."""
TICK: Final = 1.0
"""Seconds after which it is looked whether a worker hangs or has joined."""


class Task(NamedTuple):
    """What the workers of a run are for."""

    function: Callable[[Any], Any]
    """Importable; called with one item."""
    start: Callable[..., object] | None = None
    """Importable; called once in each worker, before its first item."""
    given: tuple[Any, ...] = ()
    """The arguments of `start`."""


class BatchResult(NamedTuple):
    """What became of a batch of items."""

    results: list[Any]
    """The results of the items up to the end, or up to the one that failed."""
    seconds: float
    error: BaseException | None = None
    """What the next item raised."""
    traceback: str = ""
    """Where it was raised, as text."""


class Shared(Protocol):
    """A value that many items have; how it is sent to workers is theirs to know."""

    def get(self) -> Any:
        """The value, a copy or one that must not be written to."""
        ...


class Pickled(NamedTuple):
    """A value as bytes: it is pickled once, however many workers it is sent to."""

    data: bytes

    def get(self) -> Any:
        """A copy of the value."""
        return pickle.loads(self.data)


class Worker:
    """Does the items of one task, in the process it was made in."""

    def __init__(self, task: Task) -> None:
        self._function = task.function
        if task.start is not None:
            task.start(*task.given)

    def do(self, items: Sequence[Any]) -> BatchResult:
        """What becomes of the items. The first error ends the batch, and is part of what comes back."""
        began, results = time.perf_counter(), []
        try:
            for item in items:
                results.append(self._function(item))  # noqa: PERF401 - what is done before an error is kept
        except (Exception, SystemExit) as error:
            return BatchResult(results, time.perf_counter() - began, portable(error), traceback.format_exc())
        return BatchResult(results, time.perf_counter() - began)


def portable(error: BaseException) -> BaseException:
    """The error itself where it can be sent to another process, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def installed_version() -> str:
    """The version of this package that is installed here, empty where only its files are."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("big2_env")
    except PackageNotFoundError:
        return ""


def check_version(version: str, where: str) -> None:
    """Refuse a worker that has another version of this package: its results might differ.

    Raises:
        ConfigError: it has another version.
    """
    if version != installed_version():
        raise ConfigError(f"expected big2_env {installed_version()} on every machine, got {version or 'none'} on {where}")


class Ready(NamedTuple):
    """A worker is there."""

    worker: int


class Done(NamedTuple):
    """A worker has done a batch."""

    worker: int
    first: int
    """The number of the batch's first item."""
    outcome: BatchResult


class Lost(NamedTuple):
    """A worker is gone, with all that it had not done."""

    worker: int
    why: str


class StartFailed(NamedTuple):
    """A worker could not begin, and no other one could."""

    error: BaseException


Event: TypeAlias = Ready | Done | Lost | StartFailed


class WorkerPool(Protocol):
    """Workers of one task, numbered as they are started."""

    @property
    def batch_seconds(self) -> float:
        """How long a batch should take."""
        ...

    def capacity(self) -> int:
        """How many workers there may be now."""
        ...

    def start(self, worker: int) -> None:
        """Start a worker; `Ready` says when it is there."""
        ...

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        """Give a worker a batch, to be done after those it has."""
        ...

    def wait(self, seconds: float) -> list[Event]:
        """What happened, none where nothing did for so long."""
        ...

    def stop(self, worker: int) -> None:
        """End a worker at once; no event tells of it."""
        ...


class SharingWorkerPool(WorkerPool, Protocol):
    """Workers that large values are given to beside their items."""

    def share(self, value: Any) -> Shared:
        """A value that workers can read, to be sent as a part of items."""
        ...


@dataclass
class _Batch:
    """Items that follow each other."""

    first: int
    items: list[Any]
    losses: int = 0
    """How many workers ended while they did it."""
    is_again: bool = False
    """A worker that had it is gone. Then it is sent alone, so that it is known which batch ends workers."""

    def halves(self) -> list[_Batch]:
        """The batch in two, in order; a single item stays as it is."""
        half = len(self.items) // 2
        if not half:
            return [self]
        return [_Batch(self.first, self.items[:half]), _Batch(self.first + half, self.items[half:])]

    def singles(self) -> list[_Batch]:
        """Each item on its own, in order."""
        return [_Batch(self.first + number, [item]) for number, item in enumerate(self.items)]


@dataclass
class _WorkerState:
    """What is known of a worker."""

    is_ready: bool = False
    batches: deque[_Batch] = field(default_factory=deque)
    """What it has, in the order it does them."""
    began: float = 0.0
    """When it began the first of them."""


class WorkerError(Exception):
    """What a worker said where an item failed: the traceback of its process."""


def in_order(workers: WorkerPool, items: Iterable[Any], limit: float | None = None, largest: int = MAX_SIZE) -> Iterator[Any]:
    """The results of items, in their order; an item's error is raised where its result would come.

    Args:
        workers: who does them.
        items: taken as they are needed. An iterator that has none now may have more by the time when the next result is
            asked for.
        limit: most seconds that one item may take, `None` for any number.
        largest: most items of a batch.

    Raises:
        ConfigError: an item takes longer, or ends its worker again and again; workers cannot begin.
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
        """Items taken and in no batch yet."""
        self._again: list[_Batch] = []
        """Batches to be sent again, the lowest number last."""
        self._done: dict[int, BatchResult] = {}
        """By number of the first item, what has not come out yet."""
        self._hands: dict[int, _WorkerState] = {}
        self._started = self._taken = self._out = self._deaths = 0
        self._size = 1
        self._each: float | None = None
        """Seconds that an item takes, of late."""

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
        """Start the workers that there may be, and give each that is ready as many batches as it may have."""
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
        """The batch that comes next, none where there is none that a worker may have second, or enough is begun."""
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
        """Choose the size of the next batches by how long the items of the last ones took."""
        if not outcome.results:
            return
        each = outcome.seconds / len(outcome.results)
        self._each = each if self._each is None else (self._each + each) / 2
        wanted = int(self._workers.batch_seconds / max(self._each, 1e-9))
        self._size = max(1, min(wanted, 2 * self._size, self._largest))

    def _lose(self, worker: int, why: str) -> None:
        """Take back what a worker had; the batch it was at is cut in two, so that an item that ends workers is found."""
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
        """End workers whose batch takes too long; its items are tried one by one, and a single one too long is an error."""
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
