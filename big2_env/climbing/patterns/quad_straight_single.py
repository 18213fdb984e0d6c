"""Run of quads with one more card (四順夾一)."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.runs import RunsAndSingle


@dataclass(frozen=True)
class QuadStraightSingle(RunsAndSingle):
    """Consecutive ranks, four cards each, and any one card; compared by the last rank of the run."""

    name = "quad_straight_single"
    zh = "四順夾一"
    unit = 4
