"""Where the rounds of a learner are played: in its own process, or by rollout workers that play ahead of it.

With workers, round *k* is asked for as soon as *k - staleness* updates are made, and learned from as update *k*. So what a run
learns depends on its seed and its staleness alone, neither on how many workers there are nor on where they are, nor on those
that are lost. With a staleness of 0 it is what the learner alone would do.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol

from big2_agents.compiled.selfplay import PlayedGames
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.rollout_worker import Asked, Played, Round, arrays_of, play_asked, play_round, start_worker
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.batches import SharingCrew, in_order
from big2_env.runs.executors import Executor
from big2_env.runs.progress import waiting
from big2_env.runs.worker import Task


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
    """Rounds played by workers, `staleness` of them ahead of the learner.

    Args:
        learner: who learns from them.
        crew: the workers.
        staleness: how many updates the weights of a round are behind.
        limit: most seconds that a round may take.
    """

    def __init__(self, learner: Learner, crew: SharingCrew, staleness: int, limit: float | None) -> None:
        self._learner, self._crew, self._staleness = learner, crew, staleness
        self._next = learner.iteration
        """The first round that is not asked for yet."""
        self._to_send: deque[Asked | None] = deque([None] * crew.capacity())
        self._answers = in_order(crew, _Taken(self._to_send), limit, largest=1)
        for _ in islice(self._answers, len(self._to_send)):
            pass  # the workers begin, which is no part of the training

    def take(self) -> Played:
        """The round of the learner's iteration, waited for; the rounds that may be asked for now are."""
        learner = self._learner
        while self._next <= learner.iteration + self._staleness:
            asked = learner.round(self._next)
            states = {"policy": learner.policy.state_dict(), "critic": learner.critic.state_dict()}
            if asked.past is not None:
                states["past"] = dict(asked.past)
            weights = self._crew.share({name: arrays_of(state) for name, state in states.items()})
            self._to_send.append(Asked(asked._replace(past=None), learner.iteration, weights))
            self._next += 1
        batch, rng, seen = next(self._answers)
        return Played(batch, rng, learner.iteration - seen)


class _Taken:
    """An iterator that takes what a queue has: it ends where the queue is empty, and goes on once it is not."""

    def __init__(self, queue: deque[Any]) -> None:
        self._queue = queue

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._queue:
            raise StopIteration
        return self._queue.popleft()


@contextmanager
def rollouts_of(learner: Learner, executor: Executor | None) -> Iterator[Rollouts]:
    """Where a learner's rounds come from, until the block ends: its own process without an executor, else its workers.

    Without a staleness among the hyper-parameters it is the least that keeps as many processes busy as there are workers at the
    start, of which one waits while the learner learns: one less than these, and at least 1.

    Raises:
        ConfigError: workers that cannot begin.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield OwnRollouts(learner)
        return
    league = {code: copy.deepcopy(policy).cpu() for code, policy in learner.league.items()}
    networks = copy.deepcopy(learner.policy).cpu(), copy.deepcopy(learner.critic).cpu()
    task = Task(play_asked, start_worker, (learner.rules, *networks, league, learner.scale, learner.args))
    with executor.crew(task) as crew:
        staleness = max(1, crew.capacity() - 1) if learner.args.staleness is None else learner.args.staleness
        with waiting("starting rollout workers"):
            rollouts = WorkerRollouts(learner, crew, staleness, executor.limit)
        yield rollouts
