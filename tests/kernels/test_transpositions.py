"""What a search keeps of positions: compiled, interpreted, and handed from one to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from big2_env.base.rng import SplitMix64
from big2_env.kernels.dialect import lists, transpositions
from big2_env.kernels.dialect.kernel import kernel

PLACES = 64


@kernel(entry=True)
def keep_all(kept: Any, keys: Any, words: Any, amounts: Any) -> Any:
    """Keep so many keys; returns how many are new."""
    new = 0
    for i in range(len(keys)):
        new += transpositions.store_entry(kept, keys[i], words[i], amounts[i])
    return new


@kernel(entry=True)
def recall_all(kept: Any, keys: Any, found: Any) -> None:
    """Write the place of each key."""
    for i in range(len(keys)):
        found[i] = transpositions.lookup(kept, keys[i])


def random_keys(number: int, words: int, seed: int) -> list[list[int]]:
    """Keys that hardly differ, zeros among them."""
    rng = SplitMix64(seed)
    return [[rng.below(3) << 62 if word else rng.below(1 << 30) for word in range(words)] for _ in range(number)]


def recalled(kept: Any, keys: list[list[int]]) -> list[tuple[int, float] | None]:
    """By key, its word and amount in a compiled memo."""
    places = np.zeros(len(keys), np.int64)
    recall_all(kept, np.array(keys, np.uint64), places)
    return [(int(kept.rows[place, 0]), float(kept.reals[place, -1])) if place >= 0 else None for place in places]


def filled(keys: list[list[int]]) -> tuple[lists.TranspositionTable, dict[tuple[int, ...], tuple[int, float]]]:
    """An interpreted memo of keys, some of them kept twice, and what it has to know."""
    kept, wanted = lists.new_table(PLACES, len(keys[0]), True), {}
    for number, key in enumerate([*keys, *keys[::3]], start=1):
        assert lists.store_entry(kept, key, number << 40, -number / 2) is (tuple(key) not in wanted)
        wanted[tuple(key)] = number << 40, -number / 2
    return kept, wanted


@pytest.mark.parametrize("words", [3, 7])
def test_memo__knows_the_same_compiled_interpreted_and_handed_over(words: int) -> None:
    keys = random_keys(40, words, seed=words)
    others = random_keys(40, words, seed=100)
    plain, wanted = filled(keys)
    compiled, handed = transpositions.new_table(PLACES, words, True), transpositions.new_table(4 * PLACES, words, True)
    given = [*keys, *keys[::3]]
    numbers = np.arange(1, 1 + len(given))
    new = keep_all(compiled, np.array(given, np.uint64), (numbers << 40).astype(np.uint64), -numbers / 2)
    assert new == transpositions.moved(plain, handed) == len(wanted)
    for kept in (compiled, handed):
        assert recalled(kept, keys) == [wanted[tuple(key)] for key in keys]
        assert recalled(kept, others) == [wanted.get(tuple(key)) for key in others]
    larger = transpositions.new_table(4 * PLACES, words, True)
    assert transpositions.moved(compiled, larger) == len(wanted)
    assert recalled(larger, keys) == [wanted[tuple(key)] for key in keys]
    assert [lists.lookup(plain, key) >= 0 for key in others] == [tuple(key) in wanted for key in others]


def test_memo__moves_nothing_and_keys_without_amounts() -> None:
    empty = transpositions.new_table(PLACES, 3, False)
    assert transpositions.moved(lists.new_table(PLACES, 3, False), empty) == 0
    assert not empty.rows.any()
    plain, wanted = filled(random_keys(30, 3, seed=1))
    assert transpositions.moved(plain, empty) == len(wanted)
    assert sorted(map(tuple, empty.rows[empty.rows[:, 0] > 0].tolist())) == sorted(
        (word, *key) for key, (word, _) in wanted.items()
    )


def test_memo__that_is_full_gives_up_the_lowest_words() -> None:
    keys = random_keys(400, 3, seed=2)
    kept, words = transpositions.new_table(PLACES, 3, True), np.arange(1, 401, dtype=np.uint64)
    assert keep_all(kept, np.array(keys, np.uint64), words, np.zeros(400)) == PLACES
    found = recalled(kept, keys)
    assert found[-1] == (400, 0.0)
    assert sum(one is not None for one in found) == PLACES
    assert np.median(kept.rows[:, 0]) > 350
    assert transpositions.capacity(kept, PLACES) > 1 << 40
    assert transpositions.capacity(kept, 2 * PLACES) == 40
