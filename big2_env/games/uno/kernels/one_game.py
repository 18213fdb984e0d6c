"""One game, act by act: what the turn-by-turn environment calls. As few arguments as can be: each costs time at every call."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.dtypes import CARDS
from big2_env.games.uno.kernels.hands import hand_word, legal_of_hand, score
from big2_env.games.uno.kernels.observe import observe, write_mask
from big2_env.games.uno.kernels.turn import begin, deal, make_act
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel

REFUSED = -1
"""Returned in place of a seat: the act is not legal."""
OVER = 16
"""Added to the seat that is returned: the game is over."""


@kernel(entry=True)
def deal_game(r: Any, games: Any, seed: Any) -> Any:
    """Deal the game that `UnoGame.deal` deals by a seed; returns as `act_in_game`."""
    deal(r, games[0], seed)
    return _stand(games[0])


@kernel(entry=True)
def start_game(r: Any, games: Any, deck: Any, stream: Any) -> Any:
    """Begin a game with a deck, codes from bottom to top, and the state of its stream; returns as `act_in_game`."""
    g = games[0]
    for place in range(CARDS):
        g.deck[place] = deck[place]
    g.shuffle = U(stream)
    g.settled = 0
    begin(r, g)
    return _stand(g)


@kernel(entry=True)
def _stand(g: Any) -> Any:
    """The seat to move, with `OVER` where the game is over."""
    return np.int64(g.turn) + (OVER if g.winner >= 0 else 0)


@kernel(entry=True)
def act_in_game(r: Any, games: Any, words: Any, obs: Any, mask: Any, act: Any) -> Any:
    """Make an act, if `mask` has it, which shows the seat to move, and show the seat that is to move then.

    Returns that seat, with `OVER` where the game is over; `REFUSED`, and nothing is changed, for an act that is not legal.
    """
    games, words, obs, mask = borrowed(games), borrowed(words), borrowed(obs), borrowed(mask)
    if act < 0 or act >= mask.shape[1] or mask[0, act] == 0:
        return REFUSED
    g = games[0]
    make_act(r, g, act)
    _show(r, g, np.int64(g.turn), words, obs, mask)
    return _stand(g)


@kernel(entry=True)
def show_seat(r: Any, games: Any, words: Any, obs: Any, mask: Any, seat: Any) -> None:
    """Write what a seat sees, int8 (1, size), and its legal acts, int8 (1, 62): none off turn. `words` is scratch."""
    _show(r, borrowed(games)[0], seat, borrowed(words), borrowed(obs), borrowed(mask))


@kernel(entry=True)
def _show(r: Any, g: Any, seat: Any, words: Any, obs: Any, mask: Any) -> None:
    hand = hand_word(g, seat)
    observe(r, g, seat, hand, words, obs, 0)
    write_mask(legal_of_hand(r, g, hand) if seat == g.turn else U(0), mask, 0)


@kernel(entry=True)
def write_scores(r: Any, games: Any, scores: Any) -> Any:
    """Write what each seat has left, int64 (players,), and return how the game ended."""
    for seat in range(r.players):
        scores[seat] = score(games[0], seat)
    return np.int64(games[0].ended)
