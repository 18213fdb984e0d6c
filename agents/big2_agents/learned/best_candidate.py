"""What a policy network plays of the candidates that are listed: one decision, wherever it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.features import write_choice
from big2_agents.kernels.finish import finish_of
from big2_agents.learned.network import score_plays
from big2_agents.learned.network_arrays import Network
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables


@kernel(entry=True)
def score_candidates(
    tab: Tables,
    game: Any,
    track: Any,
    cand: Any,
    heur: Any,
    feats: Any,
    net: Network,
    states: Any,
    plays: Any,
    scores: Any,
    work: Any,
) -> None:
    """Write the network's scores of the candidates in `cand` into `scores`, float32.

    Args:
        tab: the tables of the ruleset.
        game: the game; nothing is read of other hands.
        track: its track.
        cand: the candidates of the seat to move.
        heur: a `heuristic_record`.
        feats: the `feature_record`.
        net: the weights.
        states: scratch, int8 (1, state size).
        plays: scratch, int8 (most candidates, play size).
        scores: written, as many as there are candidates.
        work: scratch, as of `score_plays`.
    """
    write_choice(tab, game, track, cand, heur, feats, states, 0, plays, 0)
    score_plays(net, states[0], plays[: cand.count], scores, work)


@kernel(entry=True)
def decide(
    tab: Tables,
    game: Any,
    track: Any,
    cand: Any,
    stack: Any,
    heur: Any,
    feats: Any,
    net: Network,
    states: Any,
    plays: Any,
    scores: Any,
    work: Any,
) -> Any:
    """The candidate that is played, and whether it begins a sure win; arguments as of `score_candidates`.

    `stack` is scratch of `finish_of`.
    """
    best = np.int64(0)
    if cand.count <= 1:
        return best, False
    best = finish_of(tab, game, track.left, cand, stack)
    if best >= 0:
        return best, True
    score_candidates(tab, game, track, cand, heur, feats, net, states, plays, scores, work)
    best = np.int64(0)
    for i in range(1, cand.count):
        if scores[i] > scores[best]:
            best = np.int64(i)
    return best, False
