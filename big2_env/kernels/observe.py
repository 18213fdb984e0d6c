"""Observations and masks written into rows of arrays; the layout is that of `climbing/encoding/observation.py`.

An observation is a string of bits, gathered word by word and then spread over the row, 64 entries at a time.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, lowest_bit, popcount, store_64_entries
from big2_env.kernels.tables import Tables

HAND, SLOTS, TOP, PATTERN, SEAT, HAS_PASSED, LEFT, PLAYED, OBLIGATION, LEADING = range(10)
"""Places in `starts`: the first entry of each window, in the order of the layout."""
LAST = U(1 << 51)
"""The highest card."""


@nb.njit(cache=True, inline="always")
def _append(words: Any, word: Any, low: Any, high: Any, start: Any, bits: Any) -> Any:
    """Add up to 64 bits that begin at `start`, not before the word being filled; returns that word, its bits and the next's."""
    while word < start >> 6:
        words[U(word)] = low
        word, low, high = word + 1, high, U(0)
    shift = U(start & 63)
    return word, low | bits << shift, high | (bits >> U(1)) >> (U(63) - shift)


@nb.njit(cache=True)
def _write_bits(words: Any, out: Any, i: Any) -> None:
    """Spread a string of bits over row `i` of `out`: C order, as many entries as there are bits, 64 or more."""
    size = out.shape[1]
    row = i * size
    for word in range(size >> 6):
        store_64_entries(out, row + (word << 6), words[U(word)])
    if size & 63:  # the last 64 entries, whatever of them is written already
        last = size - 64
        shift = U(last & 63)
        word = last >> 6
        store_64_entries(out, row + last, words[U(word)] >> shift | words[U(word + 1)] << (U(64) - shift))


@nb.njit(cache=True)
def observe(t: Tables, starts: Any, g: Any, seat: Any, words: Any, out: Any, i: Any) -> None:
    """Write what `seat` sees of a game into row `i` of `out`, int8 or float32 (N, size).

    `words` is scratch, uint64, for all bits and a word more.
    """
    players = np.int64(t.num_players)
    leads = g.top_category < 0
    # The bits in the order of the windows, so that each word is gathered in a register. No branch depends on the game.
    word, low, high = _append(words, 0, U(0), U(0), starts[HAND], g.hands[U(seat)])
    distance = g.top_seat - seat
    distance = distance if distance >= 0 else distance + players
    one = U(0) if leads else U(1)
    word, low, high = _append(words, word, low, high, starts[TOP], g.top)
    word, low, high = _append(words, word, low, high, starts[PATTERN], one << U(max(g.top_pattern, 0)))
    word, low, high = _append(words, word, low, high, starts[SEAT], one << U(max(distance, 0)))
    passed = U(g.passed)
    passed = (passed >> U(seat)) | (passed & ((U(1) << U(seat)) - U(1))) << U(players - seat)
    word, low, high = _append(words, word, low, high, starts[HAS_PASSED], passed)
    start = starts[LEFT]
    for distance in range(players):
        who = seat + distance
        held = popcount(g.hands[U(who if who < players else who - players)])
        word, low, high = _append(words, word, low, high, start, (U(1) << U(held)) - U(1))
        start += t.hand_size
    start = starts[PLAYED]
    for distance in range(players):
        who = seat + distance
        word, low, high = _append(words, word, low, high, start, g.played[U(who if who < players else who - players)])
        start += 52
    flags = U(g.obligation != U(0)) | U(leads) << U(1)
    word, low, high = _append(words, word, low, high, starts[OBLIGATION], flags)
    words[U(word)] = low
    words[U(word + 1)] = high
    _write_bits(words, out, i)
    slot = starts[SLOTS]
    hand = g.hands[U(seat)]
    for _ in range(t.hand_size):  # as often for every hand: a loop that ends early costs more than the stores
        out[i, U(slot + (lowest_bit(hand | LAST) >> 2))] = hand != U(0)
        slot += 13
        hand &= hand - U(1)


@nb.njit(cache=True)
def write_mask(ids: Any, count: Any, mask: Any, i: Any) -> None:
    """Write the legal ids as a mask into row `i` of `mask`, int8 (N, num_actions); `ids` has `SLACK` places to spare."""
    mask[i, :] = 0
    if count == 0:
        return
    last = ids[U(count - 1)]
    for k in range(3):
        ids[U(count + k)] = last
    for k in range(0, count, 4):  # four at a time: most lists are that short, and so the loop's end is foreseen
        mask[i, U(ids[U(k)])] = mask[i, U(ids[U(k + 1)])] = mask[i, U(ids[U(k + 2)])] = mask[i, U(ids[U(k + 3)])] = 1
