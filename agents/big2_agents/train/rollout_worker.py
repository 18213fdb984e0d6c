"""A round of candidate PPO's games: what it is asked with, how it is played, and the worker that plays it elsewhere.

A round is a value that holds all it depends on. So it comes out the same whoever plays it, and again where its worker is lost.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.acts import RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.collect import Batch, collect
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Net, Policy
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.batches import Shared

Array = npt.NDArray[Any]
FIRST_GAMES: Final = 16
"""Games of the round by which a worker loads its compiled code."""


class Round(NamedTuple):
    """Games to be played."""

    args: CandidatePpoParameters
    opponents: tuple[int, ...]
    """Controller codes of who plays beside the learner."""
    rng: np.random.Generator
    """What the games are drawn from."""
    past: Mapping[str, torch.Tensor] | None
    """The weights of the earlier self in the opponent pool, `None` for none."""


class Played(NamedTuple):
    """A round that was played."""

    batch: Batch
    rng: np.random.Generator
    """As the games have left it."""
    staleness: int
    """How many updates were made since the weights that played it."""


class Asked(NamedTuple):
    """A round for a worker: it has none of the learner's networks."""

    round: Round
    iteration: int
    """How many updates the weights have seen."""
    weights: Shared
    """By name of the network the arrays of `arrays_of`."""


def play_round(
    asked: Round, games: PlayedGames, policy: Policy, critic: Critic, league: Mapping[int, Policy], scale: float
) -> Batch:
    """Deal the games, play them to the end, and return the learner's choices; `league` and `scale` as of `collect`."""
    past, args = None, asked.args
    if asked.past is not None:
        past = copy.deepcopy(policy)
        past.load_state_dict(asked.past)
    with policy.compute(args.bfloat16):
        return collect(
            games,
            policy,
            critic,
            past,
            asked.rng,
            share=args.share,
            scale=scale,
            decay=args.decay,
            alone=args.alone,
            partners=args.partners,
            drawn=args.drawn,
            win_bonus=args.win_bonus,
            play_out=args.play_out,
            opponents=asked.opponents,
            league=league,
            floor=args.floor,
        )


def arrays_of(state: Mapping[str, torch.Tensor]) -> dict[str, Array]:
    """The tensors of a `state_dict` as arrays of their own, wherever the network computes."""
    return {name: value.detach().cpu().numpy().copy() for name, value in state.items()}


def tensors_of(arrays: Mapping[str, Array]) -> dict[str, torch.Tensor]:
    """What `arrays_of` was given, as copies on the processor."""
    return {name: torch.tensor(array) for name, array in arrays.items()}


class RoundsWorker:
    """Plays rounds on the processor, with networks that take the weights of each round.

    Args:
        rules: the games' rules.
        policy: a network of the learner's shape; so are `critic` and those of `league`.
        critic: see `policy`.
        league: the players that stay as they are, by controller code.
        scale: what payoffs are divided by.
        args: hyper-parameters of the run.
    """

    def __init__(
        self,
        rules: RuleSet,
        policy: Policy,
        critic: Critic,
        league: Mapping[int, Policy],
        scale: float,
        args: CandidatePpoParameters,
    ) -> None:
        torch.set_num_threads(1)
        self._rules, self._policy, self._critic, self._league, self._scale = rules, policy, critic, league, scale
        self._games = PlayedGames(rules, FIRST_GAMES)
        self._play(Round(args, (RANDOM,), np.random.default_rng(0), None))

    def _play(self, asked: Round) -> Batch:
        return play_round(asked, self._games, self._policy, self._critic, self._league, self._scale)

    def answer(self, asked: Asked) -> tuple[Batch, np.random.Generator, int]:
        """The batch of a round, its generator as the games have left it, and how many updates its weights had seen."""
        weights: dict[str, dict[str, Array]] = asked.weights.get()
        networks: dict[str, Net] = {"policy": self._policy, "critic": self._critic}
        for name, network in networks.items():
            network.load_state_dict(tensors_of(weights[name]))
        past = tensors_of(weights["past"]) if "past" in weights else None
        if len(self._games.games) != asked.round.args.games:
            self._games = PlayedGames(self._rules, asked.round.args.games)
        return self._play(asked.round._replace(past=past)), asked.round.rng, asked.iteration
