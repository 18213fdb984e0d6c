"""Positions of Klondike as one 64-bit key each, for the search, and functions that read such keys.

With unlimited passes through the dealer area, its cards form a set, and each one is always available. A covered card can swap
places with an uncovered twin (the other card of its rank and color), by moving the cards on top of it. So it does not matter
which card covers which, only how many are covered. The number of *slots* of a rank and color is the number of
its face-up cards in the tableau, minus the cards one rank lower in the other color that are on top of one.

A key therefore needs 57 bits: for each pile the number of cards still in their dealt places, the size of each foundation, and
the cards left in the dealer area. The last card of a pile still in its dealt place is its *root*, the lowest face-up card. All
other cards are face up in the tableau. A pile without dealt cards is empty or begins with a king.

**Moves** that change a key: a root with the cards on top of it to a slot, or a king to an empty pile; an uncovered card or a
dealer card to its foundation; a dealer card or the top card of a foundation to a slot.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.games.klondike.cards import KING, NUM_RANKS, NUM_SUITS, rank_of
from big2_env.games.klondike.position import D_SHIFT, F_SHIFT, PILE_MASKS, PILE_SHIFTS, KlondikePosition, bit_of
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import paste

CONTROL: Final = np.dtype([(name, np.int64) for name in ("stacked", "kept", "limit", "depth", "looked", "left")])
"""State of a search: stack entries, table keys, limit on keys, depth of the last position, positions searched.

`left` is the number of positions that all searches of a plan may still visit.
"""

# Places of the tables of a position, uint64.
HIDDEN: Final = 0  # 7 x 8: the cards below the root of a pile, by how many are where they were dealt
ROOT: Final = 56  # 7 x 8: its root
GONE: Final = 112  # 4 x 16: the cards of a foundation, by their number
NEXT: Final = 176  # 4 x 16: the next card of a foundation
DECK: Final = 240  # 3 x 256: the cards of the dealer area, by eight places of it
PLACE: Final = 1008  # 52: the bit of a card's place in the dealer area
TABLES: Final = 1060

SHIFTS: Final = np.array(PILE_SHIFTS, np.uint64)
MASKS: Final = np.array(PILE_MASKS, np.uint64)

BLACK: Final = U(0x9)
RED: Final = U(0x6)
KINGS: Final = U(0xF) << U(48)
_ALL: Final = (U(1) << U(52)) - U(1)


@kernel(inline=True)
def cards_of(tables: Any, key: Any) -> Any:
    """Decode a position.

    Returns:
        Card sets of the dealer area, the hidden cards, the roots, the face-up cards of the tableau and the next cards of the
        foundations, then the number of piles with dealt cards.
    """
    hidden, roots, columns = U(0), U(0), 0
    for pile in range(7):
        m = (key >> SHIFTS[pile]) & MASKS[pile]
        hidden |= tables[np.int64(HIDDEN + pile * 8 + m)]
        roots |= tables[np.int64(ROOT + pile * 8 + m)]
        columns += m != U(0)
    gone, following = U(0), U(0)
    for suit in range(4):
        f = (key >> U(F_SHIFT + 4 * suit)) & U(15)
        gone |= tables[np.int64(GONE + suit * 16 + f)]
        following |= tables[np.int64(NEXT + suit * 16 + f)]
    deck = (
        tables[np.int64(DECK + ((key >> U(D_SHIFT)) & U(255)))]
        | tables[np.int64(DECK + 256 + ((key >> U(D_SHIFT + 8)) & U(255)))]
        | tables[np.int64(DECK + 512 + ((key >> U(D_SHIFT + 16)) & U(255)))]
    )
    return deck, hidden, roots, _ALL & ~(hidden | gone | deck), following, columns


@kernel(inline=True)
def slots(shown: Any, loose: Any) -> Any:
    """Return the ranks that have slots, as the lowest bit of each rank's four, for black and for red cards."""
    carried = loose & ~KINGS
    black = (shown & ONES) + ((shown >> U(3)) & ONES)
    red = ((shown >> U(1)) & ONES) + ((shown >> U(2)) & ONES)
    black -= (((carried >> U(1)) & ONES) + ((carried >> U(2)) & ONES)) << U(4)
    red -= ((carried & ONES) + ((carried >> U(3)) & ONES)) << U(4)
    return (black | (black >> U(1))) & ONES, (red | (red >> U(1))) & ONES


@kernel(inline=True)
def foundation_of(key: Any, suit: Any) -> Any:
    """Return the number of cards on a foundation."""
    return np.int64((key >> U(F_SHIFT + 4 * suit)) & U(15))


