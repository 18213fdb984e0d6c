"""Training loop of both PPO methods: checkpoints, evaluations, and the scale of payoffs."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.evaluation import Evaluation
from big2_agents.kernels.codes import GREEDY, HEURISTIC, RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train import rollouts
from big2_agents.train.network import arrays_of
from big2_agents.train.run_folder import CHECKPOINT, append_row, checked_args, drop_rows_after, fraction_done
from big2_env.base.errors import ConfigError, needing
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.atomic_files import replace_file, write_text

EVALUATION_SEED: Final = 10_000_000
"""Seed of the first deal of an evaluation."""
EVALUATION_OPPONENTS: Final = {"random": RANDOM, "greedy": GREEDY, "heuristic": HEURISTIC}
BROKEN: Final = (OSError, EOFError, LookupError, RuntimeError, AttributeError, TypeError, ValueError, UnpicklingError)
"""Errors raised by reading or using a file that is not a checkpoint."""


def columns(found: Evaluation, name: str) -> dict[str, float]:
    """Return win rate, mean payoff and its standard error as columns of `curve.csv`.

    Args:
        found: Results against copies of another agent.
        name: Name of the other agent.
    """
    mean, error = mean_and_error(found.paid)
    return {f"wins_{name}": float(found.won.mean()), f"payoff_{name}": mean, f"error_{name}": error}


def mean_and_error(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of values, one per deal, and its standard error."""
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))


class Stage(StrEnum):
    """Stage of a run that takes time."""

    EVALUATING = "evaluating"
    LEARNING = "learning"


class Learner(rollouts.Learner):
    """Base of a PPO run with a checkpoint: counters, snapshots, rollouts, and parts with a `state_dict`.

    Args:
        args: Hyper-parameters.
    """

    counters: ClassVar[tuple[str, ...]] = ("iteration", "minutes", "choices")
    """Counters: saved, and shown in CSV files."""
    saved: ClassVar[tuple[str, ...]] = ()
    """Other saved attributes."""

    def __init__(self, args: Any) -> None:
        self.args = args
        self.checkpoint = args.out / CHECKPOINT
        self.iteration = self.choices = 0
        self.minutes = 0.0
        self.past: list[dict[str, torch.Tensor]] = []
        """Weights of snapshots, oldest first."""
        self.rollouts: rollouts.Rollouts = lambda: rollouts.own_rollout(self)
        self.staleness = 0
        """Updates by which the weights of the last rollout lagged behind."""

    @property
    def completed(self) -> float:
        """Completed fraction of the run's choices, or of its minutes if no number of choices is given."""
        done = (self.choices, self.args.choices) if self.args.choices else (self.minutes, self.args.minutes)
        return fraction_done(*done)

    @property
    def parts(self) -> dict[str, Any]:
        """Networks and optimizer by name."""
        raise NotImplementedError

    @property
    def progress(self) -> dict[str, float]:
        """Counters by name; minutes count training only, not evaluations."""
        return {name: round(getattr(self, name), 3) for name in self.counters}

    def state(self) -> dict[str, Any]:
        """Return the content of a checkpoint."""
        state = {name: getattr(self, name) for name in (*self.counters, *self.saved)}
        return state | {name: part.state_dict() for name, part in self.parts.items()}

    def save(self) -> None:
        """Write the checkpoint; see `write_checkpoint`."""
        write_checkpoint(self.checkpoint, self.state())

    def load(self) -> bool:
        """Load the checkpoint and return True, or return False if there is none.

        Raises:
            ConfigError: The file is not a checkpoint of this run.
        """
        if not self.checkpoint.exists():
            return False
        with read_checkpoint(self.checkpoint) as state:
            for name, part in self.parts.items():
                part.load_state_dict(state[name])
                if isinstance(part, torch.optim.Optimizer):
                    drop_old_moments(part)
            for name in (*self.counters, *self.saved):
                setattr(self, name, state[name])
        return True

    def keep_snapshot(self, policy: torch.nn.Module) -> None:
        """Add a snapshot of the policy if one is due, and drop the oldest beyond `args.pool_size`."""
        if self.args.pool_size > 0 and self.iteration % self.args.snapshot_every == 0:
            self.past = [*self.past, copy.deepcopy(policy.state_dict())][-self.args.pool_size :]

    def draw_snapshot(self, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]] | None:
        """Return the weights of a random snapshot, None without any."""
        return arrays_of(self.past[int(rng.integers(len(self.past)))]) if self.past else None

    def iterate(self) -> dict[str, float]:
        """Play, learn and return measurements by name."""
        raise NotImplementedError

    def evaluate(self) -> dict[str, float]:
        """Return measurements of playing strength by name."""
        raise NotImplementedError

    def export(self) -> list[Path]:
        """Write the weights to the folder of the run, and return the files, the player's first."""
        raise NotImplementedError


Log: TypeAlias = Callable[[str, Mapping[str, float]], object]
"""Function of the name of a table and a new row of it, numbers by column.

The tables are `progress`, a row per iteration, and `curve`, a row per evaluation; a row's `choices` are the decisions so far.
"""


@dataclass(frozen=True)
class Callbacks:
    """Functions that a run calls."""

    report: Callable[[Any, dict[str, float]], None] = lambda learner, found: None
    """Called after each iteration with the run and the measurements of an evaluation, empty if there was none."""
    is_stopped: Callable[[], bool] = lambda: False
    """Called after each iteration; True ends the run after its checkpoint is written."""
    begin: Callable[[Stage], None] = lambda stage: None
    """Called when a stage of the run begins."""
    choose: Callable[[bool], None] = lambda bfloat16: None
    """Called with the precision of the layers if the processor decides: True for bfloat16."""
    log: Log = lambda table, row: None
    """Called with each row of progress.csv and curve.csv."""


