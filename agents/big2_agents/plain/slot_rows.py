"""Candidate plays where actions are places in the hand: of plays whose suits make no difference one.

The same plays in the same order as `compiled.slot_plays` lists. Cards are sets of places here: four bits for each value, from
the lowest on, one for each suit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from big2_agents.plain.unseen_plays import Shapes
from big2_env.cards import iter_cards
from big2_env.climbing.ruleset import Lead
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row

MAX_CANDIDATES: Final = 95
"""Most plays that are listed as candidates; of a longer list the strongest are left out."""
VALUES: Final = 15
ONES: Final = sum(1 << 4 * value for value in range(VALUES))
"""The lowest suit of every value."""
_PAIRS, _NIBBLES = ONES * 5, ONES * 3


class SlotRow(NamedTuple):
    """A shape as plays by places need it."""

    place: int
    """Its row in the ruleset's table."""
    pattern: str
    number: int
    """The pattern's place in the ruleset."""
    category: int
    power: int
    step: int
    """What a suit adds to the power."""
    need: int
    """The cards by value in unary, as `unary` has them."""
    parts: tuple[tuple[int, int], ...]
    """(value, number of cards), ascending."""
    key: int
    """The value that decides."""
    is_mixed: bool
    """True if the cards must not all be of one suit."""

    @property
    def is_alone(self) -> bool:
        """True if it is nothing but cards of one value."""
        return len(self.parts) == 1


class Listed(NamedTuple):
    """A play that may be made."""

    cards: int
    row: SlotRow
    power: int


def counts_of(cards: int) -> int:
    """How many cards of each value, four bits each."""
    pairs = cards - (cards >> 1 & _PAIRS)
    return (pairs & _NIBBLES) + (pairs >> 2 & _NIBBLES)


def unary_of(counts: int) -> int:
    """The same in unary: as many of four bits as there are cards."""
    one, two, four = counts & ONES, counts >> 1 & ONES, counts >> 2 & ONES
    return one | two | four | (two | four) << 1 | (one & two | four) << 2 | four << 3


def unary(cards: int) -> int:
    """How many cards of each value, in unary."""
    return unary_of(counts_of(cards))


def bits(cards: int) -> Iterator[int]:
    """The places in a set, ascending."""
    while cards:
        low = cards & -cards
        yield low.bit_length() - 1
        cards ^= low


def lowest_cards(nibble: int, taken: int) -> int:
    """The lowest cards of one value."""
    found = 0
    for _ in range(taken):
        found |= nibble & -nibble
        nibble &= nibble - 1
    return found


