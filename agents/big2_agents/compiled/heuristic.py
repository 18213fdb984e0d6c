"""`big2_agents.heuristic` compiled: the same scores, to the last bit, some hundred times as fast."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_agents.compiled.outlook import look_out, prospect
from big2_agents.compiled.partings import best_parting, part_hand
from big2_agents.compiled.track import unseen_by
from big2_agents.heuristic import CERTAIN
from big2_env.kernels.bits import U, lowest_bit, popcount
from big2_env.kernels.compare import power_of
from big2_env.kernels.legal_slots import row_of
from big2_env.kernels.tables import Tables


@nb.njit(cache=True)
def think(t: Tables, g: Any, left: Any, h: Any) -> None:
    """Everything that the acts of the seat to move share. `left` holds the cards of each seat."""
    look_out(t, g, left, unseen_by(t, g, g.turn), h)
    part_hand(t, h, g.hands[g.turn])


@nb.njit(cache=True)
def score_of_play(t: Tables, h: Any, hand: Any, cards: Any, row: Any, power: Any) -> Any:
    """The score of a play."""
    category = t.row_category[row]
    hold, _, danger, sure = prospect(t, h, category, power)
    rest = hand & ~cards
    value, run = best_parting(t, h, rest)
    if sure and _goes_out(t, h, rest):
        return CERTAIN + value
    score = value + hold * (h.lead + h.run_out * run)
    score += h.hurry * popcount(cards) * h.nearest - danger
    if hold < 1.0:
        score += h.again * (1.0 - hold) * _best_hold(h, category, rest)
    return score


@nb.njit(cache=True)
def score_of_pass(t: Tables, g: Any, left: Any, h: Any) -> Any:
    """The score of passing."""
    score = best_parting(t, h, g.hands[g.turn])[0] + h.patience - h.cheap_lead * popcount(U(g.passed))
    if g.top_category >= 0 and g.top_seat >= 0 and left[g.top_seat]:
        score -= h.alarm * prospect(t, h, np.int64(g.top_category), np.int64(g.top_power))[0] * h.near[left[g.top_seat]]
    return score


@nb.njit(cache=True)
def _best_hold(h: Any, category: Any, cards: Any) -> Any:
    """The best hold of a play of a category that these cards have, 0 without one."""
    best = 0.0
    for i in range(h.num_plays):
        if h.play_category[i] == category and h.play_hold[i] > best and not h.play[i] & ~cards:
            best = h.play_hold[i]
    return best


@nb.njit(cache=True)
def _goes_out(t: Tables, h: Any, cards: Any) -> Any:
    """Whether these cards are plays of which at most one can be covered: a search through those with the lowest card left."""
    if row_of(t, cards) >= 0:
        return True
    if not h.sure & cards:
        return False
    depth = 0
    h.stack_cards[0], h.stack_next[0], h.stack_spent[0] = cards, 0, 0
    while depth >= 0:
        cards, spent = h.stack_cards[depth], h.stack_spent[depth]
        unsure = cards & ~h.sure
        lowest = U(1) << U(lowest_bit(unsure if unsure else cards))
        found = -1
        if not (spent and unsure):
            for i in range(h.stack_next[depth], h.num_plays):
                if h.play[i] & lowest and not h.play[i] & ~cards and (h.play_sure[i] or not spent):
                    found = i
                    break
        if found < 0:
            depth -= 1
            continue
        if h.play[found] == cards:
            return True
        h.stack_next[depth] = found + 1
        depth += 1
        h.stack_cards[depth] = cards ^ h.play[found]
        h.stack_next[depth] = 0
        h.stack_spent[depth] = 1 if spent or not h.play_sure[found] else 0
    return False


@nb.njit(cache=True)
def choose_by_heuristic(t: Tables, g: Any, left: Any, c: Any, h: Any) -> Any:
    """The candidate with the highest score, the first of equals as the reference lists them; scores are left in `c`."""
    hand = g.hands[g.turn]
    for i in range(c.count):
        if c.mask[i] == hand:
            return np.int64(i)
    think(t, g, left, h)
    best = np.int64(0)
    for i in range(c.count):
        if c.mask[i]:
            c.score[i] = score_of_play(t, h, hand, c.mask[i], np.int64(c.row[i]), np.int64(c.power[i]))
        else:
            c.score[i] = score_of_pass(t, g, left, h)
        row, best_row = c.row[i], c.row[best]
        ties = c.score[i] == c.score[best] and row >= 0 and best_row >= 0
        if c.score[i] > c.score[best] or (ties and h.row_place[row] < h.row_place[best_row]):
            best = np.int64(i)
    return best


@nb.njit(cache=True)
def score_acts(t: Tables, g: Any, left: Any, h: Any, cards: Any, scores: Any) -> None:
    """Score any legal acts of the seat to move: `cards` uint64 (N,), 0 for the pass; `scores` float64 (N,)."""
    think(t, g, left, h)
    for i in range(len(cards)):
        if cards[i]:
            row = row_of(t, cards[i])
            scores[i] = score_of_play(t, h, g.hands[g.turn], cards[i], row, power_of(t, row, cards[i]))
        else:
            scores[i] = score_of_pass(t, g, left, h)
