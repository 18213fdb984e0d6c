"""Full house (葫蘆)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.base import Pattern
from big2_env.climbing.shapes import Shape


@dataclass(frozen=True)
class FullHouse(Pattern):
    """Three cards of one rank with two of another; by the rank of the three."""

    name = "full_house"
    zh = "葫蘆"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each ordered choice of two ranks."""
        for three, two in permutations(order.suited_ranks, 2):
            yield Shape.of({three: 3, two: 2}, key=three, key_suit=False)