class SlotRows:
    """The shapes of a ruleset by places. One for all games."""

    def __init__(self, shapes: Shapes) -> None:
        self.ruleset = rules = shapes.ruleset
        self._above = shapes.above
        self._sizes = shapes.sizes
        order = rules.order
        self._place_of = {
            int(card): 4 * order.values[card.rank] + (0 if card.suit is None else order.suit_values[card.suit])
            for card in rules.deck.cards
        }
        self._card_at = {place: card for card, place in self._place_of.items()}
        names = [rule.pattern.name for rule in rules.patterns]
        self.rows: list[SlotRow] = []
        """The shapes that do not ask for one suit, in the order of listing."""
        self._by_category: dict[int, list[tuple[int, SlotRow]]] = {}
        self.suited: dict[int, dict[int, SlotRow]] = {}
        """Those that do: by number of cards, ascending, and by the set of their values."""
        suited = []
        for i in shapes.listed:
            row = rules.table.rows[i]
            slot_row = self._row(i, row, names.index(row.pattern))
            if row.shape.suits is Suits.SAME:
                suited.append((row.shape.size, sum(1 << value for value, _ in slot_row.parts), slot_row))
            else:
                self.rows.append(slot_row)
                self._by_category.setdefault(slot_row.category, []).append((slot_row.need, slot_row))
        alone = {row.parts[0][1] for row in self.rows if row.is_alone}
        plays = [0]
        for cards in range(1, 5):
            plays.append(min((1 + plays[cards - size] for size in alone if size <= cards), default=4))
        self.steps_alone = [(n, more) for n in range(4) if (more := plays[n + 1] - plays[n])]
        """(n, how many plays more it takes to put down n + 1 cards of one value than to put down n), where it takes more."""
        for size in sorted({size for size, _, _ in suited}):
            self.suited[size] = {values: row for number, values, row in suited if number == size}

    def _row(self, place: int, row: Row, number: int) -> SlotRow:
        values = self.ruleset.order.values
        parts = tuple(sorted((values[rank], count) for rank, count in row.ranks))
        need = sum((1 << count) - 1 << 4 * value for value, count in parts)
        key, is_mixed = values[row.shape.key], row.shape.suits is Suits.MIXED
        return SlotRow(place, row.pattern, number, row.category, row.power, row.suit_step, need, parts, key, is_mixed)

    def inner(self, mask: int) -> int:
        """A mask of cards as a set of places."""
        return sum([1 << self._place_of[card] for card in iter_cards(mask)])

    def mask(self, cards: int) -> int:
        """A set of places as a mask of cards."""
        return sum([1 << self._card_at[place] for place in bits(cards)])

    def plays(self, hand: int, top: tuple[int, int] | None, obligation: int) -> list[Listed]:
        """The candidates of a hand without a pass; `top` is the category and the power to cover."""
        found = list[Listed]()
        above = self._above(top)
        for row, least in self._held(hand, above, hand.bit_count()):
            if row.power + 3 * (row.step > 0) > least:
                found += self._of_row(row, hand, least)
        if self.suited:
            found += self._of_one_suit(hand, above)
        del found[MAX_CANDIDATES:]
        if obligation:
            exact = self.ruleset.lead is Lead.EXACT
            found = [one for one in found if (one.cards == obligation if exact else one.cards & obligation)]
        return found

    def _held(self, cards: int, above: dict[int, int] | None, most: int) -> Iterator[tuple[SlotRow, int]]:
        """The shapes of at most `most` cards that some cards have and that may cover, each with the power to exceed."""
        lacking = ~unary(cards)
        for category, rows in self._by_category.items():
            least = -1 if above is None else above.get(category)
            if least is None or self._sizes[category] > most:
                continue
            for need, row in rows:
                if not need & lacking:
                    yield row, least

    def _of_row(self, row: SlotRow, hand: int, above: int) -> Iterator[Listed]:
        """The candidates of one row that the hand holds: one for each suit that decides, else one."""
        base = taken = 0
        for value, count in row.parts:
            if value == row.key:
                taken = count
            else:
                base |= lowest_cards(hand >> 4 * value & 15, count) << 4 * value
        shift = 4 * row.key
        nibble = hand >> shift & 15
        if not row.step:
            cards = self._mixed(row, hand, base | lowest_cards(nibble, taken) << shift)
            if cards:
                yield Listed(cards, row, row.power)
            return
        below = lowest_cards(nibble, taken - 1)
        for suit in bits(nibble & ~below):
            if row.power + suit > above:
                cards = self._mixed(row, hand, base | (below | 1 << suit) << shift)
                if cards:
                    yield Listed(cards, row, row.power + suit)

    def _mixed(self, row: SlotRow, hand: int, cards: int) -> int:
        """The cards; of one suit where they must not be, one that does not decide is exchanged; 0 where it cannot be."""
        low = (cards & -cards).bit_length() - 1
        if not row.is_mixed or cards & ~(ONES << (low & 3)):
            return cards
        for value, _ in row.parts:
            if value != row.key:
                other = (hand & ~cards) >> 4 * value & 15
                if other:
                    return cards & ~(15 << 4 * value) | lowest_cards(other, 1) << 4 * value
        return 0

    def _of_one_suit(self, hand: int, above: dict[int, int] | None) -> Iterator[Listed]:
        """The one-suited plays that cover the top."""
        for size, rows in self.suited.items():
            for suit in range(4):
                places = list(bits(hand & ONES << suit))
                for chosen in sorted(combinations(places, size), key=lambda each: each[::-1]):
                    row = rows.get(sum([1 << (place >> 2) for place in chosen]))
                    if row is None:
                        continue
                    power = row.power + suit * row.step
                    if above is None or power > above.get(row.category, power):
                        yield Listed(sum([1 << place for place in chosen]), row, power)

    def can_be_covered(self, unseen: int, category: int, power: int, most: int) -> bool:
        """True if some play of at most `most` of the unseen cards covers one.

        Suits of plays that must not be of one suit are not looked at; of the one-suited plays those of the highest cards and
        those of neighbours are.
        """
        above = self._above((category, power))
        assert above is not None
        for row, least in self._held(unseen, above, most):
            highest = ((unseen >> 4 * row.key & 15).bit_length() - 1) if row.step else 0
            if row.power + highest > least:
                return True
        return any(
            (one := rows.get(values)) is not None and one.power + suit * one.step > above.get(one.category, 1 << 30)
            for size, rows in self.suited.items()
            if size <= most
            for suit in range(4)
            for values in _likely(unseen & ONES << suit, size)
        )


def _likely(cards: int, size: int) -> Iterable[int]:
    """Sets of values of some cards of one suit: neighbours, those round the corner too, and the highest with the lowest."""
    held = 0
    for place in bits(cards):
        held |= 1 << (place >> 2)
    if held.bit_count() < size:
        return
    run = (1 << size) - 1
    for shift in range(13):
        chosen = (run << shift | run << shift >> 13) & 0x1FFF
        if not chosen & ~held:
            yield chosen
    yield 1 << held.bit_length() - 1 | sum([1 << value for value in list(bits(held))[: size - 1]])
