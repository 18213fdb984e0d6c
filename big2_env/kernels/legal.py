"""Legal moves: which play beats which, legal actions as ids, the cards that an action names.

There are two generators of legal plays. `slot_ids` serves actions that are positions in the hand: one deck, suits matter.
`rank_ids` serves actions that are ranks: suits never matter. Both list plays in the order of `LegalPlays`, so that a player who
draws one, or takes the first, makes the same move with either engine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect import BY_SLOTS
from big2_env.kernels.dialect.bits import ONES, U, deposit, extract, lowest_bit, popcount
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
from big2_env.kernels.dialect.kernel import kernel, specialize
from big2_env.kernels.optional_extras import call_ids, is_bidding, is_legal_call
from big2_env.kernels.tables import EMPTY, FULL, HASH_FACTOR, HASH_SHIFT, MAX_CHOICES, MAX_SLOTS, MIXED, SAME, Tables

SUIT_BITS = ONES
"""Cards of the lowest suit, and the jokers."""
NIBBLE = U(15)
_UNITS, _USED, _BASE = 4, 8, 9
"""Bit offsets in an entry of the stack: values below, units left, whether an exclusive value is used, the id so far."""


@kernel(inline=True)
def does_beat(tab: Tables, category: Any, power: Any, top_category: Any, top_power: Any) -> Any:
    """Return whether a play of this category and power beats the top play."""
    relation = tab.beats[U(top_category), U(category)]
    return relation == FULL or (relation != 0 and power > top_power)


@kernel
def power_of(tab: Tables, row: Any, cards: Any) -> Any:
    """Return the power of cards that make a row."""
    power = np.int64(tab.row_power[U(row)])
    step = np.int64(tab.row_step[U(row)])
    if step:
        key = rank_cards(cards, tab.row_key[U(row)])
        power += step * (3 if key & U(8) else 2 if key & U(4) else 1 if key & U(2) else 0)
    return power


@kernel
def _expand(tab: Tables, row: Any, offset: Any, hand: Any, suit_above: Any, ids: Any, n: Any) -> Any:
    """Write the id of every choice of cards that makes one row from a hand that holds it, and return the new count.

    The choices are a product over the ranks: the list is multiplied in place, rank by rank, with the key rank last. With
    `suit_above` >= 0 the deciding suit must be higher.
    """
    ids[n] = offset
    count = 1
    for nth in range(tab.row_parts[row] - 1, -1, -1):
        part = U(nth)
        shift = U(4) * U(tab.row_ranks[U(row), part])
        taken, below = np.int64(tab.row_counts[U(row), part]), np.int64(tab.row_below[U(row), part])
        nibble = (hand >> shift) & U(15)
        held, first = popcount(nibble), popcount(hand & ((U(1) << shift) - U(1)))
        choices = np.int64(tab.binomial[held, taken])
        choice = np.int64(0)
        if suit_above >= 0 and nth == 0:
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
    return n + count


@kernel(inline=True)
def _alone(tab: Tables, value: Any, taken: Any, offset: Any, hand: Any, suit_above: Any, ids: Any, n: Any) -> Any:
    """Do the same as `_expand` for a row of one rank, without branches.

    All choices are written, and only existing ones are counted.
    """
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
def slot_id(tab: Tables, hand: Any, cards: Any, row: Any) -> Any:
    """Return the action id of cards of a hand."""
    slots, nth = extract(cards, hand), np.int64(0)
    action = np.int64(tab.size_offset[popcount(slots)])
    while slots:
        nth += 1
        action += tab.binomial[lowest_bit(slots), nth]
        slots &= slots - U(1)
    return action


@kernel
def _without_one_suit(tab: Tables, row: Any, hand: Any, ids: Any, start: Any, n: Any) -> Any:
    """Remove the ids of one-suited cards from the ids of a MIXED row that begin at `start`; return the new count."""
    for suit in range(4):
        cards = tab.row_need[U(row)] << U(suit)
        if cards & ~hand == U(0):
            action, kept = slot_id(tab, hand, cards, row), start
            for i in range(start, n):
                ids[kept] = ids[i]
                kept += ids[i] != action
            n = kept
    return n


@kernel
def _first_readings(tab: Tables, row: Any, hand: Any, top_category: Any, top_power: Any, ids: Any, start: Any, n: Any) -> Any:
    """Remove the ids of cards that are read as another row from the ids that begin at `start`; return the new count."""
    kept = start
    for i in range(start, n):
        ids[kept] = ids[i]
        kept += reading_of(tab, slot_cards(tab, np.int64(ids[i]), hand), top_category, top_power) == row
    return kept


@kernel
def _slot_place(tab: Tables, hand: Any, action: Any, top_category: Any, top_power: Any) -> Any:
    cards = slot_cards(tab, action, hand)
    row = U(reading_of(tab, cards, top_category, top_power))
    return np.int64(tab.row_place[row]) << 2 | (lowest_bit(cards) & 3 if tab.row_suits[row] == SAME else 0)


@kernel
def _rank_place(tab: Tables, hand: Any, action: Any, top_category: Any, top_power: Any) -> Any:
    return action


_place = specialize(BY_SLOTS, _slot_place, _rank_place)
"""The place of a play in the order of `LegalPlays`, except among the cards of a row.

