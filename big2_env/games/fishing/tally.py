"""What many games showed: an exact count for every length, and the figures that follow from it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from big2_env.games.fishing.game import CYCLE, UNDECIDED
from big2_env.runs.intervals import Estimate, normal

PERCENTAGES: Final = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 99.9)
"""The percentiles that a summary has."""


@dataclass(frozen=True)
class Block:
    """What a run of consecutive games showed."""

    first: int
    """The number of its first game; game k is the one of the seed (seed + k)."""
    games: int
    lost: tuple[dict[int, int], dict[int, int]]
    """By losing seat: how many games had so many plays."""
    cycles: tuple[tuple[int, int], ...] = ()
    """Games that never end: number, period."""
    undecided: tuple[int, ...] = ()
    """Numbers of the games that were given up."""

    @classmethod
    def of(cls, first: int, plays: NDArray[np.int64], ends: NDArray[np.int8]) -> Block:
        """The block of what `play_seeds` gives."""
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
    """By losing seat: how many games had so many plays."""
    periods: Counter[int] = field(default_factory=Counter)
    """How many games were cycles of such a period."""
    undecided: int = 0

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Tally:
        """The tally of blocks."""
        tally = cls()
        for block in blocks:
            tally.add(block)
        return tally

    def add(self, block: Block) -> None:
        """Count the games of a block."""
        self.games += block.games
        for counter, counts in zip(self.lost, block.lost, strict=True):
            counter.update(counts)
        self.periods.update(period for _, period in block.cycles)
        self.undecided += len(block.undecided)

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lengths that games had, ascending, and how many had each; both int64, of one length. Only games that ended."""
        both = self.lost[0] + self.lost[1]
        lengths = np.array(sorted(both), np.int64)
        return lengths, np.array([both[length] for length in lengths.tolist()], np.int64)

    def summary(self) -> Summary:
        """The figures that people ask for."""
        return Summary.of(self)


@dataclass(frozen=True)
class Summary:
    """Figures of a tally. Lengths are plays; they are those of the games that ended."""

    games: int
    ended: int
    cycles: Mapping[int, int]
    """How many games were cycles, by period, the commonest first."""
    undecided: int
    least: int | None
    most: int | None
    mean: Estimate
    sd: float
    percentiles: Mapping[float, int]
    """The least length that so many percent of the games do not exceed."""
    first_loses: Estimate
    """Share of the games that ended in which seat 0 lost."""

    @classmethod
    def of(cls, tally: Tally) -> Summary:
        """The figures of a tally."""
        lengths, counts = tally.counts()
        ended = int(counts.sum())
        cycles = dict(sorted(tally.periods.items(), key=lambda pair: (-pair[1], pair[0])))
        nothing = Estimate(math.nan, math.nan, 0)
        if not ended:
            return cls(tally.games, 0, cycles, tally.undecided, None, None, nothing, math.nan, {}, nothing)
        # Whole numbers, summed exactly: the figures cannot depend on the order of the blocks.
        total = sum(length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        squares = sum(length * length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        variance = (squares - total * total / ended) / (ended - 1) if ended > 1 else math.nan
        share = tally.lost[0].total() / ended
        upto = np.cumsum(counts)
        return cls(
            games=tally.games,
            ended=ended,
            cycles=cycles,
            undecided=tally.undecided,
            least=int(lengths[0]),
            most=int(lengths[-1]),
            mean=normal(total / ended, math.sqrt(variance / ended), ended),
            sd=math.sqrt(variance),
            percentiles={q: int(lengths[np.searchsorted(upto, math.ceil(ended * q / 100 - 1e-9))]) for q in PERCENTAGES},
            first_loses=normal(share, math.sqrt(share * (1 - share) / ended), ended),
        )
