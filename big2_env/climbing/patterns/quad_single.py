"""Four of a kind with one more card (金剛, 鐵支)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class QuadSingle(Pattern):
    """All four cards of one rank and any other card, including a joker; compared by the four."""

    name = "quad_single"
    zh = "金剛"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each ordered choice of two ranks."""
        for four in order.suited_ranks:
            for single in order.ranks:
                if single is not four:
                    yield Shape.of({four: 4, single: 1}, key=four, key_suit=False)
