"""Three of a kind with one more card (三帶一)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class TripleSingle(Pattern):
    """Three cards of one rank and one of another, including a joker; compared by the three."""

    name = "triple_single"
    zh = "三帶一"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each ordered choice of two ranks."""
        for three in order.suited_ranks:
            for single in order.ranks:
                if single is not three:
                    yield Shape.of({three: 3, single: 1}, key=three, key_suit=False)
