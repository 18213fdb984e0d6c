"""Straight flush (同花順)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.runs import RING, PointRuns, ValueRuns, lengths
from big2_env.climbing.shapes import Pattern, Shape, Suits


@dataclass(frozen=True)
class StraightFlush(Checked, Pattern):
    """Consecutive ranks of one suit, one card each; compared by the highest card (rank, then suit).

    Args:
        length: Fewest cards.
        runs: Runs that count as consecutive, the same as for the game's straights.
        longest: Most cards; None for `length` only.
        low: As in `Straight`.

    Raises:
        ConfigError: The lengths are not possible.
    """

    name = "straight_flush"
    zh = "同花順"

    length: int = 5
    runs: PointRuns | ValueRuns = RING
    longest: int | None = None
    low: Rank | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths("straight flush", self.length, self.longest)

    def shapes(self, order: CardOrder) -> Iterable[Shape]:
        """Return a shape for each run."""
        return Straight(self.length, self.runs, Suits.SAME, self.longest, low=self.low).shapes(order)
