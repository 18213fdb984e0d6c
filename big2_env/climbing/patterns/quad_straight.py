"""Run of quads (四順)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.runs import UnitRuns


@dataclass(frozen=True)
class QuadStraight(UnitRuns):
    """Consecutive ranks, four cards each; compared by the last rank of the run."""

    name = "quad_straight"
    zh = "四順"
    unit = 4
