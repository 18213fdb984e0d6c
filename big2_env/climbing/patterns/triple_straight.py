"""Run of triples (三順), a plane without wings (飛機)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.runs import UnitRuns


@dataclass(frozen=True)
class TripleStraight(UnitRuns):
    """Consecutive ranks, three cards each; compared by the last rank of the run."""

    name = "triple_straight"
    zh = "三順"
    unit = 3
