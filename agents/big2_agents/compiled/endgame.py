"""The end of a game with all hands open, solved: every seat does what pays it most, knowing that the others do so too (max-n).

Where several acts pay a seat the same, it makes the first: the cheapest play, a pass last. Luckhardt and Irani, AAAI 1986.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.track import GAME
from big2_env.kernels.bits import MIX_1, MIX_2, U, popcount
from big2_env.kernels.settle import cost, payoff
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import put_down

DEPTH: Final = 64
"""Acts ahead: each play takes a card, and three passes at most come between two plays."""
PLACES: Final = 1 << 14
"""Positions that are remembered; a later one takes the place of an earlier one."""

_LEVEL: Final = np.dtype(
    [
        ("game", GAME),
        ("candidates", CANDIDATES),
        ("key", np.uint64),
        ("next", np.int64),
        ("most", np.float64),  # what the seat to move cannot exceed
        ("best", np.float64, 4),  # payoffs of its best act so far
    ]
)
ENDGAME: Final = np.dtype(
    [
        ("level", _LEVEL, DEPTH),
        ("key", np.uint64, PLACES),  # 0 where free
        ("found", np.float64, (PLACES, 4)),
        ("payoffs", np.float64, 4),  # the last solution
    ]
)
"""What endings of one ruleset are solved with: not for two threads at once."""


@nb.njit(cache=True)
def _key(g: Any) -> Any:
    """A number of a position, never 0."""
    key = U(0)
    for seat in range(4):
        key = _mixed(key ^ g.hands[seat])
    key = _mixed(key ^ g.obligation[0])
    state = (U(g.top_category + 1) << U(32)) | (U(g.top_power + 1) << U(12)) | (U(g.top_seat + 1) << U(8))
    return _mixed(key ^ state ^ (U(g.turn) << U(4)) ^ U(g.passed)) | U(1)


@nb.njit(cache=True)
def _mixed(x: Any) -> Any:
    x = (x ^ (x >> U(30))) * MIX_1
    x = (x ^ (x >> U(27))) * MIX_2
    return x ^ (x >> U(31))


@nb.njit(cache=True)
def _open(t: Tables, level: Any) -> None:
    """List the acts of a level's seat to move."""
    g = level.game
    find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], level.candidates)
    level.next = 0
    level.most = 0.0
    for seat in range(t.num_players):
        level.best[seat] = -np.inf
        if seat != g.turn:
            level.most += cost(t, g.hands[seat])


@nb.njit(cache=True)
def cards_held(t: Tables, g: Any) -> Any:
    """How many cards are in all hands."""
    held = np.int64(0)
    for seat in range(t.num_players):
        held += popcount(g.hands[seat])
    return held


@nb.njit(cache=True)
def solve(t: Tables, g: Any, e: Any, positions: Any) -> Any:
    """Solve a game that goes on, with all hands in `g`; the payoffs are left in `e.payoffs`.

    Returns whether it was solved before so many positions had been looked at.
    """
    e.level[0].game = g
    e.level[0].key = _key(g)
    _open(t, e.level[0])
    depth = 0
    while True:
        level = e.level[depth]
        turn = level.game.turn
        if level.next < level.candidates.count and level.best[turn] < level.most:
            below = e.level[depth + 1]
            below.game = level.game
            put_down(t, below.game, level.candidates.mask[level.next])
            level.next += 1
            if below.game.winner >= 0:
                for seat in range(t.num_players):
                    e.payoffs[seat] = payoff(t, below.game, seat)
            else:
                key = _key(below.game)
                place = (key >> U(1)) & U(PLACES - 1)
                if e.key[place] == key:
                    e.payoffs[:] = e.found[place]
                else:
                    positions -= 1
                    if positions < 0 or depth + 2 >= DEPTH:
                        return False
                    depth += 1
                    below.key = key
                    _open(t, below)
                    continue
        else:
            place = (level.key >> U(1)) & U(PLACES - 1)
            e.key[place] = level.key
            e.found[place] = level.best
            e.payoffs[:] = level.best
            if depth == 0:
                return True
            depth -= 1
            level = e.level[depth]
            turn = level.game.turn
        if e.payoffs[turn] > level.best[turn]:
            level.best[:] = e.payoffs
