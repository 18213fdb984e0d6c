"""Cards as numbers by value: nibbles of a uint64, of one deck or two."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import U, popcount
from big2_env.kernels.dialect.cardsets import rank_cards
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables

NIBBLE = U(15)
_EVEN, _CARRY = U(0x0F0F0F0F0F0F0F0F), U(0x1010101010101010)


@kernel
def counts_of_cards(tab: Tables, cards: Any) -> Any:
    """How many cards of each value."""
    found = U(0)
    for value in range(tab.num_values):
        found |= U(popcount(rank_cards(cards, value))) << U(4 * value)
    return found


@kernel
def has(counts: Any, wanted: Any) -> Any:
    """Whether no number of `wanted` is more than that of `counts`."""
    low = ((counts & _EVEN) | _CARRY) - (wanted & _EVEN)
    high = ((counts >> U(4) & _EVEN) | _CARRY) - (wanted >> U(4) & _EVEN)
    return low & high & _CARRY == _CARRY


@kernel
def size_of(counts: Any) -> Any:
    """How many cards there are."""
    pairs = (counts & _EVEN) + (counts >> U(4) & _EVEN)
    return np.int64((pairs * U(0x0101010101010101)) >> U(56))


@kernel
def points_of(tab: Tables, cards: Any) -> Any:
    """The points of some cards, where the settlement counts those of tricks."""
    total = 0.0
    for value in range(tab.num_values):
        total += tab.points[value] * popcount(rank_cards(cards, value))
    return total
