"""Runs (顺): which consecutive ranks may follow each other, where a run has to stop, and runs of pairs, triples and quads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from big2_env.cards import Rank
from big2_env.checked import Checked
from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import Kickers, Shape
from big2_env.errors import ConfigError

NATURAL: Final = (Rank.ACE, Rank.TWO, *(Rank(r) for r in range(Rank.ACE)))
"""The point order A 2 3 ... K."""


@dataclass(frozen=True)
class ValueRuns(Checked):
    """Runs of ranks adjacent in the ruleset's value order, up to and with `cap`; no wrap."""

    cap: Rank = Rank.ACE

    def of(self, length: int, order: CardOrder) -> list[tuple[Rank, ...]]:
        """Every run of `length` ranks, each from its bottom to its top."""
        ranks = order.ranks[: order.values[self.cap] + 1]
        return [ranks[i : i + length] for i in range(len(ranks) - length + 1)]


@dataclass(frozen=True)
class PointRuns(Checked):
    """Runs of ranks adjacent in the point order A 2 3 ... K that may pass the king.

    `wrap` is how many ranks may follow the king (A, then 2, ...); `None` is the full ring.
    """

    wrap: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.wrap is not None and not 0 <= self.wrap <= 12:
            raise ConfigError(f"expected wrap 0 to 12, or None for the full ring, got {self.wrap}")

    def of(self, length: int, order: CardOrder) -> list[tuple[Rank, ...]]:
        """Every run of `length` ranks (at most 13), each from its bottom to its top.

        All 13 ranks are one run: the one that wraps most.
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
    """The lengths from `length` to `longest`; `length` alone for `None`.

    Raises:
        ConfigError: lengths that no run has.
    """
    last = length if longest is None else longest
    if not shortest <= length <= last <= 13:
        given = f"{length}" if longest is None else f"{length} to {longest}"
        raise ConfigError(f"{name}: expected a length of {shortest} to 13, got {given}")
    return range(length, last + 1)


def spare_cards(order: CardOrder, body: dict[Rank, int]) -> list[int]:
    """How many cards of each rank the deck has besides a body, by rank."""
    return [mask.bit_count() - body.get(Rank(rank), 0) for rank, mask in enumerate(order.rank_masks)]


@dataclass(frozen=True)
class UnitRuns(Checked):
    """The half of a pattern whose body is a run of units; by the last rank of the run."""

    name: ClassVar[str]
    unit: ClassVar[int]
    """How many cards of each rank."""

    length: int = 2
    """Fewest ranks."""
    longest: int | None = None
    """Most ranks; `None` for `length` alone."""
    runs: PointRuns | ValueRuns = RING
    """Which ranks are consecutive."""

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths(self.name, self.length, self.longest)

    def bodies(
        self,
        order: CardOrder,
        kickers: Callable[[dict[Rank, int]], Kickers | None] = lambda body: None,
        key_suit: bool = False,
    ) -> Iterator[Shape]:
        """A shape for each run that the deck has the cards for, with what `kickers` says that the body carries."""
        for length in lengths(self.name, self.length, self.longest):
            for run in self.runs.of(length, order):
                body = dict.fromkeys(run, self.unit)
                if min(spare_cards(order, body)) >= 0:
                    yield Shape.of(body, key=run[-1], key_suit=key_suit, kickers=kickers(body))