Arguments are (tab, hand, action, top_category, top_power).
"""


@kernel
def _insert(
    tab: Tables, hand: Any, top_category: Any, top_power: Any, ids: Any, n: Any, action: Any, place: Any, last: Any
) -> Any:
    """Insert an action into `n` plays in the order of their places, the highest of which is `last`; return the highest."""
    if place < last:
        while n > 0 and _place(tab, hand, np.int64(ids[U(n - 1)]), top_category, top_power) > place:
            ids[U(n)] = ids[U(n - 1)]
            n -= 1
    ids[U(n)] = action
    return max(place, last)


@kernel
def _sort(tab: Tables, hand: Any, top_category: Any, top_power: Any, ids: Any, n: Any) -> None:
    """Sort plays by their places."""
    last = np.int64(-1)
    for i in range(n):
        action = np.int64(ids[i])
        place = _place(tab, hand, action, top_category, top_power)
        last = _insert(tab, hand, top_category, top_power, ids, np.int64(i), action, place, last)


@kernel(inline=True)
def next_subset(bits: Any) -> Any:
    """Return the next larger int64 with the same number of set bits (Gosper's hack)."""
    low = bits & -bits
    ripple = bits + low
    return ripple | (((bits ^ ripple) // low) >> 2)


@kernel(inline=True)
def is_early(tab: Tables, row: Any, hand: Any) -> Any:
    """Return True if a play must be the last one of a hand, and the hand has other cards."""
    return popcount(hand) > tab.most_held[U(tab.row_category[U(row)])]


@kernel
def _suited_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, ids: Any, n: Any) -> Any:
    """Insert the ids of the one-suited plays (SAME rows) that beat the top play; return the new count."""
    last = np.int64(-1)  # the place of the last play, once it is needed
    for which in range(tab.num_suited):
        size = np.int64(tab.suited_sizes[which])
        for suit in range(4):
            one_suit = SUIT_BITS << U(suit)
            held = hand & one_suit
            number = popcount(held)
            # Every set of `size` bits below 2**number, ascending; none if there are fewer cards.
            chosen = (1 << size) - 1
            while chosen < 1 << number:
                cards = deposit(U(chosen), held)
                row = np.int64(tab.suited_row[which, extract(cards, one_suit)])
                if row >= 0 and tab.num_shared:
                    row = reading_of(tab, cards, top_category, top_power)
                # Other rows list their cards themselves.
                if row >= 0 and tab.row_suits[U(row)] == SAME and not is_early(tab, row, hand):
                    power = tab.row_power[row] + suit * tab.row_step[row]
                    if top_category < 0 or does_beat(tab, tab.row_category[row], power, top_category, top_power):
                        action, place = slot_id(tab, hand, cards, row), np.int64(tab.row_place[row]) << 2 | suit
                        if n > 0 and last < 0:
                            last = _place(tab, hand, np.int64(ids[U(n - 1)]), top_category, top_power)
                        last = _insert(tab, hand, top_category, top_power, ids, n, action, place, last)
                        n += 1
                chosen = next_subset(chosen)
    return n


@kernel
def slot_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, scratch: Any) -> Any:
    """Write the ids of all plays that a hand can make to `scratch.ids`; return their number.

    Reads `tab`. `top_category` is -1 for a leading seat. The list needs `SLACK` entries beyond the number of plays.
    """
    ids, held = scratch.ids, popcount(hand)
    n = mixes = np.int64(0)  # a plain 0 is a type of its own, for which what is called would be compiled once more
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
        if values == U(0) or held > tab.ladder_held[ladder]:
            continue
        offset = np.int64(tab.size_offset[U(tab.ladder_size[ladder])])
        mixes |= tab.ladder_mixes[ladder]
        if tab.ladder_alone[ladder] == 1:
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
                        n = _without_one_suit(tab, row, hand, ids, start, n)
                    if tab.row_shared[U(row)]:
                        n = _first_readings(tab, row, hand, top_category, top_power, ids, start, n)
    if mixes:
        _sort(tab, hand, top_category, top_power, ids, n)
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


@kernel(inline=True)
def slot_cards(tab: Tables, action: Any, hand: Any) -> Any:
    """Return the cards that an action names in a hand, as a mask; 0 for the pass, or if a position is beyond the hand's end."""
    slots = U(tab.action_slots[action])
    if slots >> U(popcount(hand)) != U(0):
        return U(0)
    return deposit(slots, hand)


@kernel
def row_of(tab: Tables, mask: Any) -> Any:
    """Return the row that exactly these cards make, the first of several, -1 for none."""
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


@kernel
def reading_of(tab: Tables, mask: Any, top_category: Any, top_power: Any) -> Any:
    """Return the row as which exactly these cards may be played: the first that beats the top; -1 for none.

    Unless the ruleset has cards of several rows, it is the only row, whether it beats the top or not.
    """
    row = np.int64(row_of(tab, mask))
    if tab.num_shared and top_category >= 0:
        one_suit = 1 if mask & ~(SUIT_BITS << U(lowest_bit(mask) & 3)) == U(0) else 0
        while row >= 0 and not does_beat(tab, tab.row_category[U(row)], power_of(tab, row, mask), top_category, top_power):
            row = np.int64(tab.row_next[U(row), one_suit])
    return row


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
    """Write the ids of all plays that a hand can make to `scratch.ids`; return their number.

    Reads `tab`. `top_category` is -1 for a leading seat.
    """
    counts, held, shift, ids = unary(hand), popcount(hand), shift_of(hand), scratch.ids
    lacking = ~counts
    n, mixes, which = np.int64(0), np.int64(0), U(top_category + 1)
    for nth in range(tab.num_answers[which]):
        ladder = U(tab.answers[which, U(nth)])
        if tab.ladder_size[ladder] > held or held > tab.ladder_held[ladder]:
            continue
        above = max(np.int64(top_power) - np.int64(tab.answer_power[which, U(nth)]), np.int64(-1))
        past = min((above >> 2) + 1, np.int64(15)) << shift  # suits never decide: a value must be higher than the top's
        values = shifted_down(counts, tab.ladder_count[ladder] - 1) & get(tab.ladder_values, ladder) & from_place(hand, past)
        alone = tab.ladder_alone[ladder] != 0
        mixes |= tab.ladder_mixes[ladder]
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
    if mixes:
        _sort(tab, hand, top_category, top_power, ids, n)
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
    """Return the cards that an action names in a hand, the lowest of each rank; none if the hand has too few."""
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


@kernel
def _read_slots(tab: Tables, game: Any, action: Any) -> Any:
    cards = slot_cards(tab, action, get(game.hands, game.turn))
    if cards and tab.num_shared:
        return cards, reading_of(tab, cards, game.top_category, game.top_power)
    return cards, np.int64(row_of(tab, cards)) if cards else np.int64(-1)


@kernel
def _read_ranks(tab: Tables, game: Any, action: Any) -> Any:
    cards = ranked_cards(tab, action, get(game.hands, game.turn))
    return cards, np.int64(tab.action_row[U(action)]) if cards else np.int64(-1)


action_cards = specialize(BY_SLOTS, slot_cards, ranked_cards)
"""Return the cards that an action names in a hand. Arguments are (tab, action, hand)."""
play_ids = specialize(BY_SLOTS, slot_ids, rank_ids)
"""Write the ids of all plays that a hand can make to `scratch.ids`, in the order of `LegalPlays`; return their number.

Arguments are (tab, hand, top_category, top_power, obligation, scratch). `top_category` is -1 for a leading seat.
"""
read_action = specialize(BY_SLOTS, _read_slots, _read_ranks)
"""Return the cards that an action names in the hand to move, and the row as which they may be played.

Arguments are (tab, game, action). The row is -1 if the cards or the row do not exist.
"""


@kernel(inline=True)
def height_alone(tab: Tables, cards: Any) -> Any:
    """Return the height of a single card as `last_card` compares it; -1 for other cards."""
    if popcount(cards) != 1:
        return np.int64(-1)
    return np.int64(lowest_bit(cards)) >> (0 if tab.last_card == 1 else shift_of(cards))


@kernel
def _keep_highest(tab: Tables, hand: Any, ids: Any, n: Any) -> Any:
    """Remove the ids of all single cards but the highest; return the new count."""
    highest, kept = np.int64(-1), np.int64(0)
    for i in range(n):
        highest = max(highest, height_alone(tab, action_cards(tab, np.int64(ids[i]), hand)))
    for i in range(n):
        height = height_alone(tab, action_cards(tab, np.int64(ids[i]), hand))
        ids[kept] = ids[i]
        kept += height < 0 or height == highest
    return kept


@kernel(inline=True)
def legal_ids(
    tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, highest_single: Any, scratch: Any
) -> Any:
    """Write the ids of all legal actions of a hand to `scratch.ids`, a legal pass last; return their number."""
    count = play_ids(tab, hand, top_category, top_power, obligation, scratch)
    if highest_single:
        count = _keep_highest(tab, hand, scratch.ids, count)
    if top_category >= 0 and (tab.must_cover == 0 or count == 0):
        scratch.ids[U(count)] = 0
        count += 1
    return count


@kernel(inline=True)
def game_ids(tab: Tables, game: Any, scratch: Any) -> Any:
    """Write the ids of all legal actions of the seat to move to `scratch.ids`; return their number, 0 if the game is over."""
    if game.winner >= 0:
        return np.int64(0)
    if is_bidding(tab, game):
        return call_ids(tab, game, scratch.ids)
    hand, obligation = get(game.hands, game.turn), get(game.obligation, 0)
    return legal_ids(tab, hand, game.top_category, game.top_power, obligation, game.highest_single, scratch)


@kernel
def check_action(tab: Tables, game: Any, action: Any, scratch: Any) -> Any:
    """Return whether an action, any int64, is legal in a game, with the cards that it names and their row (-1 for none)."""
    hand = get(game.hands, game.turn)
    nothing, no_row = no_cards(hand), np.int64(-1)
    if action < 0 or action >= tab.num_actions or game.winner >= 0:
        return False, nothing, no_row
    if is_bidding(tab, game):
        return is_legal_call(tab, game, action), nothing, no_row
    top_category, obligation = game.top_category, get(game.obligation, 0)
    if action == 0:
        may_pass = top_category >= 0
        if may_pass and tab.must_cover:
            may_pass = play_ids(tab, hand, top_category, game.top_power, obligation, scratch) == 0
        return may_pass, nothing, no_row
    if action >= tab.first_call:
        return False, nothing, no_row
    cards, row = read_action(tab, game, action)
    if row < 0 or is_early(tab, row, hand):
        return False, nothing, no_row
    if game.highest_single and popcount(cards) == 1:
        for i in range(game_ids(tab, game, scratch)):
            if scratch.ids[i] == action:
                return True, cards, row
        return False, cards, row
    if top_category >= 0:
        return does_beat(tab, tab.row_category[U(row)], power_of(tab, row, cards), top_category, game.top_power), cards, row
    return (cards == obligation if tab.lead == 2 and obligation else not obligation & ~cards), cards, row
