"""The searching UNO player: plays every move out to the end, on the same guesses of the hidden cards."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.uno.features import fresh_of
from big2_agents.uno.players import learned_move
from big2_agents.uno.playouts import guess_hidden, recount
from big2_env.games.uno.kernels.dtypes import DRAW, ONE
from big2_env.games.uno.kernels.hands import legal_word, of_colour, oldest, score, size
from big2_env.games.uno.kernels.turn import make_move
from big2_env.kernels.dialect.bits import U, below, lowest_bit, popcount, random_next
from big2_env.kernels.dialect.kernel import copied, kernel

POINT: Final = 0.004
"""Cost of a point left in the hand, relative to 1 for a win; 0 with two players, since only the win counts."""
DRAWS: Final = 12
"""Number of pile cards examined to find one that may be in a hand."""
SURE: Final = 2.0
"""Standard errors by which a move must beat the learned player's move."""


@kernel(entry=True)
def search_move(rules: Any, games: Any, weights: Any, work: Any, tries: Any) -> Any:
    """Return the searching player's move in `games[0]`, records (3,); the other games are overwritten.

    Each playable card is played out to the end with learned players in all seats, on the same `tries` guesses of the hidden
    cards. The guesses are consistent with the cards that others had to draw. A card replaces the learned player's move if it is
    better by `SURE` standard errors of the difference. `work.rng` is the random stream of the guesses.
    """
    game = games[0]
    word = legal_word(rules, game)
    if word & ~(ONE << U(DRAW)):
        word &= ~(ONE << U(DRAW))  # to draw instead of playing is never tried
    number, me = popcount(word), np.int64(game.turn)
    if number == 1:
        return lowest_bit(word)
    usual = np.int64(learned_move(rules, game, weights, work))
    gained, squared = np.zeros(number), np.zeros(number)
    for _ in range(tries):
        games[1] = copied(game)
        guess = games[1]
        work.rng = suit_draws(rules, guess, me, guess_hidden(rules, guess, me, work.rng))
        base = value_after(rules, games, usual, me, weights, work)
        left = word
        for k in range(number):
            move = lowest_bit(left)
            left &= left - ONE
            if move != usual:
                gain = value_after(rules, games, move, me, weights, work) - base
                gained[k] += gain
                squared[k] += gain * gain
    best: Any = usual
    most = 0.0
    for k in range(number):
        move = lowest_bit(word)
        word &= word - ONE
        error = np.sqrt(max(squared[k] - gained[k] * gained[k] / tries, 0.0))
        if gained[k] - SURE * error > 0.0 and gained[k] > most:
            best, most = move, gained[k]
    return best


@kernel(entry=True)
def suit_draws(rules: Any, game: Any, me: Any, rng: Any) -> Any:
    """Make guessed hands consistent with draws: a seat that drew had no card of the color.

    A surplus card of a color (`UnoGame.fresh`) is exchanged with a pile card that may be in the hand. Returns the state of the
    random stream.
    """
    counts = np.empty(5, np.int64)
    for seat in range(rules.players):
        if seat == me or game.left == 0:
            continue
        hand = game.seats[U(seat)]
        for colour in range(5):
            low, high = of_colour(game, colour)
            counts[colour] = size(low & hand.low, high & hand.high)
        low, high = hand.low, hand.high
        while low | high != U(0):
            age = oldest(low, high)
            low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
            own = np.int64(game.codes[U(age)]) >> 4
            if counts[own] <= fresh_of(game, seat, own):
                continue
            for _ in range(DRAWS):
                rng, number = random_next(rng)
                place = U(below(number, np.int64(game.left)))
                other = np.int64(game.deck[place]) >> 4
                if counts[other] < fresh_of(game, seat, other):
                    game.codes[U(age)], game.deck[place] = game.deck[place], game.codes[U(age)]
                    counts[own] -= 1
                    counts[other] += 1
                    break
        recount(game, seat)
    return rng


@kernel(entry=True)
def value_after(rules: Any, games: Any, move: Any, me: Any, weights: Any, work: Any) -> Any:
    """Return the value for a seat of a move in `games[1]`, if learned players continue to the end in `games[2]`."""
    games[2] = copied(games[1])
    trial = games[2]
    make_move(rules, trial, move)
    while trial.winner < 0:
        make_move(rules, trial, learned_move(rules, trial, weights, work))
    return value_of(rules, trial, me)


@kernel(entry=True)
def value_of(rules: Any, game: Any, me: Any) -> Any:
    """Return the value of a finished game for a seat: its share of the win, minus `POINT` per point left."""
    own = score(game, me)
    winners = 0
    for seat in range(rules.players):
        theirs = score(game, seat)
        if theirs < own:
            return -POINT * own if rules.players > 2 else 0.0
        winners += theirs == own
    won = np.float64(game.winner == me) if rules.ties else 1.0 / winners
    return won - POINT * own if rules.players > 2 else won
