"""Run of quads with one more card (四順夾一)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns, spare_cards
from big2_env.climbing.shapes import Kickers, Pattern, Shape


@dataclass(frozen=True)
class QuadStraightSingle(UnitRuns, Pattern):
    """Consecutive ranks, four cards each, and any one card; compared by the last rank of the run."""

    name = "quad_straight_single"
    zh = "四順夾一"
    unit = 4

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Return a shape for each run."""
        return self.bodies(order, lambda body: Kickers(1, tuple(spare_cards(order, body))))
