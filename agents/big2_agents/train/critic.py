"""A critic for search: fitted to a finished policy, on games in which one seat once makes a play that it would not have made.

The critic that training leaves behind has seen the policy's own plays, most of them against rule players. A search asks it
about other plays among four networks, and trusts it. So its games are those: all seats play the policy, and in each game one
of them, once, at a random one of its choices, draws its play from the flattened policy. What all seats stand at after that
teaches what such a play leads to; what they stood at before is left out, for its outcome was not the policy's doing alone.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.checkpoint import read_checkpoint, write_checkpoint
from big2_agents.train.critic_rollouts import Rollouts, rollouts_of
from big2_agents.train.hyper_parameters import CriticParameters
from big2_agents.train.network import Policy
from big2_agents.train.run_folder import append, forget_after
from big2_agents.train.updates import fit_values
from big2_env.runs.executors import Executor

Array = npt.NDArray[Any]
SAVE_EVERY: Final = 60.0
"""Seconds between checkpoints."""


class CriticFit:
    """A fit: the policy that stays, the critic that learns, and where it stands."""

    def __init__(self, args: CriticParameters, learner: Learner) -> None:
        self.args, self.out = args, learner.args.out
        self.policy, self.critic, self.scale = learner.policy, learner.critic, learner.scale
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=args.learning_rate)
        self.games = PlayedGames(learner.rules, args.games)
        self.iteration, self.minutes = 0, 0.0

    @property
    def path(self) -> Path:
        """The checkpoint."""
        return self.out / "critic.pt"

    def save(self) -> None:
        """Write the checkpoint; a kill at any time leaves the old one or the new one."""
        state = {"iteration": self.iteration, "minutes": self.minutes, "policy": fingerprint(self.policy)}
        state |= {"critic": self.critic.state_dict(), "optimizer": self.optimizer.state_dict()}
        write_checkpoint(self.path, state)

    def load(self) -> bool:
        """Go on from the checkpoint, if there is one of this very policy.

        Raises:
            ConfigError: a file that is no checkpoint of this critic.
        """
        if not self.path.exists():
            return False
        with read_checkpoint(self.path, of="fit") as state:
            if state["policy"] != fingerprint(self.policy):
                return False
            self.critic.load_state_dict(state["critic"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.iteration, self.minutes = state["iteration"], state["minutes"]
        return True

    def iterate(self, rollouts: Rollouts) -> dict[str, float]:
        """One round of games, learned from once.

        Returns what it found on these games before it learned from them: the share of the payoffs' variance that the critic
        explains (`explained`; after plays that the policy would not have made `explained_after`), and by how much it overrates
        the positions, in payoff (`overrates`, `overrates_after`).
        """
        args = self.args
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * 0.5 * (1 + math.cos(math.pi * min(1.0, self.minutes / args.minutes)))
        seen, rng, staleness = rollouts()
        with self.policy.compute(args.bfloat16):
            fit_values(self.critic, self.optimizer, seen.states, seen.hidden, seen.target, args.minibatch, rng)
        self.iteration += 1
        found = {"positions": float(len(seen.target)), "staleness": float(staleness)}
        for label, where in (("", np.ones_like(seen.deviated)), ("_after", seen.deviated)):
            payoff, error = seen.payoff[where], seen.payoff[where] - seen.value[where]
            found |= {f"explained{label}": 1.0 - _mean_square(error) / (float(payoff.var()) + 1e-9)}
            found |= {f"overrates{label}": -float(error.mean()) * self.scale}
        return found


def _mean_square(values: Array) -> float:
    return float((values**2).mean())


def fingerprint(policy: Policy) -> str:
    """A hash of a policy's weights."""
    digest = hashlib.sha256()
    for value in policy.state_dict().values():
        digest.update(value.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def fit(
    args: CriticParameters,
    learner: Learner,
    report: Callable[[CriticFit, dict[str, float]], None] = lambda run, found: None,
    is_stopped: Callable[[], bool] = lambda: False,
    executor: Executor | None = None,
) -> CriticFit:
    """Fit the critic of a finished run until the minutes are used up; goes on from the folder's critic.pt.

    Args:
        args: what the fit is made of.
        learner: the run, loaded.
        report: called after each round with the run and what it found.
        is_stopped: asked after each round; a fit that is stopped writes its checkpoint first.
        executor: where rollout workers play the games; `None` has them played in this process.

    Raises:
        ConfigError: a broken checkpoint; workers that cannot begin.
    """
    torch.set_num_threads(1)
    run = CriticFit(args, learner)
    run.load()
    forget_after(run.out / "critic.csv", run.iteration)
    with rollouts_of(run, learner.rules, executor) as rollouts:
        _fit(run, rollouts, report, is_stopped)
    run.save()
    return run


def _fit(
    run: CriticFit,
    rollouts: Rollouts,
    report: Callable[[CriticFit, dict[str, float]], None],
    is_stopped: Callable[[], bool],
) -> None:
    """Fit until the minutes are used up, with rows in critic.csv and checkpoints on the way."""
    args, saved = run.args, time.perf_counter()
    while run.minutes < args.minutes and not is_stopped():
        started = time.perf_counter()
        found = run.iterate(rollouts)
        run.minutes += (time.perf_counter() - started) / 60
        where = {"iteration": run.iteration, "minutes": round(run.minutes, 3)}
        append(run.out / "critic.csv", where | {name: round(value, 5) for name, value in found.items()})
        if time.perf_counter() - saved > SAVE_EVERY:
            run.save()
            saved = time.perf_counter()
        report(run, {})
