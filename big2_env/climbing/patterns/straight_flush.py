"""Straight flush (同花順)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from big2_env.checked import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.runs import RING, PointRuns, ValueRuns, lengths
from big2_env.climbing.shapes import Pattern, Shape, Suits


@dataclass(frozen=True)
class StraightFlush(Checked, Pattern):
    """Consecutive ranks, one card each, all of one suit; by the card of the highest value (rank, then suit)."""

    name = "straight_flush"
    zh = "同花順"

    length: int = 5
    """Fewest cards."""
    runs: PointRuns | ValueRuns = RING
    """Which ranks are consecutive: the same as the game's straights."""
    longest: int | None = None
    """Most cards; `None` for `length` alone."""

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths("straight flush", self.length, self.longest)

    def shapes(self, order: CardOrder) -> Iterable[Shape]:
        """A shape for each run."""
        return Straight(self.length, self.runs, Suits.SAME, self.longest).shapes(order)
