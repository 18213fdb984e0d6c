"""What the cards that a seat has not seen can still do: how many of their plays cover a given one.

Counted over the shapes of the ruleset, not over plays, so it is fast; exact for one deck. No pattern is known by name.
"""

from __future__ import annotations

from itertools import accumulate
from math import comb
from typing import Final, NamedTuple

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import NUM_RANKS, Suits
from big2_env.climbing.table import Row

CHOOSE: Final = tuple(tuple(comb(n, k) for k in range(9)) for n in range(9))
"""How many ways there are to take k of n cards of a rank."""


class Counted(NamedTuple):
    """The unseen plays of one category."""

    above: list[int]
    """How many have more power than this, by power."""
    total: int
    """How many there are."""


class Shapes:
    """The shapes of a ruleset, sorted for counting. One for all games."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.num_powers = max(row.power for row in ruleset.table.rows) + 4
        self.suit_values = range(4)
        order = ruleset.order
        self.rank_masks = order.rank_masks
        self.suit_masks = [0, 0, 0, 0]
        """The cards of each suit, ascending as the ruleset orders the suits."""
        for card in ruleset.deck.cards:
            if card.suit is not None:
                self.suit_masks[order.suit_values[card.suit]] |= 1 << card
        self.any: list[list[tuple[int, bool, int, int, tuple[tuple[int, int], ...]]]] = []
        """By category: (power, whether the suit adds to it, key rank, its number of cards, the other ranks with theirs)."""
        self.same: list[list[tuple[int, bool, int, int]]] = []
        """By category, of shapes that ask for one suit or forbid it: (power, whether the suit adds, ranks as bits, 1 or -1)."""
        self.needed: list[int] = []
        """By category: how many cards the smallest body of its plays has; all of the play's where nothing is carried."""
        for bounds in ruleset.table.bounds:
            rows = [ruleset.table.rows[i] for i in bounds]
            self.needed.append(min(sum(row.shape.counts) for row in rows))
            self.any.append([_loose(row) for row in rows if row.shape.suits is not Suits.SAME])
            self.same.append([_suited(row) for row in rows if row.shape.suits is not Suits.ANY])


def _loose(row: Row) -> tuple[int, bool, int, int, tuple[tuple[int, int], ...]]:
    (key, number), *others = row.ranks
    return row.power, row.by_suit, key, number, tuple(others)


def _suited(row: Row) -> tuple[int, bool, int, int]:
    return row.power, row.by_suit, sum(1 << rank for rank, _ in row.ranks), 1 if row.shape.suits is Suits.SAME else -1


class Outlook:
    """The plays that lie in a set of unseen cards."""

    def __init__(self, shapes: Shapes, unseen: int) -> None:
        self._shapes = shapes
        self._unseen = unseen
        self._table = shapes.ruleset.table
        self._counts = [(unseen & mask).bit_count() for mask in shapes.rank_masks]
        self._counted: dict[int, Counted] = {}

    def counted(self, category: int) -> Counted:
        """The unseen plays of a category by power."""
        found = self._counted.get(category)
        if found is None:
            found = self._counted[category] = self._count(category)
        return found

    def covering(self, category: int, power: int) -> list[tuple[int, int]]:
        """(category, how many) of the unseen plays that cover a play; none where nothing can.

        Of plays with kickers only the bodies are counted: whoever holds one and enough cards has something to carry.
        """
        table = self._table
        bombs = table.coverers[category]
        numbers = [(rival, self.counted(rival).above[power]) for rival in table.rivals[category] if rival not in bombs]
        numbers += [(bomb, self.counted(bomb).total) for bomb in bombs]
        return [(coverer, number) for coverer, number in numbers if number]

    def sizes(self, category: int) -> tuple[int, int]:
        """How many cards a category's plays have, and how many of them decide whether a hand holds one: the bodies'."""
        return self._table.categories[category].size, self._shapes.needed[category]

    def _count(self, category: int) -> Counted:
        shapes, counts = self._shapes, self._counts
        number = [0] * shapes.num_powers
        suits: dict[int, list[tuple[int, int]]] = {}
        for power, by_suit, key, taken, others in shapes.any[category]:
            held = counts[key]
            if held < taken:
                continue
            combinations = 1
            for rank, count in others:
                combinations *= CHOOSE[counts[rank]][count]
            if not combinations:
                continue
            if not by_suit:
                number[power] += combinations * CHOOSE[held][taken]
                continue
            if key not in suits:
                suits[key] = self._suits_of(key)
            for suit, lower in suits[key]:
                number[power + suit] += combinations * CHOOSE[lower][taken - 1]
        if shapes.same[category]:
            self._count_suited(category, number)
        above = list(accumulate(reversed(number), initial=0))[::-1]
        return Counted(above[1:], above[0])

    def _suits_of(self, rank: int) -> list[tuple[int, int]]:
        """For each unseen card of a rank: its suit, and how many lower ones of the rank are unseen."""
        cards = self._unseen & self._shapes.rank_masks[rank]
        suits = [suit for suit, mask in enumerate(self._shapes.suit_masks) for _ in range((cards & mask).bit_count())]
        # A joker has no suit; it counts as the lowest.
        suits = [0] * (cards.bit_count() - len(suits)) + suits
        return [(suit, lower) for lower, suit in enumerate(suits)]

    def _count_suited(self, category: int, number: list[int]) -> None:
        """Add the plays of one suit where the shape asks for it, take them off where it forbids it."""
        shapes = self._shapes
        for suit, suit_mask in enumerate(shapes.suit_masks):
            cards = self._unseen & suit_mask
            lacking = sum(1 << rank for rank in range(NUM_RANKS) if not cards & shapes.rank_masks[rank])
            for power, by_suit, ranks, sign in shapes.same[category]:
                if not ranks & lacking:
                    number[power + suit if by_suit else power] += sign
