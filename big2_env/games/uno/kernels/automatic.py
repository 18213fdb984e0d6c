"""Automatic player, and whole games between automatic players: many games per call, without holding the GIL."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Final

import numpy as np

from big2_env.games.uno.kernels.dtypes import BLANK, EXHAUSTED, ONE, POINTS, WILD
from big2_env.games.uno.kernels.hands import most_frequent, of_card, of_colour, of_face, of_faces, oldest, score, size, until
from big2_env.games.uno.kernels.turn import deal, draw, name_colour, put_card
from big2_env.games.uno.rules import MAX_PLAYERS
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel

LONGEST: Final = 512
"""Lengths below this are counted one by one; longer games share the last counter."""
SHARE: Final = 2520
"""Units of a win, divisible among up to ten winners."""
SHARE_OF_MANY: Final = 360_360
"""Units of a win, divisible among any number of winners, for tables of more than ten."""
TOTALS: Final = {
    "turns": 2,  # their sum, and the sum of their squares
    "longest": 1,
    "exhausted": 1,  # games that ended with an empty pile
    "left": 2,  # the sum of all seats' scores, and the sum of its squares
    "wins": MAX_PLAYERS,  # by seat, in parts of a win
    "firsts": MAX_PLAYERS,  # games that the seat is reported to have won
    "scores": MAX_PLAYERS,  # by seat
    "squares": MAX_PLAYERS,  # of the scores, by seat
    "lengths": LONGEST,  # games by their length
}
"""Sums over games, with the number of entries of each."""
_CARDS_OF_COLOUR: Final = 25
STARTS: Final[dict[str, Any]] = dict(zip(TOTALS, accumulate(TOTALS.values(), initial=0), strict=False))
SIZE: Final = sum(TOTALS.values())
_LONGEST_AT, _EXHAUSTED_AT, _LEFT_AT, _WINS_AT = STARTS["longest"], STARTS["exhausted"], STARTS["left"], STARTS["wins"]
_FIRSTS_AT, _SCORES_AT, _SQUARES_AT, _LENGTHS_AT = STARTS["firsts"], STARTS["scores"], STARTS["squares"], STARTS["lengths"]


@kernel(entry=True)
def _of_hand(hand: Any, ages: Any) -> Any:
    """Return the ages of a set that are in a hand."""
    return hand.low & ages[0], hand.high & ages[1]


@kernel(entry=True)
def _picked(rules: Any, game: Any, low: Any, high: Any) -> Any:
    """Return the age that `pick` selects from a non-empty set of colored cards."""
    best = oldest(low, high)
    if rules.pick == 0:
        return best
    known_low, known_high = until(np.int64(game.taken))  # all that were taken but other hands
    for seat in range(rules.players):
        if seat != game.turn:
            known_low &= ~game.seats[U(seat)].low
            known_high &= ~game.seats[U(seat)].high
    most = np.int64(-(1 << 30))
    while low | high != U(0):
        age = oldest(low, high)
        code = np.int64(game.codes[U(age)])
        gain = POINTS[code & 15] if rules.pick == 1 else -_followers(rules, game, code, known_low, known_high)
        if gain > most:
            best, most = age, gain
        low, high = (low & (low - ONE), high) if low != U(0) else (low, high & (high - ONE))
    return best


@kernel(entry=True)
def _followers(rules: Any, game: Any, code: Any, low: Any, high: Any) -> Any:
    """Return the number of colored cards that match a colored card, excluding a set of known ages."""
    colour, face = code >> 4, code & 15
    ages = of_colour(game, colour)
    found = _CARDS_OF_COLOUR - size(ages[0] & low, ages[1] & high)
    if face > 0 or rules.match_zero != 0:
        for other in range(BLANK):
            if other != colour:
                ages = of_card(game, other << 4 | face)
                found += (2 if face > 0 else 1) - size(ages[0] & low, ages[1] & high)
    return found


@kernel(entry=True)
def automatic_card(rules: Any, game: Any) -> Any:
    """Return the age of the card that the automatic player plays from its hand; -1 if it draws."""
    hand, colour, face = game.seats[U(game.turn)], np.int64(game.colour), np.int64(game.face)
    matched = face > 0 or rules.match_zero != 0
    if face >= WILD:
        matched = rules.match_wild != 0 and (face == WILD or rules.wild_four == 1)
    if matched:
        low, high = _of_hand(hand, of_face(game, face))
        if low | high != U(0):
            return oldest(low, high) if face >= WILD else _picked(rules, game, low, high)
    wild_low, wild_high = _of_hand(hand, of_colour(game, BLANK))
    if colour == BLANK:
        low, high = hand.low & ~wild_low, hand.high & ~wild_high
    else:
        low, high = _of_hand(hand, of_colour(game, colour))
    if low | high != U(0):
        if rules.colour_order != 1:
            first, number = (0, 10) if rules.colour_order == 0 else (10, 3)
            ages_low, ages_high = of_faces(game, first, number)
            if low & ages_low | high & ages_high != U(0):
                low, high = low & ages_low, high & ages_high
        return _picked(rules, game, low, high)
    if wild_low | wild_high == U(0):
        return np.int64(-1)
    low, high = _of_hand(hand, of_face(game, WILD))
    if hand.plain > 0 and (rules.wild_order == 1 or rules.wild_four == 2):
        return oldest(low, high)
    if hand.fours > 0 and rules.wild_order == 2:
        return oldest(wild_low & ~low, wild_high & ~high)
    return oldest(wild_low, wild_high)


@kernel(entry=True)
def automatic_turn(rules: Any, game: Any) -> None:
    """Play a whole turn of the automatic player."""
    seat = np.int64(game.turn)
    if game.naming:
        name_colour(game, most_frequent(game, seat))
    age = np.int64(game.drawn)
    if age < 0:
        age = automatic_card(rules, game)
    if age < 0:
        draw(rules, game)
        age = np.int64(game.drawn)
        if age < 0:
            return
    code = np.int64(game.codes[U(age)])
    put_card(rules, game, age, code, most_frequent(game, seat) if code >= BLANK << 4 else np.int64(0))


@kernel(entry=True)
def add_up(rules: Any, game: Any, totals: Any) -> None:
    """Add a finished game to the totals."""
    turns = np.int64(game.turns)
    totals[0] += turns
    totals[1] += turns * turns
    totals[_LONGEST_AT] = max(totals[_LONGEST_AT], turns)
    totals[_EXHAUSTED_AT] += game.ended == EXHAUSTED
    totals[_LENGTHS_AT + min(turns, LONGEST - 1)] += 1
    totals[_FIRSTS_AT + game.winner] += 1
    lowest, total, winners = score(game, game.winner), np.int64(0), np.int64(0)
    for seat in range(rules.players):
        points = score(game, seat)
        total += points
        winners += points == lowest
        totals[_SCORES_AT + seat] += points
        totals[_SQUARES_AT + seat] += points * points
    totals[_LEFT_AT] += total
    totals[_LEFT_AT + 1] += total * total
    share = SHARE if rules.players <= 10 else SHARE_OF_MANY
    if rules.ties:
        totals[_WINS_AT + game.winner] += share
    else:
        for seat in range(rules.players):
            if score(game, seat) == lowest:
                totals[_WINS_AT + seat] += share // winners


@kernel(entry=True)
def simulate(rules: Any, games: Any, seed: Any, number: Any, totals: Any) -> None:
    """Play games of automatic players with the seeds `seed`, `seed + 1`, ..., and add them to `totals`.

    Args:
        rules: Rules, a record of `RULES`.
        games: Scratch, `GAME` (1,).
        seed: Seed of the first game, uint64.
        number: Number of games.
        totals: Sums to update, int64 (SIZE,), laid out by `TOTALS`.
    """
    games, totals = borrowed(games), borrowed(totals)
    game = games[0]
    for k in range(number):
        deal(rules, game, U(seed) + U(k))
        while game.winner < 0:
            automatic_turn(rules, game)
        add_up(rules, game, totals)
