"""Runs of pairs, triples and quads (连对, 三顺, 四顺): what their patterns share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from big2_env.cards import Rank
from big2_env.checked import Checked
from big2_env.climbing.kickers import Kickers
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import RING, PointRuns, ValueRuns
from big2_env.climbing.shapes import Shape
from big2_env.errors import ConfigError

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


def room(order: CardOrder, body: dict[Rank, int]) -> list[int]:
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
                if min(room(order, body)) >= 0:
                    yield Shape.of(body, key=run[-1], key_suit=key_suit, kickers=kickers(body))
