"""Which weights of the heuristic are fitted for a ruleset, as coordinates in which a step of 1 is about as far everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.formula import MAX_DECAY, Weights
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import CapturedPoints, PairwiseDifference, PenaltySettlement, WinnerTakesOne

Array = npt.NDArray[Any]

STEPS: Final[Mapping[str, float]] = {
    "turn": 0.15,
    "hold": 0.2,
    "rank": 0.2,
    "lead": 0.2,
    "run_out": 0.4,
    "again": 0.2,
    "danger": 0.4,
    "block": 0.5,
    "hurry": 0.3,
    "patience": 0.2,
    "cheap_lead": 0.15,
    "alarm": 0.6,
    "full": 0.04,
    "decay": 0.1,
}
"""The step of the weights that every ruleset has."""
TEAM_STEPS: Final[Mapping[str, float]] = {"partner": 0.5, "feed": 0.4, "even": 0.2, "slope": 0.15, "rival": 0.05}
"""The same of those that only games with teams and an auction have."""
BOMB_STEP: Final = 0.4


def usual_cost(ruleset: RuleSet) -> float:
    """What a card costs that is left in the end, on average over five cards; 0 where cards cost nothing."""
    scoring = ruleset.scoring
    if isinstance(scoring, PairwiseDifference):
        cards = ruleset.deck.cards
        return sum(scoring.value(1 << card) for card in cards) / len(cards)
    if isinstance(scoring, PenaltySettlement) and not isinstance(scoring, WinnerTakesOne):
        return scoring.penalty(5, ruleset.default_players) / 5
    return 0.0


def steps_of(ruleset: RuleSet) -> dict[str, float]:
    """By weight, the step of what is fitted for a ruleset; the others have no effect in it, or stay as they are."""
    steps = dict(STEPS)
    if ruleset.auction is not None:
        steps |= TEAM_STEPS
    if any(category.bomb for category in ruleset.table.categories):
        steps["bomb"] = BOMB_STEP
    if isinstance(ruleset.scoring, CapturedPoints):
        steps["capture"] = 0.05
    if cost := usual_cost(ruleset):
        steps |= {"pay": 0.2 / cost, "relief": 0.06 / cost, "loss": 0.1 / cost}
    return steps


class Coordinates:
    """The fitted weights of a ruleset as a point, float64 (size,), in steps from where the search starts."""

    def __init__(self, ruleset: RuleSet, start: Weights) -> None:
        steps = steps_of(ruleset)
        self.start = start
        self.names = [name for name in asdict(start) if name in steps]
        """The weights that are fitted."""
        values = [np.atleast_1d(getattr(start, name)) for name in self.names]
        self._ends = np.cumsum([len(value) for value in values])
        self._origin = np.concatenate(values).astype(np.float64)
        self._steps = np.repeat([steps[name] for name in self.names], [len(value) for value in values])
        self.size = len(self._origin)

    def weights(self, point: Array) -> Weights:
        """The weights at a point; those with bounds are kept within them."""
        parts = np.split(self._origin + point * self._steps, self._ends[:-1])
        found: dict[str, Any] = {}
        for name, part in zip(self.names, parts, strict=True):
            numbers = [round(float(number), 6) for number in part]
            found[name] = tuple(numbers) if isinstance(getattr(self.start, name), tuple) else numbers[0]
        found["decay"] = min(max(found["decay"], 0.0), MAX_DECAY)
        return replace(self.start, **found)
