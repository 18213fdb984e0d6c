"""Candidate plays where actions are places in the hand: of plays whose suits make no difference one.

Of cards of one rank the lowest suits are played, but for the suit that decides.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect.bits import ONES, U, extract, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import unary
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import does_cover, next_subset
from big2_env.kernels.tables import FULL, MAX_SLOTS, MIXED, VALUES, Tables

MAX_CANDIDATES: Final = 96
"""Most candidates that are listed, the pass among them; of a longer list the strongest plays are left out."""


@kernel
def lowest_cards(nibble: Any, taken: Any) -> Any:
    """The lowest `taken` cards of one rank."""
    found = U(0)
    for _ in range(taken):
        low = nibble & (~nibble + U(1))
        found |= low
        nibble ^= low
    return found


@kernel
def _is_one_suit(mask: Any) -> Any:
    return mask & ~(ONES << U(lowest_bit(mask) & 3)) == U(0)


@kernel
def _add(cand: Any, mask: Any, row: Any, power: Any) -> None:
    if cand.count < MAX_CANDIDATES - 1:
        cand.mask[cand.count] = mask
        cand.row[cand.count] = row
        cand.power[cand.count] = power
        cand.count += 1


@kernel
def _mixed(tab: Tables, row: Any, hand: Any, mask: Any) -> Any:
    """A one-suited choice of a MIXED row with one card that does not decide changed for another suit; 0 where none is held."""
    for part in range(tab.row_parts[row]):
        if part != tab.row_key_part[row]:
            shift = U(4) * U(tab.row_ranks[row, part])
            other = ((hand & ~mask) >> shift) & U(15)
            if other:
                return (mask & ~(U(15) << shift)) | (lowest_cards(other, 1) << shift)
    return U(0)


@kernel
def _add_row(tab: Tables, row: Any, hand: Any, suit_above: Any, cand: Any) -> None:
    """Add the candidates of one row that the hand holds: one for each suit that decides, else one."""
    base = U(0)
    for part in range(tab.row_parts[row]):
        if part != tab.row_key_part[row]:
            shift = U(4) * U(tab.row_ranks[row, part])
            base |= lowest_cards((hand >> shift) & U(15), tab.row_counts[row, part]) << shift
    key = tab.row_key_part[row]
    shift = U(4) * U(tab.row_ranks[row, key])
    taken = np.int64(tab.row_counts[row, key])
    nibble = (hand >> shift) & U(15)
    power = np.int64(tab.row_power[row])
    if not tab.row_step[row]:
        mask = base | (lowest_cards(nibble, taken) << shift)
        if tab.row_suits[row] == MIXED and _is_one_suit(mask):
            mask = _mixed(tab, row, hand, mask)
        if mask:
            _add(cand, mask, row, power)
        return
    below = lowest_cards(nibble, taken - 1)
    rest = nibble & ~below
    while rest:
        top = rest & (~rest + U(1))
        rest ^= top
        suit = lowest_bit(top)
        if suit > suit_above:
            mask = base | ((below | top) << shift)
            if tab.row_suits[row] == MIXED and _is_one_suit(mask):
                mask = _mixed(tab, row, hand, mask)
            if mask:
                _add(cand, mask, row, power + suit)


@kernel
def _add_suited(tab: Tables, hand: Any, top_category: Any, top_power: Any, cand: Any) -> None:
    """Add the one-suited plays (SAME rows) that cover the top."""
    cards = np.empty(MAX_SLOTS, np.int64)
    for which in range(tab.num_suited):
        size = np.int64(tab.suited_sizes[which])
        for suit in range(4):
            held = hand & (ONES << U(suit))
            number = popcount(held)
            if number < size:
                continue
            for i in range(number):
                cards[i] = lowest_bit(held)
                held &= held - U(1)
            chosen = (1 << size) - 1
            while chosen < 1 << number:
                values, mask = 0, U(0)
                for i in range(number):
                    if chosen >> i & 1:
                        values |= 1 << (cards[i] >> 2)
                        mask |= U(1) << U(cards[i])
                row = tab.suited_row[which, values]
                if row >= 0:
                    power = tab.row_power[row] + suit * tab.row_step[row]
                    if top_category < 0 or does_cover(tab, tab.row_category[row], power, top_category, top_power):
                        _add(cand, mask, row, power)
                chosen = next_subset(chosen)


@kernel
def list_slot_plays(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Fill `cand` with the candidates of a hand, without a pass."""
    cand.count = 0
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(tab.num_ladders):
        if cards < tab.ladder_size[ladder]:
            continue
        values = (counts >> U(tab.ladder_count[ladder] - 1)) & tab.ladder_values[ladder]
        above = np.int64(-1)
        if top_category >= 0:
            relation = tab.covers[top_category, tab.ladder_category[ladder]]
            if relation == 0:
                continue
            if relation != FULL:
                above = np.int64(top_power) - tab.ladder_power[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            reach = 4 * value + (3 if tab.ladder_step[ladder] else 0)
            if reach <= above or tab.rung_need[ladder, value] & ~counts:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if tab.row_need[row] & ~counts == U(0):
                    _add_row(tab, row, hand, above - 4 * value if above >= 4 * value else -1, cand)
    if tab.num_suited:
        _add_suited(tab, hand, top_category, top_power, cand)
    if obligation:
        kept = 0
        for i in range(cand.count):
            if (cand.mask[i] == obligation) if tab.lead == 2 else (cand.mask[i] & obligation):
                cand.mask[kept], cand.row[kept], cand.power[kept] = cand.mask[i], cand.row[i], cand.power[i]
                kept += 1
        cand.count = kept


@kernel
def list_rows(tab: Tables, hand: Any, rows: Any) -> Any:
    """List the rows of several ranks that a hand holds, those of one suit aside; returns how many, at most `len(rows)`."""
    number = np.int64(0)
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(tab.num_ladders):
        if tab.ladder_alone[ladder] or cards < tab.ladder_size[ladder]:
            continue
        values = (counts >> U(tab.ladder_count[ladder] - 1)) & tab.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            if tab.rung_need[ladder, value] & ~counts:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if tab.row_need[row] & ~counts == U(0) and number < len(rows):
                    rows[number] = row
                    number += 1
    return number


@kernel
def slot_id(tab: Tables, hand: Any, cards: Any, row: Any) -> Any:
    """The action id of cards of a hand."""
    slots, nth = extract(cards, hand), np.int64(0)
    action = np.int64(tab.size_offset[popcount(slots)])
    while slots:
        nth += 1
        action += tab.binomial[lowest_bit(slots), nth]
        slots &= slots - U(1)
    return action


@kernel
def slots_cover(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one.

    Suits of MIXED rows are not looked at; of the one-suited plays those of the highest cards and those of neighbours are.
    """
    counts = unary(unseen)
    for ladder in range(tab.num_ladders):
        if tab.ladder_size[ladder] > most:
            continue
        relation = tab.covers[category, tab.ladder_category[ladder]]
        if relation == 0:
            continue
        above = np.int64(power) - tab.ladder_power[ladder] if relation != FULL else np.int64(-1)
        values = (counts >> U(tab.ladder_count[ladder] - 1)) & tab.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            highest = 4 * value
            if tab.ladder_step[ladder]:
                nibble = (unseen >> U(4 * value)) & U(15)
                highest += 3 if nibble & U(8) else 2 if nibble & U(4) else 1 if nibble & U(2) else 0
            if highest <= above or tab.rung_need[ladder, value] & ~counts:
                continue
            if tab.ladder_alone[ladder]:
                return True
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if tab.row_need[row] & ~counts == U(0):
                    return True
    for which in range(tab.num_suited):
        for suit in range(4):
            if tab.suited_sizes[which] <= most and popcount(unseen & (ONES << U(suit))) >= tab.suited_sizes[which]:
                return _suited_covers(tab, unseen, category, power, most)
    return False


@kernel
def _suited_covers(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether a one-suited play of the unseen cards covers; taken from its highest cards and from runs of neighbours."""
    for which in range(tab.num_suited):
        size = np.int64(tab.suited_sizes[which])
        for suit in range(4):
            held = unseen & (ONES << U(suit))
            values, number = 0, 0
            while held:
                value = lowest_bit(held) >> 2
                held &= held - U(1)
                values |= 1 << value
                number += 1
            if number < size or size > most:
                continue
            # The highest card with the lowest ones is the highest flush that is no run; runs are looked up one by one, those
            # round the corner (Q-K-A-2-3) too.
            rest, taken = values, 0
            tops = 1 << _highest(values)
            while taken < size - 1:
                low = rest & -rest
                tops |= low
                rest ^= low
                taken += 1
            run = (1 << size) - 1
            for shift in range(14):
                chosen = tops if shift == 13 else (run << shift | run << shift >> 13) & 0x1FFF
                if chosen & ~values:
                    continue
                row = tab.suited_row[which, chosen]
                if row >= 0:
                    reached = tab.row_power[row] + suit * tab.row_step[row]
                    if does_cover(tab, tab.row_category[row], reached, category, power):
                        return True
    return False


@kernel
def _highest(values: Any) -> Any:
    """The place of the highest set bit of a set of values."""
    place = VALUES - 1
    while not values >> place & 1:
        place -= 1
    return place
