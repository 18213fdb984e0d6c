"""Kickers (带牌): what a play carries besides its body. They count for nothing but have to be there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from big2_env.cards import Rank
from big2_env.errors import ConfigError


@dataclass(frozen=True)
class Kickers:
    """Which cards a shape carries, by rank: so many cards, within limits.

    >>> wing = Kickers(1, (0, 1, *[0] * 13))  # one four
    >>> list(wing.choices([4] * 13 + [1, 1])), wing.fits([0, 1, *[0] * 13]), wing.fits([1, *[0] * 14])
    ([((Rank.FOUR, 1),)], True, False)
    """

    size: int
    """How many cards."""
    limits: tuple[int, ...]  # (15,)
    """Most cards of each rank among the kickers, by rank."""
    unit: int = 1
    """Each rank's cards are a multiple of this: 2 for pairs."""
    exclusive: tuple[Rank, ...] = ()
    """Ranks of which at most one may be there."""

    def __post_init__(self) -> None:
        if len(self.limits) != len(Rank) or min(self.limits) < 0:
            raise ConfigError(f"expected {len(Rank)} limits of at least 0, got {self.limits}")
        if self.unit < 1 or self.size < 1 or self.size % self.unit:
            raise ConfigError(f"expected at least one whole unit of kickers, got {self.size} kickers in units of {self.unit}")

    def fits(self, counts: Sequence[int]) -> bool:
        """Whether cards, told by their numbers by rank, may be these kickers."""
        return (
            sum(counts) == self.size
            and all(0 <= n <= most and n % self.unit == 0 for n, most in zip(counts, self.limits, strict=True))
            and sum(counts[rank] > 0 for rank in self.exclusive) <= 1
        )

    def count(self, variants: Sequence[Sequence[int]]) -> int:
        """How many choices of cards have these kickers, without listing them.

        `variants[rank][n]` is the number of ways to take n kickers of a rank (and its body cards); none past the end.
        """
        units = self.size // self.unit
        sums = {(0, False): 1}  # by units taken so far, and whether an exclusive rank is among them
        for rank, numbers in enumerate(variants):
            alone, after = Rank(rank) in self.exclusive, dict[tuple[int, bool], int]()
            top = min(self.limits[rank], len(numbers) - 1) // self.unit
            for (taken, used), variant in sums.items():
                for n in range(min(top, units - taken) + 1):
                    if n and alone and used:
                        break
                    at = taken + n, used or (alone and n > 0)
                    after[at] = after.get(at, 0) + variant * numbers[n * self.unit]
            sums = after
        return sums.get((units, False), 0) + sums.get((units, True), 0)

    def choices(self, held: Sequence[int], ranks: Sequence[Rank] = tuple(Rank)) -> Iterator[tuple[tuple[Rank, int], ...]]:
        """Every choice from cards held, as (rank, number) pairs; `ranks` ascending, choices of low ranks first."""
        most = [min(held[rank], self.limits[rank]) // self.unit for rank in ranks]
        below = [0]  # how many units the lower ranks have at most
        for number in most:
            below.append(below[-1] + number)
        excluded = [rank in self.exclusive for rank in ranks]

        def choose(i: int, left: int, used: bool) -> Iterator[tuple[tuple[Rank, int], ...]]:
            if not left:
                yield ()
            elif below[i] >= left:
                i -= 1
                top = 0 if excluded[i] and used else min(most[i], left)
                for number in range(max(0, left - below[i]), top + 1):
                    for rest in choose(i, left - number, used or (excluded[i] and number > 0)):
                        yield (*rest, (ranks[i], number * self.unit)) if number else rest

        yield from choose(len(ranks), self.size // self.unit, False)
