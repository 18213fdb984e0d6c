"""Legal acts of the seat to move as action ids, and the cards of an action."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.bits import U, deposit, lowest_bit, popcount
from big2_env.kernels.tables import EMPTY, HASH_FACTOR, HASH_SHIFT
from big2_env.kernels.wide.inner import inner
from big2_env.kernels.wide.tables import BID, HASH_SIZE

NIBBLE, BYTE_BITS = U(15), U(255)
_UNITS, _USED, _BASE = 4, 8, 9
"""Bits of an entry of the stack: values below, units left, whether an exclusive one is there, the id so far."""


@inner
def does_cover(t: Any, category: Any, power: Any, top_category: Any, top_power: Any) -> Any:
    """Whether a play of this category and power covers the top, or no top (-1)."""
    relation = t.covers[top_category + 1, category]
    return relation == 2 or (relation != 0 and power > top_power)


@inner
def _carry(t: Any, row: Any, nibbles: Any, scratch: Any, n: Any) -> Any:
    """Write the ids of a row's plays from a hand in nibbles that has its body, ascending; return the new count."""
    side = t.row_sides[row]
    unit, body, ids = np.int64(t.side_unit[side]), t.row_body[row], scratch.ids
    reach = np.int64(0)
    for value in range(t.num_values):
        shift = U(4 * value)
        held = np.int64(nibbles >> shift & NIBBLE) - np.int64(body >> shift & NIBBLE)
        most = min(held, np.int64(t.side_limits[side, value])) // unit
        scratch.most[value], scratch.reach[value] = most, reach
        reach += most
    wanted = np.int64(t.side_units[side])
    if reach < wanted:
        return n
    exclusive = t.side_exclusive[side]
    stack, depth = scratch.stack, 1
    stack[0] = np.int64(t.num_values) | wanted << _UNITS | np.int64(t.row_first[row]) << _BASE
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
                    ids[n] = base + t.side_ways[side, value, 1, used]
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
                base += t.side_ways[side, value, left - number, marked]
            depth += max(top - fewest + 1, np.int64(0))
    return n


@inner
def _rank_ids(t: Any, g: Any, scratch: Any) -> Any:
    """Write the ids of the plays that cover the top, or of all, into `scratch`, ascending; return how many. By rank tables."""
    seat = U(g.turn)
    low, high, nibbles, held = g.lanes[seat, 0], g.lanes[seat, 1], g.nibbles[seat], g.held[seat]
    lacks_low, lacks_high, ids = ~low, ~high, scratch.ids
    top = g.top_category + 1
    n = np.int64(0)
    for nth in range(t.num_answers[top]):
        category = U(t.answers[top, nth])
        if t.cat_size[category] > held:
            continue
        above = np.int64(-1) if t.covers[top, category] == 2 else np.int64(g.top_power)
        count = np.int64(t.cat_count[category])
        if count:
            lane = (low if count <= 4 else high) >> U(16 * (count - 1 & 3))
            values = lane & t.cat_values[category]
            past = above - t.cat_power[category]
            if past >= 0:
                values &= ~U(0) << U(min((past >> 2) + 1, 63))
            while values:
                ids[n] = t.cat_ids[category, lowest_bit(values)]
                n += 1
                values &= values - U(1)
            continue
        for rung in range(t.cat_rungs[category, 0], t.cat_rungs[category, 1]):
            at = U(rung)
            if t.rung_power[at] <= above or t.rung_lanes[at, 0] & lacks_low or t.rung_lanes[at, 1] & lacks_high:
                continue
            for row in range(t.rung_rows[at, 0], t.rung_rows[at, 1]):
                which = U(row)
                if t.row_lanes[which, 0] & lacks_low or t.row_lanes[which, 1] & lacks_high:
                    continue
                if t.row_sides[which] >= 0:
                    n = _carry(t, which, nibbles, scratch, n)
                else:
                    ids[n] = t.row_first[which]
                    n += 1
    return n


@inner
def row_of(t: Any, nibbles: Any, is_one_suit: Any) -> Any:
    """The row that cards make, told in nibbles, -1 for none."""
    place = nibbles * U(HASH_FACTOR) >> U(HASH_SHIFT) & U(HASH_SIZE - 1)
    while t.hash_key[place] != nibbles:
        if t.hash_key[place] == U(EMPTY):
            return np.int64(-1)
        place = place + U(1) & U(HASH_SIZE - 1)
    return np.int64(t.hash_row[place, 1 if is_one_suit else 0])


