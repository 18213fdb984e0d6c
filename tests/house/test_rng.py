from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from big2_env.base.rng import MASK_64, SplitMix64


def test_splitmix64__matches_the_published_stream() -> None:
    # The first outputs for seed 1234567 of the reference code by S. Vigna (prng.di.unimi.it/splitmix64.c).
    rng = SplitMix64(1234567)
    assert [rng.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("seed", [-1, 2**64, 2**64 + 7, 123456789012345678901234567890])
def test_splitmix64__takes_any_integer_modulo_two_to_the_64(seed: int) -> None:
    assert SplitMix64(seed).next() == SplitMix64(seed & MASK_64).next()


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint64, np.uint8])
def test_splitmix64__takes_the_integers_of_numpy(kind: type[np.integer[Any]]) -> None:
    assert SplitMix64(kind(7)).next() == SplitMix64(7).next()  # type: ignore[arg-type]


def test_shuffle__gives_every_order_about_equally_often() -> None:
    orders = Counter()
    for seed in range(6000):
        items = [0, 1, 2]
        SplitMix64(seed).shuffle(items)
        orders[tuple(items)] += 1
    assert len(orders) == 6
    assert sum((n - 1000) ** 2 / 1000 for n in orders.values()) < 20.5  # chi-square, 5 degrees: 0.1 % exceed it


def test_below__stays_in_range_and_reaches_every_number() -> None:
    rng = SplitMix64(3)
    assert {rng.below(13) for _ in range(1000)} == set(range(13))
