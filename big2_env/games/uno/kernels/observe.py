"""Kernels that write observations, in the layout of `big2_env.games.uno.observation`."""

from __future__ import annotations

from typing import Any

from big2_env.games.uno.kernels.dtypes import ONE
from big2_env.kernels.dialect.bits import U, append_bits, row_at, spread_bits, store_32_entries, store_64_entries
from big2_env.kernels.dialect.kernel import kernel

BEFORE_SEATS = 286
"""Number of entries before the windows with one part per seat."""
HELD_SHOWN, FRESH_SHOWN = 20, 40
"""Entries per seat in these windows."""


@kernel(inline=True)
def observe_here(rules: Any, game: Any, seat: Any, hand: Any, words: Any, out: Any, i: Any) -> None:
    """Write the observation of `seat` into row `i` of `out`, int8 or float32 (N, size), in the order of `UnoLayout`.

    `hand` is its `hand_word`; `words` is scratch, uint64. This kernel is inlined, for loops that do little else.
    """
    players, own = rules.players, game.seats[U(seat)]
    flags = (ONE << U(game.colour)) | (ONE << U(5 + game.face)) | (U(game.naming) << U(20))
    flags |= U(game.drawn >= 0) * U(seat == game.turn) << U(21) | U(game.direction > 0) << U(22)
    pile = U(game.left)  # with all bits below its highest set
    pile |= pile >> ONE
    pile |= pile >> U(2)
    flags |= (pile | pile >> U(4)) << U(23)
    flags |= ((ONE << U(own.plain)) - ONE) << U(30) | ((ONE << U(own.fours)) - ONE) << U(34)
    flags |= ((ONE << U(game.wilds[0])) - ONE) << U(38) | ((ONE << U(game.wilds[1])) - ONE) << U(42)
    # The string of bits, word by word. The windows that every table has stand at 0, 60, 120, 180 and 240.
    one, two = game.played[0], game.played[1]
    w_0, w_1, w_2 = hand | own.twice << U(60), own.twice >> U(4) | one << U(56), one >> U(8) | two << U(52)
    w_3, w_4 = two >> U(12) | flags << U(48), flags >> U(16)
    row = row_at(out, i)
    if players == 2:  # all places are known beforehand: 286, 326, 366
        other = game.seats[U(1 - seat)]
        held = unary(own.held) | unary(other.held) << U(HELD_SHOWN)
        w_4, w_5, w_6 = w_4 | held << U(30), held >> U(34) | own.fresh << U(6) | other.fresh << U(46), other.fresh >> U(18)
        store_64_entries(row, 0, w_0)
        store_64_entries(row, 64, w_1)
        store_64_entries(row, 128, w_2)
        store_64_entries(row, 192, w_3)
        store_64_entries(row, 256, w_4)
        store_64_entries(row, 342, w_5 >> U(22) | w_6 << U(42))  # the last 64 entries
        store_64_entries(row, 320, w_5)
    else:
        words[0], words[1], words[2], words[3] = w_0, w_1, w_2, w_3
        word, low, shift, who = 4, w_4, BEFORE_SEATS & 63, seat
        for _ in range(players):
            word, low, shift = append_bits(words, word, low, shift, unary(game.seats[U(who)].held), HELD_SHOWN)
            who = who + 1 if who + 1 < players else 0
        for _ in range(players):
            word, low, shift = append_bits(words, word, low, shift, game.seats[U(who)].fresh, FRESH_SHOWN)
            who = who + 1 if who + 1 < players else 0
        words[U(word)] = low
        spread_bits(words, row, BEFORE_SEATS + (HELD_SHOWN + FRESH_SHOWN) * players)


@kernel(entry=True)
def observe(rules: Any, game: Any, seat: Any, hand: Any, words: Any, out: Any, i: Any) -> None:
    """Call `observe_here` without inlining it."""
    observe_here(rules, game, seat, hand, words, out, i)


@kernel(entry=True)
def unary(held: Any) -> Any:
    """Return a word with one low bit set per card of a hand, up to `HELD_SHOWN`."""
    return (ONE << U(min(held, HELD_SHOWN))) - ONE


@kernel(entry=True)
def write_mask(found: Any, mask: Any, i: Any) -> None:
    """Write legal actions, given as bits, into row `i` of `mask`, int8 (N, 62)."""
    row = row_at(mask, i)
    store_32_entries(row, 0, found)
    store_32_entries(row, 30, found >> U(30))  # two entries twice
