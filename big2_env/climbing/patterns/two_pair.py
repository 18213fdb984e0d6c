"""Two pair (兩對)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class TwoPair(Pattern):
    """Two pairs of different ranks; compared by the highest card (rank, then suit), ignoring the lower pair."""

    name = "two_pair"
    zh = "兩對"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each choice of two ranks."""
        for low, high in combinations(order.suited_ranks, 2):
            yield Shape.of({low: 2, high: 2}, key=high)
