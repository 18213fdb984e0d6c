"""Run of triples (三順), a plane without wings (飛機)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class TripleStraight(UnitRuns, Pattern):
    """Consecutive ranks, three cards each; compared by the last rank of the run."""

    name = "triple_straight"
    zh = "三順"
    unit = 3

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Return a shape for each run."""
        return self.bodies(order)
