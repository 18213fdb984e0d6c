"""Two patterns defined outside the package, as a user would write them, and a ruleset that has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from big2_env import BIG2, Pattern, Shape
from big2_env.climbing.order import CardOrder


@dataclass(frozen=True)
class Triple(Pattern):
    """Three cards of one rank; by the highest card."""

    name = "triple"
    zh = "三條"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for rank in order.suited_ranks:
            yield Shape.of({rank: 3}, key=rank)


@dataclass(frozen=True)
class TwoPairs(Pattern):
    """Two pairs of different ranks; by the highest card of the higher pair."""

    name = "two_pairs"
    zh = "兩對"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for low, high in combinations(order.suited_ranks, 2):
            yield Shape.of({low: 2, high: 2}, key=high)


OUTSIDE = BIG2.with_patterns(Triple(), TwoPairs())
"""BIG2 with both: plays of 1, 2, 3, 4 and 5 cards."""
