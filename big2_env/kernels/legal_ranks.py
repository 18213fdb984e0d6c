"""Plays of a hand where actions are ranks: suits never matter. The second generator of legal acts."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import (
    as_rank,
    from_place,
    get,
    get_2,
    no_cards,
    rank_cards,
    shift_of,
    shifted_down,
    unary,
    without_lowest,
)
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables

NIBBLE = U(15)
_UNITS, _USED, _BASE = 4, 8, 9
"""Bits of an entry of the stack: values below, units left, whether an exclusive one is there, the id so far."""


@kernel
def _carry(tab: Tables, row: Any, hand: Any, scratch: Any, n: Any) -> Any:
    """Write the ids of a row's plays from a hand that has its body, ascending; return the new count."""
    kickers = tab.row_kickers[row]
    unit, body, ids = np.int64(tab.kicker_unit[kickers]), tab.row_body[row], scratch.ids
    reach = np.int64(0)
    for value in range(tab.num_values):
        held = popcount(rank_cards(hand, value)) - np.int64(body >> U(4 * value) & NIBBLE)
        most = min(held, np.int64(tab.kicker_limits[kickers, value])) // unit
        scratch.most[value], scratch.reach[value] = most, reach
        reach += most
    wanted = np.int64(tab.kicker_units[kickers])
    if reach < wanted:
        return n
    exclusive = tab.kicker_exclusive[kickers]
    stack, depth = scratch.stack, 1
    stack[0] = np.int64(tab.num_values) | wanted << _UNITS | np.int64(tab.row_first[row]) << _BASE
    while depth:
        depth -= 1
        entry = stack[depth]
        below, left, used, base = entry & 15, entry >> _UNITS & 15, entry >> _USED & 1, entry >> _BASE
        if left == 0:
            ids[n] = base
            n += 1
        elif left == 1:  # one unit of any value that has one
            for value in range(below):
                if scratch.most[value] > 0 and not (used and exclusive >> U(value) & U(1)):
                    ids[n] = base + tab.kicker_choices[kickers, value, 1, used]
                    n += 1
        else:
            value = below - 1
            is_exclusive = np.int64(exclusive >> U(value) & U(1))
            top = np.int64(0) if used and is_exclusive else min(scratch.most[value], left)
            fewest = max(left - scratch.reach[value], np.int64(0))
            for number in range(top + 1):  # the fewest units lie on top of the stack, to be taken first
                marked = np.int64(1) if used or (is_exclusive and number) else np.int64(0)
                if number >= fewest:
                    stack[depth + top - number] = value | left - number << _UNITS | marked << _USED | base << _BASE
                base += tab.kicker_choices[kickers, value, left - number, marked]
            depth += max(top - fewest + 1, np.int64(0))
    return n


@kernel
def rank_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, scratch: Any) -> Any:
    """Write the id of every play that a hand may make into `scratch.ids`; return how many there are.

    `top_category` is -1 for a leading seat.
    """
    counts, held, shift, ids = unary(hand), popcount(hand), shift_of(hand), scratch.ids
    lacking = ~counts
    n, which = np.int64(0), U(top_category + 1)
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        if tab.ladder_size[ladder] > held:
            continue
        above = max(np.int64(top_power) - np.int64(tab.answer_power[which, U(nth)]), np.int64(-1))
        past = min((above >> 2) + 1, np.int64(15)) << shift  # suits never decide: a value must be higher than the top's
        values = shifted_down(counts, tab.ladder_count[ladder] - 1) & get(tab.ladder_values, ladder) & from_place(hand, past)
        alone = tab.ladder_alone[ladder] != 0
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if alone:
                ids[n] = tab.row_first[U(tab.rung_rows[ladder, value, U(0)])]
                n += 1
                continue
            if get_2(tab.rung_need, ladder, value) & lacking:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if get(tab.row_need, row) & lacking:
                    continue
                if tab.row_kickers[U(row)] >= 0:
                    n = _carry(tab, U(row), hand, scratch, n)
                else:
                    ids[n] = tab.row_first[U(row)]
                    n += 1
    if obligation:
        kept = np.int64(0)
        for i in range(n):
            cards = ranked_cards(tab, np.int64(ids[i]), hand)
            if cards == obligation if tab.lead == 2 else not obligation & ~cards:
                ids[kept] = ids[i]
                kept += 1
        n = kept
    return n


@kernel
def ranked_cards(tab: Tables, action: Any, hand: Any) -> Any:
    """The cards that an action names in a hand, the lowest of each rank; none where the hand has not so many."""
    found, named = no_cards(hand), tab.action_counts[U(action)]
    while named:
        value = U(lowest_bit(named) >> 2)
        number = named >> (U(4) * value) & NIBBLE
        named &= ~(NIBBLE << (U(4) * value))
        held = rank_cards(hand, value)
        if number > U(popcount(held)):
            return no_cards(hand)
        found |= as_rank(hand, U(tab.lowest[held, number]), value)
    return found
