"""Random number generator of all seeded deals: SplitMix64.

The generator is defined here and does not depend on a library version. It is the same in plain Python and in compiled code. So
a seed gives the same game across processes, batch sizes and releases.

Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, MutableSequence, Sequence
from operator import index
from typing import Any, Final, TypeVar

from big2_env.base.errors import ConfigError

T = TypeVar("T")
MASK_64: Final = (1 << 64) - 1
GOLDEN_GAMMA: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB


class SplitMix64:
    """Stream of 64-bit random numbers.

    Args:
        seed: Integer, taken modulo 2**64.

    Raises:
        ConfigError: The seed is not an integer.

    >>> rng = SplitMix64(0)
    >>> hex(rng.next())
    '0xe220a8397b1dcdaf'
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        try:
            self.state = index(seed) & MASK_64
        except TypeError:
            raise ConfigError(f"expected an integer as seed, got {seed!r}") from None

    def __repr__(self) -> str:
        return f"SplitMix64({self.state})"

    def next(self) -> int:
        """Return the next number, uniform over 0 .. 2**64 - 1."""
        self.state = (self.state + GOLDEN_GAMMA) & MASK_64
        z = self.state
        z = ((z ^ (z >> 30)) * MIX_1) & MASK_64
        z = ((z ^ (z >> 27)) * MIX_2) & MASK_64
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a number from 0 .. n - 1.

        It uses the upper half of one draw; the bias is below n / 2**32.

        Args:
            n: Upper bound, below 2**32.
        """
        return ((self.next() >> 32) * n) >> 32

    def one(self, options: Sequence[T]) -> T:
        """Return one of several values."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], number: int) -> list[T]:
        """Return different values in random order."""
        shuffled = list(options)
        self.shuffle(shuffled)
        return shuffled[:number]

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place with Fisher-Yates, from the last place down."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def derived(seed: int, *path: int) -> int:
    """Return a separate seed for one part of something seeded: seat 2 of a game is `derived(seed, 2)`.

    Args:
        seed: Seed of the whole.
        *path: Numbers that identify the part.

    >>> derived(7, 0) == derived(7, 1), derived(7, 0) == derived(7, 0)
    (False, True)
    """
    state = SplitMix64(seed).next()
    for step in path:
        state = SplitMix64(state ^ SplitMix64(step).next()).next()
    return state


def hashed(*numbers: int) -> int:
    """Return a 64-bit hash of integers of any size. `kernels.observe` computes the same in compiled code.

    Each number contributes its count of 64-bit words, then the words, low word first.

    >>> hashed(1, 2) == hashed(2, 1), hashed(1 << 64) == hashed(0, 1)
    (False, False)
    """
    state = 0
    for word in _words(numbers):
        state = SplitMix64(state ^ SplitMix64(word).next()).next()
    return state


def _words(numbers: tuple[int, ...]) -> Iterator[int]:
    for number in numbers:
        count = max(1, (number.bit_length() + 63) // 64)
        yield count
        for place in range(count):
            yield number >> (64 * place) & MASK_64


def drawn_seed() -> int:
    """Return an unpredictable 64-bit seed from the operating system."""
    return secrets.randbits(64)
