"""Features by rank, sized by the ruleset: for games of any deck, any number of seats, with or without their further parts.

What `feature_layout.rank_layout` lists is there in order. Seats count from the viewer. Numbers of cards, and most else, are
thermometers: as many entries are 1 as there are. Where suits may decide, the cards of the hand and the unseen ones are there
one by one too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.bidding import strength, value_said
from big2_agents.compiled.counts import NIBBLE, counts_of_cards
from big2_agents.compiled.decompositions import best_decomposition, shown_of
from big2_agents.compiled.feature_layout import (
    HIGHER,
    MAX_CATEGORIES,
    PILES,
    REST,
    SHARES,
    SKIPS,
    STAKES,
    STRENGTHS,
    VALUES,
)
from big2_agents.compiled.opinion import ends_hand
from big2_agents.compiled.outlook import covers_last
from big2_agents.compiled.plays import can_be_covered
from big2_agents.compiled.track import NOTHING, are_partners, unseen_by
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, rank_cards, without_lowest
from big2_env.kernels.dialect.features import BY_SLOTS, HAS_PARTS
from big2_env.kernels.dialect.kernel import clear, either, kernel, when
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import Tables


@kernel
def _thermometer(out: Any, i: Any, start: Any, number: Any, most: Any) -> None:
    for n in range(min(np.int64(number), np.int64(most))):
        out[i, start + n] = 1


@kernel
def _counts(t: Tables, f: Any, out: Any, i: Any, start: Any, cards: Any) -> None:
    """How many cards of each value, a thermometer of `f.most` entries each."""
    counts = counts_of_cards(t, cards)
    for value in range(t.num_values):
        _thermometer(out, i, start + f.most * value, counts >> U(4 * value) & NIBBLE, f.most)


@kernel
def _cards(f: Any, out: Any, i: Any, start: Any, cards: Any) -> None:
    """The cards one by one, in games in which suits may decide."""
    if f.by_suit:
        while cards:
            out[i, start + lowest_bit(cards)] = 1
            cards = without_lowest(cards)


@kernel
def _points(t: Tables, cards: Any) -> Any:
    total = 0.0
    for value in range(t.num_values):
        total += t.points[value] * popcount(rank_cards(cards, value))
    return total


@kernel
def _share(f: Any, out: Any, i: Any, start: Any, points: Any) -> None:
    """Points, a thermometer of `SHARES` entries for all that there are."""
    if f.points > 0.0:
        for n in range(SHARES):
            if points * SHARES > f.points * n:
                out[i, start + n] = 1


@kernel(entry=True)
def write_rank_state(t: Tables, g: Any, k: Any, f: Any, out: Any, i: Any) -> None:
    """Write what the seat to move sees into row `i` of `out`, int8 (N, f.state_size)."""
    clear(out, i)
    seat, players, values = np.int64(g.turn), t.num_players, t.num_values
    hand, unseen = get(g.hands, seat), unseen_by(t, g, seat)
    _counts(t, f, out, i, f.s_hand, hand)
    _cards(f, out, i, f.s_hand_cards, hand)
    _counts(t, f, out, i, f.s_unseen, unseen)
    _cards(f, out, i, f.s_unseen_cards, unseen)
    for distance in range(players):
        who = (seat + distance) % players
        _thermometer(out, i, f.s_left + f.hand * distance, k.left[who], f.hand)
        if distance:
            other = distance - 1
            _counts(t, f, out, i, f.s_played + f.most * values * other, get(g.played, who))
            out[i, f.s_passed + other] = g.passed >> who & 1
            _write_memory(k, f, values, out, i, who, other)
    if g.top_category >= 0:
        top = get(g.top, 0)
        out[i, f.s_top_category + g.top_category] = 1
        out[i, f.s_top_value + ((g.top_power & 63) >> 2)] = 1
        _thermometer(out, i, f.s_top_size, popcount(top), f.sizes)
        if f.by_suit:
            out[i, f.s_top_suit + (g.top_power & 3)] = 1
        out[i, f.s_top_seat + (g.top_seat - seat + players) % players] = 1
    elif not is_bidding(t, g):
        out[i, f.s_leading] = 1
    if get(g.obligation, 0):
        out[i, f.s_opening] = 1
    _write_parts(t, g, f, out, i)


@kernel
def _write_memory(k: Any, f: Any, values: Any, out: Any, i: Any, who: Any, other: Any) -> None:
    """What is remembered of a seat."""
    if k.last_pattern[who] >= 0:
        out[i, f.s_last_pattern + f.patterns * other + k.last_pattern[who]] = 1
        out[i, f.s_last_value + values * other + k.last_value[who]] = 1
    for category in range(MAX_CATEGORIES):
        power = k.passed_on[who, category]
        if power != NOTHING:
            out[i, f.s_passed_on + values * (MAX_CATEGORIES * other + category) + ((power & 63) >> 2)] = 1
        out[i, f.s_led + MAX_CATEGORIES * other + category] = k.led[who] >> category & 1
    for category in range(SKIPS):
        for value in range(values):
            out[i, f.s_skipped + values * (SKIPS * other + category) + value] = k.skipped[who, category] >> value & 1


@when(HAS_PARTS)
def _write_parts(t: Tables, g: Any, f: Any, out: Any, i: Any) -> None:
    """What only some games have."""
    seat, players = np.int64(g.turn), t.num_players
    if t.auction:
        out[i, f.s_bidding] = g.bidding
        for n in range(g.num_said):
            who = (g.said_seat[n] - seat + players) % players
            out[i, f.s_calls + (f.said + 1) * who + g.said_value[n]] = 1
        if g.landlord >= 0:
            out[i, f.s_landlord + (g.landlord - seat + players) % players] = 1
            _thermometer(out, i, f.s_once, g.acted[g.landlord] == 1, 1)
            if g.landlord != seat:
                _counts(t, f, out, i, f.s_known, get(g.bottom, 0) & unseen_by(t, g, seat))
        for distance in range(players):
            out[i, f.s_acted + distance] = g.acted[(seat + distance) % players] > 0
        stake, steps = g.stake * g.factor, 0
        while stake > 1 and steps < STAKES:
            out[i, f.s_stake + steps] = 1
            stake, steps = stake >> 1, steps + 1
    if t.refill:
        _thermometer(out, i, f.s_pile, (g.num_pile * PILES + t.deck_size - 1) // t.deck_size, PILES)
    if f.points > 0.0:
        _share(f, out, i, f.s_trick, _points(t, get(g.trick, 0)))
        for distance in range(players):
            captured = get(g.captured, (seat + distance) % players)
            _share(f, out, i, f.s_captured + SHARES * distance, _points(t, captured))
    if g.lead_category >= 0:
        out[i, f.s_lock_category + g.lead_category] = 1
        out[i, f.s_lock_value + ((g.lead_power & 63) >> 2)] = 1


@kernel
def _all_cards(t: Tables, row: Any, cards: Any) -> Any:
    return counts_of_cards(t, cards)


@kernel
def _row_body(t: Tables, row: Any, cards: Any) -> Any:
    return t.row_body[U(row)]


_body_of = either(BY_SLOTS, _all_cards, _row_body)
"""(t, row, cards): a play without its kickers, as numbers by value."""


@kernel(entry=True)
def write_rank_plays(t: Tables, g: Any, k: Any, c: Any, h: Any, f: Any, best: Any, out: Any, start: Any) -> None:
    """Write the candidates in `c` into rows `start`, ... of `out`, int8 (M, f.play_size), but for the opinion on them.

    `best` is what `choose_by_heuristic` gave just before, with the `heuristic_record` `h`.
    """
    seat, players = np.int64(g.turn), t.num_players
    hand, unseen = get(g.hands, seat), unseen_by(t, g, seat)
    bids, is_thought = is_bidding(t, g), not is_bidding(t, g) and not ends_hand(t, g, c, best)
    most = np.int64(0)
    for who in range(players):
        if who != seat and not are_partners(g, seat, who):
            most = max(most, np.int64(k.left[who]))
    better = strength(t, g, k.left, h) if bids else 0.0
    for j in range(c.count):
        i = start + j
        clear(out, i)
        if bids:
            out[i, f.p_call + value_said(t, np.int64(c.ids[j]))] = 1
            for n in range(len(STRENGTHS)):
                if better > STRENGTHS[n]:
                    out[i, f.p_strength + n] = 1
            continue
        cards = get(c.mask, j)
        rest = hand & ~cards
        left = popcount(rest)
        _thermometer(out, i, f.p_left, left, f.hand)
        counts = counts_of_cards(t, rest)
        for value in range(t.num_values):
            held = min(np.int64(counts >> U(4 * value) & NIBBLE), np.int64(REST))
            if held:
                out[i, f.p_rest + REST * value + held - 1] = 1
        if is_thought:
            rest_value = best_decomposition(t, h, shown_of(t, rest))[0]
            for n in range(len(VALUES)):
                if rest_value > VALUES[n]:
                    out[i, f.p_worth + n] = 1
        if not left:
            out[i, f.p_last] = 1
        if c.row[j] < 0:
            out[i, f.p_pass] = 1
        else:
            _write_play(t, g, k, f, np.int64(c.row[j]), np.int64(c.power[j]), cards, unseen, most, out, i)


@kernel
def _write_play(
    t: Tables, g: Any, k: Any, f: Any, row: Any, power: Any, cards: Any, unseen: Any, most: Any, out: Any, i: Any
) -> None:
    """What a play is, and who may answer it; at most `most` cards are in an opponent's hand."""
    seat, players = np.int64(g.turn), t.num_players
    category, value, size = np.int64(t.row_category[row]), np.int64(t.row_key[row]), np.int64(popcount(cards))
    out[i, f.p_category + category] = 1
    out[i, f.p_pattern + t.row_pattern[row]] = 1
    _thermometer(out, i, f.p_size, size, f.sizes)
    out[i, f.p_value + value] = 1
    if t.row_step[row]:
        out[i, f.p_suit + (power & 3)] = 1
    body, ranks = _body_of(t, row, cards), np.int64(0)
    kickers = counts_of_cards(t, cards) - body
    for v in range(t.num_values):
        held = np.int64(body >> U(4 * v) & NIBBLE)
        ranks += held > 0
        out[i, f.p_body + v] = held
        out[i, f.p_kickers + v] = np.int64(kickers >> U(4 * v) & NIBBLE)
    if ranks == 1:
        above = np.int64(0)
        for v in range(value + 1, t.num_values):
            above += popcount(rank_cards(unseen, v))
        for n in range(len(HIGHER)):
            if above > HIGHER[n]:
                out[i, f.p_higher + n] = 1
    out[i, f.p_bomb] = t.bomb[category] > 0
    out[i, f.p_unanswered] = size > most
    out[i, f.p_certain] = not can_be_covered(t, unseen, category, power, most)
    for distance in range(1, players):
        who = (seat + distance) % players
        if k.left[who] == size:
            is_partner = are_partners(g, seat, who)
            if distance == 1:
                out[i, f.p_next_out] = 1
            if is_partner:
                out[i, f.p_partner_out] = 1
            else:
                out[i, f.p_enemy_out] = 1
    out[i, f.p_over_partner] = g.top_category >= 0 and are_partners(g, seat, g.top_seat)
    out[i, f.p_locks] = g.top_category < 0 and covers_last(t, g, category, power)
    _share(f, out, i, f.p_points, _points(t, cards))


@kernel(entry=True)
def write_rank_hidden(t: Tables, g: Any, f: Any, out: Any, i: Any) -> None:
    """Write the hands of the others into row `i` of `out`, int8 (N, f.hidden_size): for a critic, in training only."""
    clear(out, i)
    entries = f.most * t.num_values
    for other in range(t.num_players - 1):
        hand = get(g.hands, (g.turn + 1 + other) % t.num_players)
        _counts(t, f, out, i, f.h_hands + entries * other, hand)
        _cards(f, out, i, f.h_hands_cards + entries * other, hand)
    _write_bottom(t, g, f, out, i)


@when(HAS_PARTS)
def _write_bottom(t: Tables, g: Any, f: Any, out: Any, i: Any) -> None:
    """The cards that wait for the landlord."""
    if t.auction and g.bidding:
        _counts(t, f, out, i, f.h_bottom, get(g.bottom, 0))
