"""Candidate plays where actions are ranks: one for each shape that the hand has, with the kickers that it needs least.

Cards are numbers by value here, a byte for each value (`Counts`). Plays that differ in their kickers alone are merged.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from big2_agents.plain.unseen_plays import Shapes
from big2_env.climbing.kickers import Kickers
from big2_env.climbing.ruleset import Lead

Counts: TypeAlias = int
"""How many cards of each value there are, a byte each."""
VALUES: Final = 15
_GUARDS: Final = int.from_bytes(b"\x80" * VALUES, "little")
MAX_CANDIDATES: Final = 255
"""Most plays that are listed as candidates."""


class Carried(NamedTuple):
    """The kickers of a shape, by value."""

    units: int
    """How many units are carried."""
    unit: int
    """How many cards of one rank a unit has."""
    limits: tuple[int, ...]
    """Most cards of each value."""
    exclusive: frozenset[int]
    """Values of which at most one may be carried."""


class RankRow(NamedTuple):
    """A shape as plays by ranks need it."""

    place: int
    """Its row in the ruleset's table."""
    pattern: str
    category: int
    power: int
    size: int
    body: Counts
    key: int
    """The value that decides."""
    is_alone: bool
    """True if it is nothing but cards of one value."""
    carried: Carried | None


class ListedByRank(NamedTuple):
    """A play that may be made."""

    cards: int
    row: RankRow
    power: int


def has(counts: Counts, wanted: Counts) -> bool:
    """True if no number of `wanted` is more than that of `counts`."""
    return ((counts | _GUARDS) - wanted) & _GUARDS == _GUARDS


def by_value(counts: Counts) -> bytes:
    """The numbers of cards, by value."""
    return counts.to_bytes(VALUES, "little")


class RankRows:
    """The shapes of a ruleset in which suits do not matter, by value. One for all games."""

    def __init__(self, shapes: Shapes) -> None:
        self.ruleset = shapes.ruleset
        self._above = shapes.above
        order, rows = self.ruleset.order, self.ruleset.table.rows
        self.masks = [order.rank_masks[rank] for rank in order.ranks]
        """The cards of each value."""
        self.rows: list[RankRow] = []
        """The shapes that some hand has, in the order of listing."""
        for i in shapes.listed:
            row = rows[i]
            body = sum(count << 8 * order.values[rank] for rank, count in row.ranks)
            is_alone = row.shape.counts[row.shape.key] == row.shape.size
            carried = self._carried(row.shape.kickers) if row.shape.kickers else None
            self.rows.append(
                RankRow(
                    i,
                    row.pattern,
                    row.category,
                    row.power,
                    row.shape.size,
                    body,
                    order.values[row.shape.key],
                    is_alone,
                    carried,
                )
            )
        self.alone: list[dict[int, RankRow]] = [{} for _ in self.masks]
        """By value: the shape of just so many cards of it."""
        for rank_row in self.rows:
            if rank_row.is_alone:
                numbers = by_value(rank_row.body)
                value = next(value for value, number in enumerate(numbers) if number)
                self.alone[value][numbers[value]] = rank_row

    def _carried(self, kickers: Kickers) -> Carried:
        order = self.ruleset.order
        limits = tuple(kickers.limits[rank] for rank in order.ranks)
        exclusive = frozenset(order.values[rank] for rank in kickers.exclusive if order.values[rank] >= 0)
        return Carried(kickers.size // kickers.unit, kickers.unit, limits, exclusive)

    def counts(self, cards: int) -> Counts:
        """How many cards of each value."""
        return int.from_bytes(bytes([(cards & mask).bit_count() for mask in self.masks]), "little")

    def lowest(self, counts: Counts, hand: int) -> int:
        """The lowest cards of a hand that numbers by value name, as the game itself chooses them; as a mask."""
        cards = 0
        for number, mask in zip(by_value(counts), self.masks, strict=False):
            if number:
                cards |= sum([1 << card for card in self.ruleset.order.sort(hand & mask)[:number]])
        return cards

    def plays(self, hand: int, top: tuple[int, int] | None, obligation: int) -> list[ListedByRank]:
        """The candidates of a hand without a pass; `top` is the category and the power to cover."""
        counts, held, found = self.counts(hand), hand.bit_count(), list[ListedByRank]()
        first = next((value for value, mask in enumerate(self.masks) if mask & obligation), -1)
        above, exact = self._above(top), self.ruleset.lead is Lead.EXACT
        for row in self.rows:
            if row.size > held or not has(counts, row.body) or len(found) == MAX_CANDIDATES:
                continue
            if above is not None and row.power <= above.get(row.category, row.power):
                continue
            wanted = row.body
            if row.carried:
                kickers = simple_kickers(row.carried, counts - row.body, first)
                if kickers is None:
                    continue
                wanted += kickers
            cards = self.lowest(wanted, hand)
            if obligation and not (cards == obligation if exact else not obligation & ~cards):
                continue
            found.append(ListedByRank(cards, row, row.power))
        return found

    def can_be_covered(self, unseen: int, category: int, power: int, most: int) -> bool:
        """True if some play of at most `most` of the unseen cards covers one; kickers are taken to be there."""
        counts, above = self.counts(unseen), self._above((category, power))
        assert above is not None
        return any(
            row.size <= most and row.power > above.get(row.category, row.power) and has(counts, row.body) for row in self.rows
        )

    def inner(self, mask: int) -> int:
        """A mask of cards as plays are listed: as it is."""
        return mask

    def mask(self, cards: int) -> int:
        """Cards of a listed play as a mask of cards: as they are."""
        return cards


def kickers_allowed(carried: Carried, value: int, taken: int, used: bool) -> bool:
    """True if one unit more of a value may be carried besides `taken` cards of it; `used` if an exclusive value is."""
    if taken + carried.unit > carried.limits[value]:
        return False
    return not (used and not taken and value in carried.exclusive)


def simple_kickers(carried: Carried, rest: Counts, first: int) -> Counts | None:
    """Kickers among some cards, `None` where there are none.

    A unit of the value `first` is taken before others, then those whose rank has just these cards, then the lowest.
    """
    left, found, used = list(by_value(rest)), [0] * VALUES, False
    for _ in range(carried.units):
        prices = []
        for value in range(len(carried.limits)):
            held, taken = left[value], found[value]
            if held < carried.unit or not kickers_allowed(carried, value, taken, used):
                continue
            first_of_all = value == first and not taken
            prices.append((-1 if first_of_all else value if held == carried.unit else value + 64 * held, value))
        if not prices:
            return None
        value = min(prices)[1]
        used = used or value in carried.exclusive
        found[value] += carried.unit
        left[value] -= carried.unit
    return int.from_bytes(bytes(found), "little")
