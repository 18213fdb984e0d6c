"""The formula of the heuristic (`big2_agents.formula`) for every ruleset, from public information only.

The seat to move is that of a game record `game`, of which the hands of the others are not looked at; `left` has the cards that
each seat holds. `heur` is a `heuristic_record`, `cand` are candidates as `plays.find_acts` lists them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.formula import CERTAIN
from big2_agents.kernels.acts import place_of_act
from big2_agents.kernels.bidding import score_call, strength, value_said
from big2_agents.kernels.counts import points_of
from big2_agents.kernels.decompositions import as_parts, best_decomposition, best_hold, goes_out, open_decision, pick_kickers
from big2_agents.kernels.outlook import partner_out_chance, prospect, prospect_of_act
from big2_agents.kernels.plays import act_id, find_acts
from big2_agents.kernels.track import are_partners
from big2_env.kernels.compare import power_of
from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.cardsets import get, no_cards
from big2_env.kernels.dialect.features import BY_SLOTS, HAS_PARTS
from big2_env.kernels.dialect.kernel import either, kernel, when
from big2_env.kernels.legal import game_ids, read_action
from big2_env.kernels.optional_parts import is_bidding, landlord_of
from big2_env.kernels.settle import cost
from big2_env.kernels.tables import CAPTURED, Tables


@when(HAS_PARTS, otherwise=0.0)
def _trick_points(tab: Tables, game: Any, cards: Any, hold: Any) -> Any:
    """The points that a play is expected to bring or to lose."""
    if tab.settlement != CAPTURED:
        return 0.0
    points = points_of(tab, cards)
    return hold * (points_of(tab, get(game.trick, 0)) + points) - (1.0 - hold) * points


@kernel
def score_of_play(tab: Tables, game: Any, heur: Any, cards: Any, category: Any, power: Any) -> Any:
    """The score of a play of the seat to move. `open_decision` comes first."""
    hand = get(game.hands, game.turn)
    hold, danger, sure = prospect_of_act(tab, game, heur, category, power)
    rest = as_parts(tab, hand & ~cards)
    value, run = best_decomposition(tab, heur, rest)
    if sure and goes_out(tab, heur, rest):
        return CERTAIN + value
    run_out = 0.0 if heur.pile else heur.weights.run_out
    score = value + hold * (heur.weights.lead + run_out * run)
    score += heur.weights.hurry * popcount(cards) * heur.nearest - danger
    if hold < 1.0:
        score += heur.weights.again * (1.0 - hold) * best_hold(tab, heur, category, rest)
    if heur.num_partners:
        score += heur.weights.feed * partner_out_chance(tab, game, heur, category, power)
    if heur.weights.pay or heur.weights.relief or heur.weights.loss:
        left_to_pay = cost(tab, hand & ~cards)
        score += (heur.weights.pay * heur.nearest + heur.weights.relief) * (cost(tab, hand) - left_to_pay)
        score -= heur.weights.loss * danger * left_to_pay
    return score + heur.weights.capture * _trick_points(tab, game, cards, hold)


@kernel
def score_of_pass(tab: Tables, game: Any, left: Any, heur: Any) -> Any:
    """The score of passing. `open_decision` comes first."""
    hand = get(game.hands, game.turn)
    score = best_decomposition(tab, heur, as_parts(tab, hand))[0] + heur.weights.patience
    score -= heur.weights.cheap_lead * popcount(np.uint64(game.passed)) + heur.weights.full * popcount(hand)
    if game.top_category >= 0 and game.top_seat >= 0 and left[game.top_seat]:
        hold, near = prospect(tab, heur, np.int64(game.top_category), np.int64(game.top_power))[0], 0.0
        if not heur.pile:
            near = heur.weights.near[left[game.top_seat]]
        if are_partners(game, game.turn, game.top_seat):
            if game.passed >> landlord_of(game) & 1:
                hold = 1.0  # nobody of the other team is asked again
            score += hold * (heur.weights.partner + heur.weights.alarm * near)
        else:
            score -= heur.weights.alarm * hold * near
            if heur.weights.loss:
                score -= heur.weights.loss * heur.weights.alarm * hold * near * cost(tab, hand)
    return score


@kernel(entry=True)
def choose_by_heuristic(tab: Tables, game: Any, left: Any, cand: Any, heur: Any) -> Any:
    """The candidate with the highest score, the first of equals as the ruleset lists them; scores are left in `cand`.

    Kickers of candidates are chosen anew.
    """
    if is_bidding(tab, game):
        return _choose_call(tab, game, left, cand, heur)
    hand = get(game.hands, game.turn)
    if _goes_out_with(game):
        for i in range(cand.count):
            if get(cand.mask, i) == hand:
                return np.int64(i)
    open_decision(tab, game, left, heur)
    best = np.int64(0)
    for i in range(cand.count):
        pick_kickers(tab, game, heur, cand, i)
        row, best_row = np.int64(cand.row[i]), np.int64(cand.row[best])
        if row >= 0:
            power = power_of(tab, row, get(cand.mask, i))
            cand.score[i] = score_of_play(tab, game, heur, get(cand.mask, i), np.int64(tab.row_category[row]), power)
        else:
            cand.score[i] = score_of_pass(tab, game, left, heur)
        ties = cand.score[i] == cand.score[best] and row >= 0 and best_row >= 0
        if cand.score[i] > cand.score[best] or (ties and tab.row_place[row] < tab.row_place[best_row]):
            best = np.int64(i)
    return best


@kernel
def _best_candidate(tab: Tables, game: Any, left: Any, heur: Any, scratch: Any) -> Any:
    cand = heur.candidates
    find_acts(tab, game, cand)
    chosen = choose_by_heuristic(tab, game, left, cand, heur) if cand.count > 1 else np.int64(0)
    return act_id(tab, game, cand, chosen)


@kernel
def _best_legal(tab: Tables, game: Any, left: Any, heur: Any, scratch: Any) -> Any:
    """The legal act with the highest score, the first of equals."""
    count = game_ids(tab, game, scratch)
    hand, best, most, first = get(game.hands, game.turn), np.int64(scratch.ids[0]), 0.0, U(0)
    if count == 1:
        return best
    bids = is_bidding(tab, game)
    if not bids and _goes_out_with(game):
        for i in range(count):
            if scratch.ids[i] and read_action(tab, np.int64(scratch.ids[i]), hand)[0] == hand:
                return np.int64(scratch.ids[i])
    better = 0.0
    if bids:
        better = strength(tab, game, left, heur)
    else:
        open_decision(tab, game, left, heur)
    for i in range(count):
        action = np.int64(scratch.ids[i])
        cards, row = no_cards(hand), np.int64(-1)
        if bids:
            score = score_call(tab, game, heur, better, value_said(tab, action))
        elif action:
            cards, row = read_action(tab, action, hand)
            score = score_of_play(tab, game, heur, cards, np.int64(tab.row_category[row]), power_of(tab, row, cards))
        else:
            score = score_of_pass(tab, game, left, heur)
        place = place_of_act(tab, heur, action, cards, row)
        if i == 0 or score > most or (score == most and place < first):
            best, most, first = action, score, place
    return best


heuristic_act = either(BY_SLOTS, _best_legal, _best_candidate)
"""(tab, game, left, heur, scratch): the id of the act that the heuristic makes for the seat to move.