@kernel(inline=True)
def is_safe(key: Any, suit: Any, rank: Any, less: Any) -> Any:
    """Return True if no card will need the card of this suit and rank in the tableau.

    This holds if both foundations of the other color have at least `rank - 1 - less` cards, and the twin's at least
    `rank - 2 - less`.
    """
    if suit == 0 or suit == 3:
        other, another = foundation_of(key, 1), foundation_of(key, 2)
    else:
        other, another = foundation_of(key, 0), foundation_of(key, 3)
    return other >= rank - 1 - less and another >= rank - 1 - less and foundation_of(key, 3 - suit) >= rank - 2 - less


@kernel(entry=True)
def covered(key: Any) -> Any:
    """Return the number of face-down cards."""
    number: Any = 0
    for pile in range(7):
        m = np.int64((key >> SHIFTS[pile]) & MASKS[pile])
        number += m - 1 if m > 1 else 0
    return number


@kernel(entry=True)
def root_gone(tables: Any, key: Any, card: Any) -> Any:
    """Return the key after a root has left its place. A king at the bottom of its pile does not count as a root."""
    for pile in range(7):
        m = (key >> SHIFTS[pile]) & MASKS[pile]
        if tables[np.int64(ROOT + pile * 8 + m)] == card:
            key -= U(1) << SHIFTS[pile]
            if m == U(2) and (tables[ROOT + pile * 8 + 1] & KINGS) != U(0):
                key -= U(1) << SHIFTS[pile]
            break
    return key


@kernel(entry=True)
def settled(tables: Any, key: Any, one_turn: Any) -> Any:
    """Return the key after all automatic foundation moves, without a need. `one_turn` stops at the first card turned."""
    while True:
        deck, hidden, roots, shown, following, _ = cards_of(tables, key)
        if hidden == U(0):
            return key
        black, red = slots(shown, shown & ~roots)
        free = shown & (black * BLACK | red * RED)
        before = key
        todo = following & (free | deck)
        while todo != U(0):
            card = todo & (~todo + U(1))
            todo ^= card
            number = lowest_bit(card)
            rank, suit = number >> 2, number & 3
            if (card & deck) != U(0):
                if is_safe(key, suit, rank, 1):
                    key += U(1) << U(F_SHIFT + 4 * suit)
                    key ^= tables[PLACE + number] << U(D_SHIFT)
            elif (card & roots) != U(0):
                if is_safe(key, suit, rank, 0):
                    key = root_gone(tables, key, card) + (U(1) << U(F_SHIFT + 4 * suit))
                    if one_turn and covered(key) < covered(before):
                        return key
                    break  # its twin may have no slot to spare any more
            else:
                key += U(1) << U(F_SHIFT + 4 * suit)
                break
        if key == before:
            return key


_FOUNDATIONS: Final = (
    *(sum(1 << 4 * rank + suit for rank in range(min(number, NUM_RANKS))) for suit in range(NUM_SUITS) for number in range(16)),
    *(1 << 4 * number + suit if number < NUM_RANKS else 0 for suit in range(NUM_SUITS) for number in range(16)),
)
"""Part of the tables that is the same for all positions, from `GONE` to `DECK`."""


def tables_of(state: KlondikePosition) -> tuple[Any, int]:
    """Return the tables of a position, uint64 (TABLES,), and its key.

    Raises:
        ConfigError: No game can reach the position.
    """
    state.checked()
    hidden, roots, key = [0] * ROOT, [0] * ROOT, 0
    # A pile's number of face-down cards never grows, so by those the piles fit the bits of the key.
    order = sorted(range(len(state.piles)), key=lambda pile: state.down[pile])
    for number, pile in enumerate(order):
        dealt = state.piles[pile][: state.down[pile] + 1]
        below = 0
        for place, card in enumerate(dealt, start=8 * number + 1):
            hidden[place], roots[place] = below, 1 << bit_of(card)
            below |= roots[place]
        if not (len(dealt) == 1 and rank_of(dealt[0]) == KING):  # such a king has been moved there as well as not
            key |= len(dealt) << PILE_SHIFTS[number]
    for suit, count in enumerate(state.foundations):
        key |= count << (F_SHIFT + 4 * suit)
    key |= ((1 << len(state.dealer)) - 1) << D_SHIFT
    deck, places = list[int](), [0] * (TABLES - PLACE)
    for start in (0, 8, 16):
        part = [0]
        for place in range(start, start + 8):
            card = 1 << bit_of(state.dealer[place]) if place < len(state.dealer) else 0
            part += [cards | card for cards in part]
        deck += part
    for place, card in enumerate(state.dealer):
        places[bit_of(card)] = 1 << place
    tables = np.zeros(TABLES, np.uint64)
    paste(tables, [*hidden, *roots, *_FOUNDATIONS, *deck, *places])
    return tables, key
