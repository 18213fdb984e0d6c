"""Straight (順子)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.base import Pattern
from big2_env.climbing.runs import CIRCLE, PointRuns, ValueRuns
from big2_env.climbing.shapes import Shape, Suits
from big2_env.errors import ConfigError


@dataclass(frozen=True)
class Straight(Pattern):
    """Consecutive ranks, one card each; by the card of the highest value (rank, then suit)."""

    name = "straight"
    zh = "順子"

    length: int = 5
    """How many cards."""
    runs: PointRuns | ValueRuns = CIRCLE
    """Which ranks are consecutive."""
    suits: Suits = Suits.ANY
    """`MIXED` where cards of one suit are a pattern of their own."""

    def __post_init__(self) -> None:
        if not 1 <= self.length <= 13:
            raise ConfigError(f"straight of length {self.length}: allowed is 1 to 13")

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each run."""
        for run in self.runs.of(self.length, order):
            yield Shape.of(run, key=max(run, key=order.values.__getitem__), suits=self.suits)
