"""The compiled search behind `big2_env.klondike.solve`: depth first over positions that are one number each.

**Positions.** Cards dealt with unlimited rounds are a set: each is there at any time. A card on which something lies can change
places with its twin (same rank and colour) on which nothing lies, by moving what lies on it. So who lies on whom does not
matter, only how many: a rank and colour has as many *slots* as it has face-up cards of the tableau, less those of the next
lower rank and other colour that lie on one. A position is then told by, for each pile, how many of its cards are where they
were dealt (the last of them is its *root*, the lowest face-up card), how many cards each foundation has, and which cards the
dealer area has: 57 bits. All else lies face up in the tableau; an empty pile holds a king or nothing.

**Moves** that change this: a root, with what lies on it, onto a slot (or a king to an empty pile); a card on which nothing
lies, or one of the dealer area, to its foundation; a card of the dealer area or the top of a foundation onto a slot.

**What need not be tried.** `_settle` and the expansion in `search` leave out, and none of it loses a win:

* A card of the tableau that is no root goes up as soon as it can: the move can be taken back.
* A root goes up as soon as both suits of the other colour have all below its rank but one, and its twin's all but two: nothing
  it could carry will need it. A card of the dealer area goes up with one less of each, for it can come back down instead.
* A card of the dealer area is put onto the tableau only where the very next move needs it there: put off until then it is in
  nobody's way. The same holds for emptying a pile, which only a king needs. What is needed is part of the position, 5 bits.
* The top of a foundation comes down only where its rank and colour, or those of a lower card of the suit, have no slot.

Sources: Blake and Gent, "The Winnability of Klondike Solitaire and Many Other Patience Games" (arXiv 1906.12314), for
the dealer area as a reserve, safe foundation moves, worrying back; the solver lonelybot (2024) for leaving open who lies where.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import ONES, lowest_bit, popcount

U: Final = np.uint64
OPEN: Final = 0
WON: Final = 1
LOST: Final = 2
FULL: Final = 3
"""What `search` returns: budget spent, won, no way, the table or the stack is full."""

SP: Final = 0
COUNT: Final = 1
DEPTH: Final = 2
NODES: Final = 3
"""Places of `control`: entries of the stack, keys of the table, depth of the last position, positions expanded."""

# Places of the tables of a position, uint64.
HIDDEN: Final = 0  # 7 x 8: the cards below the root of a pile, by how many are where they were dealt
ROOT: Final = 56  # 7 x 8: its root
GONE: Final = 112  # 4 x 16: the cards of a foundation, by their number
NEXT: Final = 176  # 4 x 16: the next card of a foundation
DECK: Final = 240  # 3 x 256: the cards of the dealer area, by eight places of it
PLACE: Final = 1008  # 52: the bit of a card's place in the dealer area
TABLES: Final = 1060

F_SHIFT: Final = 17
D_SHIFT: Final = 33
P_SHIFT: Final = 57
"""Where a key has the foundations, the dealer area and the need; the piles are from bit 0 on."""
PILE_SHIFTS: Final = (0, 1, 3, 5, 8, 11, 14)
_SHIFTS: Final = np.array(PILE_SHIFTS, np.uint64)
_MASKS: Final = np.array((1, 3, 3, 7, 7, 7, 7), np.uint64)

NOTHING: Final = U(0)
CAME_DOWN: Final = U(1)
COLUMN: Final = U(2)
SLOT: Final = 3
"""Needs: none; none, but nothing goes up by itself; an empty pile; 3 + 2 * rank + (1 for red): a slot there."""

_BLACK: Final = U(0x9)
_RED: Final = U(0x6)
_RED_CARDS: Final = U(0x6666666666666)
_KINGS: Final = U(0xF) << U(48)
_ALL: Final = (U(1) << U(52)) - U(1)
_CARRIERS: Final = _ALL ^ U(0xFF)
"""Cards that may have to carry another one: no aces, and no twos, for an ace goes up at once."""


@nb.njit(cache=True, inline="always")
def _cards(tables: Any, key: Any) -> Any:
    """Of a position: the dealer area, hidden cards, roots, all face-up cards of the tableau, next cards, piles in use."""
    hidden, roots, columns = U(0), U(0), 0
    for pile in range(7):
        m = (key >> _SHIFTS[pile]) & _MASKS[pile]
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


@nb.njit(cache=True, inline="always")
def _slots(shown: Any, loose: Any) -> Any:
    """Where there are slots: the lowest bit of each rank's four, for black cards and for red ones."""
    carried = loose & ~_KINGS
    black = (shown & ONES) + ((shown >> U(3)) & ONES)
    red = ((shown >> U(1)) & ONES) + ((shown >> U(2)) & ONES)
    black -= (((carried >> U(1)) & ONES) + ((carried >> U(2)) & ONES)) << U(4)
    red -= ((carried & ONES) + ((carried >> U(3)) & ONES)) << U(4)
    return (black | (black >> U(1))) & ONES, (red | (red >> U(1))) & ONES


