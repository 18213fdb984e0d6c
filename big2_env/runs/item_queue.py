"""Items that follow from the results of earlier ones: given to workers one by one, their results taken in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Protocol

from big2_env.runs.batches import SharingWorkerPool, Task, in_order


class Answerer(Protocol):
    """What a worker is asked."""

    def answer(self, asked: Any) -> Any:
        """The result of one item."""


_answerers: dict[Callable[..., Answerer], Answerer] = {}
"""Those of this process, by what made them."""


def answer_task(make: Callable[..., Answerer], *given: Any) -> Task:
    """Return a task for `ItemQueue`: each worker makes one answerer, by an importable class, and asks it each item."""
    return Task(partial(_answer, make), partial(_start, make), given)


def _start(make: Callable[..., Answerer], *given: Any) -> None:
    _answerers[make] = make(*given)


def _answer(make: Callable[..., Answerer], asked: Any) -> Any:
    return None if asked is None else _answerers[make].answer(asked)


class ItemQueue:
    """Items on their way to workers. Workers begin when this is made.

    A worker's first item is `None`, by which it is known that it is there: its result is not looked at.

    Args:
        workers: who does the items.
        limit: most seconds that one item may take, `None` for any number.

    Raises:
        ConfigError: workers that cannot begin.
    """

    def __init__(self, workers: SharingWorkerPool, limit: float | None = None) -> None:
        self._given: deque[Any] = deque([None] * workers.capacity())
        self._results = in_order(workers, _Taken(self._given), limit, largest=1)
        for _ in islice(self._results, len(self._given)):
            pass

    def give(self, item: Any) -> None:
        """Have an item done after those given before."""
        self._given.append(item)

    def take(self) -> Any:
        """The result of the first item that was given and not taken yet; waited for.

        Raises:
            ConfigError: as `in_order`.
        """
        return next(self._results)


class _Taken:
    """An iterator that takes what a queue has: it ends where the queue is empty, and goes on once it is not."""

    def __init__(self, queue: deque[Any]) -> None:
        self._queue = queue

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._queue:
            raise StopIteration
        return self._queue.popleft()


class RoundsAhead:
    """Rounds that workers play for a learner, `staleness` of them ahead of it.

    Round *k* is asked for as soon as *k - staleness* updates are made, and taken for update *k*. So what it is asked with
    depends on the staleness alone, neither on how many workers there are nor on where they are, nor on those that are lost.

    Args:
        workers: that play.
        ask: gives the item of a round, by its number; called when the round may be asked for.
        first: the number of the first round.
        staleness: how many updates a round is ahead. `None` is the least that keeps as many workers busy as there are at the
            start, of which one waits while the learner learns: one less than these, and at least 1.
        limit: most seconds that a round may take, `None` for any number.

    Raises:
        ConfigError: workers that cannot begin.
    """

    def __init__(
        self, workers: SharingWorkerPool, ask: Callable[[int], Any], first: int, staleness: int | None, limit: float | None
    ) -> None:
        self.staleness = max(1, workers.capacity() - 1) if staleness is None else staleness
        self._asking, self._ask, self._next = ItemQueue(workers, limit), ask, first

    def take(self, number: int) -> Any:
        """The result of round `number`, the next one; the rounds that may be asked for now are."""
        while self._next <= number + self.staleness:
            self._asking.give(self._ask(self._next))
            self._next += 1
        return self._asking.take()
