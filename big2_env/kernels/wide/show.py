"""What a game pays, and what a seat sees of it. The layout is that of `climbing/encoding/observation.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.bits import U, lowest_bit, popcount
from big2_env.kernels.wide.inner import inner
from big2_env.kernels.wide.legal import BYTE_BITS
from big2_env.kernels.wide.records import clear, store_byte, store_one
from big2_env.kernels.wide.tables import CAPTURED, PAIRWISE, PENALTY, TEAM, WINDOWS

(
    HAND, SLOTS, TOP, PATTERN, SEAT, PASSED, LEFT, PLAYED, OBLIGATION, LEADING,
    KEY, LEAD_OVER, PILE, BIDDING, SAID, REDEALS, LANDLORD, BOTTOM, ACTED, MULTIPLIER, WON,
) = range(len(WINDOWS))  # fmt: skip


@inner
def _worth(t: Any, g: Any, seat: Any) -> Any:
    """What the cards left of a hand cost in a pairwise settlement, float64."""
    total = t.penalty[0, g.held[seat]]
    for word in range(2):
        cards = g.hands[seat, word]
        while cards:
            total += t.dear[64 * word + lowest_bit(cards)]
            cards &= cards - U(1)
    return total


@inner
def _points(t: Any, g: Any, seat: Any) -> Any:
    """The points of the circles a seat has won, the last one included, float64."""
    total = 0.0
    for word in range(2):
        cards = g.captured[seat, word]
        if seat == g.top_seat:
            cards |= g.circle[word]
        for value in range(8):
            total += t.points[8 * word + value] * popcount(cards >> U(8 * value) & BYTE_BITS)
    return total


@inner
def payoff(t: Any, g: Any, seat: Any) -> Any:
    """What a seat of a game gets at the end, float64; 0 before it."""
    if g.winner < 0:
        return 0.0
    players, landlord = t.num_players, np.int64(g.landlord)
    has_won = landlord < 0 or g.winner == landlord  # the winner plays alone
    if t.settlement == PENALTY:
        is_winner = seat == g.winner if has_won else seat != landlord
        if not is_winner:
            return -t.penalty[0 if has_won else 1, g.held[seat]]
        total = 0.0
        for other in range(players):
            if not (other == g.winner if has_won else other != landlord):
                total += t.penalty[0 if has_won else 1, g.held[other]]
        return total / (1 if has_won else players - 1)
    if t.settlement == TEAM:
        factor, others = g.factor, np.int64(0)
        for other in range(players):
            others += 0 if other == landlord else g.acted[other]
        if has_won:
            factor *= t.spring if others == 0 else 1
        else:
            factor *= t.anti_spring if g.acted[landlord] == 1 else 1
        unit = np.float64(g.stake * factor)
        return (unit if has_won else -unit) * (players - 1 if seat == landlord else -1)
    if t.settlement == PAIRWISE or t.settlement == CAPTURED:
        mine, total = 0.0, 0.0
        for other in range(players):
            one = _points(t, g, other) if t.settlement == CAPTURED else -_worth(t, g, other)
            total += one
            if other == seat:
                mine = one
        return players * mine - total
    last = np.int64(g.finished[g.num_finished - 1])
    for other in range(players - 1, -1, -1):
        is_out = False
        for i in range(g.num_finished):
            is_out = is_out or g.finished[i] == other
        if not is_out:
            last = np.int64(other)
    return 1.0 - players if seat == last else 1.0


@inner
def _mark(t: Any, low: Any, high: Any, start: Any, obs: Any, is_float: Any) -> None:
    """Write 1 for each card, two words of places, into a window."""
    for word in range(2):
        cards = low if word == 0 else high
        while cards:
            store_one(obs, start + np.int64(t.dense[64 * word + lowest_bit(cards)]), is_float)
            cards &= cards - U(1)


@inner
def _fill(start: Any, number: Any, obs: Any, is_float: Any) -> None:
    """Write 1 for the first places of a window."""
    for i in range(number):
        store_one(obs, start + i, is_float)


@inner
def observe(t: Any, g: Any, seat: Any, obs: Any, is_float: Any) -> None:
    """Write what a seat sees of a game into the row that begins at the address `obs`, int8 or float32 (size,)."""
    clear(obs, t.obs_size * (4 if is_float else 1))
    window, players = t.window, t.num_players
    _mark(t, g.hands[seat, 0], g.hands[seat, 1], window[HAND], obs, is_float)
    place = np.int64(window[SLOTS])
    for word in range(2):
        cards = g.hands[seat, word]
        while cards:
            store_one(obs, place + 8 * word + (lowest_bit(cards) >> 3), is_float)
            place += t.num_values
            cards &= cards - U(1)
    is_top = g.top_category >= 0
    if is_top:
        _mark(t, g.top[0], g.top[1], window[TOP], obs, is_float)
        store_one(obs, window[PATTERN] + g.top_pattern, is_float)
        store_one(obs, window[SEAT] + (g.top_seat - seat + players) % players, is_float)
        if window[KEY] >= 0:
            store_one(obs, window[KEY] + (g.top_power % 64 >> 2), is_float)
    elif not g.bidding:
        store_one(obs, window[LEADING], is_float)
    if g.obligation[0] | g.obligation[1]:
        store_one(obs, window[OBLIGATION], is_float)
    if window[LEAD_OVER] >= 0:
        _mark(t, g.lead_over[0], g.lead_over[1], window[LEAD_OVER], obs, is_float)
    if window[PILE] >= 0:
        _fill(window[PILE], min(g.num_pile, t.deck_size - players * t.hand_size), obs, is_float)
    for distance in range(players):
        who = (seat + distance) % players
        if g.passed >> who & 1:
            store_one(obs, window[PASSED] + distance, is_float)
        _fill(window[LEFT] + distance * t.max_hand, g.held[who], obs, is_float)
        _mark(t, g.played[who, 0], g.played[who, 1], window[PLAYED] + distance * t.deck_size, obs, is_float)
        if window[WON] >= 0:
            _mark(t, g.captured[who, 0], g.captured[who, 1], window[WON] + distance * t.deck_size, obs, is_float)
        if t.auction:
            _fill(window[ACTED] + 2 * distance, min(g.acted[who], 2), obs, is_float)
    if t.auction == 0:
        return
    if g.bidding:
        store_one(obs, window[BIDDING], is_float)
    else:
        _mark(t, g.bottom[0], g.bottom[1], window[BOTTOM], obs, is_float)
    for i in range(g.num_said):
        distance = (g.said_seat[i] - seat + players) % players
        store_one(obs, window[SAID] + distance * t.said_values + g.said_value[i], is_float)
    _fill(window[REDEALS], min(g.num_redeals, t.deals - 1), obs, is_float)
    if g.landlord >= 0:
        store_one(obs, window[LANDLORD] + (g.landlord - seat + players) % players, is_float)
    stake, doublings = g.stake * g.factor, np.int64(0)
    while stake > 1:
        stake >>= 1
        doublings += 1
    _fill(window[MULTIPLIER], min(doublings, t.multiplier_steps), obs, is_float)


@inner
def write_mask(t: Any, ids: Any, count: Any, mask: Any) -> None:
    """Write legal ids as a mask into the row that begins at the address `mask`, int8 (num_actions,)."""
    clear(mask, t.num_actions)
    for k in range(count):
        store_byte(mask, np.int64(ids[k]), np.int8(1))