@nb.njit(cache=True, inline="always")
def _foundation(key: Any, suit: Any) -> Any:
    return np.int64((key >> U(F_SHIFT + 4 * suit)) & U(15))


@nb.njit(cache=True, inline="always")
def _is_safe(key: Any, suit: Any, rank: Any, less: Any) -> Any:
    """Whether all below a rank but one (and `less` more) are up in the other colour, and all but two in the twin's suit."""
    if suit == 0 or suit == 3:
        other, another = _foundation(key, 1), _foundation(key, 2)
    else:
        other, another = _foundation(key, 0), _foundation(key, 3)
    return other >= rank - 1 - less and another >= rank - 1 - less and _foundation(key, 3 - suit) >= rank - 2 - less


@nb.njit(cache=True)
def _root_gone(tables: Any, key: Any, card: Any) -> Any:
    """The key when a root has left its place; a king that lies at the very bottom is no root."""
    for pile in range(7):
        m = (key >> _SHIFTS[pile]) & _MASKS[pile]
        if tables[np.int64(ROOT + pile * 8 + m)] == card:
            key -= U(1) << _SHIFTS[pile]
            if m == U(2) and (tables[ROOT + pile * 8 + 1] & _KINGS) != U(0):
                key -= U(1) << _SHIFTS[pile]
            break
    return key


@nb.njit(cache=True)
def _settle(tables: Any, key: Any) -> Any:
    """The key after all that goes up by itself; it has no need."""
    while True:
        deck, hidden, roots, shown, following, _ = _cards(tables, key)
        if hidden == U(0):
            return key
        black, red = _slots(shown, shown & ~roots)
        free = shown & (black * _BLACK | red * _RED)
        before = key
        todo = following & (free | deck)
        while todo != U(0):
            card = todo & (~todo + U(1))
            todo ^= card
            number = lowest_bit(card)
            rank, suit = number >> 2, number & 3
            if (card & deck) != U(0):
                if _is_safe(key, suit, rank, 1):
                    key += U(1) << U(F_SHIFT + 4 * suit)
                    key ^= tables[PLACE + number] << U(D_SHIFT)
            elif (card & roots) != U(0):
                if _is_safe(key, suit, rank, 0):
                    key = _root_gone(tables, key, card) + (U(1) << U(F_SHIFT + 4 * suit))
                    break  # its twin may have no slot to spare any more
            else:
                key += U(1) << U(F_SHIFT + 4 * suit)
                break
        if key == before:
            return key


@nb.njit(cache=True, inline="always")
def _spot(keys: Any, key: Any) -> Any:
    """Where a key is in the table, or the empty place where it goes."""
    mask = U(len(keys) - 1)
    spot = ((key * U(0x9E3779B97F4A7C15)) >> U(20)) & mask
    while keys[np.int64(spot)] != U(0) and keys[np.int64(spot)] != key:
        spot = (spot + U(1)) & mask
    return np.int64(spot)


@nb.njit(cache=True)
def moved(old: Any, new: Any) -> None:
    """Put the keys of one table into another, larger one."""
    for key in old:
        if key != U(0):
            new[_spot(new, key)] = key


@nb.njit(cache=True)
def started(tables: Any, key: Any, keys: Any, stack: Any, control: Any) -> None:
    """Begin a search at a key."""
    key = _settle(tables, key)
    control[:] = 0
    keys[_spot(keys, key)] = key
    stack[0, 0], stack[0, 1] = key, U(0)
    control[SP] = control[COUNT] = 1


@nb.njit(cache=True)
def _push(keys: Any, stack: Any, control: Any, key: Any, depth: Any, move: Any) -> None:
    """Put a position on the stack if it is new; its second word has the depth and the move that led there."""
    spot = _spot(keys, key)
    if keys[spot] == U(0):
        keys[spot] = key
        control[COUNT] += 1
        stack[control[SP], 0] = key
        stack[control[SP], 1] = U(depth) | (U(move) << U(32))
        control[SP] += 1


