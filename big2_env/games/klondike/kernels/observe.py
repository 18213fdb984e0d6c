"""Kernels that write observations, in the layout of `big2_env.games.klondike.observation`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.games.klondike.kernels.dtypes import ONE, PILES, STOCK, SUITS
from big2_env.games.klondike.observation import LAYOUT
from big2_env.games.klondike.position import WINDOW
from big2_env.kernels.dialect.bits import U, row_at, spread_bits
from big2_env.kernels.dialect.kernel import kernel, wipe

UP, DOWN, FOUNDATIONS, TAKEN, DEALER, DEALT, LEFT = (
    LAYOUT.windows[name].start for name in ("up", "down", "foundations", "window", "dealer", "dealt", "left")
)
SIZE: Final = LAYOUT.size


@kernel(inline=True)
def put(words: Any, start: Any, bits: Any) -> None:
    """Write up to 64 bits into a bit string, beginning at bit `start`."""
    word, shift = U(start) >> U(6), U(start) & U(63)
    words[word] |= bits << shift
    words[word + ONE] |= (bits >> ONE) >> (U(63) - shift)


@kernel(inline=True)
def put_one(words: Any, place: Any) -> None:
    """Set one bit of a bit string."""
    words[U(place) >> U(6)] |= ONE << (U(place) & U(63))


@kernel(entry=True)
def unary(number: Any) -> Any:
    """Return a word with the given number of low bits set."""
    return (ONE << U(number)) - ONE


@kernel(entry=True)
def observe(game: Any, words: Any, out: Any, i: Any) -> None:
    """Write the observation into row `i` of `out`, int8 or float32 (N, 1910). `words` is scratch, uint64 (`SCRATCH`,)."""
    wipe(words)
    for pile in range(PILES):
        put(words, UP + 52 * pile, game.up[U(pile)])
        put(words, DOWN + 6 * pile, unary(game.down[U(pile)]))
    for suit in range(SUITS):
        put(words, FOUNDATIONS + 13 * suit, unary(game.foundations[U(suit)]))
    dealt: Any = np.int64(game.dealt)
    for row in range(min(dealt, WINDOW)):
        put_one(words, TAKEN + 52 * row + np.int64(game.deck[U(STOCK + dealt - 1 - row)]))
    for place in range(game.seen):
        put_one(words, DEALER + 52 * place + np.int64(game.deck[U(STOCK + place)]))
    put(words, DEALT, unary(dealt))
    put(words, LEFT, unary(game.left))
    spread_bits(words, row_at(out, i), SIZE)
