"""What the heuristic thinks of each candidate, as features of the learned players: they begin where it ends."""

from __future__ import annotations

from typing import Any

from big2_agents.compiled.feature_layout import HOLDS, WORSE
from big2_agents.compiled.outlook import pile_left, prospect
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import Tables


@kernel
def ends_hand(t: Tables, g: Any, c: Any, i: Any) -> Any:
    """Whether a candidate puts down the last cards of the seat to move: the heuristic makes it and scores nothing."""
    return not is_bidding(t, g) and pile_left(g) == 0 and get(c.mask, i) == get(g.hands, g.turn)


@kernel
def write_opinion(t: Tables, g: Any, c: Any, h: Any, f: Any, best: Any, out: Any, start: Any) -> None:
    """Write the opinion on the candidates in `c` into rows `start`, ... of `out`, int8 (M, f.play_size).

    `best` is what `choose_by_heuristic` gave just before, with the `heuristic_record` `h`; `f` is a `feature_record`.
    """
    out[start + best, f.best] = 1
    goes_out = ends_hand(t, g, c, best)
    for j in range(c.count):
        i = start + j
        if j != best:
            worse = 1e9 if goes_out else c.score[best] - c.score[j]
            for n in range(len(WORSE)):
                if worse > WORSE[n]:
                    out[i, f.worse + n] = 1
        if c.row[j] < 0 or goes_out:
            continue
        hold = prospect(t, h, t.row_category[c.row[j]] + 0, c.power[j] + 0)[0]
        for n in range(len(HOLDS)):
            if hold > HOLDS[n]:
                out[i, f.hold + n] = 1
