"""Run of pairs (連對)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import UnitRuns
from big2_env.climbing.shapes import Shape


@dataclass(frozen=True)
class PairStraight(UnitRuns):
    """Consecutive ranks, two cards each; compared by the last rank of the run, optionally by its higher suit.

    Args:
        length: Fewest ranks.
        longest: Most ranks; None for `length` only.
        runs: Runs that count as consecutive.
        key_suit: True if the higher suit of the last rank breaks ties.
    """

    name = "pair_straight"
    zh = "連對"
    unit = 2

    key_suit: bool = False

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Return a shape for each run."""
        return (replace(shape, key_suit=self.key_suit) for shape in super().shapes(order))
