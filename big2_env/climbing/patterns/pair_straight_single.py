"""Run of pairs with one more card (連對夾一)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns, spare_cards
from big2_env.climbing.shapes import Kickers, Pattern, Shape


@dataclass(frozen=True)
class PairStraightSingle(UnitRuns, Pattern):
    """Consecutive ranks, two cards each, and any one card, even of those ranks; compared by the last rank of the run."""

    name = "pair_straight_single"
    zh = "連對夾一"
    unit = 2

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Return a shape for each run."""
        return self.bodies(order, lambda body: Kickers(1, tuple(spare_cards(order, body))))
