"""The formula of the heuristic (`big2_agents.formula`) for every ruleset, from public information only.

The seat to move is that of a game record `g`, of which the hands of the others are not looked at; `left` has the cards that
each seat holds. `h` is a `heuristic_record`, `c` are candidates as `plays.find_acts` lists them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.acts import place_of_act
from big2_agents.compiled.bidding import score_call, strength, value_said
from big2_agents.compiled.decompositions import best_decomposition, best_hold, goes_out, refine, shown_of, think
from big2_agents.compiled.outlook import fed, prospect, prospect_of_act
from big2_agents.compiled.plays import act_id, find_acts
from big2_agents.compiled.track import are_partners
from big2_agents.formula import CERTAIN
from big2_env.kernels.compare import power_of
from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.cardsets import get, no_cards, rank_cards
from big2_env.kernels.dialect.features import BY_SLOTS, HAS_PARTS
from big2_env.kernels.dialect.kernel import either, kernel, when
from big2_env.kernels.legal import game_ids, read_action
from big2_env.kernels.optional_parts import is_bidding, landlord_of
from big2_env.kernels.settle import cost
from big2_env.kernels.tables import CAPTURED, Tables


@when(HAS_PARTS, otherwise=0.0)
def _trick_points(t: Tables, g: Any, cards: Any, hold: Any) -> Any:
    """The points that a play is expected to bring or to lose."""
    if t.settlement != CAPTURED:
        return 0.0
    points = _points(t, cards)
    return hold * (_points(t, get(g.trick, 0)) + points) - (1.0 - hold) * points


@kernel
def _points(t: Tables, cards: Any) -> Any:
    total = 0.0
    for value in range(t.num_values):
        total += t.points[value] * popcount(rank_cards(cards, value))
    return total


@kernel
def score_of_play(t: Tables, g: Any, h: Any, cards: Any, category: Any, power: Any) -> Any:
    """The score of a play of the seat to move. `think` comes first."""
    hand = get(g.hands, g.turn)
    hold, danger, sure = prospect_of_act(t, g, h, category, power)
    rest = shown_of(t, hand & ~cards)
    value, run = best_decomposition(t, h, rest)
    if sure and goes_out(t, h, rest):
        return CERTAIN + value
    run_out = 0.0 if h.pile else h.weights.run_out
    score = value + hold * (h.weights.lead + run_out * run)
    score += h.weights.hurry * popcount(cards) * h.nearest - danger
    if hold < 1.0:
        score += h.weights.again * (1.0 - hold) * best_hold(t, h, category, rest)
    if h.num_partners:
        score += h.weights.feed * fed(t, g, h, category, power)
    if h.weights.pay or h.weights.relief or h.weights.loss:
        left_to_pay = cost(t, hand & ~cards)
        score += (h.weights.pay * h.nearest + h.weights.relief) * (cost(t, hand) - left_to_pay)
        score -= h.weights.loss * danger * left_to_pay
    return score + h.weights.capture * _trick_points(t, g, cards, hold)


@kernel
def score_of_pass(t: Tables, g: Any, left: Any, h: Any) -> Any:
    """The score of passing. `think` comes first."""
    hand = get(g.hands, g.turn)
    score = best_decomposition(t, h, shown_of(t, hand))[0] + h.weights.patience
    score -= h.weights.cheap_lead * popcount(np.uint64(g.passed)) + h.weights.full * popcount(hand)
    if g.top_category >= 0 and g.top_seat >= 0 and left[g.top_seat]:
        hold, near = prospect(t, h, np.int64(g.top_category), np.int64(g.top_power))[0], 0.0
        if not h.pile:
            near = h.weights.near[left[g.top_seat]]
        if are_partners(g, g.turn, g.top_seat):
            if g.passed >> landlord_of(g) & 1:
                hold = 1.0  # nobody of the other team is asked again
            score += hold * (h.weights.partner + h.weights.alarm * near)
        else:
            score -= h.weights.alarm * hold * near
            if h.weights.loss:
                score -= h.weights.loss * h.weights.alarm * hold * near * cost(t, hand)
    return score


@kernel(entry=True)
def choose_by_heuristic(t: Tables, g: Any, left: Any, c: Any, h: Any) -> Any:
    """The candidate with the highest score, the first of equals as the ruleset lists them; scores are left in `c`.

    Kickers of candidates are chosen anew.
    """
    if is_bidding(t, g):
        return _choose_call(t, g, left, c, h)
    hand = get(g.hands, g.turn)
    if _goes_out_with(g):
        for i in range(c.count):
            if get(c.mask, i) == hand:
                return np.int64(i)
    think(t, g, left, h)
    best = np.int64(0)
    for i in range(c.count):
        refine(t, g, h, c, i)
        row, best_row = np.int64(c.row[i]), np.int64(c.row[best])
        if row >= 0:
            power = power_of(t, row, get(c.mask, i))
            c.score[i] = score_of_play(t, g, h, get(c.mask, i), np.int64(t.row_category[row]), power)
        else:
            c.score[i] = score_of_pass(t, g, left, h)
        ties = c.score[i] == c.score[best] and row >= 0 and best_row >= 0
        if c.score[i] > c.score[best] or (ties and t.row_place[row] < t.row_place[best_row]):
            best = np.int64(i)
    return best


@kernel
def _best_candidate(t: Tables, g: Any, left: Any, h: Any, scratch: Any) -> Any:
    c = h.candidates
    find_acts(t, g, c)
    chosen = choose_by_heuristic(t, g, left, c, h) if c.count > 1 else np.int64(0)
    return act_id(t, g, c, chosen)


@kernel
def _best_legal(t: Tables, g: Any, left: Any, h: Any, scratch: Any) -> Any:
    """The legal act with the highest score, the first of equals."""
    count = game_ids(t, g, scratch)
    hand, best, most, first = get(g.hands, g.turn), np.int64(scratch.ids[0]), 0.0, U(0)
    if count == 1:
        return best
    bids = is_bidding(t, g)
    if not bids and _goes_out_with(g):
        for i in range(count):
            if scratch.ids[i] and read_action(t, np.int64(scratch.ids[i]), hand)[0] == hand:
                return np.int64(scratch.ids[i])
    better = 0.0
    if bids:
        better = strength(t, g, left, h)
    else:
        think(t, g, left, h)
    for i in range(count):
        action = np.int64(scratch.ids[i])
        cards, row = no_cards(hand), np.int64(-1)
        if bids:
            score = score_call(t, g, h, better, value_said(t, action))
        elif action:
            cards, row = read_action(t, action, hand)
            score = score_of_play(t, g, h, cards, np.int64(t.row_category[row]), power_of(t, row, cards))
        else:
            score = score_of_pass(t, g, left, h)
        place = place_of_act(t, h, action, cards, row)
        if i == 0 or score > most or (score == most and place < first):
            best, most, first = action, score, place
    return best


heuristic_act = either(BY_SLOTS, _best_legal, _best_candidate)
"""(t, g, left, h, scratch): the id of the act that the heuristic makes for the seat to move.

