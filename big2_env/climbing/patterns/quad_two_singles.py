"""Four of a kind with two more cards (四帶二單)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import JOKERS, spare_cards
from big2_env.climbing.shapes import Kickers, Pattern, Shape


@dataclass(frozen=True)
class QuadTwoSingles(Checked, Pattern):
    """Four cards of one rank and any two other cards, which may be a pair; compared by the four.

    Args:
        both_jokers: True if the two cards may be both jokers.
    """

    name = "quad_two_singles"
    zh = "四帶二單"

    both_jokers: bool = False

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits."""
        for four in order.suited_ranks:
            body = {four: 4}
            limits = tuple(0 if rank == four else cards for rank, cards in enumerate(spare_cards(order, body)))
            kickers = Kickers(2, limits, exclusive=() if self.both_jokers else JOKERS)
            yield Shape.of(body, key=four, key_suit=False, kickers=kickers)
