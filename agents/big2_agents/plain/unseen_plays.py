"""How many plays lie in a set of unseen cards, by category and power.

Counted over the shapes of the ruleset, not over plays, so it is fast; exact for one deck. No pattern is known by name. Of plays
with kickers only the bodies are counted: whoever holds one and enough cards has something to carry.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, Final, NamedTuple

from big2_env.cards import iter_cards
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import NUM_RANKS, Suits
from big2_env.climbing.table import TIER_POWER, Row

if TYPE_CHECKING:
    from big2_agents.plain.slot_plays import Listing

CHOOSE: Final = tuple(tuple(comb(n, k) for k in range(9)) for n in range(9))
"""How many ways there are to take k of n cards of a rank."""


class Counted(NamedTuple):
    """The unseen plays of one category."""

    above: list[int]
    """How many have more power than this, by power."""
    total: int
    """How many there are."""


class Shapes:
    """The shapes of a ruleset, sorted for counting and listing. One for all games."""

    def __init__(self, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        order, table = ruleset.order, ruleset.table
        self.rank_masks = order.rank_masks
        self.rank_of = {1 << card: mask for mask in self.rank_masks for card in iter_cards(mask)}
        """By card, as a mask of its own: the cards of its rank."""
        self.num_powers = 1 + max(row.power + 3 * row.suit_step for row in table.rows)
        self.sizes = [category.size for category in table.categories]
        """By category: how many cards its plays have."""
        self.needed = [min(sum(table.rows[i].shape.counts) for i in bounds) for bounds in table.bounds]
        """By category: how many cards the smallest body of its plays has; all of the play's where nothing is carried."""
        self.covering = [self._covering(category) for category in range(len(table.categories))]
        """By category: the categories that can cover it, each with whether only plays of more power do."""
        self.any = [_loose(row for row in self._rows(i) if row.shape.suits is not Suits.SAME) for i in range(len(self.sizes))]
        """By category: (power, what a suit adds to it, key rank, its number of cards, choices of other ranks with theirs)."""
        self.same = [
            [_suited(row) for row in self._rows(i) if row.shape.suits is not Suits.ANY] for i in range(len(self.sizes))
        ]
        """By category, of shapes that ask for one suit or forbid it: (power, what a suit adds, ranks as bits, 1 or -1)."""
        held = [mask.bit_count() for mask in order.rank_masks]
        fitting = (i for i, row in enumerate(table.rows) if all(held[rank] >= number for rank, number in row.ranks))
        self.listed: list[int] = sorted(
            (i for i in fitting if table.rows[i].shape.size <= ruleset.max_hand), key=lambda i: _ladder(table.rows[i])
        )
        """The rows that some hand has, in the order in which a hand's plays are listed."""
        self.needs = [(i, table.rows[i].need) for i in self.listed]
        """The same with what each needs of the ranks in unary."""
        self.has_kickers = any(table.rows[i].shape.kickers for i in self.listed)
        """True if some play carries cards."""
        self.plays_of: dict[int, Listing] = {}
        """By hand: its plays, as `slot_plays` has listed them."""
        self.choices_of: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """By row and cards of its ranks: the choices of suits, as `slot_plays` has listed them."""
        self.suits_of: dict[int, list[tuple[int, int]]] = {}
        """By cards of one rank: as `UnseenPlays` has listed their suits."""

    def above(self, top: tuple[int, int] | None) -> dict[int, int] | None:
        """By category that may cover a play, of a category and a power: what its own plays must exceed; `None` for no play."""
        if top is None:
            return None
        return {category: top[1] if by_power else -1 for category, by_power in self.covering[top[0]]}

    def _rows(self, category: int) -> list[Row]:
        table = self.ruleset.table
        return [table.rows[i] for i in table.bounds[category]]

    def _covering(self, category: int) -> list[tuple[int, bool]]:
        table = self.ruleset.table
        bombs = table.coverers[category]
        return [(rival, True) for rival in table.rivals[category] if rival not in bombs] + [(bomb, False) for bomb in bombs]


