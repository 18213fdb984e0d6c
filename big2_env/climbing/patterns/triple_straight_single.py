"""Run of triples with one more card (三順夾一)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.runs import RunsAndSingle


@dataclass(frozen=True)
class TripleStraightSingle(RunsAndSingle):
    """Consecutive ranks, three cards each, and any one card, even of those ranks; compared by the last rank of the run."""

    name = "triple_straight_single"
    zh = "三順夾一"
    unit = 3
