"""How an act changes a game. The same transitions as `climbing/position.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.bits import U, lowest_bit, popcount
from big2_env.kernels.wide.deal import count_hand, decide
from big2_env.kernels.wide.inner import inner
from big2_env.kernels.wide.legal import BYTE_BITS, NIBBLE, cards_of, does_cover, keeps_obligation, power_of, row_of
from big2_env.kernels.wide.tables import CALL_ROB, CAPTURED

LANE_BITS = U(0x0001000100010001)


@inner
def _refill(t: Any, g: Any, first: Any, number: Any) -> None:
    """So many seats draw up to the hand size, in turn."""
    draws = True
    while draws and g.num_pile:
        draws = False
        for step in range(number):
            seat = (first + step) % t.num_players
            wanted = t.hand_size - g.held[seat]
            drawn = min(min(wanted, 1) if t.one_each else wanted, np.int64(g.num_pile))
            for _ in range(drawn):
                g.num_pile -= 1
                place = g.pile[g.num_pile]
                g.pile[g.num_pile] = 0
                g.hands[seat, place >> 6] |= U(1) << U(place & 63)
            if drawn > 0:
                draws = True
                count_hand(t, g, seat)


@inner
def _next_turn(t: Any, g: Any, ends_circle: Any) -> None:
    """The turn goes to the next seat that may act; when there is none but the top player, or so it is said, the circle ends.

    Then the table is cleared: hands are refilled, and the top player leads, or the next holder of cards.
    """
    players = t.num_players
    if not ends_circle:
        seat = np.int64(g.turn)
        for _ in range(players - 1):
            seat = seat + 1 if seat + 1 < players else np.int64(0)
            if seat == g.top_seat:
                break
            if g.held[seat] and not g.passed >> seat & 1:
                g.turn = seat
                return
    winner = np.int64(g.top_seat if g.top_seat >= 0 else g.turn)
    refills = g.num_pile > 0 and t.refill == 1
    if refills:
        _refill(t, g, winner, players)
    leader = np.int64(-1)
    for step in range(players):
        seat = (winner + step) % players
        if g.held[seat]:
            leader = seat if leader < 0 else leader
        elif refills and g.num_pile == 0:
            is_out = False
            for i in range(g.num_finished):
                is_out = is_out or g.finished[i] == seat
            if not is_out:
                g.finished[g.num_finished] = seat
                g.num_finished += 1
    leader = winner if leader < 0 else leader
    for word in range(2):
        g.captured[winner, word] |= g.circle[word]
        g.circle[word] = U(0)
        g.lead_over[word] = g.top[word] if t.lock == 2 else U(0)
        g.top[word] = U(0)
    if t.lock == 2:
        g.lead_category, g.lead_power, g.lead_pattern = g.top_category, g.top_power, g.top_pattern
        g.passed &= ~(1 << leader)
    else:
        g.passed = 0
    g.turn = leader
    g.top_category = g.top_power = g.top_pattern = -1


@inner
def _put_down(t: Any, g: Any, row: Any, low: Any, high: Any) -> None:
    """The seat to move plays cards, two words of places, that make a row."""
    seat, power = np.int64(g.turn), power_of(t, row, low, high)
    category, leads = np.int64(t.row_category[row]), g.top_category < 0
    if t.auction:
        begun = False
        for other in range(t.num_players):
            begun = begun or g.acted[other] > 0
        g.factor *= t.row_factor[row, 1 if leads and begun else 0]
        g.acted[seat] += 1
    keeps = t.lock == 1 or not leads  # a new lead that does not cover the last one lets everybody in again
    if t.lock == 2 and leads and g.lead_category >= 0:
        keeps = does_cover(t, category, power, g.lead_category, g.lead_power)
    if t.lock == 0 or not keeps:
        g.passed = 0
    # Of the hand's tellings only what is of the values that change is counted anew.
    g.held[seat] -= popcount(low) + popcount(high)
    for word in range(2):
        gone = low if word == 0 else high
        g.hands[seat, word] &= ~gone
        g.played[seat, word] |= gone
        g.top[word] = gone
        g.obligation[word] = U(0)
        if t.settlement == CAPTURED:
            g.circle[word] |= gone
        while gone and not t.by_slots:
            shift = lowest_bit(gone) & ~7
            byte = BYTE_BITS << U(shift)
            value = 8 * word + (shift >> 3)
            number = popcount(g.hands[seat, word] & byte)
            gone &= ~byte
            g.nibbles[seat] = (g.nibbles[seat] & ~(NIBBLE << U(4 * value))) | U(number) << U(4 * value)
            lanes = LANE_BITS << U(value)
            g.lanes[seat, 0] &= ~lanes | (U(1) << U(min(16 * number, 63))) - U(1) if number < 4 else ~U(0)
            g.lanes[seat, 1] &= ~lanes | (U(1) << U(16 * max(number - 4, 0))) - U(1)
    g.top_category, g.top_power, g.top_pattern, g.top_seat = category, power, t.row_pattern[row], seat
    if g.num_pile and t.refill == 2:
        _refill(t, g, seat, np.int64(1))
    if g.held[seat] == 0 and g.num_pile == 0:
        g.finished[g.num_finished] = seat
        g.num_finished += 1
    ends = g.held[seat] == 0 and t.last_holder == 0
    _next_turn(t, g, t.auto_skip != 0 and not ends and power >= t.unbeatable[category])


@inner
def act(t: Any, g: Any, action: Any, scratch: Any) -> None:
    """Make a legal act; nothing is checked."""
    g.steps += 1
    actor = g.turn
    if g.bidding:
        decide(t, g, _value_of(t, action), scratch)
    elif action == 0:
        g.passed |= 1 << g.turn
        _next_turn(t, g, False)
    else:
        low, high = cards_of(t, g, action)
        row = np.int64(t.action_row[U(action)])
        if t.by_slots:
            row = _row_of_cards(t, low, high)
        _put_down(t, g, row, low, high)
    g.actor = actor
    if g.num_finished:  # over where a hand is empty, or where nothing is left to draw and at most one seat holds cards
        holders = 0
        for seat in range(t.num_players):
            holders += g.held[seat] > 0
        if t.last_holder == 0 or (g.num_pile == 0 and holders <= 1):
            g.winner = g.finished[0]


@inner
def _value_of(t: Any, action: Any) -> Any:
    """What an act of the auction says: a bid's value, 1 for a call or a rob, 0 for no."""
    if action == 0:
        return np.int64(0)
    return np.int64(1) if t.auction == CALL_ROB else np.int64(action - t.first_call + 1)


