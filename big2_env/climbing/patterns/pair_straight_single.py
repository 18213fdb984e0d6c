"""Run of pairs with one more card (連對夾一)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.runs import RunsAndSingle


@dataclass(frozen=True)
class PairStraightSingle(RunsAndSingle):
    """Consecutive ranks, two cards each, and any one card, even of those ranks; compared by the last rank of the run."""

    name = "pair_straight_single"
    zh = "連對夾一"
    unit = 2
