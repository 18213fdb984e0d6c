"""Runs (顺) of consecutive ranks: order of the ranks, ends of runs, and runs of pairs, triples and quads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from big2_env.base.cards import Rank
from big2_env.base.errors import ConfigError
from big2_env.base.validated import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Kickers, Pattern, Shape

NATURAL: Final = (Rank.ACE, Rank.TWO, *(Rank(r) for r in range(Rank.ACE)))
"""The point order A 2 3 ... K."""


@dataclass(frozen=True)
class ValueRuns(Checked):
    """Runs of ranks that are adjacent in the ruleset's order of values. They do not wrap around.

    Args:
        cap: Highest rank that a run may contain.
    """

    cap: Rank = Rank.ACE

    def of(self, length: int, order: CardOrder) -> list[tuple[Rank, ...]]:
        """Return every run of a given length, each from bottom to top."""
        ranks = order.ranks[: order.values[self.cap] + 1]
        return [ranks[i : i + length] for i in range(len(ranks) - length + 1)]


@dataclass(frozen=True)
class PointRuns(Checked):
    """Runs of ranks that are adjacent in the point order A 2 3 ... K. They may continue past the king.

    Args:
        wrap: Number of ranks that may follow the king (A, then 2, ...); None for no limit.

    Raises:
        ConfigError: `wrap` is not 0 to 12 or None.
    """

    wrap: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.wrap is not None and not 0 <= self.wrap <= 12:
            raise ConfigError(f"expected wrap 0 to 12, or None for the full ring, got {self.wrap}")

    def of(self, length: int, order: CardOrder) -> list[tuple[Rank, ...]]:
        """Return every run of a given length, each from bottom to top.

        All 13 ranks form a single run, the one that wraps most.

        Args:
            length: Number of ranks, at most 13.
            order: Order of the cards.
        """
        wrap = length - 1 if self.wrap is None else min(self.wrap, length - 1)
        starts = range(min(13, 13 + wrap - length + 1))
        if length == len(NATURAL):
            starts = starts[-1:]
        return [tuple(NATURAL[(start + i) % 13] for i in range(length)) for start in starts]


RING: Final = PointRuns(wrap=None)
"""Every run on the ring A 2 3 ... K A."""


JOKERS = (Rank.LITTLE_JOKER, Rank.BIG_JOKER)


def lengths(name: str, length: int, longest: int | None, shortest: int = 2) -> range:
    """Return the range of lengths of a pattern.

    Args:
        name: Name of the pattern, for messages.
        length: Shortest length.
        longest: Longest length; None for `length` only.
        shortest: Smallest value allowed for `length`.

    Raises:
        ConfigError: The lengths are not ascending from `shortest` to 13.
    """
    last = length if longest is None else longest
    if not shortest <= length <= last <= 13:
        given = f"{length}" if longest is None else f"{length} to {longest}"
        raise ConfigError(f"{name}: expected a length of {shortest} to 13, got {given}")
    return range(length, last + 1)


def spare_cards(order: CardOrder, body: dict[Rank, int]) -> list[int]:
    """Return the number of cards of each rank that the deck has besides a body, indexed by rank.

    Args:
        order: Order of the cards.
        body: Number of cards of each rank in the body.
    """
    return [mask.bit_count() - body.get(Rank(rank), 0) for rank, mask in enumerate(order.rank_masks)]


@dataclass(frozen=True)
class UnitRuns(Checked, Pattern):
    """Base of patterns whose body is a run of pairs, triples or quads. The last rank of the run decides.

    Args:
        length: Fewest ranks.
        longest: Most ranks; None for `length` only.
        runs: Runs that count as consecutive.

    Attributes:
        unit: Number of cards of each rank.

    Raises:
        ConfigError: The lengths are not possible.
    """

    unit: ClassVar[int]

    length: int = 2
    longest: int | None = None
    runs: PointRuns | ValueRuns = RING

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths(self.name, self.length, self.longest)

    def kickers(self, order: CardOrder, body: dict[Rank, int]) -> Kickers | None:
        """Return the kickers that a body carries; None for none.

        Args:
            order: Order of the cards.
            body: Numbers of cards by rank.
        """
        return None

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        """Yield a shape for each run that the deck has the cards for."""
        for length in lengths(self.name, self.length, self.longest):
            for run in self.runs.of(length, order):
                body = dict.fromkeys(run, self.unit)
                if min(spare_cards(order, body)) >= 0:
                    yield Shape.of(body, key=run[-1], key_suit=False, kickers=self.kickers(order, body))


class RunsAndSingle(UnitRuns):
    """Base of patterns with a run of pairs, triples or quads and any one card."""

    def kickers(self, order: CardOrder, body: dict[Rank, int]) -> Kickers:
        """Return any card that is left."""
        return Kickers(1, tuple(spare_cards(order, body)))
