"""Names of the dialect that mean one thing compiled and another interpreted: the results are equal."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import pytest

from big2_env.kernels.dialect import bits
from big2_env.kernels.dialect.interpreted import names_for
from big2_env.rng import SplitMix64

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
    rng, call = SplitMix64(2), compiled(function)
    for word in words(200, rng):
        rows, size = 1 + rng.below(3), number + rng.below(70)
        out, plain = np.full((rows, size), 5, dtype), [[5] * size for _ in range(rows)]
        offset = rng.below(rows) * size + rng.below(size - number + 1)
        call(out, offset, U(word))
        PLAIN[name](plain, offset, word)
        assert out.tolist() == plain
        shown = np.full((rows, size), 5, np.int8)
        PLAIN[name]([memoryview(row).cast("B") for row in shown], offset, word)  # type: ignore[arg-type]
        assert shown.tolist() == plain


@pytest.mark.parametrize("size", [1, 44, 64, 65, 100, 128, 200, 406])
def test_spread_bits__writes_the_same_row(size: int) -> None:
    rng, call = SplitMix64(size), compiled(bits.spread_bits)
    for _ in range(20):
        given, row = words(size // 64 + 2, rng), rng.below(3)
        out, plain = np.full((3, size), 5, np.int8), [[5] * size for _ in range(3)]
        call(np.array(given, np.uint64), out, row)
        PLAIN["spread_bits"](given, plain, row)
        assert out.tolist() == plain


def test_append_bits__makes_the_same_words() -> None:
    rng = SplitMix64(4)
    for _ in range(100):
        out, plain = np.zeros(16, np.uint64), [0] * 16
        found: Any = (0, U(0), U(0))
        same: Any = (0, 0, 0)
        start = 0
        for word in words(1 + rng.below(10), rng):
            length = 1 + rng.below(64)
            part = word & (1 << length) - 1
            found = bits.append_bits(out, found[0], U(found[1]), U(found[2]), start, U(part))
            same = PLAIN["append_bits"](plain, *same, start, part)
            assert tuple(map(int, found)) == same
            start += length + rng.below(30)
        assert out.tolist() == plain
