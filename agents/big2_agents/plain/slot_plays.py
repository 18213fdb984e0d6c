"""The plays of a hand that its decompositions are made of, where actions are places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import Final

from big2_agents.plain.unseen_plays import Shapes
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import UNARY, Row

MAX_PLAYS: Final = 1024
"""Most plays of a hand that are looked at: more than any hand has under the rulesets that are shipped."""
SHORT, MOST_CHOICES = 5, 64
"""Of longer plays, most choices of suits that are listed for one shape; of more, one for each choice of the key's cards."""


KEPT: Final = 20_000
"""Most hands, or parts of them, whose plays are remembered: games that are played out come back to the same ones."""


class Listing:
    """The plays of a hand, those of several ranks in the order of the ruleset's table.

    Each play is a pair: its cards, and the place of its category and power in `kinds`.
    """

    def __init__(self, shapes: Shapes, hand: int) -> None:
        self.kinds: list[tuple[int, int]] = []
        """The categories and powers that there are."""
        self.cards_of: list[int] = []
        """By kind: the cards that are in a play of it."""
        self.plays: list[tuple[int, int]] = []
        """All plays."""
        self.of_category: dict[int, list[tuple[int, int]]] = {}
        """The same by category."""
        self.alone: dict[int, list[tuple[int, int]]] = {mask: [] for mask in shapes.rank_masks if mask & hand}
        """Those of one rank, by the cards of that rank."""
        self.mixed: list[tuple[int, int]] = []
        """The others."""
        places: dict[tuple[int, int], int] = {}
        for category, power, mask in _list(shapes, hand):
            place = places.setdefault((category, power), len(self.kinds))
            if place == len(self.kinds):
                self.kinds.append((category, power))
                self.cards_of.append(0)
            play = mask, place
            self.cards_of[place] |= mask
            self.plays.append(play)
            self.of_category.setdefault(category, []).append(play)
            rank = shapes.rank_of[mask & -mask]
            (self.mixed if mask & ~rank else self.alone[rank]).append(play)


def listed_plays(shapes: Shapes, hand: int) -> Listing:
    """The plays that a hand has."""
    found = shapes.plays_of.get(hand)
    if found is None:
        if len(shapes.plays_of) >= KEPT:
            shapes.plays_of.clear()
        found = shapes.plays_of[hand] = Listing(shapes, hand)
    return found


def _list(shapes: Shapes, hand: int) -> list[tuple[int, int, int]]:
    """(category, power, cards) of each play."""
    order, table = shapes.ruleset.order, shapes.ruleset.table
    if shapes.has_kickers:
        plays = islice(table.plays(hand), MAX_PLAYS)
        return [(play.category, play.power, play.mask) for play in plays]
    suits = [hand & mask for mask in order.suit_masks]
    lacking, lacking_of = ~_unary(shapes, hand), [~_unary(shapes, cards) for cards in suits]
    alone, mixed, suited = list[tuple[int, int, int]](), list[tuple[int, int, int, int]](), list[tuple[int, int, int, int]]()
    for i in [i for i, need in shapes.needs if not need & lacking]:
        row = table.rows[i]
        if row.shape.suits is Suits.SAME:
            for suit, cards in enumerate(suits):
                if not row.need & lacking_of[suit]:
                    mask = sum([cards & shapes.rank_masks[rank] for rank, _ in row.ranks])
                    suited.append((i, row.category, row.power + suit * row.suit_step, mask))
        elif len(row.ranks) == 1:
            alone += [(row.category, power, mask) for power, mask in _choices(shapes, i, hand)]
        else:
            mixed += [(i, row.category, power, mask) for power, mask in _choices(shapes, i, hand)]
    mixed = (mixed + suited)[: max(0, MAX_PLAYS - len(alone))]
    mixed.sort(key=lambda play: play[0])
    return alone + [play[1:] for play in mixed]


def _unary(shapes: Shapes, cards: int) -> int:
    """The cards by rank in unary, as `Row.need` has them."""
    return sum([(1 << (cards & mask).bit_count()) - 1 << rank * UNARY for rank, mask in enumerate(shapes.rank_masks)])


def _choices(shapes: Shapes, i: int, hand: int) -> list[tuple[int, int]]:
    """(power, cards) of every choice of suits for a row that a hand holds, the last rank's choices changing fastest."""
    row = shapes.ruleset.table.rows[i]
    given = i, sum([hand & shapes.rank_masks[rank] for rank, _ in row.ranks])
    found = shapes.choices_of.get(given)
    if found is None:
        if len(shapes.choices_of) >= KEPT:
            shapes.choices_of.clear()
        found = shapes.choices_of[given] = list(_choose(shapes, row, hand))
    return found


def _choose(shapes: Shapes, row: Row, hand: int) -> Iterator[tuple[int, int]]:
    order = shapes.ruleset.order
    parts, number = [], 1
    for rank, count in row.ranks:
        held = order.sort(hand & shapes.rank_masks[rank])
        places = sorted(combinations(range(len(held)), count), key=lambda choice: choice[::-1])
        parts.append([(sum([1 << held[i] for i in choice]), held[choice[-1]].suit) for choice in places])
        number *= len(places)
    if row.shape.size > SHORT and number > MOST_CHOICES:
        parts[1:] = [choices[:1] for choices in parts[1:]]
    for choice in product(*parts):
        mask = sum([cards for cards, _ in choice])
        if row.shape.suits is Suits.MIXED and any(not mask & ~suit_mask for suit_mask in order.suit_masks):
            continue
        suit = choice[0][1]
        highest = 0 if suit is None else order.suit_values[suit]
        yield row.power + row.suit_step * highest, mask
