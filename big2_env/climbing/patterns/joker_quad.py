"""All four jokers of two decks (天王炸彈)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class JokerQuad(Pattern):
    """Two little and two big jokers."""

    name = "joker_quad"
    zh = "天王炸彈"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield the only shape, if there are two decks with jokers."""
        if order.deck.jokers and order.deck.copies == 2:
            yield Shape.of({Rank.LITTLE_JOKER: 2, Rank.BIG_JOKER: 2}, key=Rank.BIG_JOKER, key_suit=False)
