"""Large samples of fishing games on all cores: exact counts, statistics and results files. Game k has the seed (seed + k).

A results file is in JSON Lines format: a header, then one line for each finished block of games, in order.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 fishing", `rules` (output of `rules_data`), `seed`, `max_plays`, `watch_cycles` |
| others | `first`, `games`; by losing seat `lost` `[plays, games, ...]`; `cycles` `[[game, period], ...]`; `undecided` games |

Blocks have no gaps, so a file always contains the first games of its run, wherever they were computed.
`big2_env.runs.resumable` describes how to resume an interrupted run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import shown, whole, whole_at
from big2_env.games.fishing.plays import CYCLE, MAX_PLAYS, UNDECIDED
from big2_env.games.fishing.rules import LISTING, FishingRules, check_cycles_watched, rules_data, rules_of
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.resumable import Format

PERCENTAGES: Final = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 99.9)
"""Percentiles in a summary."""


@dataclass(frozen=True)
class Block:
    """Results of consecutive games."""

    first: int
    """Number of the first game; game k has the seed (seed + k)."""
    games: int
    lost: tuple[dict[int, int], dict[int, int]]
    """By losing seat: number of games for each length in plays."""
    cycles: tuple[tuple[int, int], ...] = ()
    """Games that never end, as (game number, period)."""
    undecided: tuple[int, ...] = ()
    """Numbers of the games that reached the limit on plays."""

    @classmethod
    def of(cls, first: int, plays: NDArray[np.int64], ends: NDArray[np.int8]) -> Block:
        """Return the block for the output of `play_seeds`."""
        lost = []
        for seat in (0, 1):
            lengths, counts = np.unique(plays[ends == seat], return_counts=True)
            lost.append(dict(zip(lengths.tolist(), counts.tolist(), strict=True)))
        cyclic = np.flatnonzero(ends == CYCLE)
        cycles = zip((first + cyclic).tolist(), plays[cyclic].tolist(), strict=True)
        undecided = (first + np.flatnonzero(ends == UNDECIDED)).tolist()
        return cls(first, len(plays), (lost[0], lost[1]), tuple(cycles), tuple(undecided))


@dataclass
class Tally:
    """Counts over any number of games."""

    games: int = 0
    lost: tuple[Counter[int], Counter[int]] = field(default_factory=lambda: (Counter(), Counter()))
    """By losing seat: number of games for each length in plays."""
    periods: Counter[int] = field(default_factory=Counter)
    """Number of cyclic games for each period."""
    undecided: int = 0

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Tally:
        """Return the tally of several blocks."""
        tally = cls()
        for block in blocks:
            tally.add(block)
        return tally

    def add(self, block: Block) -> None:
        """Add the games of a block.

        Raises:
            ConfigError: The block does not follow the previous one.
        """
        if block.first != self.games:
            raise ConfigError(f"expected the block from game {self.games} on, got the one from game {block.first} on")
        self.games += block.games
        for counter, counts in zip(self.lost, block.lost, strict=True):
            counter.update(counts)
        self.periods.update(period for _, period in block.cycles)
        self.undecided += len(block.undecided)

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lengths of games that ended, ascending, and the number of games with each length; both int64."""
        both = self.lost[0] + self.lost[1]
        lengths = np.array(sorted(both), np.int64)
        return lengths, np.array([both[length] for length in lengths.tolist()], np.int64)

    def summary(self) -> Summary:
        """Return summary statistics."""
        lengths, counts = self.counts()
        ended = int(counts.sum())
        cycles = dict(sorted(self.periods.items(), key=lambda pair: (-pair[1], pair[0])))
        nothing = Estimate(math.nan, math.nan, 0)
        if not ended:
            return Summary(self.games, 0, cycles, self.undecided, None, None, nothing, math.nan, {}, nothing)
        # Whole numbers, summed exactly: the figures cannot depend on the order of the blocks.
        total = sum(length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        squares = sum(length * length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        variance = (squares - total * total / ended) / (ended - 1) if ended > 1 else math.nan
        share = self.lost[0].total() / ended
        upto = np.cumsum(counts)
        return Summary(
            games=self.games,
            ended=ended,
            cycles=cycles,
            undecided=self.undecided,
            least=int(lengths[0]),
            most=int(lengths[-1]),
            mean=normal(total / ended, math.sqrt(variance / ended), ended),
            sd=math.sqrt(variance),
            percentiles={q: int(lengths[np.searchsorted(upto, math.ceil(ended * q / 100 - 1e-9))]) for q in PERCENTAGES},
            first_loses=normal(share, math.sqrt(share * (1 - share) / ended), ended),
        )


@dataclass(frozen=True)
class Summary:
    """Summary statistics of a tally. Lengths are in plays and cover only games that ended."""

    games: int
    ended: int
    cycles: Mapping[int, int]
    """Number of cyclic games for each period, most frequent first."""
    undecided: int
    least: int | None
    most: int | None
    mean: Estimate
    sd: float
    percentiles: Mapping[float, int]
    """Length in plays at each percentile of `PERCENTAGES`."""
    first_loses: Estimate
    """Fraction of finished games that seat 0 lost."""


MAX_GAMES: Final = 10**12
"""Maximum games per run."""
MAX_LENGTH: Final = 1 << 53
"""Maximum plays per game."""


@dataclass(frozen=True)
class Run:
    """Settings that determine every game of a simulation. Game k is dealt by the seed (seed + k).

    Args:
        rules: Rules of the games.
        seed: Seed of game 0.
        max_plays: Limit on plays, checked after each capture.
        watch_cycles: False to skip cycle detection.

    Raises:
        ConfigError: `max_plays` is out of range, or `j_on_empty` is combined with `watch_cycles=False`.
    """

    rules: FishingRules = LISTING
    seed: int = 0
    max_plays: int = MAX_PLAYS
    watch_cycles: bool = True

    def __post_init__(self) -> None:
        check_cycles_watched(self.rules, self.watch_cycles)
        if not 1 <= self.max_plays <= MAX_LENGTH:
            raise ConfigError(f"expected max_plays of 1 to {MAX_LENGTH:,}, got {self.max_plays}")


def _run(data: dict[str, Any]) -> Run:
    watch_cycles = data.get("watch_cycles")
    if type(watch_cycles) is not bool:
        raise NotationError(f"watch_cycles: expected true or false, got {shown(watch_cycles)}")
    seed, max_plays = whole_at(data, "seed", least=None), whole_at(data, "max_plays", MAX_LENGTH, 1)
    return Run(rules_of(data.get("rules")), seed, max_plays, watch_cycles)


def _block(data: dict[str, Any]) -> Block:
    first, number = whole_at(data, "first", MAX_GAMES), whole_at(data, "games", MAX_GAMES, 1)
    lost = data.get("lost")
    if not isinstance(lost, list) or len(lost) != 2:
        raise NotationError(f"lost: expected a list for each of two seats, got {shown(lost)}")
    counts = [_counts(seat) for seat in lost]
    cycles, undecided = data.get("cycles"), data.get("undecided")
    if not isinstance(cycles, list) or not all(isinstance(cycle, list) and len(cycle) == 2 for cycle in cycles):
        raise NotationError(f"cycles: expected a list of [game, period], got {shown(cycles)}")
    if not isinstance(undecided, list):
        raise NotationError(f"undecided: expected a list of games, got {shown(undecided)}")
    named = [*(cycle[0] for cycle in cycles), *undecided]
    for game in named:
        whole(game, "game", first + number - 1, first)
    found = Block(
        first,
        number,
        (counts[0], counts[1]),
        tuple((game, whole(period, "period", MAX_LENGTH, 1)) for game, period in cycles),
        tuple(undecided),
    )
    total = sum(counts[0].values()) + sum(counts[1].values()) + len(named)
    if total != number or len(set(named)) != len(named):
        raise NotationError(f"{number} games: the line has {total}")
    return found


def _counts(flat: Any) -> dict[int, int]:
    if not isinstance(flat, list) or len(flat) % 2:
        raise NotationError(f"lost: expected [plays, games, plays, games, ...], got {shown(flat)}")
    for value in flat:
        whole(value, "lost", MAX_LENGTH, 1)
    lengths = flat[::2]
    if any(a >= b for a, b in pairwise(lengths)):
        raise NotationError("lost: expected ascending numbers of plays")
    return dict(zip(lengths, flat[1::2], strict=True))


def _header(run: Run) -> dict[str, Any]:
    data = {"rules": rules_data(run.rules), "seed": run.seed}
    return data | {"max_plays": run.max_plays, "watch_cycles": run.watch_cycles}


def _line(block: Block) -> dict[str, Any]:
    lost = [[number for pair in sorted(counts.items()) for number in pair] for counts in block.lost]
    data = {"first": block.first, "games": block.games, "lost": lost}
    return data | {"cycles": block.cycles, "undecided": block.undecided}


RESULTS: Final = Format(
    kind="big2 fishing",
    header=_header,
    run=_run,
    blocks=lambda run: _block,
    line=_line,
    max_line=1 << 24,
)
"""Format of the results files."""


def load(path: Path) -> tuple[Run, Tally]:
    """Return the settings of a results file and the counts of its games. An incomplete last line is ignored.

    Raises:
        NotationError: A line is invalid; the message gives its number.
        ConfigError: The rules are invalid.
    """
    tally = Tally()
    return RESULTS.gather(path, lambda run, block: tally.add(block)), tally


BLOCK: Final = 20_000
"""Games per block, a fraction of a second of work."""
LONG_BLOCK: Final = 1_000_000
"""Maximum games per block in long runs. A block is one line of the results file, about 80 kB for any number of games."""
BLOCKS: Final = 500
"""Number of blocks in a run beyond which blocks become longer."""
BLOCK_OF_ENDLESS: Final = 16
"""Games per block for rules under which most games do not end."""


def blocks(run: Run, games: int, *, first: int = 0, executor: Executor = LOCAL) -> AbstractContextManager[Iterator[Block]]:
    """Return a context manager that yields the blocks of a simulation in order.

    Args:
        run: Settings of the simulation.
        games: Total number of games.
        first: Number of the first game to play; earlier games are skipped.
        executor: Where to compute.

    Raises:
        ConfigError: `games` is out of range.
    """
    if not 0 <= games <= MAX_GAMES:
        raise ConfigError(f"expected 0 to {MAX_GAMES:,} games, got {games:,}")
    size = BLOCK_OF_ENDLESS if run.rules.j_on_empty else min(LONG_BLOCK, BLOCK * max(1, games // (BLOCK * BLOCKS)))
    return executor.map(partial(_played_block, run, games, size), range(first, games, size), releases_gil=True)


def _played_block(run: Run, games: int, size: int, start: int) -> Block:
    from big2_env.games.fishing.kernels.loops import play_seeds  # numba takes a second to import

    number = min(size, games - start)
    plays, ends = play_seeds(run.rules, run.seed + start, number, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
    return Block.of(start, plays, ends)


def simulate(run: Run | None = None, games: int = 10_000, *, executor: Executor = LOCAL) -> Tally:
    """Simulate games and return their counts, without writing a file.

    Args:
        run: Settings of the simulation; by default the article's rules and seed 0.
        games: Number of games.
        executor: Where to compute.

    >>> print(simulate(games=1000).summary().mean)
    1308 ± 82
    """
    with blocks(run or Run(), games, executor=executor) as found:
        return Tally.of(found)
