"""Many games on all cores. What comes out does not depend on how many threads play: game k is that of the seed (seed + k)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.fishing.kernels.loops import play_seeds
from big2_env.games.fishing.results import MAX_GAMES, Run
from big2_env.games.fishing.tally import Block, Tally

BLOCK: Final = 20_000
"""Games that a thread plays at a time: a seventh of a second."""
BLOCK_OF_ENDLESS: Final = 16
"""The same where most games do not end."""


def default_jobs() -> int:
    """How many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def blocks(run: Run, games: int, *, first: int = 0, jobs: int = 0) -> Iterator[Block]:
    """The blocks of the games from number `first` up to `games`, in order, played by `jobs` threads (0: one on each core).

    Raises:
        ConfigError: a number of games that is not allowed.
    """
    if not 0 <= games <= MAX_GAMES:
        raise ConfigError(f"{games} games: allowed are 0 to {MAX_GAMES}")
    jobs = jobs or default_jobs()
    # Small runs are shared as well; the size of a block changes no result.
    most = BLOCK_OF_ENDLESS if run.rules.j_on_empty else BLOCK
    size = max(1, min(most, -(-(games - first) // jobs)))
    starts = iter(range(first, games, size))

    def play(start: int) -> Block:
        number = min(size, games - start)
        plays, ends = play_seeds(run.rules, run.seed + start, number, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
        return Block.of(start, plays, ends)

    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[Future[Block]] = deque()
        try:
            while True:
                # A few more than play at once, so that nobody waits for the one whose results are written.
                while len(waiting) < 2 * jobs and (start := next(starts, None)) is not None:
                    waiting.append(pool.submit(play, start))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def simulate(run: Run | None = None, games: int = 10_000, *, jobs: int = 0) -> Tally:
    """What so many games showed; nothing is written.

    >>> print(simulate(games=1000).summary().mean)
    1308 ± 82
    """
    return Tally.of(blocks(run or Run(), games, jobs=jobs))
