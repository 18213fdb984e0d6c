"""Run of triples with as many single cards (飛機帶小翼)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.cards import Rank
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.base import Pattern
from big2_env.climbing.shapes import Shape
from big2_env.climbing.sides import Sides
from big2_env.climbing.unit_runs import JOKERS, UnitRuns, room


@dataclass(frozen=True)
class TripleStraightSingles(UnitRuns, Pattern):
    """Consecutive ranks, three cards each, and one card for each of them; by the last rank of the run.

    The cards carried are of other ranks than the run's; not both jokers, nor four of a rank, nor three of a rank beside the
    run, which would be a longer run.
    """

    name = "triple_straight_singles"
    zh = "飛機帶小翼"
    unit = 3

    free: bool = False
    """Whether any cards may be carried."""

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each run."""
        pairs = {frozenset(run) for run in self.runs.of(2, order)}

        def sides(body: dict[Rank, int]) -> Sides:
            left = room(order, body)
            if self.free:
                return Sides(len(body), tuple(left))
            for rank in order.ranks:
                beside = any(frozenset((rank, other)) in pairs for other in body)
                left[rank] = 0 if rank in body else min(left[rank], 2 if beside else 3)
            return Sides(len(body), tuple(left), exclusive=JOKERS)

        return self.bodies(order, sides)
