"""Three of a kind (三條)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class Triple(Pattern):
    """Three cards of one rank and nothing else; compared by rank."""

    name = "triple"
    zh = "三條"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits."""
        for rank in order.suited_ranks:
            yield Shape.of({rank: 3}, key=rank, key_suit=False)