By places all legal acts are scored, and of equals the first in the order of the legal list is made. By ranks the candidates
are."""


@when(HAS_PARTS, otherwise=True)
def _goes_out_with(game: Any) -> Any:
    """Whether the last card of a hand is the end of it: there is nothing to draw."""
    return game.num_pile == 0


@when(HAS_PARTS, otherwise=0)
def _choose_call(tab: Tables, game: Any, left: Any, cand: Any, heur: Any) -> Any:
    best, better = np.int64(0), strength(tab, game, left, heur)
    for i in range(cand.count):
        cand.score[i] = score_call(tab, game, heur, better, value_said(tab, np.int64(cand.ids[i])))
        if cand.score[i] > cand.score[best]:
            best = np.int64(i)
    return best


@kernel(entry=True)
def score_acts(tab: Tables, game: Any, left: Any, heur: Any, cards: Any, categories: Any, powers: Any, scores: Any) -> None:
    """Score any legal acts of the seat to move into `scores`, float64 (N,).

    `cards` holds their cards, as a field of records; `categories` and `powers`, int64 (N,), are those of `Play`: a pass has the
    category -1, and in an auction the power is what is said.
    """
    if is_bidding(tab, game):
        better = strength(tab, game, left, heur)
        for i in range(len(scores)):
            scores[i] = score_call(tab, game, heur, better, powers[i])
        return
    open_decision(tab, game, left, heur)
    for i in range(len(scores)):
        if categories[i] >= 0:
            scores[i] = score_of_play(tab, game, heur, get(cards, i), categories[i], powers[i])
        else:
            scores[i] = score_of_pass(tab, game, left, heur)
