"""Kernels for hands: their contents, playable cards and points."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.base.rng import MIX_1, MIX_2
from big2_env.games.uno.kernels.dtypes import (
    BLANK,
    COLOUR_FIELD,
    COLOURED,
    DRAW,
    EVERY_COLOUR,
    KEEP,
    ONE,
    POINTS,
    WILD,
    WILD_FOUR,
)
from big2_env.kernels.dialect.bits import GOLDEN_GAMMA, U, lowest_bit, places_where, popcount, random_next
from big2_env.kernels.dialect.kernel import kernel

ONES, TWICE = U(MIX_1), U(MIX_2)
"""Odd multipliers that hash the cards of a hand."""


@kernel(entry=True)
def seat_seed(game: Any, seat: Any, salt: Any) -> Any:
    """Return `UnoView.seed` of a seat, uint64; `salt` is uint64."""
    hand = game.seats[U(seat)]
    drawn = U(0)
    if game.drawn >= 0 and seat == game.turn:
        code = U(game.codes[U(game.drawn)])
        drawn = code - (code >> U(4)) + ONE
    played = popcount(game.played[0]) + popcount(game.played[1]) + game.wilds[0] + game.wilds[1]
    table = U(seat) | U(game.turn) << U(4) | U(game.colour) << U(8) | U(game.face) << U(11) | U(game.direction > 0) << U(15)
    table |= U(game.naming) << U(16) | drawn << U(17) | U(game.left) << U(24) | U(played) << U(31)
    table |= U(hand.plain) << U(38) | U(hand.fours) << U(41)
    _, number = random_next(table * GOLDEN_GAMMA + hand.word * ONES + hand.twice * TWICE)
    _, found = random_next(number ^ U(salt))
    return found


@kernel(entry=True)
def of_card(game: Any, code: Any) -> Any:
    """Return the ages with a card's code. Bits from `taken` on are undefined, here and below."""
    return places_where(game.codes, 255, code, 1)


@kernel(entry=True)
def of_face(game: Any, face: Any) -> Any:
    """Return the ages with a face."""
    return places_where(game.codes, 15, face, 1)


@kernel(entry=True)
def of_faces(game: Any, first: Any, number: Any) -> Any:
    """Return the ages with any of several consecutive faces."""
    return places_where(game.codes, 15, first, number)


@kernel(entry=True)
def of_colour(game: Any, colour: Any) -> Any:
    """Return the ages with a color."""
    return places_where(game.codes, 240, colour << 4, 1)


@kernel(entry=True)
def until(taken: Any) -> Any:
    """Return the set of ages below `taken`."""
    low = ~U(0) if taken >= 64 else (U(1) << U(taken)) - U(1)
    return low, U(0) if taken <= 64 else (U(1) << U(taken - 64)) - U(1)


@kernel(entry=True)
def oldest(low: Any, high: Any) -> Any:
    """Return the lowest age of a non-empty set."""
    return lowest_bit(low) if low != U(0) else 64 + lowest_bit(high)


@kernel(entry=True)
def size(low: Any, high: Any) -> Any:
    """Return the number of ages in a set."""
    return popcount(low) + popcount(high)


@kernel(entry=True)
def score(game: Any, seat: Any) -> Any:
    """Return the points of the cards left in a hand."""
    total = np.int64(0)
    low, high = game.seats[seat].low, game.seats[seat].high
    while low != U(0):
        total += POINTS[game.codes[U(lowest_bit(low))] & 15]
        low &= low - ONE
    while high != U(0):
        total += POINTS[game.codes[U(64 + lowest_bit(high))] & 15]
        high &= high - ONE
    return total


@kernel(entry=True)
def hand_word(game: Any, seat: Any) -> Any:
    """Return the cards of a hand as action bits, `colour * 15 + face`; a wild card has a bit under each color."""
    hand = game.seats[U(seat)]
    return hand.word | (EVERY_COLOUR << U(WILD)) * U(hand.plain > 0) | (EVERY_COLOUR << U(WILD_FOUR)) * U(hand.fours > 0)


@kernel(entry=True)
def playable(rules: Any, word: Any, colour: Any, face: Any) -> Any:
    """Return the actions of a hand, as bits, that are playable on a color and face."""
    coloured = word & COLOURED
    field = COLOURED if colour == BLANK else COLOUR_FIELD << U(15 * colour)
    fits = field
    if face < WILD and (face > 0 or rules.match_zero):
        fits |= EVERY_COLOUR << U(face)
    found = coloured & fits
    named = EVERY_COLOUR & ONE if rules.blank_is_any else EVERY_COLOUR
    found |= word & (named << U(WILD))
    four = word & (named << U(WILD_FOUR))
    if rules.wild_four == 1 or (rules.wild_four == 0 and coloured & field == U(0)) or (rules.wild_four == 2 and found == U(0)):
        found |= four
    return found


@kernel(entry=True)
def code_moves(code: Any) -> Any:
    """Return the actions that play a card, as bits."""
    return ONE << U(code - (code >> 4)) if code < BLANK << 4 else EVERY_COLOUR << U(code & 15)


@kernel(entry=True)
def legal_word(rules: Any, game: Any) -> Any:
    """Return the legal actions of the seat to move as bits; none when the game is over."""
    return legal_of_hand(rules, game, hand_word(game, game.turn))


@kernel(entry=True)
def legal_of_hand(rules: Any, game: Any, hand: Any) -> Any:
    """Return `legal_word` for a known `hand_word` of the seat to move."""
    if game.winner >= 0:
        return U(0)
    if game.naming:
        return EVERY_COLOUR << U(WILD)
    found = playable(rules, hand, np.int64(game.colour), np.int64(game.face))
    if game.drawn >= 0:
        return (found & code_moves(np.int64(game.codes[U(game.drawn)]))) | (ONE << U(KEEP))
    if rules.draw_when_able or found == U(0):
        found |= ONE << U(DRAW)
    return found


@kernel(entry=True)
def most_frequent(game: Any, seat: Any) -> Any:
    """Return the most frequent color of a hand; ties go to the first color."""
    best, number = np.int64(0), np.int64(-1)
    hand = game.seats[U(seat)]
    for colour in range(4):
        low, high = of_colour(game, colour)
        found = size(hand.low & low, hand.high & high)
        if found > number:
            best, number = np.int64(colour), found
    return best
