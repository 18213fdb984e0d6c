"""Straight (順子)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import RING, PointRuns, ValueRuns, lengths
from big2_env.climbing.shapes import Pattern, Shape, Suits


@dataclass(frozen=True)
class Straight(Checked, Pattern):
    """Consecutive ranks, one card each; compared by the highest card (rank, then suit).

    Args:
        length: Fewest cards.
        runs: Runs that count as consecutive.
        suits: `Suits.MIXED` if cards of one suit are a pattern of their own.
        longest: Most cards; None for `length` only.
        top: True if the last rank of the run decides, instead of the rank of highest value.
        low: Rank that is low if a run begins with it: the last rank of that run decides. None for no such rank.

    Raises:
        ConfigError: The lengths are not possible.
    """

    name = "straight"
    zh = "順子"

    length: int = 5
    runs: PointRuns | ValueRuns = RING
    suits: Suits = Suits.ANY
    longest: int | None = None
    top: bool = False
    low: Rank | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths(self.name, self.length, self.longest, shortest=1)

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each run."""
        for length in lengths(self.name, self.length, self.longest, shortest=1):
            for run in self.runs.of(length, order):
                key = run[-1] if self.top or run[0] is self.low else max(run, key=order.values.__getitem__)
                yield Shape.of(run, key=key, suits=self.suits)
