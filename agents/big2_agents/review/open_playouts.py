"""Games played out with all cards known by rule players that slip now and then: what the cards were worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.acts import HEURISTIC
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.policies import choose
from big2_agents.kernels.track import make_tracked
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables


@kernel
def _uniform(game: Any) -> Any:
    """A number above 0 and below 1, from the game's stream."""
    game.rng, number = random_next(game.rng)
    return (np.float64(number >> U(11)) + 0.5) * (1.0 / 9007199254740992.0)


@kernel
def _slip(game: Any, cand: Any, best: Any, policy: Any, warmth: Any) -> Any:
    """The candidate that a player makes who is not always sure: `best` most of the time.

    The heuristic draws with chances that fall by a factor of e for each `warmth` that a score is lower; others make any
    candidate once in eight.
    """
    if policy != HEURISTIC:
        game.rng, number = random_next(game.rng)
        if below(number, 8) > 0:
            return best
        game.rng, number = random_next(game.rng)
        return below(number, cand.count)
    scored = False
    for i in range(cand.count):
        scored = scored or cand.score[i] != 0.0
    if not scored:  # the hand goes down at once
        return best
    chosen, most = best, -np.inf
    for i in range(cand.count):
        drawn = cand.score[i] - warmth * np.log(-np.log(_uniform(game)))
        if drawn > most:
            chosen, most = np.int64(i), drawn
    return chosen


@kernel(entry=True)
def play_out_open(
    tab: Tables, search: Any, policy: Any, heur: Any, warmth: Any, samples: Any, totals: Any, squares: Any, scratch: Any
) -> None:
    """Play the game at the root out, whose hands are all known there.

    `totals` and `squares`, float64 by seat: the sums of payoffs and of their squares are added.
    """
    totals, squares = borrowed(totals), borrowed(squares)
    for _ in range(samples):
        search.root.rng, stream = random_next(search.root.rng)
        search.game = copied(search.root)
        search.track = copied(search.root_track)
        game, track, cand = search.game, search.track, search.candidates
        game.rng = stream
        while game.winner < 0:
            find_acts(tab, game, cand)
            chosen = np.int64(0)
            if cand.count > 1:
                for i in range(cand.count):
                    cand.score[i] = 0.0
                chosen = _slip(game, cand, choose(tab, game, track.left, cand, policy, heur), policy, warmth)
            make_tracked(tab, game, track, cand, chosen, scratch)
        for seat in range(tab.num_players):
            paid = payoff(tab, game, seat)
            totals[seat] += paid
            squares[seat] += paid * paid