def _loose(rows: Iterable[Row]) -> list[tuple[int, int, int, int, list[tuple[tuple[int, int], ...]]]]:
    """As `Shapes.any`: rows that differ in their other ranks alone stand together."""
    found: dict[tuple[int, int, int, int], list[tuple[tuple[int, int], ...]]] = {}
    for row in rows:
        (key, number), *others = row.ranks
        found.setdefault((row.power, row.suit_step, key, number), []).append(tuple(others))
    return [(*kind, choices) for kind, choices in found.items()]


def _suited(row: Row) -> tuple[int, int, int, int]:
    return row.power, row.suit_step, sum(1 << rank for rank, _ in row.ranks), 1 if row.shape.suits is Suits.SAME else -1


def _ladder(row: Row) -> tuple[int, bool, int, int, int, int]:
    """The order of listing: by category, plays of one suit last, then tier, suit step, number of key cards, and power."""
    key_count = row.shape.counts[row.shape.key]
    return row.category, row.shape.suits is Suits.SAME, row.power // TIER_POWER, row.suit_step, key_count, row.power


class UnseenPlays:
    """The plays that lie in a set of unseen cards."""

    def __init__(self, shapes: Shapes, unseen: int) -> None:
        self._shapes = shapes
        self._unseen = unseen
        self._counts = [(unseen & mask).bit_count() for mask in shapes.rank_masks]
        self._counted: dict[int, Counted] = {}

    def counted(self, category: int) -> Counted:
        """The unseen plays of a category by power."""
        found = self._counted.get(category)
        if found is None:
            found = self._counted[category] = self._count(category)
        return found

    def covering(self, category: int, power: int) -> list[tuple[int, int]]:
        """(category, how many) of the unseen plays that cover a play; none where nothing can."""
        found = []
        for rival, by_power in self._shapes.covering[category]:
            above, total = self.counted(rival)
            number = above[power] if by_power else total
            if number:
                found.append((rival, number))
        return found

    def _count(self, category: int) -> Counted:
        shapes, counts = self._shapes, self._counts
        number = [0] * shapes.num_powers
        for power, step, key, taken, choices in shapes.any[category]:
            held = counts[key]
            if held < taken:
                continue
            combinations = 0
            for others in choices:
                product = 1
                for rank, count in others:
                    product *= CHOOSE[counts[rank]][count]
                    if not product:
                        break
                combinations += product
            if not combinations:
                continue
            if not step:
                number[power] += combinations * CHOOSE[held][taken]
                continue
            for suit, lower in self._suits_of(key):
                number[power + step * suit] += combinations * CHOOSE[lower][taken - 1]
        if shapes.same[category]:
            self._count_suited(category, number)
        above = list(accumulate(reversed(number), initial=0))[::-1]
        return Counted(above[1:], above[0])

    def _suits_of(self, rank: int) -> list[tuple[int, int]]:
        """For each unseen card of a rank: its suit, and how many lower ones of the rank are unseen."""
        cards = self._unseen & self._shapes.rank_masks[rank]
        found = self._shapes.suits_of.get(cards)
        if found is None:
            found = self._shapes.suits_of[cards] = self._list_suits(cards)
        return found

    def _list_suits(self, cards: int) -> list[tuple[int, int]]:
        masks = self._shapes.ruleset.order.suit_masks
        suits = [suit for suit, mask in enumerate(masks) for _ in range((cards & mask).bit_count())]
        # A joker has no suit; it counts as the lowest.
        suits = [0] * (cards.bit_count() - len(suits)) + suits
        return [(suit, lower) for lower, suit in enumerate(suits)]

    def _count_suited(self, category: int, number: list[int]) -> None:
        """Add the plays of one suit where the shape asks for it, take them off where it forbids it."""
        shapes = self._shapes
        for suit, suit_mask in enumerate(shapes.ruleset.order.suit_masks):
            cards = self._unseen & suit_mask
            lacking = sum(1 << rank for rank in range(NUM_RANKS) if not cards & shapes.rank_masks[rank])
            for power, step, ranks, sign in shapes.same[category]:
                if not ranks & lacking:
                    number[power + step * suit] += sign
