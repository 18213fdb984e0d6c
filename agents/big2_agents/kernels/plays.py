"""Candidates of a seat: its legal moves, with equivalent ones merged.

With slot actions, plays that differ only in irrelevant suits are merged: cards of a rank are taken from the lowest suit up,
except for a suit that decides. With rank actions, plays that differ only in kickers are merged: there is one per shape, with
the kickers that the hand needs least. Only agents merge plays; environments keep them apart.

With rank actions, cards are also represented as counts by value: nibbles of a uint64, for one deck or two.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect import BY_SLOTS
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit, popcount
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
from big2_env.kernels.dialect.kernel import kernel, specialize
from big2_env.kernels.dialect.records import END, card_set
from big2_env.kernels.legal import does_beat, height_alone, is_early, next_subset, reading_of, slot_id
from big2_env.kernels.optional_extras import call_ids, is_bidding
from big2_env.kernels.tables import FULL, MAX_SLOTS, MIXED, VALUES, Tables
from big2_env.kernels.turn import make

MAX_CANDIDATES: Final = 96
"""Maximum number of candidates, including the pass; of longer lists the strongest plays are dropped."""


@kernel
def lowest_cards(nibble: Any, taken: Any) -> Any:
    """Return the lowest `taken` cards of one rank."""
    found = U(0)
    for _ in range(taken):
        low = nibble & (~nibble + U(1))
        found |= low
        nibble ^= low
    return found


@kernel(inline=True)
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
    """Return a one-suited choice of a MIXED row with one irrelevant card replaced by another suit; 0 if there is none."""
    for part in range(1, tab.row_parts[row]):
        shift = U(4) * U(tab.row_ranks[row, part])
        other = ((hand & ~mask) >> shift) & U(15)
        if other:
            return (mask & ~(U(15) << shift)) | (lowest_cards(other, 1) << shift)
    return U(0)


@kernel
def _add_read(tab: Tables, mask: Any, row: Any, power: Any, top_category: Any, top_power: Any, cand: Any) -> None:
    """Add cards with this reading, unless `mask` is 0."""
    if mask and not (tab.row_shared[row] and reading_of(tab, mask, top_category, top_power) != row):
        _add(cand, mask, row, power)


@kernel
def _add_row(tab: Tables, row: Any, hand: Any, suit_above: Any, top_category: Any, top_power: Any, cand: Any) -> None:
    """Add the candidates of one row that the hand holds: one per deciding suit, else one."""
    base = U(0)
    for part in range(1, tab.row_parts[row]):
        shift = U(4) * U(tab.row_ranks[row, part])
        base |= lowest_cards((hand >> shift) & U(15), tab.row_counts[row, part]) << shift
    shift = U(4) * U(tab.row_key[row])
    taken = np.int64(tab.row_counts[row, 0])
    nibble = (hand >> shift) & U(15)
    power = np.int64(tab.row_power[row])
    if not tab.row_step[row]:
        mask = base | (lowest_cards(nibble, taken) << shift)
        if tab.row_suits[row] == MIXED and _is_one_suit(mask):
            mask = _mixed(tab, row, hand, mask)
        _add_read(tab, mask, row, power, top_category, top_power, cand)
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
            _add_read(tab, mask, row, power + suit, top_category, top_power, cand)


@kernel
def _add_suited(tab: Tables, hand: Any, top_category: Any, top_power: Any, cand: Any) -> None:
    """Add the one-suited plays (SAME rows) that beat the top."""
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
                if row >= 0 and not is_early(tab, row, hand):
                    power = tab.row_power[row] + suit * tab.row_step[row]
                    if top_category < 0 or does_beat(tab, tab.row_category[row], power, top_category, top_power):
                        _add_read(tab, mask, row, power, top_category, top_power, cand)
                chosen = next_subset(chosen)


@kernel
def list_slot_plays(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Write the candidates of a hand into `cand`, without a pass."""
    cand.count = 0
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(tab.num_ladders):
        if cards < tab.ladder_size[ladder] or cards > tab.ladder_held[ladder]:
            continue
        values = (counts >> U(tab.ladder_count[ladder] - 1)) & tab.ladder_values[ladder]
        above = np.int64(-1)
        if top_category >= 0:
            relation = tab.beats[top_category, tab.ladder_category[ladder]]
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
                    suit_above = above - 4 * value if above >= 4 * value else -1
                    _add_row(tab, row, hand, suit_above, top_category, top_power, cand)
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
    """List the rows of several ranks that a hand holds, except one-suited ones, and return their number.

    At most `len(rows)` are listed.
    """
    number = np.int64(0)
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(tab.num_ladders):
        if tab.ladder_alone[ladder] or not tab.ladder_size[ladder] <= cards <= tab.ladder_held[ladder]:
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
def slots_beat(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Return True if a play of at most `most` unseen cards beats a category and power.

    Suits of MIXED rows are ignored. Of one-suited plays, only the highest cards and runs of neighbors are examined.
    """
    counts = unary(unseen)
    for ladder in range(tab.num_ladders):
        if tab.ladder_size[ladder] > most:
            continue
        relation = tab.beats[category, tab.ladder_category[ladder]]
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
                return _suited_beats(tab, unseen, category, power, most)
    return False


@kernel
def _suited_beats(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Return True if a one-suited play of the unseen cards beats.

    Only the highest cards and runs of neighbors are examined.
    """
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
                    if does_beat(tab, tab.row_category[row], reached, category, power):
                        return True
    return False


@kernel(inline=True)
def _highest(values: Any) -> Any:
    """Return the index of the highest set bit of a set of values."""
    place = VALUES - 1
    while not values >> place & 1:
        place -= 1
    return place


NIBBLE = U(15)
_EVEN, _CARRY = U(0x0F0F0F0F0F0F0F0F), U(0x1010101010101010)


@kernel
def counts_of_cards(tab: Tables, cards: Any) -> Any:
    """Return the number of cards of each value."""
    found = U(0)
    for value in range(tab.num_values):
        found |= U(popcount(rank_cards(cards, value))) << U(4 * value)
    return found


@kernel(inline=True)
def has(counts: Any, wanted: Any) -> Any:
    """Return True if no count in `wanted` exceeds the one in `counts`."""
    low = ((counts & _EVEN) | _CARRY) - (wanted & _EVEN)
    high = ((counts >> U(4) & _EVEN) | _CARRY) - (wanted >> U(4) & _EVEN)
    return low & high & _CARRY == _CARRY


@kernel
def lowest_of(tab: Tables, counts: Any, hand: Any) -> Any:
    """Return the lowest cards of a hand with given counts by value, chosen as the game does."""
    found = no_cards(hand)
    while counts:
        place = U(lowest_bit(counts)) & ~U(3)
        value = place >> U(2)
        found |= as_rank(hand, U(tab.lowest[rank_cards(hand, value), counts >> place & NIBBLE]), value)
        counts &= ~(NIBBLE << place)
    return found


@kernel
def kickers_allowed(tab: Tables, kickers: Any, value: Any, taken: Any, used: Any) -> Any:
    """Return True if one more kicker unit of a value is allowed, given the cards already carried of it.

    `used` is True if an exclusive value is carried.
    """
    if taken + tab.kicker_unit[kickers] > tab.kicker_limits[kickers, value]:
        return False
    return not (used and taken == 0 and tab.kicker_exclusive[kickers] >> U(value) & U(1))


@kernel
def _simple_kickers(tab: Tables, kickers: Any, rest: Any, first: Any) -> Any:
    """Return kickers among some cards, as nibbles, 0 if there are too few.

    A unit of the value `first` comes first, then ranks with exactly the needed number of cards, then the lowest.
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


@kernel(inline=True)
def _values_above(tab: Tables, units: Any, which: Any, nth: Any, power: Any) -> Any:
    """Return the values at which cards, given in unary, have enough for a ladder that answers a power."""
    ladder = U(tab.answers[which, U(nth)])
    above = max(np.int64(power) - np.int64(tab.answer_power[which, U(nth)]), np.int64(-1))
    past = min((above >> 2) + 1, np.int64(15)) << shift_of(units)
    return shifted_down(units, tab.ladder_count[ladder] - 1) & get(tab.ladder_values, ladder) & from_place(units, past)


@kernel
def list_rank_plays(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Write the candidates of a hand into `cand`, without a pass."""
    cand.count = 0
    units, shift, held = unary(hand), shift_of(hand), popcount(hand)
    lacking, counts = ~units, counts_of_cards(tab, hand)
    which, first = U(top_category + 1), np.int64(-1)
    if obligation:
        first = lowest_bit(obligation) >> shift
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        if tab.ladder_size[ladder] > held or held > tab.ladder_held[ladder]:
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
    """Return the action id of cards that form a row: the row's first id plus the number of earlier choices of kickers."""
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
def ranks_beat(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Return True if a play of at most `most` unseen cards beats a category and power; kickers are assumed available."""
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


MAX_RANK_CANDIDATES: Final = 256
"""Maximum number of candidates with rank actions."""
MAX_COMBOS: Final = 128
"""Maximum number of shapes of several ranks in the count of plays."""


@cache
def candidates_dtype(by_slots: bool = True, words: int = 1) -> np.dtype[Any]:
    """Return the record type of a decision's candidates and combinations, for card sets of `words` words."""
    most = MAX_CANDIDATES if by_slots else MAX_RANK_CANDIDATES
    return np.dtype(
        [
            ("count", np.int64),
            (
                "mask",
                card_set(words),
                (most,),
            ),  # the cards, none for the pass and in an auction
            ("row", np.int16, most),  # the row of the tables, -1 for the pass and in an auction
            ("power", np.int16, most),
            ("ids", np.int32, most),  # in an auction: the action ids
            ("score", np.float64, most),  # left to whoever chooses
            ("hand", card_set(words), (1,)),  # of a search through the candidates: whose they are
            ("next", np.int64),  # and which is next
            *(
                [
                    ("num_combos", np.int64),
                    ("combo", np.int16, MAX_COMBOS),  # rows of several ranks that the hand holds
                    ("combo_counts", np.uint64, MAX_COMBOS),  # their cards by rank, as nibbles
                ]
                if by_slots
                else []
            ),
            (END, np.int64),
        ]
    )


_list_plays = specialize(BY_SLOTS, list_slot_plays, list_rank_plays)
"""(tab, hand, top_category, top_power, obligation, cand): write the candidates of a hand into `cand`, without a pass."""
_can_be_beaten = specialize(BY_SLOTS, slots_beat, ranks_beat)
"""(tab, unseen, category, power, most): True if a play of the unseen cards beats."""


@kernel(entry=True)
def find_candidates(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Write the candidates of a hand into `cand`, a legal pass last. `top_category` is -1 for a lead."""
    _list_plays(tab, hand, top_category, top_power, obligation, cand)
    if top_category >= 0 and (tab.must_cover == 0 or cand.count == 0):
        put(cand.mask, cand.count, no_cards(hand))
        cand.row[cand.count] = cand.power[cand.count] = -1
        cand.count += 1


@kernel(entry=True)
def find_moves(tab: Tables, game: Any, cand: Any) -> None:
    """Write the candidates of the seat to move into `cand`; in an auction its calls, with no as the last."""
    if is_bidding(tab, game):
        cand.count = call_ids(tab, game, cand.ids)
        for i in range(cand.count):
            put(cand.mask, i, no_cards(get(game.top, 0)))
            cand.row[i] = cand.power[i] = -1
    else:
        find_candidates(
            tab,
            get(game.hands, game.turn),
            np.int64(game.top_category),
            np.int64(game.top_power),
            get(game.obligation, 0),
            cand,
        )
        if game.highest_single:
            keep_highest(tab, cand)


@kernel
def keep_highest(tab: Tables, cand: Any) -> None:
    """Remove the candidates that are single cards, except the highest."""
    highest, kept = np.int64(-1), np.int64(0)
    for i in range(cand.count):
        highest = max(highest, height_alone(tab, get(cand.mask, i)))
    for i in range(cand.count):
        height = height_alone(tab, get(cand.mask, i))
        if height < 0 or height == highest:
            put(cand.mask, kept, get(cand.mask, i))
            cand.row[kept], cand.power[kept] = cand.row[i], cand.power[i]
            kept += 1
    cand.count = kept


play_id = specialize(BY_SLOTS, slot_id, rank_action)
"""(tab, hand, cards, row): the action id of cards of a hand that form a row."""


@kernel(inline=True)
def move_id(tab: Tables, game: Any, cand: Any, i: Any) -> Any:
    """Return the action id of a candidate of the seat to move, listed by `find_moves`."""
    if is_bidding(tab, game):
        return np.int64(cand.ids[i])
    if cand.row[i] < 0:
        return np.int64(0)
    return play_id(tab, get(game.hands, game.turn), get(cand.mask, i), np.int64(cand.row[i]))


@kernel(inline=True)
def make_move(tab: Tables, game: Any, cand: Any, i: Any, deck: Any) -> None:
    """Make the move of a candidate listed by `find_moves`; `deck` as for `make`."""
    make(tab, game, np.int64(cand.ids[i]), get(cand.mask, i), np.int64(cand.row[i]), deck)


@kernel(entry=True)
def can_be_beaten(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Return True if a play of at most `most` unseen cards beats a category and power."""
    return _can_be_beaten(tab, unseen, category, power, most)
