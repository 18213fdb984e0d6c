"""The hyper-parameters of `big2 train weights`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from big2_agents.train.options import option
from big2_env.cli import RULES_HELP

MAX_SEED: Final = 2**31 - 1
UNNAMED: Final = Path()
"""A folder that is still to be named after the ruleset."""


@dataclass
class FitParameters:
    """What decides a fit."""

    ruleset: str = option("big2", RULES_HELP, names=("--ruleset", "--game"))
    minutes: float = option(10.0, "Time to search, over all calls that share the folder.", min=0.0)
    generations: int = option(10**6, "Stop after so many generations; the same number gives the same weights.", min=0)
    out: Path = option(UNNAMED, "The run's folder; by default runs/weights-RULESET.", show_default=False)
    seed: int = option(1, "Seed of the points and the deals.", min=0, max=MAX_SEED)
    population: int = option(14, "Points of a generation.", min=4, max=1000)
    deals: int = option(48, "Deals on which the points of a generation are compared.", min=6, max=1 << 16)
    sigma: float = option(0.7, "How far points lie from the middle at first, in steps.", min=0.01, max=10.0)
    measured_deals: int = option(2000, "Deals of the measurement at the end.", min=2, max=1 << 20)

    def __post_init__(self) -> None:
        if self.out == UNNAMED:
            self.out = Path("runs") / f"weights-{Path(self.ruleset).stem}"

    FIXED = ("ruleset", "seed", "population", "deals", "sigma")
    """What cannot change when a run goes on."""
