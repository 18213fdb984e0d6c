"""Features by rank, for any deck, number of seats and optional parts; their sizes depend on the ruleset.

`feature_layout.rank_layout` lists the parts in order. Seats count from the viewer. Numbers of cards and most other numbers are
thermometers: the number n is n entries of 1. If suits may decide, the cards of the hand and the unseen cards are also given one
by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.beat_odds import beats_last
from big2_agents.kernels.feature_layout import (
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
from big2_agents.kernels.heuristic import as_parts, best_decomposition, ends_hand, strength, value_said
from big2_agents.kernels.plays import NIBBLE, can_be_beaten, counts_of_cards
from big2_agents.kernels.track import NOTHING, are_partners, unseen_by
from big2_env.kernels.dialect import BY_SLOTS, HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, rank_cards, without_lowest
from big2_env.kernels.dialect.kernel import clear, kernel, specialize, specialized
from big2_env.kernels.optional_extras import is_bidding, points_of
from big2_env.kernels.tables import Tables


@kernel
def _thermometer(out: Any, i: Any, start: Any, number: Any, most: Any) -> None:
    for n in range(min(np.int64(number), np.int64(most))):
        out[i, start + n] = 1


@kernel
def _counts(tab: Tables, feats: Any, out: Any, i: Any, start: Any, cards: Any) -> None:
    """Write the number of cards of each value as thermometers of `feats.most` entries."""
    counts = counts_of_cards(tab, cards)
    for value in range(tab.num_values):
        _thermometer(out, i, start + feats.most * value, counts >> U(4 * value) & NIBBLE, feats.most)


@kernel
def _cards(feats: Any, out: Any, i: Any, start: Any, cards: Any) -> None:
    """Write the cards one by one, in games in which suits may decide."""
    if feats.by_suit:
        while cards:
            out[i, start + lowest_bit(cards)] = 1
            cards = without_lowest(cards)


@kernel
def _share(feats: Any, out: Any, i: Any, start: Any, points: Any) -> None:
    """Write points as a thermometer of `SHARES` entries for the total."""
    if feats.points > 0.0:
        for n in range(SHARES):
            if points * SHARES > feats.points * n:
                out[i, start + n] = 1


@kernel
def write_rank_state(tab: Tables, game: Any, track: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the view of the seat to move into row `i` of `out`, int8 (N, feats.state_size)."""
    clear(out, i)
    seat, players, values = np.int64(game.turn), tab.num_players, tab.num_values
    hand, unseen = get(game.hands, seat), unseen_by(tab, game, seat)
    _counts(tab, feats, out, i, feats.s_hand, hand)
    _cards(feats, out, i, feats.s_hand_cards, hand)
    _counts(tab, feats, out, i, feats.s_unseen, unseen)
    _cards(feats, out, i, feats.s_unseen_cards, unseen)
    for distance in range(players):
        who = (seat + distance) % players
        _thermometer(out, i, feats.s_left + feats.hand * distance, track.left[who], feats.hand)
        if distance:
            other = distance - 1
            _counts(tab, feats, out, i, feats.s_played + feats.most * values * other, get(game.played, who))
            out[i, feats.s_passed + other] = game.passed >> who & 1
            _write_memory(track, feats, values, out, i, who, other)
    if 0 <= game.top_category < feats.categories:
        top = get(game.top, 0)
        out[i, feats.s_top_category + game.top_category] = 1
        out[i, feats.s_top_value + ((game.top_power & 63) >> 2)] = 1
        _thermometer(out, i, feats.s_top_size, popcount(top), feats.sizes)
        if feats.by_suit:
            out[i, feats.s_top_suit + (game.top_power & 3)] = 1
        out[i, feats.s_top_seat + (game.top_seat - seat + players) % players] = 1
    elif not is_bidding(tab, game):
        out[i, feats.s_leading] = 1
    if get(game.obligation, 0):
        out[i, feats.s_opening] = 1
    _write_parts(tab, game, feats, out, i)


