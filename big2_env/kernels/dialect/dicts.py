"""The memo of interpreted kernels: a dictionary. `memo.py` says what its functions do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Memo:
    """Places of keys, and their rows: the word, the key, the amount."""

    __slots__ = ("places", "reals", "rows", "words")

    def __init__(self, words: int) -> None:
        self.places: dict[tuple[int, ...], int] = {}
        self.rows: list[Any] = []
        self.reals = self.rows
        self.words = words


def new_memo(places: int, words: int, has_amounts: bool) -> Memo:
    """An empty memo."""
    return Memo(words)


def room_of(memo: Memo, most: int) -> int:
    """Room without end."""
    return 1 << 62


def recall(memo: Memo, key: Sequence[int]) -> int:
    """The place of a key, -1 where nothing is known of it."""
    return memo.places.get(tuple(key), -1)


def keep(memo: Memo, key: Sequence[int], word: int, amount: float) -> bool:
    """Keep what has been found out about a key; returns whether there is one key more."""
    number = len(memo.rows)
    place = memo.places.setdefault(tuple(key), number)
    if place == number:
        memo.rows.append([word, *key, amount])
        return True
    memo.rows[place] = [word, *key, amount]
    return False


def moved(old: Memo, memo: Memo) -> int:
    """Make an empty memo have all results of another; returns how many keys that has."""
    memo.places, memo.rows, memo.reals = old.places, old.rows, old.rows
    return len(memo.rows)
