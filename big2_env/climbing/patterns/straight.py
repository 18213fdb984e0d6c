"""Straight (順子)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.checked import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import RING, PointRuns, ValueRuns, lengths
from big2_env.climbing.shapes import Pattern, Shape, Suits


@dataclass(frozen=True)
class Straight(Checked, Pattern):
    """Consecutive ranks, one card each; by the card of the highest value (rank, then suit)."""

    name = "straight"
    zh = "順子"

    length: int = 5
    """Fewest cards."""
    runs: PointRuns | ValueRuns = RING
    """Which ranks are consecutive."""
    suits: Suits = Suits.ANY
    """`MIXED` where cards of one suit are a pattern of their own."""
    longest: int | None = None
    """Most cards; `None` for `length` alone."""
    top: bool = False
    """Whether the last rank of the run decides, and not the one of the highest value."""

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths(self.name, self.length, self.longest, shortest=1)

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each run."""
        for length in lengths(self.name, self.length, self.longest, shortest=1):
            for run in self.runs.of(length, order):
                key = run[-1] if self.top else max(run, key=order.values.__getitem__)
                yield Shape.of(run, key=key, suits=self.suits)
