"""The compiled search behind `solver.py`: depth first over the positions of `packed.py`.

**What need not be tried.** `settled` and the expansion in `search` leave out, and none of it loses a win:

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

import numpy as np

from big2_env.games.klondike.kernels.packed import (
    BLACK,
    KINGS,
    MASKS,
    PLACE,
    RED,
    ROOT,
    SHIFTS,
    U,
    cards_of,
    foundation_of,
    is_safe,
    root_gone,
    settled,
    slots,
)
from big2_env.games.klondike.keys import D_SHIFT, F_SHIFT, P_SHIFT
from big2_env.kernels.dialect.bits import lowest_bit, popcount
from big2_env.kernels.dialect.kernel import kernel

OPEN: Final = 0
WON: Final = 1
LOST: Final = 2
FULL: Final = 3
"""What `search` returns: budget spent, won, no way, the table or the stack is full."""

NOTHING: Final = U(0)
CAME_DOWN: Final = U(1)
COLUMN: Final = U(2)
SLOT: Final = 3
"""Needs: none; none, but nothing goes up by itself; an empty pile; 3 + 2 * rank + (1 for red): a slot there."""

_RED_CARDS: Final = U(0x6666666666666)
_CARRIERS: Final = ((U(1) << U(52)) - U(1)) ^ U(0xFF)
"""Cards that may have to carry another one: no aces, and no twos, for an ace goes up at once."""


@kernel(inline=True)
def _spot(keys: Any, key: Any) -> Any:
    """Where a key is in the table, or the empty place where it goes."""
    mask = U(len(keys) - 1)
    spot = ((key * U(0x9E3779B97F4A7C15)) >> U(20)) & mask
    while keys[np.int64(spot)] != U(0) and keys[np.int64(spot)] != key:
        spot = (spot + U(1)) & mask
    return np.int64(spot)


@kernel(entry=True)
def moved(old: Any, new: Any) -> None:
    """Put the keys of one table into another, larger one."""
    for key in old:
        if key != U(0):
            new[_spot(new, key)] = key


@kernel(entry=True)
def started(tables: Any, key: Any, keys: Any, stack: Any, control: Any) -> None:
    """Begin a search at a key."""
    key = settled(tables, key, False)
    control.depth = control.looked = 0
    keys[_spot(keys, key)] = key
    stack[0, 0], stack[0, 1] = key, U(0)
    control.stacked = control.kept = 1


@kernel(entry=True)
def _push(keys: Any, stack: Any, control: Any, key: Any, depth: Any, move: Any) -> None:
    """Put a position on the stack if it is new; its second word has the depth and the move that led there."""
    spot = _spot(keys, key)
    if keys[spot] == U(0):
        keys[spot] = key
        control.kept += 1
        stack[control.stacked, 0] = key
        stack[control.stacked, 1] = U(depth) | (U(move) << U(32))
        control.stacked += 1


@kernel(entry=True)
def search(tables: Any, keys: Any, stack: Any, path: Any, control: Any, budget: Any) -> Any:
    """Go on with a search for so many positions: `WON`, `LOST`, `OPEN`, or `FULL`, after which larger arrays go on.

    Args:
        tables: uint64 (TABLES,), of the position.
        keys: uint64, its length a power of two: the positions met, 0 where there is none.
        stack: uint64 (n, 2).
        path: uint64 (m, 2): the positions from the start to the last one, and the move to each, card * 2 + (1 for up).
        control: a record of `CONTROL`.
        budget: how many positions.
    """
    limit = len(keys) // 8 * 5
    for _ in range(budget):
        if control.kept + 64 > limit or control.stacked + 64 > len(stack):
            return FULL
        if control.stacked == 0:
            return LOST
        control.stacked -= 1
        control.looked += 1
        key, word = stack[control.stacked, 0], stack[control.stacked, 1]
        depth = np.int64(word & U(0xFFFFFFFF))
        control.depth = depth
        path[depth, 0], path[depth, 1] = key, word >> U(32)
        depth += 1
        if depth >= len(path):
            return FULL
        deck, hidden, roots, shown, following, columns = cards_of(tables, key)
        if hidden == U(0):
            return WON
        need = key >> U(P_SHIFT)
        bare = key & ((U(1) << U(P_SHIFT)) - U(1))
        loose = shown & ~roots
        empty = 7 - columns - popcount(loose & KINGS)
        black, red = slots(shown, loose)
        free = shown & (black * BLACK | red * RED)
        without = ~(black * BLACK | red * RED)
        fits = (red >> U(4)) * BLACK | (black >> U(4)) * RED
        if empty > 0:
            fits |= KINGS
        tops = U(0)
        for suit in range(4):
            f = foundation_of(key, suit)
            if f > 0:
                tops |= U(1) << U(4 * (f - 1) + suit)
        ups, allowed = following & free, fits
        if need == COLUMN:
            ups, allowed = U(0), fits & KINGS
        elif need >= U(SLOT):
            place = np.int64(need) - SLOT
            rank, colour = place >> 1, place & 1
            own = (RED if colour else BLACK) << U(4 * rank)
            ups = ups & own
            allowed = fits & ((BLACK if colour else RED) << U(4 * (rank - 1)))
        # The last pushed is tried first, so what promises least comes first.
        todo = tops & allowed & _CARRIERS
        while todo != U(0):
            card = todo & (~todo + U(1))
            todo ^= card
            number = lowest_bit(card)
            rank, suit = number >> 2, number & 3
            useful = False
            for lower in range(rank, 1, -1):
                if is_safe(key, suit, lower, 0):
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
            if empty == 0 and ((roots | deck | tops) & KINGS) != U(0):
                for pile in range(7):
                    if (key >> SHIFTS[pile]) & MASKS[pile] == U(1):
                        card = tables[ROOT + pile * 8 + 1]
                        if (card & allowed) != U(0):
                            child = (bare - (U(1) << SHIFTS[pile])) | (COLUMN << U(P_SHIFT))
                            _push(keys, stack, control, child, depth, 2 * lowest_bit(card))
            if need == NOTHING:
                todo = following & deck
                while todo != U(0):
                    card = todo & (~todo + U(1))
                    todo ^= card
                    number = lowest_bit(card)
                    child = (bare + (U(1) << U(F_SHIFT + 4 * (number & 3)))) ^ (tables[PLACE + number] << U(D_SHIFT))
                    _push(keys, stack, control, settled(tables, child, False), depth, 2 * number + 1)
            todo = ups
            while todo != U(0):
                card = todo & (~todo + U(1))
                todo ^= card
                number = lowest_bit(card)
                child = bare + (U(1) << U(F_SHIFT + 4 * (number & 3)))
                if (card & roots) != U(0):
                    child = root_gone(tables, child, card)
                _push(keys, stack, control, settled(tables, child, False), depth, 2 * number + 1)
        for pile in range(7):
            m = (key >> SHIFTS[pile]) & MASKS[pile]
            if m >= U(2):
                card = tables[np.int64(ROOT + pile * 8 + m)]
                if (card & allowed) != U(0):
                    child = settled(tables, root_gone(tables, bare, card), False)
                    _push(keys, stack, control, child, depth, 2 * lowest_bit(card))
    return OPEN
