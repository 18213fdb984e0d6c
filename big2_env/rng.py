"""The random stream behind every seeded deal: SplitMix64.

The stream is fixed by these lines and not by a library's version, and is the same in plain Python and in compiled code: so
"same seed, same game" holds across processes, batch sizes and releases.

Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, MutableSequence
from operator import index
from typing import Any, Final

from big2_env.errors import ConfigError

MASK_64: Final = (1 << 64) - 1
GOLDEN_GAMMA: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB


class SplitMix64:
    """A stream of 64-bit numbers from an integer seed (taken modulo 2**64).

    Raises:
        ConfigError: a seed that is no integer.

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
        """The next number, uniform over 0 .. 2**64 - 1."""
        self.state = (self.state + GOLDEN_GAMMA) & MASK_64
        z = self.state
        z = ((z ^ (z >> 30)) * MIX_1) & MASK_64
        z = ((z ^ (z >> 27)) * MIX_2) & MASK_64
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A number from 0 .. n - 1 (n < 2**32), by the high half of one draw; the bias is under n / 2**32."""
        return ((self.next() >> 32) * n) >> 32

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place: Fisher-Yates from the last place down."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def derived(seed: int, *path: int) -> int:
    """A seed of its own for one part of something seeded: seat 2 of a game is `derived(seed, 2)`.

    >>> derived(7, 0) == derived(7, 1), derived(7, 0) == derived(7, 0)
    (False, True)
    """
    state = SplitMix64(seed).next()
    for step in path:
        state = SplitMix64(state ^ SplitMix64(step).next()).next()
    return state


def hashed(*numbers: int) -> int:
    """Hash integers of any size to 64 bits. `kernels.observe` computes the same in compiled code.

    Each number counts with all its 64-bit words, the low word first, after the number of its words.

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
    """Draw the seed of a deal that nobody can predict, 64 bits from the system's source of randomness."""
    return secrets.randbits(64)
