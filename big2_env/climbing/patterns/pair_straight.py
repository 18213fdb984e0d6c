"""Run of pairs (連對)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class PairStraight(UnitRuns, Pattern):
    """Consecutive ranks, two cards each; by the last rank of the run, and by its higher suit where that counts."""

    name = "pair_straight"
    zh = "連對"
    unit = 2

    key_suit: bool = False
    """True if the higher suit of the last rank splits equal runs."""

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each run."""
        return self.bodies(order, key_suit=self.key_suit)
