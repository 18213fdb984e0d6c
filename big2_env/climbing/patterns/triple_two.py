"""Triple with two more cards (三帶二)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import JOKERS, spare_cards
from big2_env.climbing.shapes import Kickers, Pattern, Shape


@dataclass(frozen=True)
class TripleTwo(Pattern):
    """Three cards of one rank and any two others, which may be a pair but not both jokers; compared by the three."""

    name = "triple_two"
    zh = "三帶二"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits."""
        for three in order.suited_ranks:
            body = {three: 3}
            limits = tuple(0 if rank == three else max(0, cards) for rank, cards in enumerate(spare_cards(order, body)))
            yield Shape.of(body, key=three, key_suit=False, kickers=Kickers(2, limits, exclusive=JOKERS))
