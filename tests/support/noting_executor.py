"""An executor whose workers play given games, and tell what recorders received in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from recorders import noted

from big2_env import Game
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
    def map(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        start: Callable[..., object],
        given: tuple[Any, ...],
    ) -> Iterator[Iterator[Any]]:
        """As `Executor.map`."""
        with self.inner.map(_do, items, start=_begin, given=(function, start, given, self.dealt)) as results:
            yield self._results(results)

    def running(self) -> AbstractContextManager[object]:
        """As `Executor.running`."""
        return self.inner.running()

    def _results(self, results: Iterator[tuple[Any, Noted]]) -> Iterator[Any]:
        for result, found in results:
            self.found.append(found)
            yield result


_function: Callable[[Any], Any]


def _begin(
    function: Callable[[Any], Any], start: Callable[..., object], given: tuple[Any, ...], dealt: dict[int, Game]
) -> None:
    global _function
    _function = function
    Game.deal = staticmethod(lambda rules, seed, *_: dealt[seed].copy())  # type: ignore[assignment, method-assign]
    start(*given)


def _do(item: Any) -> tuple[Any, Noted]:
    noted()
    return _function(item), Noted(os.getpid(), noted())
