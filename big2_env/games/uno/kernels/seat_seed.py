"""Seeds of players, made of what their seats see: `UnoView.seed` in compiled code."""

from __future__ import annotations

from typing import Any

from big2_env.games.uno.kernels.dtypes import ONE
from big2_env.kernels.dialect.bits import GOLDEN_GAMMA, U, popcount, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.rng import MIX_1, MIX_2

ONES, TWICE = U(MIX_1), U(MIX_2)
"""Odd factors of the cards of a hand."""


@kernel(entry=True)
def seat_seed(g: Any, seat: Any, salt: Any) -> Any:
    """Return `UnoView.seed` of a seat, uint64; `salt` is uint64."""
    s = g.seats[U(seat)]
    drawn = U(0)
    if g.drawn >= 0 and seat == g.turn:
        code = U(g.codes[U(g.drawn)])
        drawn = code - (code >> U(4)) + ONE
    played = popcount(g.played[0]) + popcount(g.played[1]) + g.wilds[0] + g.wilds[1]
    table = U(seat) | U(g.turn) << U(4) | U(g.colour) << U(8) | U(g.face) << U(11) | U(g.direction > 0) << U(15)
    table |= U(g.naming) << U(16) | drawn << U(17) | U(g.left) << U(24) | U(played) << U(31)
    table |= U(s.plain) << U(38) | U(s.fours) << U(41)
    _, number = random_next(table * GOLDEN_GAMMA + s.word * ONES + s.twice * TWICE)
    _, found = random_next(number ^ U(salt))
    return found
