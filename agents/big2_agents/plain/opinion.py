"""What the heuristic thinks of each candidate, as features of the learned players. As `compiled.opinion` writes it."""

from __future__ import annotations

from typing import NamedTuple

from big2_agents.compiled.feature_layout import HOLDS, WORSE
from big2_agents.plain.heuristic import Rated


class OpinionPlaces(NamedTuple):
    """Where an opinion lies in the features of a candidate."""

    best: int
    worse: int
    hold: int


def write_opinion(rated: Rated, at: OpinionPlaces, out: list[bytearray]) -> None:
    """Write the opinion on candidates into the features of each."""
    best, scores = rated.best, rated.scores
    out[best][at.best] = 1
    for i, one in enumerate(rated.candidates):
        if i != best:
            worse = 1e9 if scores is None else scores[best] - scores[i]
            mark_steps(out[i], at.worse, worse, WORSE)
        if one.row is not None and rated.turn is not None:
            mark_steps(out[i], at.hold, rated.turn.outlook.prospect(one.play.category, one.play.power).hold, HOLDS)


def mark_steps(out: bytearray, start: int, value: float, steps: tuple[float, ...]) -> None:
    """Write a number as a thermometer: an entry for each step that it exceeds."""
    for n, step in enumerate(steps):
        if value > step:
            out[start + n] = 1
