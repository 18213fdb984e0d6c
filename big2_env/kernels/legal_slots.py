"""Plays of a hand where actions are places in it: one deck, suits matter. The first generator of legal acts."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.compare import does_cover
from big2_env.kernels.dialect.bits import ONES, U, deposit, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import unary
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import EMPTY, HASH_FACTOR, HASH_SHIFT, MAX_CHOICES, MAX_SLOTS, MIXED, VALUES, Tables

SUIT_BITS = ONES
"""The cards of the lowest suit, and the jokers."""


@kernel
def _expand(tab: Tables, row: Any, offset: Any, hand: Any, suit_above: Any, ids: Any, n: Any) -> Any:
    """Write the id of every choice of cards that makes one row from a hand that holds it, and return the new count.

    The choices are products over the ranks: the list is multiplied in place, rank by rank. With `suit_above` >= 0 the deciding
    suit must be higher than that.
    """
    ids[n] = offset
    count = 1
    below = np.int64(0)
    for part in range(tab.row_parts[row]):
        shift = U(4) * U(tab.row_ranks[row, part])
        taken = np.int64(tab.row_counts[row, part])
        nibble = (hand >> shift) & U(15)
        held = popcount(nibble)
        first = popcount(hand & ((U(1) << shift) - U(1)))
        choices = np.int64(tab.binomial[held, taken])
        choice = np.int64(0)
        if suit_above >= 0 and part == tab.row_key_part[row]:
            too_low = popcount(nibble & ((U(2) << U(suit_above)) - U(1)))
            choice = np.int64(tab.binomial[too_low, taken])
            if choice >= choices:
                return n
        adds = tab.part_id[first, below, tab.choices[held, taken, choice]]
        end = n + count
        for other in range(choice + 1, choices):
            more = tab.part_id[first, below, tab.choices[held, taken, other]]
            for i in range(n, n + count):
                ids[end] = ids[i] + more
                end += 1
        for i in range(n, n + count):
            ids[i] += adds
        count = end - n
        below += taken
    return n + count


@kernel(inline=True)
def _alone(tab: Tables, value: Any, taken: Any, offset: Any, hand: Any, suit_above: Any, ids: Any, n: Any) -> Any:
    """`_expand` for a row of one rank, without a branch: all choices are written, and those that are there count."""
    shift = U(4 * value)
    nibble = (hand >> shift) & U(15)
    held = U(popcount(nibble))
    first = U(popcount(hand & ((U(1) << shift) - U(1))))
    too_low = U(popcount(nibble & ((U(2) << U(suit_above)) - U(1)))) if suit_above >= 0 else U(0)
    choice = U(tab.binomial[too_low, U(taken)])
    for k in range(MAX_CHOICES):
        ids[U(n + k)] = offset + tab.alone_id[first, held, U(taken), choice + U(k)]
    return n + np.int64(tab.binomial[held, U(taken)]) - np.int64(choice)


@kernel
def _without_one_suit(tab: Tables, row: Any, offset: Any, hand: Any, ids: Any, start: Any, n: Any) -> Any:
    """Take the ids of one-suited cards out of the ids of a MIXED row that begin at `start`; return the new count."""
    for suit in range(4):
        action = np.int64(offset)
        held = True
        for part in range(tab.row_parts[row]):
            card = U(1) << (U(4) * U(tab.row_ranks[row, part]) + U(suit))
            if hand & card == U(0):
                held = False
                break
            action += tab.binomial[popcount(hand & (card - U(1))), part + 1]
        if held:
            for i in range(start, n):
                if ids[i] == action:
                    n -= 1
                    ids[i] = ids[n]
                    break
    return n


@kernel
def _suited_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, ids: Any, n: Any) -> Any:
    """Write the ids of the one-suited plays (SAME rows) that cover the top; return the new count."""
    places = np.empty(VALUES, np.int64)
    values = np.empty(VALUES, np.int64)
    for which in range(tab.num_suited):
        size = np.int64(tab.suited_sizes[which])
        for suit in range(4):
            cards = hand & (SUIT_BITS << U(suit))
            held = popcount(cards)
            if held < size:
                continue
            for i in range(held):
                card = lowest_bit(cards)
                places[i] = popcount(hand & ((U(1) << U(card)) - U(1)))
                values[i] = card >> 2
                cards &= cards - U(1)
            # Every set of `size` bits below 2**held, ascending (Gosper's hack).
            chosen = (1 << size) - 1
            while chosen < 1 << held:
                value_set = 0
                action = np.int64(tab.size_offset[size])
                nth = 0
                for i in range(held):
                    if chosen >> i & 1:
                        nth += 1
                        value_set |= 1 << values[i]
                        action += tab.binomial[places[i], nth]
                row = tab.suited_row[which, value_set]
                if row >= 0:
                    power = tab.row_power[row] + suit * tab.row_step[row]
                    if top_category < 0 or does_cover(tab, tab.row_category[row], power, top_category, top_power):
                        ids[n] = action
                        n += 1
                low = chosen & -chosen
                ripple = chosen + low
                chosen = ripple | (((chosen ^ ripple) // low) >> 2)
    return n


@kernel
def slot_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, scratch: Any) -> Any:
    """Write the id of every play that a hand may make into `scratch.ids`; return how many there are.

    `top_category` is -1 for a leading seat. The list needs `SLACK` places more than there are plays.
    """
    ids = scratch.ids
    n = np.int64(0)  # a plain 0 is a type of its own, for which what is called would be compiled once more
    counts = unary(hand)
    which = U(top_category + 1)
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        taken = np.int64(tab.ladder_count[ladder])
        # From the place after the top's power: nothing is above -1, and of the top's own value only cards of a higher suit
        # will do, where the suit decides at all.
        above: Any = max(np.int64(top_power) - np.int64(tab.answer_power[which, U(nth)]), np.int64(-1))
        past = (above & 3) == 3 or tab.ladder_step[ladder] == 0
        value_above: Any = min((above >> 2) + (1 if past else 0), 15)
        suit_above = np.int64(-1) if past else above & 3
        values = (counts >> U(taken - 1)) & tab.ladder_values[ladder] & (~U(0) << U(4 * value_above))
        if values == U(0):
            continue
        offset = np.int64(tab.size_offset[U(tab.ladder_size[ladder])])
        if tab.ladder_alone[ladder] != 0:
            if taken == 1:
                cards = hand & (values * U(15)) & (~U(0) << U(4 * value_above + suit_above + 1))
                first = hand & ((cards & (~cards + U(1))) - U(1))
                if cards | first == hand:  # places that are neighbours have ids that are
                    start = offset + popcount(first)
                    for k in range(MAX_SLOTS):
                        ids[U(n + k)] = start + k
                    n += popcount(cards)
                    continue
            while values != U(0):
                value = lowest_bit(values) >> 2
                values &= values - U(1)
                suit = suit_above if value == value_above else np.int64(-1)
                n = _alone(tab, value, taken, offset, hand, suit, ids, n)
            continue
        while values != U(0):
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            suit = suit_above if value == value_above else np.int64(-1)
            if tab.rung_need[ladder, U(value)] & ~counts != U(0):
                continue
            for row in range(tab.rung_rows[ladder, U(value), 0], tab.rung_rows[ladder, U(value), 1]):
                if tab.row_need[U(row)] & ~counts == U(0):
                    start = n
                    n = _expand(tab, row, offset, hand, suit, ids, n)
                    if tab.row_suits[U(row)] == MIXED:
                        n = _without_one_suit(tab, row, offset, hand, ids, start, n)
    if tab.num_suited:
        n = _suited_ids(tab, hand, top_category, top_power, ids, n)
    if obligation != U(0):
        slot = U(popcount(hand & (obligation - U(1))))
        kept = np.int64(0)
        for i in range(n):
            slots = U(tab.action_slots[ids[i]])
            if (slots == U(1) << slot) if tab.lead == 2 else ((slots >> slot) & U(1) != U(0)):
                ids[kept] = ids[i]
                kept += 1
        n = kept
    return n


@kernel
def slot_cards(tab: Tables, action: Any, hand: Any) -> Any:
    """The cards that an action names in a hand, as a mask; 0 for the pass or where a place is past the hand's end."""
    slots = U(tab.action_slots[action])
    if slots >> U(popcount(hand)) != U(0):
        return U(0)
    return deposit(slots, hand)


@kernel
def row_of(tab: Tables, mask: Any) -> Any:
    """The row that exactly these cards make, -1 for none."""
    counts = unary(mask)
    last = tab.hash_last
    place = ((counts * U(HASH_FACTOR)) >> U(HASH_SHIFT)) & last
    while tab.hash_key[place] != counts:
        if tab.hash_key[place] == U(EMPTY):
            return -1
        place = (place + U(1)) & last
    suit = lowest_bit(mask) & 3
    one_suit = mask & ~(SUIT_BITS << U(suit)) == U(0)
    return np.int64(tab.hash_row[place, 1 if one_suit else 0])
