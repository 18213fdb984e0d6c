"""What the heuristic thinks of each candidate, as features of the learned players: they begin where it ends."""

from __future__ import annotations

from typing import Any

from big2_agents.kernels.feature_layout import HOLDS, WORSE
from big2_agents.kernels.outlook import pile_left, prospect
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import Tables


@kernel
def ends_hand(tab: Tables, game: Any, cand: Any, i: Any) -> Any:
    """Whether a candidate puts down the last cards of the seat to move: the heuristic makes it and scores nothing."""
    return not is_bidding(tab, game) and pile_left(game) == 0 and get(cand.mask, i) == get(game.hands, game.turn)


@kernel
def write_opinion(tab: Tables, game: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any) -> None:
    """Write the opinion on the candidates in `cand` into rows `start`, ... of `out`, int8 (M, feats.play_size).

    `best` is what `choose_by_heuristic` gave just before, with the `heuristic_record` `heur`; `feats` is a `feature_record`.
    """
    out[start + best, feats.best] = 1
    goes_out = ends_hand(tab, game, cand, best)
    for j in range(cand.count):
        i = start + j
        if j != best:
            worse = 1e9 if goes_out else cand.score[best] - cand.score[j]
            for n in range(len(WORSE)):
                if worse > WORSE[n]:
                    out[i, feats.worse + n] = 1
        if cand.row[j] < 0 or goes_out:
            continue
        hold = prospect(tab, heur, tab.row_category[cand.row[j]] + 0, cand.power[j] + 0)[0]
        for n in range(len(HOLDS)):
            if hold > HOLDS[n]:
                out[i, feats.hold + n] = 1
