"""What the heuristic thinks of each candidate play, as features of the learned players: they begin where it ends."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_agents.compiled.features import HOLDS, P_BEST, P_HOLD, P_WORSE, WORSE
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_agents.compiled.outlook import prospect
from big2_env.kernels.bits import U
from big2_env.kernels.tables import Tables


@nb.njit(cache=True)
def write_opinion(t: Tables, g: Any, k: Any, c: Any, h: Any, out: Any, start: Any) -> None:
    """Write the opinion on the candidates in `c` into rows `start`, ... of `out`, int8 (M, PLAY_SIZE); after `write_plays`.

    `h` is a `heuristic_record`.
    """
    best = choose_by_heuristic(t, g, k.left, c, h)
    out[start + best, P_BEST] = 1
    goes_out = c.mask[best] == g.hands[g.turn]
    for j in range(c.count):
        i = start + j
        if j != best:
            worse = 1e9 if goes_out else c.score[best] - c.score[j]
            for n in range(len(WORSE)):
                if worse > WORSE[n]:
                    out[i, P_WORSE + n] = 1
        if c.mask[j] == U(0) or goes_out:
            continue
        hold = prospect(t, h, np.int64(t.row_category[c.row[j]]), np.int64(c.power[j]))[0]
        for n in range(len(HOLDS)):
            if hold > HOLDS[n]:
                out[i, P_HOLD + n] = 1
