"""Card patterns (牌型) and their shapes. A shape gives the number of cards of each rank, the rank that decides, and kickers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from big2_env.base.cards import Rank
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.climbing.order import CardOrder

NUM_RANKS: Final = len(Rank)


@dataclass(frozen=True)
class Kickers:
    """Cards that a shape carries besides its body: a fixed number, within limits per rank.

    Args:
        size: Number of cards carried.
        limits: Most cards of each rank, indexed by rank (15 entries).
        unit: Multiple in which cards of a rank must come; 2 for pairs.
        exclusive: Ranks of which at most one may occur.

    Raises:
        ConfigError: The limits are not 15 numbers of at least 0, or `size` is not a whole number of units.

    >>> wing = Kickers(1, (0, 1, *[0] * 13))  # one four
    >>> list(wing.choices([4] * 13 + [1, 1])), wing.fits([0, 1, *[0] * 13]), wing.fits([1, *[0] * 14])
    ([((Rank.FOUR, 1),)], True, False)
    """

    size: int
    limits: tuple[int, ...]  # (15,)
    unit: int = 1
    exclusive: tuple[Rank, ...] = ()

    def __post_init__(self) -> None:
        if len(self.limits) != len(Rank) or min(self.limits) < 0:
            raise ConfigError(f"expected {len(Rank)} limits of at least 0, got {self.limits}")
        if self.unit < 1 or self.size < 1 or self.size % self.unit:
            raise ConfigError(f"expected at least one whole unit of kickers, got {self.size} kickers in units of {self.unit}")

    def fits(self, counts: Sequence[int]) -> bool:
        """Return True if cards may be these kickers.

        Args:
            counts: Number of cards of each rank.
        """
        return (
            sum(counts) == self.size
            and all(0 <= n <= most and n % self.unit == 0 for n, most in zip(counts, self.limits, strict=True))
            and sum(counts[rank] > 0 for rank in self.exclusive) <= 1
        )

    def count(self, variants: Sequence[Sequence[int]]) -> int:
        """Return the number of ways to choose these kickers, without listing them.

        Args:
            variants: `variants[rank][n]` is the number of ways to take n kickers of a rank together with its body cards.
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
        """Yield every choice of kickers from the cards held, as (rank, number) pairs, low ranks first.

        Args:
            held: Number of cards held, indexed by rank.
            ranks: Ranks in ascending order.
        """
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


class Suits(Named):
    """Condition on the suits of a shape's cards."""

    ANY = "any"
    SAME = "same"
    """All of one suit (a flush)."""
    MIXED = "mixed"
    """Not all of one suit."""


@dataclass(frozen=True)
class Shape:
    """One form of a pattern: the cards of its body by rank, the key rank, a condition on suits, and kickers.

    Args:
        counts: Number of cards of each rank in the body, indexed by rank (15 entries).
        key: Rank whose value is the strength of the play.
        key_suit: True if the highest suit of the key rank breaks ties.
        suits: Condition on the suits.
        kickers: Cards carried besides the body; None for none.
        suit_first: True if the suit decides before the rank, in a shape of one suit.

    Raises:
        ConfigError: The values contradict each other.

    >>> Shape.of({Rank.KING: 3, Rank.FOUR: 2}, key=Rank.KING, key_suit=False).size
    5
    """

    counts: tuple[int, ...]  # (15,)
    key: Rank
    key_suit: bool = True
    suits: Suits = Suits.ANY
    kickers: Kickers | None = None
    suit_first: bool = False

    def __post_init__(self) -> None:
        if len(self.counts) != NUM_RANKS or min(self.counts) < 0:
            raise ConfigError(f"expected {NUM_RANKS} counts of at least 0, got {self.counts}")
        if not self.counts[self.key]:
            raise ConfigError(f"key rank {self.key.name} is not among the shape's ranks")
        if self.suits is not Suits.ANY and max(self.counts) > 1:
            raise ConfigError(f"suits {self.suits.value!r} needs one card of each rank, given {self.counts}")
        if self.suits is not Suits.ANY and self.kickers is not None:
            raise ConfigError(f"a shape has kickers or a rule of suits, got both: {self.suits.value!r}")
        if self.suit_first and (self.suits is not Suits.SAME or not self.key_suit):
            raise ConfigError("suit_first needs a shape of one suit (suits='same') whose suit counts (key_suit=True)")

    @classmethod
    def of(
        cls,
        counts: Mapping[Rank, int] | Iterable[Rank],
        *,
        key: Rank,
        key_suit: bool = True,
        suits: Suits = Suits.ANY,
        kickers: Kickers | None = None,
        suit_first: bool = False,
    ) -> Shape:
        """Create a shape from the ranks of its body.

        Args:
            counts: A mapping from rank to number of cards, or the ranks themselves with repetitions.
            key: Rank whose value is the strength of the play.
            key_suit: True if the highest suit of the key rank breaks ties.
            suits: Condition on the suits.
            kickers: Cards carried besides the body; None for none.
            suit_first: True if the suit decides before the rank, in a shape of one suit.

        Raises:
            ConfigError: The values contradict each other.
        """
        numbers = Counter(counts)
        return cls(tuple(numbers[rank] for rank in Rank), key, key_suit, suits, kickers, suit_first)

    @property
    def size(self) -> int:
        """Number of cards, including kickers."""
        return sum(self.counts) + (self.kickers.size if self.kickers else 0)

    def expanded(self, held: Sequence[int]) -> Iterator[Shape]:
        """Yield this shape with each choice of kickers among its own cards; a shape without kickers itself.

        Args:
            held: Number of cards of each rank in the deck.
        """
        if self.kickers is None:
            yield self
            return
        room = [number - body for number, body in zip(held, self.counts, strict=True)]
        for carried in self.kickers.choices(room) if min(room) >= 0 else ():
            counts = list(self.counts)
            for rank, number in carried:
                counts[rank] += number
            yield replace(self, counts=tuple(counts), kickers=None)


class Pattern(ABC):
    """Kind of card group that may be played.

    A subclass is a frozen dataclass with a name and a list of shapes. Classification, enumeration, compiled tables, action ids
    and labels follow from the shapes.

    To add a pattern, write one new file in `big2_env/climbing/patterns`, or announce a class of your package under the
    entry-point group `big2_env.patterns`. You can also pass an instance to `RuleSet.with_patterns` directly.

    Attributes:
        name: Identifier in rulesets, records and commands, as a Python identifier.
        zh: Chinese name, as printed in the text format.
    """

    name: ClassVar[str]
    zh: ClassVar[str]

    @abstractmethod
    def shapes(self, order: CardOrder) -> Iterable[Shape]:
        """Return every shape of the pattern once."""
