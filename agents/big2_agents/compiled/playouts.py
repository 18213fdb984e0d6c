"""Layouts of the hidden cards that fit what a seat knows, and play-outs of candidate plays by rule players on them."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.endgame import cards_held, solve
from big2_agents.compiled.plays import CANDIDATES, can_be_covered, find_candidates
from big2_agents.compiled.policies import choose
from big2_agents.compiled.track import GAME, MAX_CATEGORIES, NOTHING, TRACK, put_down_tracked, unseen_by
from big2_env.kernels.bits import U, below, borrowed, lowest_bit, random_next
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables

DOUBT: Final = 0.7
"""Weight of a layout for each pass that does not fit it: a seat that could have covered, and passed."""
POSITIONS: Final = 400
"""How many positions of an ending are looked at before it is played out after all."""
TABLE: Final = np.dtype(
    [
        ("proposals", np.int64),  # from how many layouts one is drawn by their weights; up to 1, each counts by its weight
        ("exact", np.int64),  # play-outs with no more cards than this in all hands are solved, where that is quick
        ("root", GAME),  # the position, hands of the others empty
        ("root_track", TRACK),
        ("layout", GAME),  # the same with hands dealt
        ("drawn", GAME),  # the best of several layouts so far
        ("game", GAME),  # a play-out
        ("track", TRACK),
        ("root_candidates", CANDIDATES),
        ("candidates", CANDIDATES),
        ("stack", CANDIDATES, 7),
        ("cards", np.int8, 52),
    ]
)
"""Everything that a search of one decision works on."""


@nb.njit(cache=True)
def deal_layout(t: Tables, s: Any) -> Any:
    """Deal the unseen cards to the others in `s.layout`, each as many as it holds; returns the layout's weight.

    Of several proposals one is drawn with chances as their weights; its weight is 1.
    """
    if s.proposals <= 1:
        return _deal(t, s)
    total = 0.0
    for _ in range(s.proposals):
        weight = _deal(t, s)
        total += weight
        s.root.rng, number = random_next(s.root.rng)
        if np.float64(number >> U(11)) * (1.0 / 9007199254740992.0) * total < weight:
            s.drawn = s.layout
    s.layout = s.drawn
    return 1.0


@nb.njit(cache=True)
def _deal(t: Tables, s: Any) -> Any:
    """Deal one layout into `s.layout`; returns its weight: less for each pass that does not fit it."""
    s.layout = s.root
    g = s.layout
    seat = g.turn
    unseen = unseen_by(t, g, seat)
    number = 0
    while unseen:
        s.cards[number] = lowest_bit(unseen)
        unseen &= unseen - U(1)
        number += 1
    weight = 1.0
    for distance in range(1, t.num_players):
        who = (seat + distance) % t.num_players
        hand = U(0)
        for _ in range(s.root_track.left[who]):
            s.root.rng, draw = random_next(s.root.rng)
            place = below(draw, number)
            hand |= U(1) << U(s.cards[place])
            number -= 1
            s.cards[place] = s.cards[number]
        g.hands[who] = hand
        for category in range(MAX_CATEGORIES):
            power = s.root_track.passed_on[who, category]
            if power != NOTHING and can_be_covered(t, hand, np.int16(category), power, np.int64(52)):
                weight *= DOUBT
    return weight


@nb.njit(cache=True)
def begin_playout(t: Tables, s: Any, mask: Any) -> None:
    """Put the layout into `s.game` and make the seat's candidate play there."""
    s.game = s.layout
    s.track = s.root_track
    put_down_tracked(t, s.game, s.track, mask)


@nb.njit(cache=True, nogil=True)
def play_out_by_rules(
    t: Tables, s: Any, policy: Any, h: Any, e: Any, chosen: Any, layouts: Any, totals: Any, squares: Any
) -> Any:
    """Play the chosen candidates out on `layouts` layouts, each the same for all.

    `chosen` bool, `totals` and `squares` float64, by candidate: the weighted sums of payoffs and of their squares are added.
    Returns the sum of the layouts' weights, and of the squares of these.
    """
    chosen, totals, squares = borrowed(chosen), borrowed(totals), borrowed(squares)
    seat = s.root.turn
    weights = squared_weights = 0.0
    for _ in range(layouts):
        weight = deal_layout(t, s)
        weights += weight
        squared_weights += weight * weight
        s.root.rng, stream = random_next(s.root.rng)
        for i in range(s.root_candidates.count):
            if not chosen[i]:
                continue
            begin_playout(t, s, s.root_candidates.mask[i])
            g, k, c = s.game, s.track, s.candidates
            g.rng = stream
            tries = s.exact > 0
            paid = np.nan
            while g.winner < 0:
                if tries and cards_held(t, g) <= s.exact:
                    tries = False
                    if solve(t, g, e, POSITIONS):
                        paid = e.payoffs[seat]
                        break
                find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], c)
                best = choose(t, g, k.left, c, policy, h) if c.count > 1 else np.int64(0)
                put_down_tracked(t, g, k, c.mask[best])
            if g.winner >= 0:
                paid = payoff(t, g, seat)
            totals[i] += weight * paid
            squares[i] += weight * paid * paid
    return weights, squared_weights
