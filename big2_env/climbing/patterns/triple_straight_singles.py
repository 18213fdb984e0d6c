"""Run of triples with as many single cards (飛機帶小翼)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.base.errors import ConfigError
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import JOKERS, UnitRuns, spare_cards
from big2_env.climbing.shapes import Kickers


@dataclass(frozen=True)
class TripleStraightSingles(UnitRuns):
    """Consecutive ranks, three cards each, and one kicker (or `each`) per rank; compared by the last rank of the run.

    Unless `free` is set, kickers have other ranks than the run. They may not include both jokers, four cards of a rank, or
    three of a rank next to the run, which would form a longer run.

    Args:
        length: Fewest ranks.
        longest: Most ranks; None for `length` only.
        runs: Runs that count as consecutive.
        free: True if any cards may be kickers.
        each: Number of kickers for each rank of the run.

    Raises:
        ConfigError: `each` is below 1, or the lengths are not possible.
    """

    name = "triple_straight_singles"
    zh = "飛機帶小翼"
    unit = 3

    free: bool = False
    each: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.each < 1:
            raise ConfigError(f"{self.name} with {self.each} cards for each rank: expected at least 1")

    def kickers(self, order: CardOrder, body: dict[Rank, int]) -> Kickers:
        """Return the single cards that a body carries."""
        left = spare_cards(order, body)
        if self.free:
            return Kickers(len(body) * self.each, tuple(left))
        pairs = {frozenset(run) for run in self.runs.of(2, order)}
        for rank in order.ranks:
            beside = any(frozenset((rank, other)) in pairs for other in body)
            left[rank] = 0 if rank in body else min(left[rank], 2 if beside else 3)
        return Kickers(len(body) * self.each, tuple(left), exclusive=JOKERS)
