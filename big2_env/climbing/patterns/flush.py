"""Flush (同花)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import RING, PointRuns, ValueRuns, lengths
from big2_env.climbing.shapes import Pattern, Shape, Suits


@dataclass(frozen=True)
class Flush(Checked, Pattern):
    """Cards of one suit that are not a run; compared by the highest card (rank, then suit), or by suit first.

    Args:
        length: Fewest cards.
        runs: Runs to exclude, which are the runs of the game's straights.
        longest: Most cards; None for `length` only.
        suit_first: True if the suit decides before the highest rank.

    Raises:
        ConfigError: The lengths are not possible.
    """

    name = "flush"
    zh = "同花"

    length: int = 5
    runs: PointRuns | ValueRuns = RING
    longest: int | None = None
    suit_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths(self.name, self.length, self.longest)

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each choice of ranks that is not a run."""
        for length in lengths(self.name, self.length, self.longest):
            runs = {frozenset(run) for run in self.runs.of(length, order)}
            for ranks in combinations(order.suited_ranks, length):
                if frozenset(ranks) not in runs:
                    yield Shape.of(ranks, key=ranks[-1], suits=Suits.SAME, suit_first=self.suit_first)
