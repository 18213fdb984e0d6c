"""Run of triples with as many pairs (飛機帶大翼)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.base.cards import Rank
from big2_env.climbing.order import CardOrder
from big2_env.climbing.runs import JOKERS, UnitRuns, spare_cards
from big2_env.climbing.shapes import Kickers


@dataclass(frozen=True)
class TripleStraightPairs(UnitRuns):
    """Consecutive ranks, three cards each, and a pair for each of them; compared by the last rank of the run.

    The pairs have different ranks, which are not in the run.

    Args:
        length: Fewest ranks.
        longest: Most ranks; None for `length` only.
        runs: Runs that count as consecutive.
        quads: True if four cards of one rank may serve as two pairs.
        jokers: True if one of the pairs may be two jokers of one color.
    """

    name = "triple_straight_pairs"
    zh = "飛機帶大翼"
    unit = 3

    quads: bool = False
    jokers: bool = False

    def kickers(self, order: CardOrder, body: dict[Rank, int]) -> Kickers:
        """Return the pairs that a body carries."""
        left = spare_cards(order, body)
        for rank in order.ranks:
            allowed = rank not in body and (self.jokers or rank not in JOKERS)
            left[rank] = min(left[rank], 4 if self.quads else 2) if allowed else 0
        return Kickers(2 * len(body), tuple(left), unit=2, exclusive=JOKERS)
