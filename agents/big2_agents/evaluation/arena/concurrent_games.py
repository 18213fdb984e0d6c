"""Concurrent work of agents that wait for an endpoint: threads of one process, of which one plays at a time.

The results are the same as without threads, and come in the same order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Final, Generic, NamedTuple, TypeVar

from big2_agents.evaluation.arena.results import Config, GameResult, UnitResult
from big2_agents.evaluation.arena.schedule import Unit
from big2_agents.evaluation.arena.units import Table
from big2_env.agents.interface import aside
from big2_env.base.errors import ConfigError
from big2_env.runs.turnstile import playing

S = TypeVar("S")
T = TypeVar("T")
AHEAD: Final = 4
"""Most unfinished or unread items per thread. It bounds the memory while one takes long."""


class _Job(NamedTuple, Generic[S, T]):
    """An item to work on, and its result."""

    item: S
    result: Future[T]


@contextmanager
def done_at_once(make: Callable[[], Callable[[S], T]], items: Iterable[S], at_once: int) -> Iterator[Iterator[T]]:
    """Return a context with the results of items, in order, of which several are worked on at once.

    The threads end with the process: a call that hangs does not delay Ctrl-C or an error.

    Args:
        make: Makes the function that each thread calls with its items.
        items: The items.
        at_once: Number of threads.
    """
    jobs: SimpleQueue[_Job[S, T] | None] = SimpleQueue()
    threads = [Thread(target=_work, args=(make, jobs), daemon=True) for _ in range(at_once)]
    with aside():
        for thread in threads:
            thread.start()
        try:
            yield _in_order(items, jobs, AHEAD * at_once)
        finally:
            while not jobs.empty():
                jobs.get()
            for _ in threads:
                jobs.put(None)


def _work(make: Callable[[], Callable[[S], T]], jobs: SimpleQueue[_Job[S, T] | None]) -> None:
    """Work on items until the queue ends. Each thread has its own agents."""
    function = None
    while (job := jobs.get()) is not None:
        try:
            with playing():
                function = function or make()
                found = function(job.item)
        except ConfigError as error:
            error.__cause__ = error.__context__ = None  # what it refers to would keep the agents and their files open
            job.result.set_exception(error.with_traceback(None))
        except BaseException as error:
            job.result.set_exception(error)
        else:
            job.result.set_result(found)


def _in_order(items: Iterable[S], jobs: SimpleQueue[_Job[S, T] | None], most: int) -> Iterator[T]:
    """Yield the results of items in order, and keep items in the queue."""
    waiting = (_Job[S, T](item, Future()) for item in items)
    begun: deque[_Job[S, T]] = deque()
    while True:
        while len(begun) < most and (job := next(waiting, None)) is not None:
            begun.append(job)
            jobs.put(job)
        if not begun:
            return
        result = begun.popleft().result
        try:
            found = result.result()
        finally:
            del result  # an error would refer to this frame, and to itself
        yield found


@contextmanager
def played_at_once(config: Config, units: Iterable[Unit], at_once: int) -> Iterator[Iterator[UnitResult]]:
    """Return a context with the results of units, in order, of which several games are played at once.

    Args:
        config: Configuration of the run.
        units: The units to play.
        at_once: Number of games at a time.
    """
    contests = config.contests()

    def make() -> Callable[[tuple[Unit, int]], tuple[Unit, GameResult]]:
        table = Table(config, is_aside=True)
        return lambda game: (game[0], table.game(*game))

    games = ((unit, rotation) for unit in units for rotation in range(contests[unit.contest].rotations))
    with done_at_once(make, games, at_once) as finished:
        yield _by_unit(config, finished)


def _by_unit(config: Config, finished: Iterator[tuple[Unit, GameResult]]) -> Iterator[UnitResult]:
    """Yield the results of each unit once all its games are played."""
    contests = config.contests()
    games: list[GameResult] = []
    for unit, game in finished:
        games.append(game)
        if len(games) == contests[unit.contest].rotations:
            yield UnitResult(unit, tuple(games))
            games.clear()
