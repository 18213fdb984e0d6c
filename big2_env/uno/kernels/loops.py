"""The automatic player, and whole games of it: one call from Python for many games, without the interpreter's lock."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, borrowed
from big2_env.uno.kernels.state import BLANK, EXHAUSTED, WILD, deal, draw, most_frequent, oldest, put_card, score

LONGEST: Final = 512
"""Lengths of games are counted one by one below this, and together from there on."""
SHARE: Final = 2520
"""A win in parts that any number of winners can share."""
TOTALS: Final = {
    "turns": 2,  # their sum, and the sum of their squares
    "longest": 1,
    "exhausted": 1,  # games that ended with an empty pile
    "left": 2,  # the sum of all seats' scores, and the sum of its squares
    "wins": 10,  # by seat, in parts of a win
    "firsts": 10,  # games that the seat is reported to have won
    "scores": 10,  # by seat
    "squares": 10,  # of the scores, by seat
    "lengths": LONGEST,  # games by their length
}
"""What is added up over games, with the number of entries."""
STARTS: Final = dict(zip(TOTALS, np.cumsum([0, *TOTALS.values()]).tolist(), strict=False))
SIZE: Final = sum(TOTALS.values())
_LONGEST_AT, _EXHAUSTED_AT, _LEFT_AT, _WINS_AT = STARTS["longest"], STARTS["exhausted"], STARTS["left"], STARTS["wins"]
_FIRSTS_AT, _SCORES_AT, _SQUARES_AT, _LENGTHS_AT = STARTS["firsts"], STARTS["scores"], STARTS["squares"], STARTS["lengths"]


@nb.njit(cache=True)
def automatic_card(r: Any, g: Any) -> Any:
    """The age of the card that the automatic player plays from its hand, -1 where it draws."""
    seat, colour, face = g.turn, g.colour, g.face
    low, high = g.low[seat], g.high[seat]
    if face < WILD:
        if face > 0 or r.match_zero:
            found_low, found_high = low & g.face_low[face], high & g.face_high[face]
            if found_low | found_high != U(0):
                return oldest(found_low, found_high)
    elif r.match_wild and (face == WILD or r.wild_four != 0):
        found_low, found_high = low & g.face_low[face], high & g.face_high[face]
        if found_low | found_high != U(0) and (face == WILD or r.wild_four == 1):
            return oldest(found_low, found_high)
    if colour == BLANK:
        found_low, found_high = low & ~g.colour_low[BLANK], high & ~g.colour_high[BLANK]
    else:
        found_low, found_high = low & g.colour_low[colour], high & g.colour_high[colour]
    if found_low | found_high != U(0):
        if r.colour_order != 1:
            acts_low = g.face_low[10] | g.face_low[11] | g.face_low[12]
            acts_high = g.face_high[10] | g.face_high[11] | g.face_high[12]
            if r.colour_order == 0:
                acts_low, acts_high = ~acts_low, ~acts_high
            first_low, first_high = found_low & acts_low, found_high & acts_high
            if first_low | first_high != U(0):
                return oldest(first_low, first_high)
        return oldest(found_low, found_high)
    found_low, found_high = low & g.colour_low[BLANK], high & g.colour_high[BLANK]
    if found_low | found_high == U(0):
        return np.int64(-1)
    plain_low, plain_high = found_low & g.face_low[WILD], found_high & g.face_high[WILD]
    has_plain = plain_low | plain_high != U(0)
    if has_plain and (r.wild_order == 1 or r.wild_four == 2):
        return oldest(plain_low, plain_high)
    four_low, four_high = found_low & ~plain_low, found_high & ~plain_high
    if r.wild_order == 2 and four_low | four_high != U(0):
        return oldest(four_low, four_high)
    return oldest(found_low, found_high)


@nb.njit(cache=True)
def automatic_turn(r: Any, g: Any) -> None:
    """What the automatic player does in its turn, all of it."""
    seat = g.turn
    if g.naming:
        g.naming = 0
        g.colour = most_frequent(g, seat)
    age = g.drawn
    if age < 0:
        age = automatic_card(r, g)
    if age < 0:
        draw(r, g)
        age = g.drawn
        if age < 0:
            return
    put_card(r, g, age, most_frequent(g, seat) if g.card[age] >= 60 else np.int64(0))


@nb.njit(cache=True)
def add_up(r: Any, g: Any, totals: Any) -> None:
    """Add a game that has ended to the totals."""
    turns = g.turns
    totals[0] += turns
    totals[1] += turns * turns
    totals[_LONGEST_AT] = max(totals[_LONGEST_AT], turns)
    totals[_EXHAUSTED_AT] += g.ended == EXHAUSTED
    totals[_LENGTHS_AT + min(turns, LONGEST - 1)] += 1
    totals[_FIRSTS_AT + g.winner] += 1
    lowest, total, winners = score(g, g.winner), np.int64(0), np.int64(0)
    for seat in range(r.players):
        points = score(g, seat)
        total += points
        winners += points == lowest
        totals[_SCORES_AT + seat] += points
        totals[_SQUARES_AT + seat] += points * points
    totals[_LEFT_AT] += total
    totals[_LEFT_AT + 1] += total * total
    if r.ties:
        totals[_WINS_AT + g.winner] += SHARE
    else:
        for seat in range(r.players):
            if score(g, seat) == lowest:
                totals[_WINS_AT + seat] += SHARE // winners


@nb.njit(cache=True, nogil=True)
def simulate(r: Any, games: Any, seed: Any, number: Any, totals: Any) -> None:
    """Play games of automatic players, seeded `seed`, `seed + 1`, ..., and add them up in `totals`, int64 (SIZE,).

    Args:
        r: the rules, a record.
        games: scratch, records (1,).
        seed: uint64.
        number: how many games.
        totals: what is added to.
    """
    games, totals = borrowed(games), borrowed(totals)
    g = games[0]
    for k in range(number):
        deal(r, g, U(seed) + U(k))
        while g.winner < 0:
            automatic_turn(r, g)
        add_up(r, g, totals)
