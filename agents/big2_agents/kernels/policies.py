"""Rule players in compiled form: who acts in play-outs and who sits beside a learner. Each picks one of the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.acts import GREEDY, HEURISTIC, RANDOM, is_cheaper
from big2_agents.kernels.heuristic import choose_by_heuristic
from big2_env.kernels.dialect.bits import below, random_next
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables


@kernel
def _greedy(tab: Tables, game: Any, cand: Any) -> Any:
    """Cover as cheaply as possible; lead the most cards, of those the weakest. In an auction the first thing to say."""
    best, leads = np.int64(0), game.top_category < 0
    for i in range(1, cand.count):
        if cand.row[i] >= 0 and is_cheaper(
            tab, leads, get(cand.mask, i), cand.row[i], cand.power[i], get(cand.mask, best), cand.row[best], cand.power[best]
        ):
            best = np.int64(i)
    return best


@kernel(entry=True)
def choose(tab: Tables, game: Any, left: Any, cand: Any, policy: Any, heur: Any) -> Any:
    """The candidate that a rule player picks for the seat to move.

    `cand` holds its candidates, `left` the cards of each seat; `heur` is a `heuristic_record`.
    """
    if policy == RANDOM:
        game.rng, number = random_next(game.rng)
        return below(number, cand.count)
    if policy == GREEDY:
        return _greedy(tab, game, cand)
    if policy == HEURISTIC:
        return choose_by_heuristic(tab, game, left, cand, heur)
    return np.int64(0)