By places all legal acts are scored, and of equals the first in the order of the legal list is made. By ranks the candidates
are."""


@when(HAS_PARTS, otherwise=True)
def _goes_out_with(g: Any) -> Any:
    """Whether the last card of a hand is the end of it: there is nothing to draw."""
    return g.num_pile == 0


@when(HAS_PARTS, otherwise=0)
def _choose_call(t: Tables, g: Any, left: Any, c: Any, h: Any) -> Any:
    best, better = np.int64(0), strength(t, g, left, h)
    for i in range(c.count):
        c.score[i] = score_call(t, g, h, better, value_said(t, np.int64(c.ids[i])))
        if c.score[i] > c.score[best]:
            best = np.int64(i)
    return best


@kernel(entry=True)
def score_acts(t: Tables, g: Any, left: Any, h: Any, cards: Any, categories: Any, powers: Any, scores: Any) -> None:
    """Score any legal acts of the seat to move into `scores`, float64 (N,).

    `cards` holds their cards, as a field of records; `categories` and `powers`, int64 (N,), are those of `Play`: a pass has the
    category -1, and in an auction the power is what is said.
    """
    if is_bidding(t, g):
        better = strength(t, g, left, h)
        for i in range(len(scores)):
            scores[i] = score_call(t, g, h, better, powers[i])
        return
    think(t, g, left, h)
    for i in range(len(scores)):
        if categories[i] >= 0:
            scores[i] = score_of_play(t, g, h, get(cards, i), categories[i], powers[i])
        else:
            scores[i] = score_of_pass(t, g, left, h)
