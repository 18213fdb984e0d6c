"""Concurrent games of agents that wait for an endpoint: threads of one process, of which one plays at a time.

The results are the same as without threads, and come in the same order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Final, NamedTuple

from big2_agents.arena.results import Config, GameResult, UnitResult
from big2_agents.arena.schedule import Unit
from big2_agents.arena.units import Table
from big2_agents.language_model.turnstile import playing
from big2_env.agents import aside
from big2_env.errors import ConfigError

AHEAD: Final = 4
"""Most unfinished or unread games per thread. It bounds the memory while one game takes long."""


class _Job(NamedTuple):
    """A game to play, and its result."""

    unit: Unit
    rotation: int
    result: Future[GameResult]


@contextmanager
def played_at_once(config: Config, units: Iterable[Unit], at_once: int) -> Iterator[Iterator[UnitResult]]:
    """Return a context with the results of units, in order, of which several games are played at once.

    The threads end with the process: a call that hangs does not delay Ctrl-C or an error.

    Args:
        config: Configuration of the run.
        units: The units to play.
        at_once: Number of games at a time.
    """
    jobs: SimpleQueue[_Job | None] = SimpleQueue()
    threads = [Thread(target=_play, args=(config, jobs), daemon=True) for _ in range(at_once)]
    with aside():
        for thread in threads:
            thread.start()
        try:
            yield _in_order(config, units, jobs, AHEAD * at_once)
        finally:
            while not jobs.empty():
                jobs.get()
            for _ in threads:
                jobs.put(None)


def _play(config: Config, jobs: SimpleQueue[_Job | None]) -> None:
    """Play games until the queue ends. Each thread has its own agents."""
    table = None
    while (job := jobs.get()) is not None:
        try:
            with playing():
                table = table or Table(config, is_aside=True)
                game = table.game(job.unit, job.rotation)
        except ConfigError as error:
            error.__cause__ = error.__context__ = None  # what it refers to would keep the agents and their files open
            job.result.set_exception(error.with_traceback(None))
        except BaseException as error:
            job.result.set_exception(error)
        else:
            job.result.set_result(game)


def _in_order(config: Config, units: Iterable[Unit], jobs: SimpleQueue[_Job | None], most: int) -> Iterator[UnitResult]:
    """Yield the results of units in order, and keep games in the queue."""
    contests = config.contests()
    waiting = (_Job(unit, rotation, Future()) for unit in units for rotation in range(contests[unit.contest].rotations))
    begun: deque[_Job] = deque()
    games: list[GameResult] = []
    while True:
        while len(begun) < most and (job := next(waiting, None)) is not None:
            begun.append(job)
            jobs.put(job)
        if not begun:
            return
        unit, rotation, result = begun.popleft()
        try:
            games.append(result.result())
        finally:
            del result  # an error would refer to this frame, and to itself
        if rotation == contests[unit.contest].rotations - 1:
            yield UnitResult(unit, tuple(games))
            games.clear()