@nb.njit(cache=True, nogil=True)
def search(tables: Any, keys: Any, stack: Any, path: Any, control: Any, budget: Any) -> Any:
    """Go on with a search for so many positions: `WON`, `LOST`, `OPEN`, or `FULL`, after which larger arrays go on.

    Args:
        tables: uint64 (TABLES,), of the position.
        keys: uint64, its length a power of two: the positions met, 0 where there is none.
        stack: uint64 (n, 2).
        path: uint64 (m, 2): the positions from the start to the last one, and the move to each, card * 2 + (1 for up).
        control: int64 (4,).
        budget: how many positions.
    """
    limit = len(keys) // 8 * 5
    for _ in range(budget):
        if control[COUNT] + 64 > limit or control[SP] + 64 > len(stack):
            return FULL
        if control[SP] == 0:
            return LOST
        control[SP] -= 1
        control[NODES] += 1
        key, word = stack[control[SP], 0], stack[control[SP], 1]
        depth = np.int64(word & U(0xFFFFFFFF))
        control[DEPTH] = depth
        path[depth, 0], path[depth, 1] = key, word >> U(32)
        depth += 1
        if depth >= len(path):
            return FULL
        deck, hidden, roots, shown, following, columns = _cards(tables, key)
        if hidden == U(0):
            return WON
        need = key >> U(P_SHIFT)
        bare = key & ((U(1) << U(P_SHIFT)) - U(1))
        loose = shown & ~roots
        empty = 7 - columns - popcount(loose & _KINGS)
        black, red = _slots(shown, loose)
        free = shown & (black * _BLACK | red * _RED)
        without = ~(black * _BLACK | red * _RED)
        fits = (red >> U(4)) * _BLACK | (black >> U(4)) * _RED
        if empty > 0:
            fits |= _KINGS
        tops = U(0)
        for suit in range(4):
            f = _foundation(key, suit)
            if f > 0:
                tops |= U(1) << U(4 * (f - 1) + suit)
        ups, allowed = following & free, fits
        if need == COLUMN:
            ups, allowed = U(0), fits & _KINGS
        elif need >= U(SLOT):
            place = np.int64(need) - SLOT
            rank, colour = place >> 1, place & 1
            own = (_RED if colour else _BLACK) << U(4 * rank)
            ups = ups & own
            allowed = fits & ((_BLACK if colour else _RED) << U(4 * (rank - 1)))
        # The last pushed is tried first, so what promises least comes first.
        todo = tops & allowed & _CARRIERS
        while todo != U(0):
            card = todo & (~todo + U(1))
            todo ^= card
            number = lowest_bit(card)
            rank, suit = number >> 2, number & 3
            useful = False
            for lower in range(rank, 1, -1):
                if _is_safe(key, suit, lower, 0):
                    break
                if (without >> U(4 * lower + suit)) & U(1):
                    useful = True
                    break
            if useful:
                child = (bare - (U(1) << U(F_SHIFT + 4 * suit))) | (CAME_DOWN << U(P_SHIFT))
                _push(keys, stack, control, child, depth, 2 * number)
        todo = deck & allowed & without & ~following & _CARRIERS
        while todo != U(0):
            card = todo & (~todo + U(1))
            todo ^= card
            number = lowest_bit(card)
            cls = 2 * (number >> 2) + (1 if (card & _RED_CARDS) != U(0) else 0)
            child = (bare ^ (tables[PLACE + number] << U(D_SHIFT))) | (U(SLOT + cls) << U(P_SHIFT))
            _push(keys, stack, control, child, depth, 2 * number)
        if need != COLUMN:
            if empty == 0 and ((roots | deck | tops) & _KINGS) != U(0):
                for pile in range(7):
                    if (key >> _SHIFTS[pile]) & _MASKS[pile] == U(1):
                        card = tables[ROOT + pile * 8 + 1]
                        if (card & allowed) != U(0):
                            child = (bare - (U(1) << _SHIFTS[pile])) | (COLUMN << U(P_SHIFT))
                            _push(keys, stack, control, child, depth, 2 * lowest_bit(card))
            if need == NOTHING:
                todo = following & deck
                while todo != U(0):
                    card = todo & (~todo + U(1))
                    todo ^= card
                    number = lowest_bit(card)
                    child = (bare + (U(1) << U(F_SHIFT + 4 * (number & 3)))) ^ (tables[PLACE + number] << U(D_SHIFT))
                    _push(keys, stack, control, _settle(tables, child), depth, 2 * number + 1)
            todo = ups
            while todo != U(0):
                card = todo & (~todo + U(1))
                todo ^= card
                number = lowest_bit(card)
                child = bare + (U(1) << U(F_SHIFT + 4 * (number & 3)))
                if (card & roots) != U(0):
                    child = _root_gone(tables, child, card)
                _push(keys, stack, control, _settle(tables, child), depth, 2 * number + 1)
        for pile in range(7):
            m = (key >> _SHIFTS[pile]) & _MASKS[pile]
            if m >= U(2):
                card = tables[np.int64(ROOT + pile * 8 + m)]
                if (card & allowed) != U(0):
                    child = _settle(tables, _root_gone(tables, bare, card))
                    _push(keys, stack, control, child, depth, 2 * lowest_bit(card))
    return OPEN