@kernel
def _write_memory(track: Any, feats: Any, values: Any, out: Any, i: Any, who: Any, other: Any) -> None:
    """Write the public memory of a seat."""
    if 0 <= track.last_pattern[who] < feats.patterns:
        out[i, feats.s_last_pattern + feats.patterns * other + track.last_pattern[who]] = 1
        out[i, feats.s_last_value + values * other + track.last_value[who]] = 1
    for category in range(MAX_CATEGORIES):
        power = track.passed_on[who, category]
        if power != NOTHING:
            out[i, feats.s_passed_on + values * (MAX_CATEGORIES * other + category) + ((power & 63) >> 2)] = 1
        out[i, feats.s_led + MAX_CATEGORIES * other + category] = track.led[who] >> category & 1
    for category in range(SKIPS):
        for value in range(values):
            out[i, feats.s_skipped + values * (SKIPS * other + category) + value] = track.skipped[who, category] >> value & 1


@specialized(HAS_EXTRAS)
def _write_parts(tab: Tables, game: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the features of optional parts."""
    seat, players = np.int64(game.turn), tab.num_players
    if tab.auction:
        out[i, feats.s_bidding] = game.bidding
        for n in range(game.num_said):
            who = (game.said_seat[n] - seat + players) % players
            out[i, feats.s_calls + (feats.said + 1) * who + game.said_value[n]] = 1
        if game.landlord >= 0:
            out[i, feats.s_landlord + (game.landlord - seat + players) % players] = 1
            _thermometer(out, i, feats.s_once, game.acted[game.landlord] == 1, 1)
            if game.landlord != seat:
                _counts(tab, feats, out, i, feats.s_known, get(game.bottom, 0) & unseen_by(tab, game, seat))
        for distance in range(players):
            out[i, feats.s_acted + distance] = game.acted[(seat + distance) % players] > 0
        stake, steps = game.stake * game.factor, 0
        while stake > 1 and steps < STAKES:
            out[i, feats.s_stake + steps] = 1
            stake, steps = stake >> 1, steps + 1
    if tab.refill:
        _thermometer(out, i, feats.s_pile, (game.num_pile * PILES + tab.deck_size - 1) // tab.deck_size, PILES)
    if feats.points > 0.0:
        _share(feats, out, i, feats.s_trick, points_of(tab, get(game.trick, 0)))
        for distance in range(players):
            captured = get(game.captured, (seat + distance) % players)
            _share(feats, out, i, feats.s_captured + SHARES * distance, points_of(tab, captured))
    if game.lead_category >= 0:
        out[i, feats.s_lock_category + game.lead_category] = 1
        out[i, feats.s_lock_value + ((game.lead_power & 63) >> 2)] = 1


@kernel
def _all_cards(tab: Tables, row: Any, cards: Any) -> Any:
    return counts_of_cards(tab, cards)


@kernel
def _row_body(tab: Tables, row: Any, cards: Any) -> Any:
    return tab.row_body[U(row)]


_body_of = specialize(BY_SLOTS, _all_cards, _row_body)
"""(tab, row, cards): a play without its kickers, as counts by value."""


@kernel
def write_rank_plays(
    tab: Tables, game: Any, track: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any
) -> None:
    """Write the candidates in `cand` into rows `start`, ... of `out`, without the heuristic's scores.

    `out` is int8 (M, feats.play_size). `best` is the result of `choose_by_heuristic` just before, with the same `heur`.
    """
    seat, players = np.int64(game.turn), tab.num_players
    hand, unseen = get(game.hands, seat), unseen_by(tab, game, seat)
    bids, is_thought = is_bidding(tab, game), not is_bidding(tab, game) and not ends_hand(tab, game, cand, best)
    most = np.int64(0)
    for who in range(players):
        if who != seat and not are_partners(game, seat, who):
            most = max(most, np.int64(track.left[who]))
    better = strength(tab, game, track.left, heur) if bids else 0.0
    for j in range(cand.count):
        i = start + j
        clear(out, i)
        if bids:
            out[i, feats.p_call + value_said(tab, np.int64(cand.ids[j]))] = 1
            for n in range(len(STRENGTHS)):
                if better > STRENGTHS[n]:
                    out[i, feats.p_strength + n] = 1
            continue
        cards = get(cand.mask, j)
        rest = hand & ~cards
        left = popcount(rest)
        _thermometer(out, i, feats.p_left, left, feats.hand)
        counts = counts_of_cards(tab, rest)
        for value in range(tab.num_values):
            held = min(np.int64(counts >> U(4 * value) & NIBBLE), np.int64(REST))
            if held:
                out[i, feats.p_rest + REST * value + held - 1] = 1
        if is_thought:
            rest_value = best_decomposition(tab, heur, as_parts(tab, rest))[0]
            for n in range(len(VALUES)):
                if rest_value > VALUES[n]:
                    out[i, feats.p_worth + n] = 1
        if not left:
            out[i, feats.p_last] = 1
        if cand.row[j] < 0:
            out[i, feats.p_pass] = 1
        else:
            _write_play(tab, game, track, feats, np.int64(cand.row[j]), np.int64(cand.power[j]), cards, unseen, most, out, i)


@kernel
def _write_play(
    tab: Tables, game: Any, track: Any, feats: Any, row: Any, power: Any, cards: Any, unseen: Any, most: Any, out: Any, i: Any
) -> None:
    """Write the shape of a play and its possible answers; `most` is the largest number of cards in an opponent's hand."""
    seat, players = np.int64(game.turn), tab.num_players
    category, value, size = np.int64(tab.row_category[row]), np.int64(tab.row_key[row]), np.int64(popcount(cards))
    if category < feats.categories:
        out[i, feats.p_category + category] = 1
        out[i, feats.p_pattern + tab.row_pattern[row]] = 1
    _thermometer(out, i, feats.p_size, size, feats.sizes)
    out[i, feats.p_value + value] = 1
    if tab.row_step[row]:
        out[i, feats.p_suit + (power & 3)] = 1
    body, ranks = _body_of(tab, row, cards), np.int64(0)
    kickers = counts_of_cards(tab, cards) - body
    for v in range(tab.num_values):
        held = np.int64(body >> U(4 * v) & NIBBLE)
        ranks += held > 0
        out[i, feats.p_body + v] = held
        out[i, feats.p_kickers + v] = np.int64(kickers >> U(4 * v) & NIBBLE)
    if ranks == 1:
        above = np.int64(0)
        for v in range(value + 1, tab.num_values):
            above += popcount(rank_cards(unseen, v))
        for n in range(len(HIGHER)):
            if above > HIGHER[n]:
                out[i, feats.p_higher + n] = 1
    out[i, feats.p_bomb] = tab.bomb[category] > 0
    out[i, feats.p_unanswered] = size > most
    out[i, feats.p_certain] = not can_be_beaten(tab, unseen, category, power, most)
    for distance in range(1, players):
        who = (seat + distance) % players
        if track.left[who] == size:
            is_partner = are_partners(game, seat, who)
            if distance == 1:
                out[i, feats.p_next_out] = 1
            if is_partner:
                out[i, feats.p_partner_out] = 1
            else:
                out[i, feats.p_enemy_out] = 1
    out[i, feats.p_over_partner] = game.top_category >= 0 and are_partners(game, seat, game.top_seat)
    out[i, feats.p_locks] = game.top_category < 0 and beats_last(tab, game, category, power)
    _share(feats, out, i, feats.p_points, points_of(tab, cards))


@kernel
def write_rank_hidden(tab: Tables, game: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the other hands into row `i` of `out`, int8 (N, feats.hidden_size); only a critic in training may see them."""
    clear(out, i)
    entries = feats.most * tab.num_values
    for other in range(tab.num_players - 1):
        hand = get(game.hands, (game.turn + 1 + other) % tab.num_players)
        _counts(tab, feats, out, i, feats.h_hands + entries * other, hand)
        _cards(feats, out, i, feats.h_hands_cards + entries * other, hand)
    _write_bottom(tab, game, feats, out, i)


@specialized(HAS_EXTRAS)
def _write_bottom(tab: Tables, game: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the cards reserved for the landlord."""
    if tab.auction and game.bidding:
        _counts(tab, feats, out, i, feats.h_bottom, get(game.bottom, 0))
