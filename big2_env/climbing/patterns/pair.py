"""Pair (對子)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.checked import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Pattern, Shape


@dataclass(frozen=True)
class Pair(Checked, Pattern):
    """Two cards of one rank; by the higher card (rank, then suit)."""

    name = "pair"
    zh = "對子"

    jokers: bool = False
    """Whether two jokers of one colour are a pair, in two decks."""

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """A shape for each rank of the four suits, and for each joker where they count."""
        for rank in order.ranks if self.jokers and order.deck.copies == 2 else order.suited_ranks:
            yield Shape.of([rank, rank], key=rank)
