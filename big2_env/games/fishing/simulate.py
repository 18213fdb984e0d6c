"""Many games on all cores. What comes out does not depend on how many threads play: game k is that of the seed (seed + k)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.fishing.kernels.loops import play_seeds
from big2_env.games.fishing.results import MAX_GAMES, Run
from big2_env.games.fishing.tally import Block, Tally
from big2_env.runs.executors import by_threads, num_cores

BLOCK: Final = 20_000
"""Games that a thread plays at a time: a seventh of a second."""
BLOCK_OF_ENDLESS: Final = 16
"""The same where most games do not end."""


def blocks(run: Run, games: int, *, first: int = 0, jobs: int = 0) -> Iterator[Block]:
    """The blocks of the games from number `first` up to `games`, in order, played by `jobs` threads (0: one on each core).

    Raises:
        ConfigError: a number of games that is not allowed.
    """
    if not 0 <= games <= MAX_GAMES:
        raise ConfigError(f"expected 0 to {MAX_GAMES:,} games, got {games}")
    jobs = jobs or num_cores()
    # Small runs are shared as well; the size of a block changes no result.
    most = BLOCK_OF_ENDLESS if run.rules.j_on_empty else BLOCK
    size = max(1, min(most, -(-(games - first) // jobs)))

    def play(start: int) -> Block:
        number = min(size, games - start)
        plays, ends = play_seeds(run.rules, run.seed + start, number, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
        return Block.of(start, plays, ends)

    return by_threads(play, range(first, games, size), jobs)


def simulate(run: Run | None = None, games: int = 10_000, *, jobs: int = 0) -> Tally:
    """What so many games showed; nothing is written.

    >>> print(simulate(games=1000).summary().mean)
    1308 ± 82
    """
    return Tally.of(blocks(run or Run(), games, jobs=jobs))
