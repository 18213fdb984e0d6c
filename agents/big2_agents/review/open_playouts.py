"""Games played out with all cards known by rule players that slip now and then: what the cards were worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.acts import HEURISTIC
from big2_agents.compiled.plays import find_acts
from big2_agents.compiled.policies import choose
from big2_agents.compiled.track import make_tracked
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables


@kernel
def _uniform(g: Any) -> Any:
    """A number above 0 and below 1, from the game's stream."""
    g.rng, number = random_next(g.rng)
    return (np.float64(number >> U(11)) + 0.5) * (1.0 / 9007199254740992.0)


@kernel
def _slip(g: Any, c: Any, best: Any, policy: Any, warmth: Any) -> Any:
    """The candidate that a player makes who is not always sure: `best` most of the time.

    The heuristic draws with chances that fall by a factor of e for each `warmth` that a score is lower; others make any
    candidate once in eight.
    """
    if policy != HEURISTIC:
        g.rng, number = random_next(g.rng)
        if below(number, 8) > 0:
            return best
        g.rng, number = random_next(g.rng)
        return below(number, c.count)
    scored = False
    for i in range(c.count):
        scored = scored or c.score[i] != 0.0
    if not scored:  # the hand goes down at once
        return best
    chosen, most = best, -np.inf
    for i in range(c.count):
        drawn = c.score[i] - warmth * np.log(-np.log(_uniform(g)))
        if drawn > most:
            chosen, most = np.int64(i), drawn
    return chosen


@kernel(entry=True)
def play_out_open(
    t: Tables, s: Any, policy: Any, h: Any, warmth: Any, samples: Any, totals: Any, squares: Any, scratch: Any
) -> None:
    """Play the game at the root out, whose hands are all known there.

    `totals` and `squares`, float64 by seat: the sums of payoffs and of their squares are added.
    """
    totals, squares = borrowed(totals), borrowed(squares)
    for _ in range(samples):
        s.root.rng, stream = random_next(s.root.rng)
        s.game = copied(s.root)
        s.track = copied(s.root_track)
        g, k, c = s.game, s.track, s.candidates
        g.rng = stream
        while g.winner < 0:
            find_acts(t, g, c)
            chosen = np.int64(0)
            if c.count > 1:
                for i in range(c.count):
                    c.score[i] = 0.0
                chosen = _slip(g, c, choose(t, g, k.left, c, policy, h), policy, warmth)
            make_tracked(t, g, k, c, chosen, scratch)
        for seat in range(t.num_players):
            paid = payoff(t, g, seat)
            totals[seat] += paid
            squares[seat] += paid * paid
