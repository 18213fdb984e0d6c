"""One game for one call from Python: what an environment that goes turn by turn asks for. The game lies in an array of one."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_env.kernels.bits import U
from big2_env.kernels.loops import pass_forced
from big2_env.kernels.observe import observe, write_mask
from big2_env.kernels.records import scratch_at, tables_at
from big2_env.kernels.state import act, game_ids, is_legal, put_down

OVER, PASSES = 1 << 8, 1 << 16
"""What `_standing` is made of: the turn, whether the game is over, the number of forced passes made."""


@nb.njit(cache=True)
def look(t: Any, starts: Any, games: Any, scratch: Any, seat: Any, obs: Any, mask: Any) -> None:
    """Write what a seat sees, int8 or float32 (1, size), and its legal acts, int8 (1, num_actions): none off turn."""
    t, scratch, g = tables_at(t), scratch_at(scratch), games[0]
    observe(t, starts, g, seat, scratch.words, obs, np.int64(0))
    write_mask(scratch.ids, game_ids(t, g, scratch.ids) if seat == g.turn else 0, mask, np.int64(0))


@nb.njit(cache=True)
def _standing(t: Any, g: Any, scratch: Any, skip: Any) -> Any:
    """Where a game stands after the forced passes, which are made where they are skipped."""
    before = np.int64(g.steps)
    if skip:
        pass_forced(t, g, scratch)
    return np.int64(g.turn) + (OVER if g.winner >= 0 else 0) + PASSES * (np.int64(g.steps) - before)


@nb.njit(cache=True)
def is_forced(t: Any, games: Any, scratch: Any) -> Any:
    """Whether the only legal act is the pass."""
    t, scratch = tables_at(t), scratch_at(scratch)
    return game_ids(t, games[0], scratch.ids) == 1 and scratch.ids[0] == 0


@nb.njit(cache=True)
def standing(t: Any, games: Any, scratch: Any, skip: Any) -> Any:
    """Where the game stands: the turn, plus `OVER` if it is over, plus `PASSES` for each forced pass that was made."""
    return _standing(tables_at(t), games[0], scratch_at(scratch), skip)


@nb.njit(cache=True)
def make_act(t: Any, games: Any, scratch: Any, action: Any, skip: Any) -> Any:
    """Make an act, any int64; returns as `standing`, or -1 where it is not legal: then nothing is done."""
    t, g = tables_at(t), games[0]
    if not is_legal(t, g, action):
        return -1
    act(t, g, action)
    return _standing(t, g, scratch_at(scratch), skip)


@nb.njit(cache=True)
def make_play(t: Any, games: Any, scratch: Any, places: Any, skip: Any) -> Any:
    """Put down cards, a mask of places as int64, none for a pass; nothing is checked. Returns as `standing`."""
    t, g = tables_at(t), games[0]
    put_down(t, g, U(places))
    return _standing(t, g, scratch_at(scratch), skip)
