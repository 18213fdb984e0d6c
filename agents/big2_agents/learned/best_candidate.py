"""What a policy network plays of the candidates that are listed: one decision, wherever it is asked for."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_agents.compiled.features import write_plays, write_state
from big2_agents.compiled.finish import find_finish
from big2_agents.compiled.opinion import write_opinion
from big2_agents.learned.network import Network, score_plays
from big2_env.kernels.tables import Tables


@nb.njit(cache=True, nogil=True)
def score_candidates(
    t: Tables, g: Any, k: Any, c: Any, h: Any, net: Network, states: Any, plays: Any, scores: Any, work: Any
) -> None:
    """Write the network's scores of the candidates in `c` into `scores`, float32.

    Args:
        t: the tables of the ruleset.
        g: the game; nothing is read of other hands.
        k: its track.
        c: the candidates of the seat to move.
        h: a `heuristic_record`.
        net: the weights.
        states: scratch, int8 (1, STATE_SIZE).
        plays: scratch, int8 (MAX_CANDIDATES, PLAY_SIZE).
        scores: written, as many as there are candidates.
        work: scratch, as of `score_plays`.
    """
    write_state(t, g, k, c, states, 0)
    write_plays(t, g, k, c, plays, 0)
    write_opinion(t, g, k, c, h, plays, 0)
    score_plays(net, states[0], plays[: c.count], scores, work)


@nb.njit(cache=True, nogil=True)
def decide(
    t: Tables, g: Any, k: Any, c: Any, stack: Any, h: Any, net: Network, states: Any, plays: Any, scores: Any, work: Any
) -> Any:
    """The candidate that is played, and whether it begins a sure win; arguments as of `score_candidates`.

    `stack` is scratch of `find_finish`.
    """
    best = np.int64(0)
    if c.count <= 1:
        return best, False
    best = find_finish(t, g, k.left, c, stack)
    if best >= 0:
        return best, True
    score_candidates(t, g, k, c, h, net, states, plays, scores, work)
    best = np.int64(0)
    for i in range(1, c.count):
        if scores[i] > scores[best]:
            best = np.int64(i)
    return best, False
