"""The games that a critic for search learns from: all seats play the policy, and one of them once makes an odd play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.acts import NET
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.choices import log_probs, sample
from big2_agents.train.credit import advantages
from big2_agents.train.hyper_parameters import CriticParameters
from big2_agents.train.network import Critic, Policy

Array = npt.NDArray[Any]


@dataclass
class Seen:
    """What the critic learns from: n positions of seats that have a choice."""

    states: Array
    """int8 (n, sizes.state)."""
    hidden: Array
    """int8 (n, sizes.hidden)."""
    value: Array
    """float32 (n,): what the critic said."""
    target: Array
    """float32 (n,): what it should have said."""
    payoff: Array
    """float32 (n,): the scaled payoff in the end."""
    deviated: Array
    """bool (n,): whether the seat itself had made a play that it would not have made."""


@torch.no_grad()
def collect_values(
    games: PlayedGames,
    policy: Policy,
    critic: Critic,
    rng: np.random.Generator,
    *,
    scale: float,
    decay: float,
    odd_choices: int = CriticParameters.odd_choices,
    flatter: float = CriticParameters.flatter,
) -> Seen:
    """Deal all games anew, play them to the end, and return what the seats stood at after the odd play.

    The odd play is one of the first `odd_choices` of its seat, drawn by the scores divided by `flatter`.
    """
    number, players = len(games.games), games.seats
    policy, critic = policy.for_play(), critic.for_play()
    games.deal(rng.integers(0, 2**63, number), np.full((number, players), NET, np.int32))
    deviator, place = rng.integers(players, size=number), rng.integers(odd_choices, size=number)
    made, is_after = np.zeros((number, players), np.int64), np.zeros(number, np.bool_)
    steps: list[tuple[Array, ...]] = []
    while len(rows := games.advance()):
        features = games.features(rows, hidden=True)
        seats = games.games.turn[rows].astype(np.int64)
        log_prob = log_probs(policy, features).cpu().numpy()
        is_own = seats == deviator[rows]
        is_odd = is_own & (made[rows, seats] == place[rows])
        flat = np.where(np.repeat(is_odd, np.diff(features.offsets)), log_prob / flatter, log_prob)
        value = critic.values(features.states, features.hidden)
        steps.append((features.states, features.hidden, value, rows * players + seats, is_after[rows], is_own))
        is_after[rows] |= is_odd
        made[rows, seats] += 1
        games.choose(rows, sample(flat, features.offsets, rng))
    states, hidden, value, key, kept, is_own = (np.concatenate(column) for column in zip(*steps, strict=True))
    final = (games.payoffs() / scale).astype(np.float32).reshape(-1)
    target = advantages(key, value, final, decay)[1]
    return Seen(states[kept], hidden[kept], value[kept], target[kept], final[key][kept], is_own[kept])
