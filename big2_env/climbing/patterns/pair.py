"""Pair (對子)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class Pair(Checked, Pattern):
    """Two cards of one rank; compared by the higher card (rank, then suit).

    Args:
        jokers: True if two jokers of one color form a pair, in two decks.
    """

    name = "pair"
    zh = "對子"

    jokers: bool = False

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each rank with four suits, and for each joker if they count."""
        for rank in order.ranks if self.jokers and order.deck.copies == 2 else order.suited_ranks:
            yield Shape.of([rank, rank], key=rank)
