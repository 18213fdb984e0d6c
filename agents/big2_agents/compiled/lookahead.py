"""What other plays would have led to: a game between one learner and rule players, played on from a play not made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.features import HIDDEN_SIZE, STATE_SIZE, write_hidden, write_state
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.policies import choose
from big2_agents.compiled.selfplay import PlayedGames
from big2_agents.compiled.track import TRACK, put_down_tracked
from big2_env.kernels.bits import borrowed
from big2_env.kernels.state import GAME, payoff
from big2_env.kernels.tables import Tables, as_record

Array = npt.NDArray[Any]
BRANCH: Final = np.dtype([("game", GAME), ("track", TRACK), ("candidates", CANDIDATES)])
"""A game that is played on."""


@dataclass
class Ahead:
    """Where k plays led: to the learner's next real choice, or to the end of the game."""

    states: Array
    """int8 (k, STATE_SIZE): what the learner sees at its next choice; 0 where the game is over."""
    hidden: Array
    """int8 (k, HIDDEN_SIZE): the hands of the others there."""
    over: Array
    """bool (k,): whether the game is over."""
    won: Array
    """bool (k,): whether the learner has won it."""
    payoff: Array
    """float64 (k,): what it got; 0 where the game goes on."""


@nb.njit(cache=True, nogil=True)
def _look_ahead(
    t: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    controllers: Any,
    stack: Any,
    h: Any,
    branch: Any,
    rows: Any,
    picks: Any,
    states: Any,
    hidden: Any,
    over: Any,
    won: Any,
    paid: Any,
) -> None:
    """Make each pick in a copy of its game, and go on there to the seat's next real choice; a sure win is played."""
    games, tracks, candidates, stack = borrowed(games), borrowed(tracks), borrowed(candidates), borrowed(stack)
    controllers, rows, picks = borrowed(controllers), borrowed(rows), borrowed(picks)
    states, hidden, over, won, paid = borrowed(states), borrowed(hidden), borrowed(over), borrowed(won), borrowed(paid)
    g, k, c = branch.game, branch.track, branch.candidates
    for n in range(rows.shape[0]):
        i = rows[n]
        branch.game = games[i]
        branch.track = tracks[i]
        seat = g.turn
        put_down_tracked(t, g, k, candidates[i].mask[picks[n]])
        while g.winner < 0:
            find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation, c)
            chosen = np.int64(0)
            if c.count > 1:
                if g.turn == seat:
                    chosen = find_finish(t, g, k.left, c, stack)
                    if chosen < 0:
                        break
                else:
                    chosen = choose(t, g, k.left, c, controllers[i, g.turn], h)
            put_down_tracked(t, g, k, c.mask[chosen])
        over[n] = g.winner >= 0
        if over[n]:
            won[n] = g.winner == seat
            paid[n] = payoff(t, g, seat)
        else:
            write_hidden(t, g, c, hidden, n)
            write_state(t, g, k, c, states, n)


class Lookahead:
    """Plays games of a batch on from plays that are not made; the batch stays as it is."""

    def __init__(self) -> None:
        self._branch = as_record(np.zeros((), BRANCH))
        self._stack = np.zeros(DEPTH, CANDIDATES).view(np.recarray)

    def __call__(self, games: PlayedGames, rows: Array, picks: Array) -> Ahead:
        """Where `picks`, int64 (k,), indices among the candidates of the games `rows`, int64 (k,), would lead.

        All other seats of these games have to be rule players; they draw what they would draw after the play that is made.
        """
        number = len(rows)
        ahead = Ahead(
            np.zeros((number, STATE_SIZE), np.int8),
            np.zeros((number, HIDDEN_SIZE), np.int8),
            np.zeros(number, np.bool_),
            np.zeros(number, np.bool_),
            np.zeros(number),
        )
        at = (games.games, games.tracks, games.candidates, games.controllers)
        found = (ahead.states, ahead.hidden, ahead.over, ahead.won, ahead.payoff)
        _look_ahead(games.tables, *at, self._stack, games.heuristic, self._branch, rows, picks, *found)
        return ahead
