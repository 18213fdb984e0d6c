"""Rule players in compiled form: who acts in play-outs and who sits beside a learner. Each picks one of the candidates."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.acts import GREEDY, HEURISTIC, LOWEST, RANDOM, is_cheaper
from big2_agents.compiled.combos import fewest_plays, find_combos
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_agents.compiled.plays import can_be_covered
from big2_agents.compiled.track import unseen_by
from big2_env.kernels.bits import below, inner, popcount, random_next
from big2_env.kernels.tables import Tables

WEIGHTS: Final = np.array([0.49, 0.53, 0.19, 0.025, 1.19, 0.24])
"""Of QUICK: for taking the lead, for a play nobody can cover, against each value above 8 spent, against each value when
leading, for stopping a player with at most two cards, for each card of a lead."""


@inner
def _greedy(t: Tables, g: Any, c: Any) -> Any:
    """Cover as cheaply as possible; lead the most cards, of those the weakest."""
    best = np.int64(0)
    for i in range(1, c.count):
        if c.row[i] >= 0 and is_cheaper(
            t, g.top_category < 0, c.mask[i], c.row[i], c.power[i], c.mask[best], c.row[best], c.power[best]
        ):
            best = np.int64(i)
    return best


@nb.njit(cache=True)
def quick_scores(t: Tables, g: Any, left: Any, c: Any, scores: Any) -> None:
    """Score the candidates: keep the plays to go few, spend high cards for control, stop players who are nearly out."""
    seat = g.turn
    hand = g.hands[seat]
    unseen = unseen_by(t, g, seat)
    find_combos(t, hand, c)
    leads = g.top_category < 0
    least = np.int64(52)
    for who in range(t.num_players):
        if who != seat:
            least = min(least, np.int64(left[who]))
    following = (seat + 1) % t.num_players
    for i in range(c.count):
        mask = c.mask[i]
        if mask == hand:
            scores[i] = 100.0
            continue
        score = -np.float64(fewest_plays(t, hand & ~mask, c))
        if mask:
            row = c.row[i]
            size = popcount(mask)
            value = np.float64((c.power[i] & 63) >> 2)
            certain = size > least and size > left[following]
            certain = certain or not can_be_covered(t, unseen, t.row_category[row], c.power[i], np.int64(52))
            if certain:
                score += WEIGHTS[1]
            score -= WEIGHTS[2] * max(0.0, value - 8.0)
            if leads:
                score += WEIGHTS[5] * size - WEIGHTS[3] * value
                if least <= 2 and size <= least and not certain:
                    score -= WEIGHTS[4] * (1.0 - value / 12.0) * 2.0
            else:
                score += WEIGHTS[0]
                if least <= 2:
                    score += WEIGHTS[4]
        scores[i] = score


@nb.njit(cache=True)
def choose(t: Tables, g: Any, left: Any, c: Any, policy: Any, h: Any) -> Any:
    """The candidate that a rule player picks for the seat to move.

    `c` holds its candidates, `left` the cards of each seat; `h` is a `heuristic_record`, or `NO_HEURISTIC` for other players.
    """
    if policy == RANDOM:
        g.rng, number = random_next(g.rng)
        return below(number, c.count)
    if policy == LOWEST:
        return np.int64(0)
    if policy == GREEDY:
        return _greedy(t, g, c)
    if policy == HEURISTIC:
        return choose_by_heuristic(t, g, left, c, h)
    quick_scores(t, g, left, c, c.score)
    best = np.int64(0)
    for i in range(1, c.count):
        if c.score[i] > c.score[best]:
            best = np.int64(i)
    return best
