"""A shape: how many cards of which ranks a play has, and which rank decides its strength."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from big2_env.cards import Rank
from big2_env.climbing.kickers import Kickers
from big2_env.errors import ConfigError
from big2_env.named import Named

NUM_RANKS: Final = len(Rank)


class Suits(Named):
    """What a shape asks of the suits of its cards."""

    ANY = "any"
    SAME = "same"
    """All of one suit (a flush)."""
    MIXED = "mixed"
    """Not all of one suit."""


@dataclass(frozen=True)
class Shape:
    """One row of a pattern: the body's cards by rank, the key unit, the condition on suits, the cards carried.

    >>> Shape.of({Rank.KING: 3, Rank.FOUR: 2}, key=Rank.KING, key_suit=False).size
    5
    """

    counts: tuple[int, ...]  # (15,)
    """How many cards of each rank the body has, by rank."""
    key: Rank
    """The rank whose value is the strength."""
    key_suit: bool = True
    """Whether the highest suit among the cards of the key rank splits equal values."""
    suits: Suits = Suits.ANY
    """What the cards' suits must be."""
    kickers: Kickers | None = None
    """What is carried besides the body; `None` for nothing."""
    suit_first: bool = False
    """True if the suit decides before the rank, in a shape of one suit."""

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
        """A shape from its body's ranks: a mapping rank -> count, or the ranks themselves, repeated as often as held."""
        numbers = [0] * NUM_RANKS
        if isinstance(counts, Mapping):
            for rank, count in counts.items():
                numbers[rank] += count
        else:
            for rank in counts:
                numbers[rank] += 1
        return cls(tuple(numbers), key, key_suit, suits, kickers, suit_first)

    @property
    def size(self) -> int:
        """How many cards the shape has, kickers included."""
        return sum(self.counts) + (self.kickers.size if self.kickers else 0)
