"""Where the rounds of a learner are played: in its own process, or by rollout workers that play ahead of it.

With workers (`big2_env.runs.item_queue.RoundsAhead`) what a run learns depends on its seed and its staleness alone. With a
staleness of 0 it is what the learner alone would do.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.rollout_worker import Asked, Played, Round, RoundsWorker, arrays_of, play_round
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.batches import SharingWorkerPool
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import RoundsAhead, answer_task
from big2_env.runs.progress import waiting


class Learner(Protocol):
    """Who learns from the rounds."""

    rules: RuleSet
    args: CandidatePpoParameters
    games: PlayedGames
    policy: Policy
    critic: Critic
    league: dict[int, Policy]
    scale: float
    iteration: int

    def round(self, number: int) -> Round:
        """The games of an iteration."""


class Rollouts(Protocol):
    """Where rounds come from."""

    def take(self) -> Played:
        """The round of the learner's iteration."""


class OwnRollouts:
    """Rounds played in the learner's process, by the networks as they are."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    def take(self) -> Played:
        """The round of the learner's iteration."""
        learner = self._learner
        asked = learner.round(learner.iteration)
        batch = play_round(asked, learner.games, learner.policy, learner.critic, learner.league, learner.scale)
        return Played(batch, asked.rng, 0)


class WorkerRollouts:
    """Rounds played by workers, ahead of the learner.

    Args:
        learner: who learns from them.
        workers: that play.
        limit: most seconds that a round may take.
    """

    def __init__(self, learner: Learner, workers: SharingWorkerPool, limit: float | None) -> None:
        self._learner, self._workers = learner, workers
        self._rounds = RoundsAhead(workers, self._asked, learner.iteration, learner.args.staleness, limit)

    def take(self) -> Played:
        """The round of the learner's iteration, waited for; the rounds that may be asked for now are."""
        batch, rng, seen = self._rounds.take(self._learner.iteration)
        return Played(batch, rng, self._learner.iteration - seen)

    def _asked(self, number: int) -> Asked:
        """A round with the learner's weights."""
        learner = self._learner
        asked = learner.round(number)
        states = {"policy": learner.policy.state_dict(), "critic": learner.critic.state_dict()}
        if asked.past is not None:
            states["past"] = dict(asked.past)
        weights = self._workers.share({name: arrays_of(state) for name, state in states.items()})
        return Asked(asked._replace(past=None), learner.iteration, weights)


@contextmanager
def rollouts_of(learner: Learner, executor: Executor | None) -> Iterator[Rollouts]:
    """Where a learner's rounds come from, until the block ends: its own process without an executor, else its workers.

    Raises:
        ConfigError: workers that cannot begin.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield OwnRollouts(learner)
        return
    league = {code: copy.deepcopy(policy).cpu() for code, policy in learner.league.items()}
    networks = copy.deepcopy(learner.policy).cpu(), copy.deepcopy(learner.critic).cpu()
    task = answer_task(RoundsWorker, learner.rules, *networks, league, learner.scale, learner.args)
    with executor.workers(task) as workers:
        with waiting("starting rollout workers"):
            rollouts = WorkerRollouts(learner, workers, executor.limit)
        yield rollouts
