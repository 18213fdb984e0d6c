"""Compiled players that look only at the legal moves: random, lowest and greedy.

The first or n-th move is counted in the order of `LegalPlays`, so these players make the same moves as the agents of the same
names.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.codes import LOWEST, RANDOM
from big2_agents.kernels.heuristic_tables import row_parts
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect import BY_SLOTS
from big2_env.kernels.dialect.bits import U, below, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, word_of
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.dialect.records import END, as_record, numbers, paste
from big2_env.kernels.legal import game_ids, power_of, read_action
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import MAX_ROWS, MAX_SLOT_ACTIONS, SAME, VALUES, Tables
from big2_env.kernels.variants import variant_of

LAST: Final = U((1 << 64) - 1)
"""Place of the pass among the legal moves."""


@cache
def order_dtype(by_slots: bool) -> np.dtype[Any]:
    """Return the record type for ordering legal moves; one record per thread."""
    if not by_slots:  # acts are numbered in their order
        return np.dtype([(END, np.int64)])
    return np.dtype(
        [
            ("row_part", np.int8, (MAX_ROWS, VALUES)),  # a row's parts in the order of the ruleset: the key first
            ("key", np.uint64, MAX_SLOT_ACTIONS),  # of each legal act, grows in their order
            ("sorted", np.uint64, MAX_SLOT_ACTIONS),
            ("listed", np.int64),  # ids below this one are listed in their order, ahead of the others
            (END, np.int64),
        ]
    )


def order_record(ruleset: RuleSet, tables: Tables) -> np.record:
    """Return the `order_dtype` record for a ruleset."""
    by_slots = variant_of(ruleset).by_slots
    order = np.zeros((), order_dtype(by_slots))
    if by_slots:
        paste(order["row_part"], row_parts(tables, ruleset))
        order["listed"] = _listed_ids(tables)
    return as_record(order)


def _listed_ids(tab: Tables) -> int:
    """Return the id below which `slot_ids` lists plays in the order of `LegalPlays`, ahead of all other plays."""
    found, ahead = 0, list[int]()
    places, offsets = numbers(tab.row_place), [tab.size_offset[size] for size in numbers(tab.row_size)]
    for ladder in range(tab.num_ladders):
        if not tab.ladder_alone[ladder]:
            break
        ahead += [row for first, end in numbers(tab.rung_rows[ladder]) for row in range(first, end)]
        own, behind = [places[row] for row in ahead], sorted(set(range(tab.num_rows)).difference(ahead))
        is_sorted = own == sorted(own) and all(places[row] > max(own) for row in behind)
        first_id = min((offsets[row] for row in behind), default=tab.first_call)
        if is_sorted and all(offsets[row] < first_id for row in ahead):
            found = int(first_id)
    return found


@kernel
def _place_by_slots(tab: Tables, order: Any, action: Any, cards: Any, row: Any) -> Any:
    if row < 0:
        return U(action) if action else LAST
    choice = U(0)
    if tab.row_suits[row] == SAME:
        choice = U(lowest_bit(cards) & 3)
    else:
        for nth in range(tab.row_parts[row]):
            shift = U(4) * U(tab.row_ranks[row, order.row_part[row, nth]])
            choice = choice << U(4) | (cards >> shift) & U(15)
    return U(tab.row_place[row]) << U(52) | choice  # 12 bits, and 4 for each of 13 ranks


@kernel
def _place_by_ranks(tab: Tables, order: Any, action: Any, cards: Any, row: Any) -> Any:
    return U(action) if action else LAST


place_of_act = either(BY_SLOTS, _place_by_slots, _place_by_ranks)
"""(tab, order, action, cards, row): place of a move among the legal moves, uint64, given its cards and row; `LAST` for the
pass.
"""


@kernel
def _nth_smallest(numbers: Any, count: Any, n: Any) -> Any:
    """Return the `n`-th smallest of the first `count` numbers, from 0; the numbers are reordered (Hoare's FIND)."""
    low, high = np.int64(0), np.int64(count - 1)
    while low < high:
        pivot, i, j = numbers[(low + high) >> 1], low, high
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while numbers[j] > pivot:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i, j = i + 1, j - 1
        if n <= j:
            high = j
        elif n >= i:
            low = i
        else:
            break
    return numbers[n]


@kernel
def _nth_by_ranks(tab: Tables, game: Any, order: Any, scratch: Any, count: Any, n: Any) -> Any:
    plays = count - 1 if scratch.ids[count - 1] == 0 else count
    return np.int64(_nth_smallest(scratch.ids, plays, n)) if n < plays else np.int64(0)


@kernel
def _nth_by_slots(tab: Tables, game: Any, order: Any, scratch: Any, count: Any, n: Any) -> Any:
    hand, ids, start = get(game.hands, game.turn), scratch.ids, np.int64(0)
    if ids[n] < order.listed or count == 1:  # a pass comes last, both in the list and in order
        return np.int64(ids[n])
    while ids[start] < order.listed:
        start += 1
    for i in range(start, count):
        action, cards, row = np.int64(ids[i]), U(0), np.int64(-1)
        if 0 < action < tab.first_call:
            cards, row = read_action(tab, action, hand)
        order.key[i] = order.sorted[i - start] = place_of_act(tab, order, action, cards, row)
    wanted = _nth_smallest(order.sorted, count - start, n - start)
    for i in range(start, count):
        if order.key[i] == wanted:
            return np.int64(ids[i])
    return np.int64(0)


_nth = either(BY_SLOTS, _nth_by_slots, _nth_by_ranks)
"""(tab, game, order, scratch, count, n): the `n`-th of the legal moves listed in `scratch`, from 0."""


@kernel(inline=True)
def is_lower(cards: Any, other: Any) -> Any:
    """Return True if a set of cards is lower than another one, by the highest card that is in only one set."""
    high, other_high = word_of(cards, 1), word_of(other, 1)
    return high < other_high if high != other_high else word_of(cards, 0) < word_of(other, 0)


@kernel
def is_cheaper(tab: Tables, leads: Any, cards: Any, row: Any, power: Any, than: Any, than_row: Any, than_power: Any) -> Any:
    """Return True if the greedy player prefers a play to another one, given their cards, rows and powers."""
    if leads and tab.row_size[row] != tab.row_size[than_row]:
        return tab.row_size[row] > tab.row_size[than_row]
    bomb, than_bomb = tab.bomb[tab.row_category[row]], tab.bomb[tab.row_category[than_row]]
    if bomb != than_bomb:
        return bomb < than_bomb
    return power < than_power if power != than_power else is_lower(cards, than)


@kernel
def _cheapest(tab: Tables, game: Any, scratch: Any, count: Any) -> Any:
    """Return the greedy move among those listed in `scratch`; it is a pass only if nothing else is legal."""
    hand, leads, best = get(game.hands, game.turn), game.top_category < 0, np.int64(0)
    than, than_row, than_power = hand, np.int64(0), np.int64(0)
    for i in range(count):
        action = np.int64(scratch.ids[i])
        if action:
            cards, row = read_action(tab, action, hand)
            power = power_of(tab, row, cards)
            if best == 0 or is_cheaper(tab, leads, cards, row, power, than, than_row, than_power):
                best, than, than_row, than_power = action, cards, row, power
    return best


@kernel(inline=True)
def simple_act(tab: Tables, game: Any, order: Any, code: Any, number: Any, scratch: Any) -> Any:
    """Return the action id of a simple player's move for the seat to move.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        order: An `order_record`.
        code: `RANDOM`, `LOWEST` or `GREEDY`.
        number: For the random player, a uniform uint64.
        scratch: Scratch of the thread.
    """
    count = game_ids(tab, game, scratch)
    if code == RANDOM:
        return _nth(tab, game, order, scratch, count, below(number, count))
    if code == LOWEST or is_bidding(tab, game):
        return _nth(tab, game, order, scratch, count, np.int64(0))
    return _cheapest(tab, game, scratch, count)


@kernel(inline=True)
def cards_held(tab: Tables, game: Any) -> Any:
    """Return the number of cards in all hands."""
    held = np.int64(0)
    for seat in range(tab.num_players):
        held += popcount(get(game.hands, seat))
    return held
