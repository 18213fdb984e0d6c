"""Four of a kind with two pairs (四帶二對)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Kickers, Pattern, Shape


@dataclass(frozen=True)
class QuadTwoPairs(Checked, Pattern):
    """Four cards of one rank and two pairs of other ranks, no jokers; compared by the four.

    Args:
        quads: True if four cards of one rank may serve as the two pairs.
    """

    name = "quad_two_pairs"
    zh = "四帶二對"

    quads: bool = False

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits."""
        most = 4 if self.quads else 2
        for four in order.suited_ranks:
            limits = tuple(most if rank in order.suited_ranks and rank != four else 0 for rank in range(15))
            yield Shape.of({four: 4}, key=four, key_suit=False, kickers=Kickers(4, limits, unit=2))
