"""MaskablePPO of sb3-contrib in self-play: every seat learns from its own choices, some seats are earlier selves.

It stops after the minutes asked for, writes a checkpoint as it goes, and goes on from there when called again.
`big2 train ppo` is its command line. Sources: Schulman et al., arXiv 1707.06347 (PPO); Huang and Ontañón, arXiv
2006.14171 (masks); a pool of earlier selves as in Bansal et al., arXiv 1710.03748.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import torch
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from big2_agents.train.checkpoint import read_checkpoint, write_checkpoint
from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.loop import go_on, learn, measured, payoff_scale
from big2_agents.train.ppo_games import Matches
from big2_agents.train.ppo_rollouts import POLICIES, OwnRollouts, Rollouts, make_games, make_model, rollouts_of
from big2_env.climbing.rulesets import ruleset
from big2_env.envs.sb3 import PolicyOpponent
from big2_env.errors import ConfigError
from big2_env.runs.executors import Executor

FIXED: Final = ("ruleset", "seed", "policy", "width", "layers")
"""What cannot change when a run goes on."""
LOGGED: Final = {
    "policy_loss": "policy_gradient_loss",
    "value_loss": "value_loss",
    "entropy": "entropy_loss",
    "kl": "approx_kl",
    "clipped": "clip_fraction",
    "explained": "explained_variance",
}
"""Columns of `progress.csv` and what SB3 calls them. Its entropy loss is the entropy with the other sign."""


class Learner:
    """A run: the model, its earlier selves, and where it stands.

    Raises:
        ConfigError: arguments that cannot be served.
    """

    def __init__(self, args: PpoParameters) -> None:
        if args.policy not in POLICIES:
            raise ConfigError(f"expected a policy of {', '.join(POLICIES)}, got {args.policy!r}")
        self.args, self.rules = args, ruleset(args.ruleset)
        self.matches = Matches(self.rules, args.evaluation_deals)
        self.scale = payoff_scale(self.rules)
        """What payoffs are divided by."""
        self.venv = make_games(args, self.rules, self.scale)
        self.model = make_model(args, self.venv)
        self.past: list[PolicyOpponent] = []
        self.rollouts: Rollouts = OwnRollouts(self)
        """Where the games are played."""
        self.staleness = 0
        """How many updates the weights that played the last rollout were behind."""
        self.iteration = 0
        self.minutes = 0.0
        self.choices = 0

    @property
    def parts(self) -> dict[str, Any]:
        """What has a state to keep, by name."""
        return {"policy": self.model.policy, "optimizer": self.model.policy.optimizer}

    def save(self) -> None:
        """Write the checkpoint; a kill at any time leaves the old one or the new one."""
        state: dict[str, Any] = {name: getattr(self, name) for name in ("iteration", "minutes", "choices")}
        state |= {name: part.state_dict() for name, part in self.parts.items()}
        state["past"] = [one.policy.state_dict() for one in self.past]
        write_checkpoint(self.args.out / "checkpoint.pt", state)

    def load(self) -> bool:
        """Go on from the checkpoint, if there is one: tensors and numbers, nothing in the file is run.

        Raises:
            ConfigError: a file that is no checkpoint of these networks.
        """
        path = self.args.out / "checkpoint.pt"
        if not path.exists():
            return False
        with read_checkpoint(path) as state:
            for name, part in self.parts.items():
                part.load_state_dict(state[name])
            self.past = []
            for weights in state["past"][-self.args.pool :]:
                self.past.append(PolicyOpponent(self.model))
                self.past[-1].policy.load_state_dict(weights)
            self.iteration, self.minutes, self.choices = (state[name] for name in ("iteration", "minutes", "choices"))
        return True

    def iterate(self) -> dict[str, float]:
        """One rollout and the updates on it; returns what happened, by name."""
        args, model, progress = self.args, self.model, min(1.0, self.minutes / self.args.minutes)
        rate = args.learning_rate * (1.0 - 0.9 * progress)
        model.lr_schedule, model.ent_coef = lambda _: rate, args.entropy * (1.0 - 0.8 * progress)
        started = time.perf_counter()
        self.staleness = self.rollouts.learn()
        if args.pool > 0 and self.iteration % args.snapshot_every == 0:
            self.past = [*self.past, PolicyOpponent(model)][-args.pool :]
        self.iteration += 1
        learned = len(model.rollout_buffer.values)
        self.choices += learned
        seen = {name: float(model.logger.name_to_value[f"train/{key}"]) for name, key in LOGGED.items()}
        seen["entropy"] *= -1.0
        seen |= {"learning_rate": rate, "staleness": self.staleness}
        return seen | {"choices_per_second": learned / (time.perf_counter() - started)}

    def evaluate(self) -> dict[str, float]:
        """Win rate and payoff alone against three of each rule player."""
        found = measured(lambda code, seed: self.matches.play(self.model.policy, code, seed))
        return found | {"staleness": self.staleness}


class _Events(TensorBoardOutputFormat):
    """Events for TensorBoard, which is told to forget those that a folder has from this step on."""

    def __init__(self, folder: Path, step: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ImportError(f"events for TensorBoard need it: pip install 'big2_env[tensorboard]' ({error})") from None
        self.writer = SummaryWriter(str(folder), purge_step=step)
        self._is_closed = False


def _logger(args: PpoParameters, choices: int) -> Logger:
    """SB3's logger with TensorBoard's events, from this number of choices on; with nothing where it is not installed.

    Raises:
        ImportError: TensorBoard is asked for and not installed.
    """
    formats: list[KVWriter] = []
    if args.tensorboard or (args.tensorboard is None and find_spec("tensorboard") is not None):
        formats.append(_Events(args.out / "tensorboard", choices + 1))
    return Logger(str(args.out), formats)


def train(
    args: PpoParameters,
    report: Callable[[Learner, dict[str, float]], None] = lambda learner, found: None,
    is_stopped: Callable[[], bool] = lambda: False,
    executor: Executor | None = None,
) -> Learner:
    """Train until the minutes are used up; go on from the folder's checkpoint if it has one.

    Args:
        args: what the run is made of.
        report: called after each iteration, with what an evaluation found, empty where there was none.
        is_stopped: asked after each iteration; a run that is stopped writes its checkpoint first.
        executor: where rollout workers play the games; `None` has them played in this process.

    Raises:
        ConfigError: the folder holds another run, or a broken checkpoint; arguments that cannot be served; workers that
            cannot begin.
        ImportError: TensorBoard or Ray is asked for and not installed.
    """
    torch.set_num_threads(1)
    learner = Learner(args)
    go_on(learner, FIXED)
    logger = _logger(args, learner.choices)
    learner.model.set_logger(logger)

    def log(learner: Learner, found: dict[str, float]) -> None:
        for name, value in {"minutes": learner.minutes, **found}.items():
            logger.record(f"evaluation/{name}" if name in found else f"time/{name}", value)
        logger.dump(learner.choices)
        report(learner, found)

    with rollouts_of(learner, executor) as learner.rollouts:
        learn(learner, log, is_stopped)
    logger.close()
    return learner