SILENT: Final = Callbacks()
"""Callbacks that do nothing, of a run that is not stopped."""


def drop_old_moments(optimizer: torch.optim.Optimizer) -> None:
    """Forget the moments of parameters whose shape has changed since the checkpoint, so that Adam starts them again."""
    for parameter in [each for each, state in optimizer.state.items() if state["exp_avg"].shape != each.shape]:
        del optimizer.state[parameter]


def write_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write a checkpoint atomically: a kill at any time leaves the old file or the new one."""
    whole = BytesIO()  # torch itself fails on a full disk without the system's error
    torch.save(dict(state), whole)
    with replace_file(path) as new:
        new.write_bytes(whole.getvalue())  # a view of it would outlive an error of the disk


@contextmanager
def read_checkpoint(path: Path) -> Iterator[dict[str, Any]]:
    """Provide the tensors and numbers of a checkpoint, without running code from the file.

    Use the content inside the block, so that errors caused by it are reported as well.

    Raises:
        ConfigError: The file is not a checkpoint, or the block cannot use its content.
    """
    try:
        yield torch.load(path, map_location="cpu", weights_only=True)
    except BROKEN as error:
        raise ConfigError(f"{path}: no checkpoint of this run ({type(error).__name__})") from None


def resume(learner: Learner, fixed: tuple[str, ...] = ()) -> None:
    """Load the checkpoint of a learner's folder, if there is one, and drop CSV rows written after it.

    Args:
        learner: A learner that has not iterated yet.
        fixed: Names of hyper-parameters that must not change, in addition to `args.fixed`.

    Raises:
        ConfigError: The folder holds another run or a broken checkpoint.
    """
    out = learner.args.out
    out.mkdir(parents=True, exist_ok=True)
    args = checked_args(learner.args, (*learner.args.fixed, *fixed))
    learner.load()
    for name in ("progress.csv", "curve.csv"):
        drop_rows_after(out / name, learner.iteration)
    write_text(out / "args.json", args)  # a folder that is refused stays as it is


def learn(learner: Learner, callbacks: Callbacks) -> None:
    """Train a run, after `resume`, until the minutes or choices are used up; write logs and checkpoints along the way.

    A new run is evaluated before it learns. Only the time of the iterations themselves counts as training minutes.
    """
    interval, begin = learner.args.evaluation_interval, callbacks.begin
    with _logs(learner, callbacks.log) as log_row:

        def evaluated() -> dict[str, float]:
            begin(Stage.EVALUATING)
            start = time.perf_counter()
            measured = learner.evaluate()
            log_row("curve", learner.progress | measured | {"evaluation_seconds": time.perf_counter() - start})
            begin(Stage.LEARNING)
            return measured

        if learner.iteration == 0:  # compiles what evaluations need, which costs no training time
            evaluated()
        else:
            begin(Stage.LEARNING)
        next_evaluation = learner.minutes + interval
        while learner.completed < 1 and not callbacks.is_stopped():
            start = time.perf_counter()
            measured = learner.iterate()
            learner.minutes += (time.perf_counter() - start) / 60
            log_row("progress", learner.progress | measured)
            found: dict[str, float] = {}
            if learner.minutes >= next_evaluation or learner.completed >= 1:
                next_evaluation += interval
                found = evaluated()
            if found or learner.iteration == 1:  # a kill soon after the start loses little
                learner.save()
            callbacks.report(learner, found)
        learner.save()


@contextmanager
def _logs(learner: Learner, log: Log) -> Iterator[Log]:
    """Provide a log that passes rows to the CSV files of a run, to TensorBoard if wanted, and to a given log.

    Raises:
        ImportError: TensorBoard is asked for but not installed.
    """
    out, wanted = learner.args.out, learner.args.tensorboard
    with ExitStack() as stack:
        logs = [lambda table, row: append_row(out / f"{table}.csv", row), log]
        if has_tensorboard() if wanted is None else wanted:
            logs.append(stack.enter_context(_tensorboard(out / "tensorboard", learner.choices)))
        yield lambda table, row: [each(table, dict(row)) for each in logs]


@contextmanager
def _tensorboard(folder: Path, choices: int) -> Iterator[Log]:
    """Provide a log that writes scalars TABLE/COLUMN by decisions; those after `choices` decisions are dropped."""
    with needing("events for TensorBoard need it: pip install 'big2_env[tensorboard]'"):
        from torch.utils.tensorboard import SummaryWriter
    with SummaryWriter(str(folder), purge_step=choices + 1) as writer:
        yield lambda table, row: [writer.add_scalar(f"{table}/{name}", row[name], row["choices"]) for name in row]


def has_tensorboard() -> bool:
    """Return whether TensorBoard is installed."""
    return find_spec("tensorboard") is not None


def evaluate_against_all(play: Callable[[int, int], Evaluation]) -> dict[str, float]:
    """Return win rates, payoffs and their standard errors against each of `EVALUATION_OPPONENTS`, by name.

    Args:
        play: Function of an opponent's code and the first deal's seed.
    """
    found: dict[str, float] = {}
    for name, code in EVALUATION_OPPONENTS.items():
        found |= columns(play(code, EVALUATION_SEED), name)
    return found


def payoff_scale(ruleset: RuleSet) -> float:
    """Return the divisor that brings payoffs to about 1: their root mean square among greedy players, at least 1."""
    games = PlayedGames(ruleset, 256)
    games.deal(np.arange(256), np.full((256, games.seats), GREEDY, np.int32))
    games.advance()
    return max(1.0, float(np.sqrt(np.mean(games.payoffs() ** 2))))
