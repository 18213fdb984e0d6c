"""Names of the dialect that mean one thing compiled and another interpreted: the results are equal."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import pytest
from numba.core.errors import NumbaError

from big2_env.base.rng import SplitMix64
from big2_env.kernels.dialect import bits
from big2_env.kernels.dialect.interpreted import names_for

PLAIN = names_for(())
U = np.uint64


def compiled(function: Any) -> Any:
    """A function of two or more arguments, called from Python."""
    return nb.njit(lambda *given: function(*given))


def words(number: int, rng: SplitMix64) -> list[int]:
    """Random words; some have few bits, some have the highest."""
    found = [rng.next() for _ in range(number)]
    return [word >> rng.below(64) if rng.below(2) else word | 1 << 63 for word in found]


def test_places_where__finds_the_same_bytes() -> None:
    rng, call = SplitMix64(1), compiled(bits.places_where)
    for _ in range(500):
        table = [rng.below(1 << 1 + rng.below(8)) for _ in range(128)]
        mask, first, number = (255, 15, 240, rng.below(256))[rng.below(4)], rng.below(256), rng.below(256)
        low, high = PLAIN["places_where"](table, mask, first, number)
        assert call(np.array(table, np.uint8), mask, first, number) == (low, high)
        inside = {(first + k) % 256 for k in range(number)}
        assert low | high << 64 == sum(1 << place for place, byte in enumerate(table) if byte & mask in inside)


@pytest.mark.parametrize(
    ("name", "function", "dtype", "number"),
    [
        ("store_32_entries", bits.store_32_entries, np.int8, 32),
        ("store_64_entries", bits.store_64_entries, np.int8, 64),
        ("store_64_entries", bits.store_64_entries, np.float32, 64),
    ],
)
def test_store__writes_the_same_entries(name: str, function: Any, dtype: Any, number: int) -> None:
    rng, call = SplitMix64(2), nb.njit(lambda out, i, start, word: function(bits.row_at(out, i), start, word))
    for word in words(200, rng):
        size, row = number + rng.below(70), rng.below(3)
        out, plain = np.full((3, size), 5, dtype), [[5] * size for _ in range(3)]
        start = rng.below(size - number + 1)
        call(out, row, start, U(word))
        PLAIN[name](plain[row], start, word)
        assert out.tolist() == plain
        shown = np.full((3, size), 5, np.int8)
        PLAIN[name](memoryview(shown[row]).cast("B"), start, word)
        assert shown.tolist() == plain


@pytest.mark.long
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
@pytest.mark.parametrize("size", [1, 15, 44, 64, 65, 100, 128, 200, 406])
def test_spread_bits__writes_the_same_row(size: int, dtype: Any) -> None:
    spread = bits.spread_bits
    rng, call = SplitMix64(size), nb.njit(lambda words, out, i, size: spread(words, bits.row_at(out, i), size))
    for _ in range(20):
        given, row = words(size // 64 + 2, rng), rng.below(7)
        out, plain = np.full((7, size), 5, dtype), [[5] * size for _ in range(7)]
        call(np.array(given, np.uint64), out, row, size)
        PLAIN["spread_bits"](given, plain[row], size)
        assert out.tolist() == plain


@pytest.mark.parametrize("size", [1, 8, 44, 64, 65, 128, 406])
def test_copy_bits__writes_the_same_row(size: int) -> None:
    copy, length = bits.copy_bits, -(-size // 8)
    rng, call = SplitMix64(size), nb.njit(lambda words, out, i, size: copy(words, bits.row_at(out, i), size))
    for _ in range(20):
        given, row = words(size // 64 + 1, rng), rng.below(3)
        given[-1] &= (1 << size % 64) - 1
        out, plain = np.full((3, length), 5, np.uint8), [[5] * length for _ in range(3)]
        call(np.array(given, np.uint64), out, row, size)
        PLAIN["copy_bits"](given, plain[row], size)
        assert out.tolist() == plain


def test_append_bits__makes_the_same_words() -> None:
    rng = SplitMix64(4)
    for _ in range(100):
        out, plain = np.zeros(16, np.uint64), [0] * 16
        found: Any = (0, U(0), 0)
        same: Any = (0, 0, 0)
        whole = length = 0
        for word in words(1 + rng.below(10), rng):
            number = 1 + rng.below(64)
            part = word & (1 << number) - 1
            found = bits.append_bits(out, found[0], U(found[1]), found[2], U(part), number)
            same = PLAIN["append_bits"](plain, *same, part, number)
            assert tuple(map(int, found)) == same
            whole, length = whole | part << length, length + number
        assert out.tolist() == plain
        assert sum(word << 64 * i for i, word in enumerate([*plain[: same[0]], same[1]])) == whole


def test_row_at__and_stores_refuse_other_arrays() -> None:
    @nb.njit
    def call(out: Any) -> None:
        bits.store_32_entries(bits.row_at(out, 0), 0, U(5))

    fixed = np.zeros((2, 64), np.int8)
    fixed.flags.writeable = False
    for out in (np.zeros((2, 64), np.int8, "F"), np.zeros((2, 128), np.int8)[:, ::2], np.zeros(64, np.int8), fixed):
        with pytest.raises(NumbaError, match="expected a writable array of rows in C order, but got"):
            call(out)
    with pytest.raises(NumbaError, match="expected a row of int8, uint8 or float32, but got int16"):
        call(np.zeros((2, 64), np.int16))
