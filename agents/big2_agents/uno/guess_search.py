"""The searching UNO player: plays every move out to the end, on the same guesses of the hidden cards."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.uno.features import fresh_of
from big2_agents.uno.players import learned_act
from big2_agents.uno.playouts import guess_hidden, recount
from big2_env.games.uno.kernels.dtypes import DRAW, ONE
from big2_env.games.uno.kernels.hands import legal_word, of_colour, oldest, score, size
from big2_env.games.uno.kernels.turn import make_act
from big2_env.kernels.dialect.bits import U, below, popcount, random_next
from big2_env.kernels.dialect.kernel import copied, kernel

POINT: Final = 0.004
"""Cost of a point left in the hand, relative to 1 for a win; 0 with two players, since only the win counts."""
DRAWS: Final = 12
"""Number of pile cards examined to find one that may be in a hand."""
SURE: Final = 2.0
"""Standard errors by which a move must beat the learned player's move."""


@kernel(entry=True)
def search_act(r: Any, games: Any, weights: Any, s: Any, tries: Any) -> Any:
    """Return the searching player's move in `games[0]`, records (3,); the other games are overwritten.

    Each playable card is played out to the end with learned players in all seats, on the same `tries` guesses of the hidden
    cards. The guesses are consistent with the cards that others had to draw. A card replaces the learned player's move if it is
    better by `SURE` standard errors of the difference. `s.rng` is the random stream of the guesses.
    """
    g = games[0]
    word = legal_word(r, g)
    if word & ~(ONE << U(DRAW)):
        word &= ~(ONE << U(DRAW))  # to draw instead of playing is never tried
    number, me = popcount(word), np.int64(g.turn)
    if number == 1:
        return popcount((word & (~word + ONE)) - ONE)
    usual = np.int64(learned_act(r, g, weights, s))
    gained, squared = np.zeros(number), np.zeros(number)
    for _ in range(tries):
        games[1] = copied(g)
        guess = games[1]
        s.rng = suit_draws(r, guess, me, guess_hidden(r, guess, me, s.rng))
        base = value_after(r, games, usual, me, weights, s)
        left = word
        for k in range(number):
            act = popcount((left & (~left + ONE)) - ONE)
            left &= left - ONE
            if act != usual:
                gain = value_after(r, games, act, me, weights, s) - base
                gained[k] += gain
                squared[k] += gain * gain
    best: Any = usual
    most = 0.0
    for k in range(number):
        act = popcount((word & (~word + ONE)) - ONE)
        word &= word - ONE
        error = np.sqrt(max(squared[k] - gained[k] * gained[k] / tries, 0.0))
        if gained[k] - SURE * error > 0.0 and gained[k] > most:
            best, most = act, gained[k]
    return best


@kernel(entry=True)
def suit_draws(r: Any, g: Any, me: Any, rng: Any) -> Any:
    """Make guessed hands consistent with draws: a seat that drew had no card of the color.

    A surplus card of a color (`UnoGame.fresh`) is exchanged with a pile card that may be in the hand. Returns the state of the
    random stream.
    """
    counts = np.empty(5, np.int64)
    for seat in range(r.players):
        if seat == me or g.left == 0:
            continue
        s = g.seats[U(seat)]
        for colour in range(5):
            low, high = of_colour(g, colour)
            counts[colour] = size(low & s.low, high & s.high)
        low, high = s.low, s.high
        while low | high != U(0):
            age = oldest(low, high)
            low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
            own = np.int64(g.codes[U(age)]) >> 4
            if counts[own] <= fresh_of(g, seat, own):
                continue
            for _ in range(DRAWS):
                rng, number = random_next(rng)
                place = U(below(number, np.int64(g.left)))
                other = np.int64(g.deck[place]) >> 4
                if counts[other] < fresh_of(g, seat, other):
                    g.codes[U(age)], g.deck[place] = g.deck[place], g.codes[U(age)]
                    counts[own] -= 1
                    counts[other] += 1
                    break
        recount(g, seat)
    return rng


@kernel(entry=True)
def value_after(r: Any, games: Any, act: Any, me: Any, weights: Any, s: Any) -> Any:
    """Return the value for a seat of a move in `games[1]`, if learned players continue to the end in `games[2]`."""
    games[2] = copied(games[1])
    trial = games[2]
    make_act(r, trial, act)
    while trial.winner < 0:
        make_act(r, trial, learned_act(r, trial, weights, s))
    return value_of(r, trial, me)


@kernel(entry=True)
def value_of(r: Any, g: Any, me: Any) -> Any:
    """Return the value of a finished game for a seat: its share of the win, minus `POINT` per point left."""
    own = score(g, me)
    winners = 0
    for seat in range(r.players):
        theirs = score(g, seat)
        if theirs < own:
            return -POINT * own if r.players > 2 else 0.0
        winners += theirs == own
    won = np.float64(g.winner == me) if r.ties else 1.0 / winners
    return won - POINT * own if r.players > 2 else won
