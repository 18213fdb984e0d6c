"""An executor whose workers play given games, and tell what recorders received in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple

from recorders import noted

from big2_env import Game
from big2_env.runs.batches import Task
from big2_env.runs.executors import Executor


class Noted(NamedTuple):
    """What recorders received during one item."""

    process: int
    notes: list[Any]


class NotingExecutor:
    """Work done by another executor, for agents of `recorders`.

    Args:
        inner: Where the work is done; it needs processes other than this one.
        dealt: The games that `Game.deal` gives in its workers, by seed.
    """

    def __init__(self, inner: Executor, dealt: dict[int, Game]) -> None:
        self.inner, self.dealt = inner, dealt
        self.found: list[Noted] = []
        """By item."""
        self.jobs, self.limit = inner.jobs, inner.limit

    @contextmanager
    def map(self, task: Task[Any], items: Iterable[Any]) -> Iterator[Iterator[Any]]:
        """As `Executor.map`."""
        with self.inner.map(Task(partial(_do, task.function), _begin, (task, self.dealt)), items) as results:
            yield self._results(results)

    def running(self) -> AbstractContextManager[object]:
        """As `Executor.running`."""
        return self.inner.running()

    def _results(self, results: Iterator[tuple[Any, Noted]]) -> Iterator[Any]:
        for result, found in results:
            self.found.append(found)
            yield result


def _begin(task: Task[Any], dealt: dict[int, Game]) -> object:
    assert task.start is not None
    Game.deal = staticmethod(lambda rules, seed, *_: dealt[seed].copy())  # type: ignore[assignment, method-assign]
    return task.start(*task.given)


def _do(function: Callable[..., Any], own: object, item: Any) -> tuple[Any, Noted]:
    noted()
    return function(own, item), Noted(os.getpid(), noted())
