"""Run of quads (四順)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class QuadStraight(UnitRuns, Pattern):
    """Consecutive ranks, four cards each; compared by the last rank of the run."""

    name = "quad_straight"
    zh = "四順"
    unit = 4

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Return a shape for each run."""
        return self.bodies(order)
