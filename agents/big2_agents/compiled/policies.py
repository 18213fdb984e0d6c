"""Rule players in compiled form: who acts in play-outs and who sits beside a learner. Each picks one of the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.acts import GREEDY, HEURISTIC, RANDOM, is_cheaper
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_env.kernels.dialect.bits import below, random_next
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables


@kernel
def _greedy(t: Tables, g: Any, c: Any) -> Any:
    """Cover as cheaply as possible; lead the most cards, of those the weakest. In an auction the first thing to say."""
    best, leads = np.int64(0), g.top_category < 0
    for i in range(1, c.count):
        if c.row[i] >= 0 and is_cheaper(
            t, leads, get(c.mask, i), c.row[i], c.power[i], get(c.mask, best), c.row[best], c.power[best]
        ):
            best = np.int64(i)
    return best


@kernel(entry=True)
def choose(t: Tables, g: Any, left: Any, c: Any, policy: Any, h: Any) -> Any:
    """The candidate that a rule player picks for the seat to move.

    `c` holds its candidates, `left` the cards of each seat; `h` is a `heuristic_record`.
    """
    if policy == RANDOM:
        g.rng, number = random_next(g.rng)
        return below(number, c.count)
    if policy == GREEDY:
        return _greedy(t, g, c)
    if policy == HEURISTIC:
        return choose_by_heuristic(t, g, left, c, h)
    return np.int64(0)
