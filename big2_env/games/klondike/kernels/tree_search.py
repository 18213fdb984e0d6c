"""Depth-first search of the solver over the keys of `packed.py`.

**Pruning.** `settled` and the expansion in `search` skip moves without losing any win:

* A tableau card that is not a root goes to its foundation as soon as possible, because that move can be reversed.
* A root goes up as soon as no card that it could carry will need it: both foundations of the other color have all ranks below
  its own except one, and the twin's foundation all except two. A dealer card goes up one rank earlier: it can return.
* A dealer card goes to the tableau only if the very next move needs it there. Until then it is in the way of no other card.
  The same holds for emptying a pile, which only a king needs. The pending need is part of the key (5 bits).
* The top card of a foundation comes down only if no slot exists for its rank and color, or for a lower card of its suit.

Sources: Blake and Gent, "The Winnability of Klondike Solitaire and Many Other Patience Games" (arXiv 1906.12314), for the
dealer
area as a reserve, safe foundation moves and worrying back; the solver lonelybot (2024) for ignoring which card covers which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from big2_env.games.klondike.kernels.packed import (
    BLACK,
    CONTROL,
    KINGS,
    MASKS,
    PLACE,
    RED,
    ROOT,
    SHIFTS,
    cards_of,
    foundation_of,
    is_safe,
    root_gone,
    settled,
    slots,
    tables_of,
)
from big2_env.games.klondike.position import D_SHIFT, F_SHIFT, P_SHIFT, KlondikePosition
from big2_env.kernels.dialect.bits import GOLDEN_GAMMA, U, lowest_bit, popcount
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import COMPILED, as_record, numbers

OPEN: Final = 0
WON: Final = 1
LOST: Final = 2
FULL: Final = 3
"""Results of `search`: limit reached, won, no win exists, table or stack full."""
FIRST_TABLE: Final = 1 << 12
"""Initial size of the hash table; it grows by factors of 4."""
MAX_DEPTH: Final = 400
"""Initial length of a path in positions; path and stack grow by factors of 2."""
PIECE: Final = 100_000 if COMPILED else 1_000
"""Positions searched between two checks of the clock."""
UNLIMITED: Final = 1 << 40

NOTHING: Final = U(0)
CAME_DOWN: Final = U(1)
COLUMN: Final = U(2)
SLOT: Final = 3
"""Needs: none; none, but without automatic moves; an empty pile; a slot, encoded as 3 + 2 * rank + (1 for red)."""

_RED_CARDS: Final = U(0x6666666666666)
_CARRIERS: Final = ((U(1) << U(52)) - U(1)) ^ U(0xFF)
"""Cards that may have to carry another card. Aces and twos never do, because aces go to the foundation at once."""


@kernel(inline=True)
def _spot(keys: Any, key: Any) -> Any:
    """Return the index of a key in the hash table, or of the empty entry for it."""
    mask = U(len(keys) - 1)
    spot = ((key * GOLDEN_GAMMA) >> U(64 - popcount(mask))) & mask  # the highest bits depend on all of the key
    while keys[np.int64(spot)] != U(0) and keys[np.int64(spot)] != key:
        spot = (spot + U(1)) & mask
    return np.int64(spot)


@kernel(entry=True)
def moved(old: Any, new: Any) -> None:
    """Copy the keys of a hash table into a larger one."""
    for key in old:
        if key != U(0):
            new[_spot(new, key)] = key


@kernel(entry=True)
def started(tables: Any, key: Any, keys: Any, stack: Any, control: Any) -> None:
    """Reset a search and push its first key."""
    key = settled(tables, key, False)
    control.depth = control.looked = 0
    keys[_spot(keys, key)] = key
    stack[0], stack[1] = key, U(0)
    control.stacked = control.kept = 1


@kernel(entry=True)
def _push(keys: Any, stack: Any, control: Any, key: Any, depth: Any, move: Any) -> None:
    """Push a position if it is new. The second word of its stack entry has the depth and the move that led to it."""
    spot = _spot(keys, key)
    if keys[spot] == U(0):
        keys[spot] = key
        control.kept += 1
        top = 2 * control.stacked
        stack[top] = key
        stack[top + 1] = U(depth) | (U(move) << U(32))
        control.stacked += 1


@kernel(entry=True)
def search(tables: Any, keys: Any, stack: Any, path: Any, control: Any, budget: Any) -> Any:
    """Continue a search and return `WON`, `LOST`, `OPEN`, or `FULL` if it needs larger arrays.

    Args:
        tables: Tables of the position, uint64 (TABLES,).
        keys: Hash table of visited keys, uint64, its length a power of two; 0 marks an empty entry.
        stack: Pending positions, uint64 (2 * n,), two words each.
        path: Current path, uint64 (2 * m,): key and move (card * 2, plus 1 for a foundation) of each position.
        control: Record of `CONTROL`.
        budget: Number of positions to search.
    """
    limit = len(keys) // 8 * 5
    for _ in range(budget):
        if control.kept > control.limit:
            return OPEN
        if control.stacked == 0:
            return LOST
        top = 2 * control.stacked - 2
        key, word = stack[top], stack[top + 1]
        depth = np.int64(word & U(0xFFFFFFFF))
        control.depth = depth
        if control.kept + 64 > limit or top + 128 > len(stack) or 2 * depth + 2 > len(path):
            return FULL
        control.stacked -= 1
        control.looked += 1
        path[2 * depth], path[2 * depth + 1] = key, word >> U(32)
        depth += 1
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


class Search:
    """Resumable search from one position, with arrays that grow as needed.

    Raises:
        ConfigError: No game can reach the position.
    """

    def __init__(self, state: KlondikePosition) -> None:
        self._tables, key = tables_of(state)
        self._keys, self._stack = np.zeros(FIRST_TABLE, np.uint64), np.zeros(2 * FIRST_TABLE, np.uint64)
        self._path: Any = np.zeros(2 * MAX_DEPTH, np.uint64)
        self._control: Any = as_record(np.zeros((), CONTROL))
        started(self._tables, np.uint64(key), self._keys, self._stack, self._control)

    def run(self, max_positions: int, goes_on: Callable[[], bool] = lambda: True, most: int = UNLIMITED) -> bool | None:
        """Continue the search. Return True if it finds a win, False if none exists, `None` if a limit is reached first.

        Args:
            max_positions: Limit on stored positions and on positions searched.
            goes_on: Called regularly; the search stops when it returns False.
            most: Additional limit on positions searched.
        """
        control = self._control
        control.limit = max_positions
        while True:
            status = self._search(min(PIECE, max_positions - self.looked, most - self.looked))
            if status in (WON, LOST):
                return bool(status == WON)
            if status == FULL:
                self._grow()
            elif control.kept > max_positions or self.looked >= min(max_positions, most) or not goes_on():
                return None

    @property
    def path(self) -> list[tuple[int, int]]:
        """Keys from the first position to the last one, each with the move that leads to it."""
        words = numbers(self._path[: 2 * self._control.depth + 2])
        return list(zip(words[::2], words[1::2], strict=True))

    @property
    def looked(self) -> int:
        """Number of positions searched."""
        return int(self._control.looked)

    def _search(self, budget: int) -> int:
        status: int = search(self._tables, self._keys, self._stack, self._path, self._control, budget)
        return status

    def _grow(self) -> None:
        """Enlarge the arrays that are full."""
        control = self._control
        if control.kept + 64 > len(self._keys) // 8 * 5:
            keys = np.zeros(4 * len(self._keys), np.uint64)
            moved(self._keys, keys)
            self._keys = keys
        if 2 * control.stacked + 126 > len(self._stack):
            self._stack = _doubled(self._stack)
        if 2 * control.depth + 2 > len(self._path):
            self._path = _doubled(self._path)


def _doubled(words: Any) -> Any:
    """Return a copy of twice the length, padded with zeros."""
    made = np.zeros(2 * len(words), np.uint64)
    made[: len(words)] = words
    return made
