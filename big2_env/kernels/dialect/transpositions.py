"""Transposition table with keys of a few words, in an array that can grow; interpreted, a dictionary (`lists.py`).

Each key has one word, never 0, and may have an amount. The table stores complete keys, not hashes, so keys are never
confused. If it cannot grow, the key with the lowest word is replaced and must be computed again when needed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.kernels.dialect.bits import U, borrowed, mix
from big2_env.kernels.dialect.kernel import kernel

WINDOW: Final = 16
"""Number of slots that can store a given key."""


class TranspositionTable(NamedTuple):
    """Transposition table. A row has a key's word (0 for a free slot), the key, and its amount, if any."""

    rows: Any
    """(slots, columns) uint64."""
    reals: Any
    """The same memory as float64, for the amounts."""
    words: int
    """Words in a key."""


def new_table(places: int, words: int, has_amounts: bool) -> TranspositionTable:
    """Return an empty memo.

    Args:
        places: Number of slots, a power of two.
        words: Words in a key.
        has_amounts: True if keys have amounts.
    """
    return _memo_of(np.zeros((places, 1 + words + has_amounts), np.uint64), words)


def _memo_of(rows: Any, words: int) -> TranspositionTable:
    return TranspositionTable(rows, rows.view(np.float64), words)


def capacity(memo: TranspositionTable, most: int) -> int:
    """Return how many keys a memo holds before it should grow. `most` is its maximum number of slots."""
    places = len(memo.rows)
    return places * 5 // 8 if places < most else 1 << 62


def moved(old: Any, memo: TranspositionTable) -> int:
    """Copy all results of a memo, compiled or interpreted, to an empty one; return the number of keys."""
    if not isinstance(old, TranspositionTable):
        found, begin = old.rows, 1 + memo.words
        rows = np.zeros((len(found), memo.rows.shape[1]), np.uint64)
        rows[:, :begin] = np.array([row[:begin] for row in found], np.uint64).reshape(-1, begin)
        old = _memo_of(rows, memo.words)
        if rows.shape[1] > begin:
            old.reals[:, begin] = [row[begin] for row in found]
    return int(_move(old, memo))


@kernel(entry=True)
def _move(old: TranspositionTable, memo: TranspositionTable) -> Any:
    number = 0
    for i in range(len(old.rows)):
        if old.rows[i, 0] != U(0):
            place = _place(memo, old.rows[i, 1:])
            number += memo.rows[place, 0] == U(0)
            memo.rows[place] = old.rows[i]
    return number


@kernel(inline=True)
def _is_at(rows: Any, words: Any, place: Any, key: Any) -> Any:
    """Return whether a slot holds exactly this key."""
    same = rows[place, 0] != U(0)
    for i in range(words):
        same &= rows[place, 1 + i] == key[i]
    return same


@kernel(inline=True)
def _place(memo: Any, key: Any) -> Any:
    """Return the slot of a key, or the slot to store it in: a free one, or the one with the lowest word."""
    rows = borrowed(memo.rows)
    last = U(len(rows) - 1)
    mixed = U(0)
    for i in range(memo.words):
        mixed = mix(mixed ^ key[i])
    victim, least = np.int64(mixed & last), ~U(0)
    for step in range(WINDOW):
        place = np.int64((mixed + U(step)) & last)
        word = rows[place, 0]
        if word == U(0) or _is_at(rows, memo.words, place, key):
            return place
        if word < least:
            victim, least = place, word
    return victim


@kernel(inline=True)
def lookup(memo: Any, key: Any) -> Any:
    """Return the slot of a key, -1 if the key is unknown."""
    place = _place(memo, key)
    return place if _is_at(borrowed(memo.rows), memo.words, place, key) else -1


@kernel(inline=True)
def store_entry(memo: Any, key: Any, word: Any, amount: Any) -> Any:
    """Store a result for a key; return whether the key is new."""
    rows, place = borrowed(memo.rows), _place(memo, key)
    is_new = rows[place, 0] == U(0)
    for i in range(memo.words):
        rows[place, 1 + i] = key[i]
    rows[place, 0] = word
    if rows.shape[1] > 1 + memo.words:
        memo.reals[place, 1 + memo.words] = amount
    return is_new
