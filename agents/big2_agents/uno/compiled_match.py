"""Whole matches of compiled UNO players: one call from Python plays many deals without holding the interpreter lock."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.uno.guess_search import search_move
from big2_agents.uno.players import FIRST_DRAWING, PLAYERS, player_turn
from big2_env.games.uno.kernels.hands import score, seat_seed
from big2_env.games.uno.kernels.turn import deal, make_move
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel

SEARCH: Final = len(PLAYERS)
"""Number of the searching player, after the players without a budget."""


@kernel(entry=True)
def _any_turn(rules: Any, games: Any, player: Any, tries: Any, weights: Any, work: Any, salt: Any) -> None:
    """Make one move of a player, or a turn of the automatic one, in `games[0]`; random draws depend only on the seat's view."""
    if player >= FIRST_DRAWING:
        work.rng = seat_seed(games[0], np.int64(games[0].turn), salt)
    if player == SEARCH:
        make_move(rules, games[0], search_move(rules, games, weights, work, tries))
    else:
        player_turn(rules, games[0], player, weights, work)


@kernel(entry=True)
def play_match(
    rules: Any, games: Any, scratch: Any, weights: Any, one: Any, other: Any, seed: Any, deals: Any, salt: Any, found: Any
) -> None:
    """Play each deal once with player `one` at each seat and `other` at all others, and add the sums to `found`, float64 (8,).

    A player is its number and its budget, the guesses per decision of the searching player; `games` are records (3,).

    0: games; 1: wins of `one`, shared on ties; 2: sum over deals of the squared wins per deal; 3, 4: its score, and the squares
    per deal; 5: scores of all other seats together; 6: games with an empty pile; 7: turns.
    """
    games, weights, found = borrowed(games), borrowed(weights), borrowed(found)
    game, work = games[0], scratch[0]
    players = rules.players
    for k in range(deals):
        wins, points = 0.0, 0.0
        for me in range(players):
            deal(rules, game, U(seed) + U(k))
            while game.winner < 0:
                number, tries = one if game.turn == me else other
                _any_turn(rules, games, number, tries, weights, work, U(salt))
            own = score(game, me)
            points += own
            best, winners = own, 0
            for seat in range(players):
                theirs = score(game, seat)
                best = min(best, theirs)
                if seat != me:
                    found[5] += theirs
            for seat in range(players):
                winners += score(game, seat) == best
            if own == best and (not rules.ties or game.winner == me):
                wins += 1.0 if rules.ties else 1.0 / winners
            found[6] += game.ended == 2
            found[7] += game.turns
        found[0] += players
        found[1] += wins
        found[2] += wins * wins
        found[3] += points
        found[4] += points * points
