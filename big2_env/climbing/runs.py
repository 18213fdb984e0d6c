"""Families of runs (顺): which consecutive ranks may follow each other, and where a run has to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.cards import Rank
from big2_env.checked import Checked
from big2_env.climbing.order import CardOrder
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
