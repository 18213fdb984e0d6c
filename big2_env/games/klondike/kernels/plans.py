"""Kernels of hints: the best plan when face-down cards are unknown.

A *deal* is one possible arrangement of the face-down cards. The tables of a position contain one deal, and `redealt` samples
another. A *plan* leads from a position to the first card turned over, so it is valid for all deals. The key at its end
identifies it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.games.klondike.kernels.packed import (
    BLACK,
    CONTROL,
    HIDDEN,
    KINGS,
    MASKS,
    PLACE,
    RED,
    ROOT,
    SHIFTS,
    TABLES,
    cards_of,
    covered,
    root_gone,
    settled,
    slots,
    tables_of,
)
from big2_env.games.klondike.kernels.tree_search import FULL, UNLIMITED, WON, moved, search, started
from big2_env.games.klondike.position import D_SHIFT, F_SHIFT, P_SHIFT, KlondikePosition
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount, shuffle
from big2_env.kernels.dialect.kernel import kernel, store, wipe
from big2_env.kernels.dialect.records import as_record, numbers

PILES: Final = 112
"""Number of leading table entries that describe the cards of the piles."""
SMALL: Final = 1 << 12
ROWS: Final = 4096
MAX_ROOTS: Final = 14
"""Maximum number of single-move plans: the root of each pile, to a slot or to its foundation."""
_BARE: Final = (U(1) << U(P_SHIFT)) - U(1)


class Room(NamedTuple):
    """Buffers of a search."""

    deal: Any
    """Tables of the sampled deal, uint64 (TABLES,)."""
    small: Any
    """First hash table of a search, uint64 (SMALL,); `large` replaces it when it is full."""
    large: Any
    stack: Any
    path: Any
    """Path found by a search, or by `best_plan`, uint64 (2 * ROWS,)."""
    control: Any


def room_for(most: int, positions: int) -> Room:
    """Return buffers for searches.

    Args:
        most: Maximum positions per search.
        positions: Maximum positions of all searches together.
    """
    large = 1 << max(13, (4 * most).bit_length())
    control: Any = as_record(np.zeros((), CONTROL))
    control.limit, control.left = UNLIMITED, positions
    return Room(
        np.zeros(TABLES, np.uint64),
        np.zeros(SMALL, np.uint64),
        np.zeros(large, np.uint64),
        np.zeros(2 * large, np.uint64),
        np.zeros(2 * ROWS, np.uint64),
        control,
    )


@kernel(entry=True)
def redealt(tables: Any, key: Any, deal: Any, stream: Any) -> Any:
    """Write the tables of a randomly sampled deal to `deal`, and return the next state of the random stream."""
    store(deal, tables)
    cards = np.empty(21, np.uint64)
    size = 0
    for pile in range(7):
        for place in range(1, np.int64((key >> SHIFTS[pile]) & MASKS[pile])):
            cards[size] = tables[ROOT + 8 * pile + place]
            size += 1
    stream = shuffle(cards, size, stream)
    for pile in range(7):
        m = np.int64((key >> SHIFTS[pile]) & MASKS[pile])
        hidden = U(0)
        for place in range(1, m + 1):
            deal[HIDDEN + 8 * pile + place] = hidden
            if place < m:
                size -= 1
                deal[ROOT + 8 * pile + place] = cards[size]
            hidden |= deal[ROOT + 8 * pile + place]
    return stream


@kernel(entry=True)
def _seated(tables: Any, key: Any) -> Any:
    """Return the key without roots that are kings at the bottom of a pile, which is the normal form."""
    for pile in range(7):
        if (key >> SHIFTS[pile]) & MASKS[pile] == U(1) and (tables[ROOT + 8 * pile + 1] & KINGS) != U(0):
            key -= U(1) << SHIFTS[pile]
    return key


@kernel(entry=True)
def _unseated(before: Any, after: Any) -> Any:
    """Return the key after a card is turned, independent of which card it is; reverses `_seated`."""
    for pile in range(7):
        if (before >> SHIFTS[pile]) & MASKS[pile] == U(2) and (after >> SHIFTS[pile]) & MASKS[pile] == U(0):
            after += U(1) << SHIFTS[pile]
    return after


@kernel(entry=True)
def _is_won(tables: Any, key: Any, most: Any, room: Any) -> Any:
    """Return True if a search of at most `most` positions finds a win. It leaves the path in `room`."""
    control = room.control
    most = min(most, control.left)
    wipe(room.small)
    started(tables, _seated(tables, key), room.small, room.stack, control)
    status = search(tables, room.small, room.stack, room.path, control, most)
    if status == FULL and control.looked < most:
        wipe(room.large)
        moved(room.small, room.large)
        status = search(tables, room.large, room.stack, room.path, control, most - control.looked)
    control.left -= control.looked
    return status == WON


@kernel(entry=True)
def _first_turn(tables: Any, key: Any, path: Any, rows: Any) -> Any:
    """Return the row of a path in which the first card is turned, and the key at that point; row -1 if no card is turned."""
    now = covered(key)
    if covered(path[0] & _BARE) < now:
        return 0, _unseated(key, settled(tables, key, True))
    for row in range(1, rows + 1):
        if covered(path[2 * row] & _BARE) == now:
            continue
        before, move = path[2 * row - 2] & _BARE, path[2 * row + 1]
        number = np.int64(move >> U(1))
        card = U(1) << U(number)
        deck, _, roots, _, _, _ = cards_of(tables, before)
        after = before
        if (move & U(1)) != U(0):
            after += U(1) << U(F_SHIFT + 4 * (number & 3))
        if (card & deck) != U(0):
            after ^= tables[PLACE + number] << U(D_SHIFT)
        elif (card & roots) != U(0):
            after = root_gone(tables, after, card)
        if covered(after) == now:  # it is turned by what goes up by itself after the move
            return row, _unseated(after, settled(tables, after, True))
        return row, _unseated(before, after)
    return -1, key


@kernel(entry=True)
def _turned_by_roots(tables: Any, key: Any, found: Any) -> Any:
    """Write the single moves that turn a card, with the keys after them, to `found`. Return their number."""
    _, _, roots, shown, following, columns = cards_of(tables, key)
    loose = shown & ~roots
    black, red = slots(shown, loose)
    free = shown & (black * BLACK | red * RED)
    fits = (red >> U(4)) * BLACK | (black >> U(4)) * RED
    if columns + popcount(loose & KINGS) < 7:
        fits |= KINGS
    size = 0
    for pile in range(7):
        m = np.int64((key >> SHIFTS[pile]) & MASKS[pile])
        if m < 2:
            continue
        card, after = tables[ROOT + 8 * pile + m], key - (U(1) << SHIFTS[pile])
        number = lowest_bit(card)
        if (card & fits) != U(0):
            found[size, 0], found[size, 1] = after, U(2 * number)
            size += 1
        if (card & following & free) != U(0):
            found[size, 0], found[size, 1] = after + (U(1) << U(F_SHIFT + 4 * (number & 3))), U(2 * number + 1)
            size += 1
    return size


@kernel(inline=True)
def _has(keys: Any, size: Any, key: Any) -> Any:
    """Return True if `key` is among the first `size` keys."""
    found = False
    for i in range(size):
        found |= keys[i] == key
    return found


@kernel(entry=True)
def best_plan(tables: Any, key: Any, stream: Any, samples: Any, most: Any, room: Any) -> Any:
    """Find the plan that wins on most sampled deals, and write its path to `room.path`.

    Candidates are the plans by which the search wins a sampled deal, and all single-move plans. Each is tried on every deal. If
    `room.control.left` is used up, the result is invalid.

    Args:
        tables: Tables of the position, uint64 (TABLES,).
        key: Key of the position.
        stream: State of the random stream, uint64.
        samples: Number of deals to sample.
        most: Maximum positions per search; a deal that needs more counts as lost.
        room: Buffers from `room_for`.

    Returns:
        Number of sampled deals that the plan wins, and the last row of its path; -1 without a plan.
    """
    keys = np.empty(samples + MAX_ROOTS, np.uint64)
    origins = np.empty(samples + MAX_ROOTS, np.int64)
    deals = np.empty((samples, PILES), np.uint64)
    roots = np.empty((MAX_ROOTS, 2), np.uint64)
    size = count = 0
    for _ in range(samples):
        stream = redealt(tables, key, room.deal, stream)
        is_won = _is_won(room.deal, key, most, room)
        if room.control.left <= 0:
            return 0, -1
        if not is_won:
            continue
        store(deals[count], room.deal[:PILES])
        row, plan = _first_turn(room.deal, key, room.path, room.control.depth)
        if row >= 0 and not _has(keys, size, plan):
            keys[size], origins[size] = plan, count
            size += 1
        count += 1
    for move in range(_turned_by_roots(tables, key, roots)):
        if not _has(keys, size, roots[move, 0]):
            keys[size], origins[size] = roots[move, 0], -1 - move
            size += 1
    best, chosen = -1, -1
    for i in range(size):
        wins = 0
        for deal in range(count):
            if wins + count - deal <= best:
                break
            store(room.deal, deals[deal])
            wins += _is_won(room.deal, keys[i], most, room)
            if room.control.left <= 0:
                return 0, -1
        if wins > best:
            best, chosen = wins, i
    if chosen < 0:
        return 0, -1
    row, origin = 1, origins[chosen]
    if origin >= 0:
        store(room.deal, deals[origin])
        _is_won(room.deal, key, most, room)
        row, _ = _first_turn(room.deal, key, room.path, room.control.depth)
    else:
        room.path[0], room.path[1] = key, U(0)
        room.path[3] = roots[-1 - origin, 1]
    room.path[2 * row] = keys[chosen]
    return best, row


Plan = tuple[int, list[tuple[int, int]]]
"""Number of sampled deals that a plan wins, and its path: keys with the moves that lead to them; empty without a plan."""


def plan_for(state: KlondikePosition, seed: int, samples: int, most: int, positions: int = UNLIMITED) -> Plan | None:
    """Return the best plan for a position; `None` if the searches would visit `positions` positions or more.

    Args:
        state: The position.
        seed: Seed of the samples.
        samples: Number of deals to sample.
        most: Maximum positions per search.
        positions: Limit on the positions of all searches together.
    """
    tables, key = tables_of(state)
    room = room_for(most, positions)
    wins, row = best_plan(tables, np.uint64(key), np.uint64(seed), samples, most, room)
    if room.control.left <= 0:
        return None
    words = numbers(room.path[: 2 * row + 2])
    return int(wins), list(zip(words[::2], words[1::2], strict=True))
