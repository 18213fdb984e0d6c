"""Where the positions of a critic's fit come from: its own process, or rollout workers that play ahead of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import numpy as np
import torch

from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.critic_games import Seen, collect_values
from big2_agents.train.hyper_parameters import CriticParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.rollout_worker import FIRST_GAMES, arrays_of, tensors_of
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.batches import Shared, SharingWorkerPool
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import RoundsAhead, answer_task
from big2_env.runs.progress import waiting


class Fit(Protocol):
    """Whose critic learns from the positions."""

    args: CriticParameters
    games: PlayedGames
    policy: Policy
    critic: Critic
    scale: float
    iteration: int


class Found(NamedTuple):
    """The positions of a round."""

    seen: Seen
    rng: np.random.Generator
    """What the games were drawn from, as they have left it."""
    staleness: int
    """How many updates were made since the critic that was asked about them."""


Rollouts = Callable[[], Found]
"""Gives the positions of the next round."""


def rng_of(args: CriticParameters, number: int) -> np.random.Generator:
    """What the games of a round are drawn from."""
    return np.random.default_rng([args.seed, number])


def found_in(
    games: PlayedGames, policy: Policy, critic: Critic, rng: np.random.Generator, args: CriticParameters, scale: float
) -> Seen:
    """The positions of a round, by networks as they are."""
    with policy.compute(args.bfloat16):
        return collect_values(
            games,
            policy,
            critic,
            rng,
            scale=scale,
            decay=args.decay,
            odd_choices=args.odd_choices,
            flatter=args.flatter,
        )


class Asked(NamedTuple):
    """A round for a worker."""

    rng: np.random.Generator
    iteration: int
    """How many updates the critic has seen."""
    weights: Shared
    """The critic's arrays of `arrays_of`."""


@contextmanager
def rollouts_of(fit: Fit, rules: RuleSet, executor: Executor | None) -> Iterator[Rollouts]:
    """Where a fit's positions come from until the block ends: its own process without an executor, else its workers.

    Raises:
        ConfigError: workers that cannot begin.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield lambda: _own(fit)
        return
    networks = copy.deepcopy(fit.policy).cpu(), copy.deepcopy(fit.critic).cpu()
    with executor.workers(answer_task(PositionsWorker, rules, *networks, fit.scale, fit.args)) as workers:
        with waiting("starting rollout workers"):
            rounds = RoundsAhead(
                workers, lambda number: _asked(fit, workers, number), fit.iteration, fit.args.staleness, executor.limit
            )
        yield lambda: _taken(fit, rounds)


def _own(fit: Fit) -> Found:
    rng = rng_of(fit.args, fit.iteration)
    return Found(found_in(fit.games, fit.policy, fit.critic, rng, fit.args, fit.scale), rng, 0)


def _asked(fit: Fit, workers: SharingWorkerPool, number: int) -> Asked:
    return Asked(rng_of(fit.args, number), fit.iteration, workers.share(arrays_of(fit.critic.state_dict())))


def _taken(fit: Fit, rounds: RoundsAhead) -> Found:
    seen, rng, iteration = rounds.take(fit.iteration)
    return Found(seen, rng, fit.iteration - iteration)


class PositionsWorker:
    """Plays rounds on the processor; the policy stays, the critic has the weights of each round."""

    def __init__(self, rules: RuleSet, policy: Policy, critic: Critic, scale: float, args: CriticParameters) -> None:
        torch.set_num_threads(1)
        self._policy, self._critic, self._scale, self._args = policy, critic, scale, args
        found_in(PlayedGames(rules, FIRST_GAMES), policy, critic, np.random.default_rng(0), args, scale)
        self._games = PlayedGames(rules, args.games)

    def answer(self, asked: Asked) -> tuple[Seen, np.random.Generator, int]:
        """The positions of a round, its generator as the games have left it, and how many updates its critic had seen."""
        self._critic.load_state_dict(tensors_of(asked.weights.get()))
        seen = found_in(self._games, self._policy, self._critic, asked.rng, self._args, self._scale)
        return seen, asked.rng, asked.iteration
