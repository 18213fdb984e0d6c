"""Candidate plays where actions are ranks: one for each shape that the hand has, with the kickers that it needs least.

Plays that differ in their kickers alone are merged. Cards are also numbers by value here: nibbles of a uint64, of one deck or
two.
"""

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
    put,
    rank_cards,
    shift_of,
    shifted_down,
    unary,
    without_lowest,
)
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables

NIBBLE = U(15)
_EVEN, _CARRY = U(0x0F0F0F0F0F0F0F0F), U(0x1010101010101010)


@kernel
def counts_of_cards(tab: Tables, cards: Any) -> Any:
    """How many cards of each value."""
    found = U(0)
    for value in range(tab.num_values):
        found |= U(popcount(rank_cards(cards, value))) << U(4 * value)
    return found


@kernel
def has(counts: Any, wanted: Any) -> Any:
    """Whether no number of `wanted` is more than that of `counts`."""
    low = ((counts & _EVEN) | _CARRY) - (wanted & _EVEN)
    high = ((counts >> U(4) & _EVEN) | _CARRY) - (wanted >> U(4) & _EVEN)
    return low & high & _CARRY == _CARRY


@kernel
def size_of(counts: Any) -> Any:
    """How many cards there are."""
    pairs = (counts & _EVEN) + (counts >> U(4) & _EVEN)
    return np.int64((pairs * U(0x0101010101010101)) >> U(56))


@kernel
def points_of(tab: Tables, cards: Any) -> Any:
    """The points of some cards, where the settlement counts those of tricks."""
    total = 0.0
    for value in range(tab.num_values):
        total += tab.points[value] * popcount(rank_cards(cards, value))
    return total


@kernel
def lowest_of(tab: Tables, counts: Any, hand: Any) -> Any:
    """The lowest cards of a hand that numbers by value name, as the game itself chooses them."""
    found = no_cards(hand)
    while counts:
        place = U(lowest_bit(counts)) & ~U(3)
        value = place >> U(2)
        found |= as_rank(hand, U(tab.lowest[rank_cards(hand, value), counts >> place & NIBBLE]), value)
        counts &= ~(NIBBLE << place)
    return found


@kernel
def kickers_allowed(tab: Tables, kickers: Any, value: Any, taken: Any, used: Any) -> Any:
    """Whether one unit more of a value may be carried, so many cards of it being carried; `used` if an exclusive value is."""
    if taken + tab.kicker_unit[kickers] > tab.kicker_limits[kickers, value]:
        return False
    return not (used and taken == 0 and tab.kicker_exclusive[kickers] >> U(value) & U(1))


@kernel
def _simple_kickers(tab: Tables, kickers: Any, rest: Any, first: Any) -> Any:
    """Kickers among some cards, as nibbles, 0 where there are none.

    A unit of the value `first` is taken before others, then those whose rank has just these cards, then the lowest.
    """
    found, used, unit = U(0), False, np.int64(tab.kicker_unit[kickers])
    for _ in range(tab.kicker_units[kickers]):
        best, cost = np.int64(-1), np.int64(1 << 20)
        for value in range(tab.num_values):
            taken = np.int64(found >> U(4 * value) & NIBBLE)
            held = np.int64(rest >> U(4 * value) & NIBBLE) - taken
            if held < unit or not kickers_allowed(tab, kickers, value, taken, used):
                continue
            price = np.int64(value if held == unit else value + 64 * held)
            if value == first and taken == 0:
                price = np.int64(-1)
            if price < cost:
                best, cost = np.int64(value), price
        if best < 0:
            return U(0)
        used = used or tab.kicker_exclusive[kickers] >> U(best) & U(1) != 0
        found += U(unit) << U(4 * best)
    return found


@kernel
def _values_above(tab: Tables, units: Any, which: Any, nth: Any, power: Any) -> Any:
    """The values from which cards, given in unary, have enough for a ladder that answers, those that a power lies above."""
    ladder = U(tab.answers[which, U(nth)])
    above = max(np.int64(power) - np.int64(tab.answer_power[which, U(nth)]), np.int64(-1))
    past = min((above >> 2) + 1, np.int64(15)) << shift_of(units)
    return shifted_down(units, tab.ladder_count[ladder] - 1) & get(tab.ladder_values, ladder) & from_place(units, past)


@kernel
def list_rank_plays(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Fill `cand` with the candidates of a hand, without a pass."""
    cand.count = 0
    units, shift, held = unary(hand), shift_of(hand), popcount(hand)
    lacking, counts = ~units, counts_of_cards(tab, hand)
    which, first = U(top_category + 1), np.int64(-1)
    if obligation:
        first = lowest_bit(obligation) >> shift
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        if tab.ladder_size[ladder] > held:
            continue
        values = _values_above(tab, units, which, nth, top_power)
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if get_2(tab.rung_need, ladder, value) & lacking:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if get(tab.row_need, row) & lacking or cand.count >= len(cand.row) - 1:
                    continue
                body, kickers = tab.row_body[U(row)], np.int64(tab.row_kickers[U(row)])
                if kickers >= 0:
                    carried = _simple_kickers(tab, kickers, counts - body, first)
                    if not carried:
                        continue
                    body += carried
                cards = lowest_of(tab, body, hand)
                if obligation and not (cards == obligation if tab.lead == 2 else not obligation & ~cards):
                    continue
                put(cand.mask, cand.count, cards)
                cand.row[cand.count], cand.power[cand.count] = row, tab.row_power[U(row)]
                cand.count += 1


@kernel
def rank_action(tab: Tables, hand: Any, cards: Any, row: Any) -> Any:
    """The action id of cards that make a row: the row's first, plus the choices of kickers that come before."""
    action, kickers = np.int64(tab.row_first[U(row)]), np.int64(tab.row_kickers[U(row)])
    if kickers < 0:
        return action
    carried, unit = counts_of_cards(tab, cards) - tab.row_body[U(row)], np.int64(tab.kicker_unit[kickers])
    left, used, exclusive = np.int64(tab.kicker_units[kickers]), np.int64(0), tab.kicker_exclusive[kickers]
    for value in range(tab.num_values - 1, -1, -1):
        number = np.int64(carried >> U(4 * value) & NIBBLE) // unit
        is_exclusive = np.int64(exclusive >> U(value) & U(1))
        for fewer in range(number):
            action += tab.kicker_choices[kickers, value, left - fewer, 1 if used or (is_exclusive and fewer) else 0]
        left -= number
        if is_exclusive and number:
            used = np.int64(1)
    return action


@kernel
def ranks_cover(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one; kickers are taken to be there."""
    units, shift, which = unary(unseen), shift_of(unseen), U(category + 1)
    lacking = ~units
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        if tab.ladder_size[ladder] > most:
            continue
        values = _values_above(tab, units, which, nth, power)
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if tab.ladder_alone[ladder]:
                return True
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if not get(tab.row_need, row) & lacking:
                    return True
    return False
