"""Where MaskablePPO's rollouts are made: in the learner's process, or by rollout workers that play ahead of it.

Games go on from one rollout to the next. With workers that are *k* updates ahead there are *k + 1* sets of games in turns:
one that a rollout has left travels back to the learner, and from there to whoever goes on with it. So what a run learns
depends on its seed and its staleness alone, and a worker that is lost takes nothing along. With a staleness of 0 it is what
the learner alone would do.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import set_random_seed

from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.ppo_games import ScaledSelfPlay
from big2_agents.train.rollout_worker import arrays_of, tensors_of
from big2_agents.train.updates import importance
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.sb3 import LegalPolicy, PolicyOpponent, SeatRolloutBuffer, SelfPlayPPO
from big2_env.envs.sb3_buffer import Decisions
from big2_env.runs.batches import Shared, SharingWorkerPool
from big2_env.runs.executors import Executor
from big2_env.runs.item_queue import RoundsAhead, answer_task
from big2_env.runs.progress import waiting

POLICIES: Final[dict[str, Any]] = {"legal": LegalPolicy, "mlp": "MlpPolicy"}


def make_games(args: PpoParameters, rules: RuleSet, scale: float) -> ScaledSelfPlay:
    """The games of a run; `scale` is what payoffs are divided by."""
    venv = ScaledSelfPlay(args.games, ruleset=rules, share=args.share)
    venv.scale = scale
    return venv


def make_model(args: PpoParameters, games: ScaledSelfPlay) -> SelfPlayPPO:
    """A model of a run, in these games."""
    model = SelfPlayPPO(
        POLICIES[args.policy],
        games,
        n_steps=args.steps,
        # SB3 warns of batches that do not fill a rollout, but here only the learner's own choices are learned from.
        batch_size=args.games * args.steps,
        n_epochs=args.epochs,
        gamma=1.0,
        gae_lambda=args.decay,
        clip_range=args.clip,
        policy_kwargs={"net_arch": [args.width] * args.layers, "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
    )
    model.batch_size = args.minibatch
    return model


class Learner(Protocol):
    """Who learns from the rollouts."""

    args: PpoParameters
    rules: RuleSet
    scale: float
    model: SelfPlayPPO
    venv: ScaledSelfPlay
    past: list[PolicyOpponent]
    iteration: int


class Rollouts(Protocol):
    """Where rollouts come from."""

    def learn(self) -> int:
        """Learn from the rollout of the learner's iteration; returns how many updates its weights were behind."""


class Draws(NamedTuple):
    """What an iteration draws."""

    seed: int
    """Of everything random in it."""
    deals: int
    """Of games that are dealt anew."""
    past: PolicyOpponent | None
    """The earlier self in the opponent pool, `None` for none."""


def draws_of(learner: Learner, number: int, *, are_new: bool) -> Draws:
    """What an iteration draws, whose games are new or go on."""
    rng = np.random.default_rng([learner.args.seed, number])
    seed, deals = int(rng.integers(1 << 31)), int(rng.integers(1 << 62)) if are_new else 0
    past = learner.past[int(rng.integers(len(learner.past)))] if learner.past else None
    return Draws(seed, deals, past)


class OwnRollouts:
    """Rollouts made in the learner's process, by the weights as they are."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner

    def learn(self) -> int:
        """Learn from the rollout of the learner's iteration."""
        learner, args, model = self._learner, self._learner.args, self._learner.model
        are_new = model._last_obs is None
        draws = draws_of(learner, learner.iteration, are_new=are_new)
        set_random_seed(draws.seed)
        if are_new:
            learner.venv.seed(draws.deals)  # games that go on from a checkpoint are other games
        if draws.past is not None:
            learner.venv.pool.draw_from([draws.past])
        model.learn(args.steps * args.games, reset_num_timesteps=False, log_interval=1 << 30)
        return 0


class Asked(NamedTuple):
    """A rollout for a worker."""

    draws: Draws
    iteration: int
    """How many updates the weights have seen."""
    weights: Shared
    """The arrays of the policy, and of the earlier self where there is one, by name."""
    games: bytes | None
    """The games to go on with, `None` for new ones."""


class Made(NamedTuple):
    """A rollout that a worker made."""

    decisions: Decisions
    games: bytes
    """The games as the rollout has left them."""
    iteration: int
    """How many updates the weights had seen."""


