"""What learners share: the folder they go on in, their clock, their evaluations, the size of what they are paid."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from big2_agents.kernels.acts import GREEDY, HEURISTIC, RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.run_folder import append, forget_after, note_args
from big2_env.climbing.ruleset import RuleSet

EVALUATION_SEED: Final = 10_000_000
"""The first deal of an evaluation."""
OPPONENTS: Final = {"random": RANDOM, "greedy": GREEDY, "heuristic": HEURISTIC}
"""Whom evaluations are against."""


class Folder(Protocol):
    """Arguments of a run: where it lives, how long it takes."""

    out: Path
    minutes: float
    evaluate_every: float


class Learner(Protocol):
    """A run: what learns, and where it stands."""

    @property
    def args(self) -> Folder:
        """What the run is made of."""

    iteration: int
    minutes: float
    choices: int

    def load(self) -> bool:
        """Go on from the checkpoint, if there is one."""

    def save(self) -> None:
        """Write the checkpoint."""

    def iterate(self) -> dict[str, float]:
        """Play, learn, and say what happened."""

    def evaluate(self) -> dict[str, float]:
        """Say how strong it is."""


L = TypeVar("L", bound=Learner)


def go_on(learner: Learner, fixed: Iterable[str]) -> None:
    """Bring a learner to where its folder's checkpoint stands, if there is one; rows written after that are dropped.

    Args:
        learner: one that has done nothing yet.
        fixed: names of the arguments that cannot change when a run goes on.

    Raises:
        ConfigError: the folder holds another run, or a broken checkpoint.
    """
    out = learner.args.out
    out.mkdir(parents=True, exist_ok=True)
    note_args(learner.args, fixed)
    learner.load()
    for name in ("progress.csv", "curve.csv"):
        forget_after(out / name, learner.iteration)


def learn(learner: L, report: Callable[[L, dict[str, float]], None], is_stopped: Callable[[], bool]) -> None:
    """Learn until the minutes are used up, with rows in progress.csv and curve.csv, evaluations and checkpoints on the way.

    A new run is evaluated before it learns; evaluations are no part of its minutes.

    Args:
        learner: what learns; see `go_on`.
        report: called after each iteration, with what an evaluation found, empty where there was none.
        is_stopped: asked after each iteration; a run that is stopped writes its checkpoint first.
    """
    args: Any = learner.args
    if learner.iteration == 0:  # where it begins; what is compiled for that costs no training time
        _evaluated(learner)
    next_evaluation = learner.minutes + args.evaluate_every
    while learner.minutes < args.minutes and not is_stopped():
        started = time.perf_counter()
        seen = learner.iterate()
        learner.minutes += (time.perf_counter() - started) / 60
        append(args.out / "progress.csv", _where(learner) | _rounded(seen))
        found: dict[str, float] = {}
        if learner.minutes >= next_evaluation or learner.minutes >= args.minutes:
            next_evaluation += args.evaluate_every
            found = _evaluated(learner)
        if found or learner.iteration == 1:  # a kill soon after the begin loses little
            learner.save()
        report(learner, found)
    learner.save()


def _where(learner: Learner) -> dict[str, float]:
    """Where a run stands; its minutes are those of training alone."""
    return {"iteration": learner.iteration, "minutes": round(learner.minutes, 3), "choices": learner.choices}


def _evaluated(learner: Learner) -> dict[str, float]:
    """What an evaluation finds, written to curve.csv with the seconds that it took."""
    started = time.perf_counter()
    found = learner.evaluate()
    spent = {"evaluation_seconds": time.perf_counter() - started}
    append(learner.args.out / "curve.csv", _where(learner) | _rounded(found | spent))
    return found


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in values.items()}


def measured(play: Callable[[int, int], tuple[float, float, float]]) -> dict[str, float]:
    """What an evaluation finds, by name.

    `play` gives win rate, mean payoff and its standard error alone against agents of one name, given by its code and the
    first deal's seed.
    """
    found: dict[str, float] = {}
    for name, code in OPPONENTS.items():
        wins, payoff, error = play(code, EVALUATION_SEED)
        found |= {f"wins_{name}": wins, f"payoff_{name}": payoff, f"error_{name}": error}
    return found


def payoff_scale(ruleset: RuleSet) -> float:
    """What payoffs are divided by, to be about 1: the root of their mean square where greedy players play, at least 1."""
    games = PlayedGames(ruleset, 256)
    games.deal(np.arange(256), np.full((256, games.seats), GREEDY, np.int32))
    games.advance()
    return max(1.0, float(np.sqrt(np.mean(games.payoffs() ** 2))))
