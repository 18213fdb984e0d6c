"""Many games on all cores. What comes out does not depend on who plays: game k is that of the seed (seed + k)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.fishing.kernels.loops import play_seeds
from big2_env.games.fishing.results import MAX_GAMES, Run
from big2_env.games.fishing.tally import Block, Tally
from big2_env.runs.executors import LOCAL, Executor

BLOCK: Final = 20_000
"""Games of a block: a seventh of a second."""
LONG_BLOCK: Final = 1_000_000
"""The same at most, in long runs: a block is a line of the results file, of some 80 kB however many games it has."""
BLOCKS: Final = 500
"""How many blocks a run may have before they get longer."""
BLOCK_OF_ENDLESS: Final = 16
"""The same where most games do not end."""


def blocks(run: Run, games: int, *, first: int = 0, executor: Executor = LOCAL) -> AbstractContextManager[Iterator[Block]]:
    """The blocks of the games from number `first` up to `games`, in order, until the context ends.

    Raises:
        ConfigError: a number of games that is not allowed.
    """
    if not 0 <= games <= MAX_GAMES:
        raise ConfigError(f"expected 0 to {MAX_GAMES:,} games, got {games:,}")
    size = BLOCK_OF_ENDLESS if run.rules.j_on_empty else min(LONG_BLOCK, BLOCK * max(1, games // (BLOCK * BLOCKS)))
    return executor.map(partial(_block, run, games, size), range(first, games, size), releases_gil=True)


def _block(run: Run, games: int, size: int, start: int) -> Block:
    number = min(size, games - start)
    plays, ends = play_seeds(run.rules, run.seed + start, number, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
    return Block.of(start, plays, ends)


def simulate(run: Run | None = None, games: int = 10_000, *, executor: Executor = LOCAL) -> Tally:
    """What so many games showed; nothing is written.

    >>> print(simulate(games=1000).summary().mean)
    1308 ± 82
    """
    with blocks(run or Run(), games, executor=executor) as found:
        return Tally.of(found)
