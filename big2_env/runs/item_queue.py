"""Items that depend on the results of earlier items: sent to workers one at a time, with results taken in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Protocol

from big2_env.runs.batches import SharingWorkerPool, Task, in_order


class Answerer(Protocol):
    """An object in a worker that computes the results of items."""

    def answer(self, asked: Any) -> Any:
        """Return the result of one item."""


def answer_task(make: Callable[..., Answerer], *given: Any) -> Task[Any]:
    """Return a task for `ItemQueue`, in which each worker makes one answerer and asks it every item.

    Args:
        make: Importable class or function that makes the answerer.
        given: Arguments of `make`.
    """
    return Task(_answer, make, given)


def _answer(answerer: Answerer, asked: Any) -> Any:
    return None if asked is None else answerer.answer(asked)


class ItemQueue:
    """A queue of items for workers. The workers start when it is created.

    The first item of each worker is `None`, which shows that the worker has started; its result is ignored.

    Args:
        workers: Workers that compute the items.
        limit: Most seconds per item, `None` for any number.

    Raises:
        ConfigError: The workers cannot start.
    """

    def __init__(self, workers: SharingWorkerPool, limit: float | None = None) -> None:
        self._given: deque[Any] = deque([None] * workers.capacity())
        self._results = in_order(workers, _Taken(self._given), limit, largest=1)
        for _ in islice(self._results, len(self._given)):
            pass

    def give(self, item: Any) -> None:
        """Add an item, to be computed after the items added before it."""
        self._given.append(item)

    def take(self) -> Any:
        """Wait for the oldest result that was not taken yet, and return it.

        Raises:
            ConfigError: See `in_order`.
        """
        return next(self._results)


class _Taken:
    """An iterator that empties a queue: it ends when the queue is empty, and continues after an item was added."""

    def __init__(self, queue: deque[Any]) -> None:
        self._queue = queue

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._queue:
            raise StopIteration
        return self._queue.popleft()


class RoundsAhead:
    """Rounds of games that workers play for a learner, `staleness` updates ahead of it.

    Round *k* is requested after update *k - staleness* and used for update *k*. So its request depends on the staleness only,
    not on the number or place of the workers, nor on workers that are lost.

    Args:
        workers: Workers that play.
        ask: Returns the item of a round by its number; called when the round may be requested.
        first: Number of the first round.
        staleness: Updates between a round's request and its use. `None` chooses the least that keeps all workers but one busy,
            which waits while the learner learns: one less than the workers at the start, and at least 1.
        limit: Most seconds per round, `None` for any number.

    Raises:
        ConfigError: The workers cannot start.
    """

    def __init__(
        self, workers: SharingWorkerPool, ask: Callable[[int], Any], first: int, staleness: int | None, limit: float | None
    ) -> None:
        self.staleness = max(1, workers.capacity() - 1) if staleness is None else staleness
        self._asking, self._ask, self._next = ItemQueue(workers, limit), ask, first

    def take(self, number: int) -> Any:
        """Request all rounds that may be requested now, then wait for a round and return its result.

        Args:
            number: Round to return; rounds are taken in order.
        """
        while self._next <= number + self.staleness:
            self._asking.give(self._ask(self._next))
            self._next += 1
        return self._asking.take()
