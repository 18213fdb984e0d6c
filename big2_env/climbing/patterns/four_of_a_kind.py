"""Four of a kind (四條) without a fifth card; 鐵支 is the name of the five-card play in most games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class FourOfAKind(Pattern):
    """All four cards of one rank and nothing else; compared by rank."""

    name = "four_of_a_kind"
    zh = "四條"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits."""
        for rank in order.suited_ranks:
            yield Shape.of({rank: 4}, key=rank, key_suit=False)