@inner
def _row_of_cards(t: Any, low: Any, high: Any) -> Any:
    """The row that cards, two words of places, make."""
    nibbles, suits = U(0), np.int64(31)
    for word in range(2):
        cards = low if word == 0 else high
        while cards:
            place = 64 * word + lowest_bit(cards)
            cards &= cards - U(1)
            nibbles += U(1) << U(4 * (place >> 3))
            suits &= np.int64(t.suit_of[place])
    return row_of(t, nibbles, suits != 0)


@inner
def is_legal(t: Any, g: Any, action: Any) -> Any:
    """Whether a game may go on by an action; any int64 may be asked."""
    if action < 0 or action >= t.num_actions or g.winner >= 0:
        return False
    if action == 0:
        return g.bidding != 0 or g.top_category >= 0
    if g.bidding or action >= t.first_call:
        highest = np.int64(0)
        for i in range(g.num_said):
            highest = max(highest, np.int64(g.said_value[i]))
        which = action - t.first_call
        return g.bidding != 0 and which >= 0 and (which == (highest > 0) if t.auction == CALL_ROB else which >= highest)
    seat, row = U(g.turn), np.int64(t.action_row[U(action)])
    if t.by_slots:
        if t.action_cards[U(action)] >> U(g.held[seat]):
            return False
    else:
        named, held = t.action_cards[U(action)], g.nibbles[seat]
        while named:
            shift = U(lowest_bit(named) & ~3)
            if named >> shift & NIBBLE > held >> shift & NIBBLE:
                return False
            named &= ~(NIBBLE << shift)
    low, high = cards_of(t, g, action)
    if t.by_slots:
        row = _row_of_cards(t, low, high)
        if row < 0:
            return False
    if not does_cover(t, t.row_category[row], power_of(t, row, low, high), g.top_category, g.top_power):
        return False
    return keeps_obligation(t, g, low, high)
