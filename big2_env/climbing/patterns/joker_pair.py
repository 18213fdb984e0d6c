"""Both jokers (對鬼); the rocket (火箭, 王炸) if the ruleset makes it a bomb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class JokerPair(Pattern):
    """One little and one big joker; compared as the big one."""

    name = "joker_pair"
    zh = "對鬼"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield the only shape, if the deck has jokers."""
        if order.deck.jokers:
            yield Shape.of([Rank.LITTLE_JOKER, Rank.BIG_JOKER], key=Rank.BIG_JOKER, key_suit=False)