@inner
def power_of(t: Any, row: Any, low: Any, high: Any) -> Any:
    """The power of cards, two words of places, that make a row."""
    power, key = np.int64(t.row_power[row]), np.int64(t.row_key[row])
    if key >= 0:
        byte = (low if key < 8 else high) >> U(8 * (key & 7)) & BYTE_BITS
        while byte > U(1):
            byte >>= U(1)
            power += 1
    return power


@inner
def _slot_ids(t: Any, g: Any, scratch: Any) -> Any:
    """`_rank_ids` by places: every choice of places whose number of cards may answer is read."""
    seat = U(g.turn)
    held, top = np.int64(g.held[seat]), g.top_category + 1
    keys, suits, n = scratch.keys, scratch.suits, np.int64(0)
    keys[0], suits[0] = U(0), np.uint8(31)
    for word in range(2):
        cards = g.hands[seat, word]
        while cards:
            place = 64 * word + lowest_bit(cards)
            cards &= cards - U(1)
            scratch.places[n] = place
            start = 1 << n
            nibble, suit = U(1) << U(4 * (place >> 3)), t.suit_of[place]
            for choice in range(start):
                keys[U(start + choice)] = keys[U(choice)] + nibble
                suits[U(start + choice)] = suits[U(choice)] & suit
            n += 1
    sizes = np.int64(0)
    for nth in range(t.num_answers[top]):
        sizes |= 1 << t.cat_size[t.answers[top, nth]]
    n = np.int64(0)
    for size in range(1, held + 1):
        if not sizes >> size & 1:
            continue
        for action in range(t.size_actions[held, size, 0], t.size_actions[held, size, 1]):
            slots = t.action_cards[U(action)]
            row = row_of(t, keys[slots], suits[slots] != 0)
            if row < 0:
                continue
            if top:
                power, key = np.int64(t.row_power[row]), np.int64(t.row_key[row])
                if key >= 0:
                    for slot in range(held):
                        if slots >> U(slot) & U(1) and scratch.places[slot] >> 3 == key:
                            power = np.int64(t.row_power[row]) + (scratch.places[slot] & 7)
                if not does_cover(t, t.row_category[row], power, g.top_category, g.top_power):
                    continue
            scratch.ids[n] = action
            n += 1
    return n


@inner
def cards_of(t: Any, g: Any, action: Any) -> Any:
    """The cards that an action with cards names in the hand to move, two words of places; nothing is checked."""
    seat = U(g.turn)
    low, high, named = g.hands[seat, 0], g.hands[seat, 1], t.action_cards[U(action)]
    if t.by_slots:
        return deposit(named, low), deposit(named >> U(popcount(low)), high)
    found_low, found_high = U(0), U(0)
    while named:
        shift = lowest_bit(named) & ~3
        number = named >> U(shift) & NIBBLE
        named &= ~(NIBBLE << U(shift))
        places = U(2 * shift & 63)
        byte = (low if shift < 32 else high) >> places & BYTE_BITS
        cards = U(t.lowest[byte, number]) << places
        if shift < 32:
            found_low |= cards
        else:
            found_high |= cards
    return found_low, found_high


@inner
def keeps_obligation(t: Any, g: Any, low: Any, high: Any) -> Any:
    """Whether cards are what the first play must be, or contain it; true for all once there is no obligation."""
    if t.lead == 2 and g.obligation[0] | g.obligation[1]:
        return low == g.obligation[0] and high == g.obligation[1]
    return g.obligation[0] & ~low | g.obligation[1] & ~high == U(0)


@inner
def legal_ids(t: Any, g: Any, scratch: Any) -> Any:
    """Write the action id of every legal act into `scratch.ids` and return how many there are; a pass comes last.

    None where the game is over. The plays come ascending by id.
    """
    if g.winner >= 0:
        return np.int64(0)
    ids, n = scratch.ids, np.int64(0)
    if g.bidding:
        highest = np.int64(0)
        for i in range(g.num_said):
            highest = max(highest, np.int64(g.said_value[i]))
        if t.auction == BID:
            for value in range(highest, t.most_bid):
                ids[n] = t.first_call + value
                n += 1
        else:
            ids[0] = t.first_call + (1 if highest else 0)
            n = np.int64(1)
    elif t.by_slots:
        n = _slot_ids(t, g, scratch)
    else:
        n = _rank_ids(t, g, scratch)
    if g.obligation[0] | g.obligation[1]:
        kept = np.int64(0)
        for i in range(n):
            low, high = cards_of(t, g, np.int64(ids[i]))
            if keeps_obligation(t, g, low, high):
                ids[kept] = ids[i]
                kept += 1
        n = kept
    if g.bidding or g.top_category >= 0:
        ids[n] = 0
        n += 1
    return n
