"""Compiled UNO players, one whole turn at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.uno.features import describe, look_around, value
from big2_env.games.uno.kernels.automatic import automatic_turn
from big2_env.games.uno.kernels.dtypes import COLOURED, DRAW, EVERY_COLOUR, ONE, WILD
from big2_env.games.uno.kernels.hands import legal_word, most_frequent, of_colour, oldest, size
from big2_env.games.uno.kernels.loops import any_of
from big2_env.games.uno.kernels.turn import make_move
from big2_env.kernels.dialect.bits import U, below, lowest_bit, popcount, random_next
from big2_env.kernels.dialect.kernel import kernel

PLAYERS: Final = ("automatic", "learned", "rule-v1", "random")
"""Names of the players, in the order of their numbers."""
LEARNED: Final = PLAYERS.index("learned")
FIRST_DRAWING: Final = PLAYERS.index("rule-v1")
"""Number of the first player that uses random numbers; earlier ones are deterministic, later ones and search are not."""
SCRATCH: Final = np.dtype(
    [
        ("seen", np.float64, 22),
        ("x", np.float64, 36),
        ("hidden", np.float64, 24),
        ("rng", np.uint64),
    ]
)
"""Scratch record of a thread."""


@kernel(entry=True)
def learned_move(rules: Any, game: Any, weights: Any, work: Any) -> Any:
    """Return the learned player's move, the candidate of the highest value; it draws only if it cannot play."""
    word = legal_word(rules, game)
    if game.naming:
        return most_frequent(game, game.turn) * 15 + WILD
    plays = word & ((ONE << U(60)) - ONE)
    if plays == U(0):
        return np.int64(DRAW)
    if popcount(plays) == 1 or game.seats[U(game.turn)].held == 1:
        return lowest_bit(plays)
    look_around(rules, game, work.seen)
    best, most = lowest_bit(plays), -np.inf  # huge weights have values that are no numbers, and none of them is the highest
    while plays != U(0):
        move = lowest_bit(plays)
        plays &= plays - ONE
        describe(rules, game, work.seen, move if move % 15 < WILD else 60 + move % 15, move // 15, work.x)
        found = value(weights, work.x, work.hidden)
        if found > most:
            best, most = move, found
    return best


@kernel(entry=True)
def first_most_frequent(game: Any, seat: Any) -> Any:
    """Return the most frequent color of a hand, red without colored cards; ties go to the color of the oldest card."""
    best, number, age = np.int64(0), np.int64(0), np.int64(128)
    hand = game.seats[U(seat)]
    for colour in range(4):
        low, high = of_colour(game, colour)
        low, high = low & hand.low, high & hand.high
        found = size(low, high)
        if found > 0 and (found > number or (found == number and oldest(low, high) < age)):
            best, number, age = np.int64(colour), found, oldest(low, high)
    return best


@kernel(entry=True)
def rule_v1_move(rules: Any, game: Any, work: Any) -> Any:
    """Return the move of RLCard's `uno-rule-v1`, with its way of drawing random numbers.

    A wild four if legal, naming the most frequent color of the hand, of equals the one held longest. Otherwise any card that is
    not wild, with double probability for a card held twice. Otherwise any wild card with any color.
    """
    word = legal_word(rules, game)
    seat = np.int64(game.turn)
    if game.naming:
        return first_most_frequent(game, seat) * 15 + WILD
    plays = word & ((ONE << U(60)) - ONE)
    if plays == U(0):
        return np.int64(DRAW)
    if plays & (EVERY_COLOUR << U(14)) != U(0) and not rules.blank_is_any:
        return first_most_frequent(game, seat) * 15 + 14
    plain = plays & COLOURED
    if plain == U(0):
        return _any_of(plays, work)
    twice = plain & game.seats[U(seat)].twice
    work.rng, number = random_next(work.rng)
    if below(number, popcount(plain) + popcount(twice)) >= popcount(plain):
        return _any_of(twice, work)
    return _any_of(plain, work)


@kernel(entry=True)
def _any_of(plays: Any, work: Any) -> Any:
    work.rng, number = random_next(work.rng)
    return any_of(plays, number)


@kernel(entry=True)
def player_turn(rules: Any, game: Any, player: Any, weights: Any, work: Any) -> None:
    """Make one move of a player, or a whole turn of the automatic one."""
    if player == 0:
        automatic_turn(rules, game)
    elif player == 1:
        make_move(rules, game, learned_move(rules, game, weights, work))
    elif player == 2:
        make_move(rules, game, rule_v1_move(rules, game, work))
    else:
        make_move(rules, game, _any_of(legal_word(rules, game), work))