class WorkerRollouts:
    """Rollouts made by workers, ahead of the learner.

    Args:
        learner: who learns from them.
        workers: that play.
        limit: most seconds that a rollout may take.
    """

    def __init__(self, learner: Learner, workers: SharingWorkerPool, limit: float | None) -> None:
        self._learner, self._workers = learner, workers
        self._games: dict[int, bytes] = {}
        """By the number of the rollout that left them."""
        self._rounds = RoundsAhead(workers, self._asked, learner.iteration, learner.args.staleness, limit)

    def _asked(self, number: int) -> Asked:
        """A rollout by the learner's weights, in the games of the one whose turn it is."""
        learner = self._learner
        games = self._games.pop(number - self._rounds.staleness - 1, None)
        draws = draws_of(learner, number, are_new=games is None)
        weights = {"policy": arrays_of(learner.model.policy.state_dict())}
        if draws.past is not None:
            weights["past"] = arrays_of(draws.past.policy.state_dict())
        return Asked(draws._replace(past=None), learner.iteration, self._workers.share(weights), games)

    def learn(self) -> int:
        """Learn from the rollout of the learner's iteration; returns how many updates its weights were behind."""
        learner, model, number = self._learner, self._learner.model, self._learner.iteration
        made: Made = self._rounds.take(number)
        self._games[number] = made.games
        staleness = number - made.iteration
        decisions = renewed(made.decisions, model, learner.args.minibatch) if staleness else made.decisions
        buffer: Any = model.rollout_buffer
        buffer.set_decisions(decisions)
        model.num_timesteps += learner.args.steps * learner.args.games
        set_random_seed(draws_of(learner, number, are_new=False).seed)
        model.train()
        return staleness


@torch.no_grad()
def renewed(decisions: Decisions, model: SelfPlayPPO, minibatch: int) -> Decisions:
    """Decisions of earlier weights as those of the model: with its log probabilities, advantages weighted by how these changed.

    So the clip is about the policy that learns, not about the one that played. Source: the decoupled objective of Hilton et
    al., arXiv 2110.00641. `minibatch` decisions are looked at at once.
    """
    model.policy.set_training_mode(False)
    buffer: Any = model.rollout_buffer
    buffer.set_decisions(decisions)
    number = len(decisions.values)
    found = [
        model.policy.evaluate_actions(batch.observations, batch.actions.long().flatten(), action_masks=batch.action_masks)[
            1
        ].numpy()
        for batch in map(buffer._get_samples, np.array_split(np.arange(number), math.ceil(number / minibatch)))
    ]
    log_probs = np.concatenate(found)
    advantages = decisions.advantages * importance(log_probs, decisions.log_probs)
    return decisions._replace(log_probs=log_probs, advantages=advantages)


@contextmanager
def rollouts_of(learner: Learner, executor: Executor | None) -> Iterator[Rollouts]:
    """Where a learner's rollouts come from, until the block ends: its own process without an executor, else its workers.

    Raises:
        ConfigError: workers that cannot begin.
        ImportError: Ray is asked for and not installed.
    """
    if executor is None:
        yield OwnRollouts(learner)
        return
    with executor.workers(answer_task(RolloutsWorker, learner.args, learner.rules, learner.scale)) as workers:
        with waiting("starting rollout workers"):
            rollouts = WorkerRollouts(learner, workers, executor.limit)
        yield rollouts


class RolloutsWorker:
    """Makes rollouts with the weights and in the games of each; arguments as of `make_games`."""

    def __init__(self, args: PpoParameters, rules: RuleSet, scale: float) -> None:
        torch.set_num_threads(1)
        self._steps, self._new_games = args.steps, lambda: make_games(args, rules, scale)
        self._model = make_model(args, self._new_games())
        self._model.set_logger(Logger(None, []))

    def answer(self, asked: Asked) -> Made:
        """The rollout that was asked for."""
        model, weights = self._model, asked.weights.get()
        model.policy.load_state_dict(tensors_of(weights["policy"]))
        self._take_up(asked)
        if "past" in weights:
            venv: Any = model.env
            venv.pool.draw_from([self._earlier_self(weights["past"])])
        set_random_seed(asked.draws.seed)
        steps = self._steps * model.n_envs
        _, callback = model._setup_learn(steps, None, reset_num_timesteps=False)
        assert model.env is not None
        buffer: Any = model.rollout_buffer
        model.collect_rollouts(model.env, callback, buffer, self._steps)
        decisions = buffer.decisions()
        left = model.env, buffer.carried(), model._last_obs, model._last_episode_starts
        return Made(decisions, pickle.dumps(left), asked.iteration)

    def _take_up(self, asked: Asked) -> None:
        """Go on with the games that were sent, or deal new ones."""
        model = self._model
        if asked.games is None:
            model.set_env(self._new_games())
            model._last_obs = None
            model.env.seed(asked.draws.deals)  # type: ignore[union-attr]
            return
        venv, carried, seen, begun = pickle.loads(asked.games)
        model.set_env(venv, force_reset=False)
        buffer: SeatRolloutBuffer = model.rollout_buffer  # type: ignore[assignment]
        buffer.restore_carried(carried)
        model._last_obs, model._last_episode_starts = seen, begun

    def _earlier_self(self, weights: Mapping[str, Any]) -> PolicyOpponent:
        """An opponent that plays by these weights."""
        past = PolicyOpponent(self._model)
        past.policy.load_state_dict(tensors_of(weights))
        return past
