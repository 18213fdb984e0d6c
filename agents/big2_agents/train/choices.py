"""Choices among candidate plays: how likely a policy makes each, draws, parts of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.selfplay import Features
from big2_agents.train.network import Policy, log_softmax
from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]


def scores(policy: Policy, features: Features) -> tuple[torch.Tensor, torch.Tensor]:
    """The score of every play, float32 (m,), and the choice it belongs to, int64 (m,)."""
    owner = policy.placed(np.repeat(np.arange(len(features.states)), np.diff(features.offsets)))
    return policy(policy.as_input(features.states), policy.as_input(features.plays), owner), owner


def log_probs(policy: Policy, features: Features) -> torch.Tensor:
    """The log probability of every play among those of its choice, float32 (m,)."""
    return log_softmax(*scores(policy, features), len(features.states))


def sample(log_prob: Array, offsets: Array, rng: np.random.Generator | None) -> Array:
    """A play for each choice, int64 (n,): drawn by its probability, or the most likely one without `rng`."""
    if rng is not None:  # the largest of log p + Gumbel noise is a draw
        log_prob = log_prob - np.log(-np.log(rng.random(len(log_prob)) + 1e-20) + 1e-20)
    picks: Array = _arg_max(log_prob, offsets)
    return picks


@kernel(entry=True)
def _arg_max(values: Array, offsets: Array) -> Array:
    out = np.empty(len(offsets) - 1, np.int64)
    for n in range(len(out)):
        best = offsets[n]
        for i in range(offsets[n], offsets[n + 1]):
            if values[i] > values[best]:
                best = i
        out[n] = best - offsets[n]
    return out


@kernel(entry=True)
def take(offsets: Array, plays: Array, rows: Array) -> tuple[Array, Array]:
    """The plays of some choices one after the other, and their offsets."""
    out_offsets = np.zeros(len(rows) + 1, np.int64)
    for n, row in enumerate(rows):
        out_offsets[n + 1] = out_offsets[n] + offsets[row + 1] - offsets[row]
    out = np.empty((out_offsets[-1], plays.shape[1]), plays.dtype)
    for n, row in enumerate(rows):
        out[out_offsets[n] : out_offsets[n + 1]] = plays[offsets[row] : offsets[row + 1]]
    return out, out_offsets


def subset(features: Features, rows: Array) -> Features:
    """The features of some of the choices."""
    plays, offsets = take(features.offsets, features.plays, rows)
    hidden = features.hidden[rows] if len(features.hidden) else features.hidden
    return Features(features.states[rows], hidden, plays, offsets)


@dataclass
class Made:
    """Choices that one network has made, k of them with j plays."""

    where: Array
    """int64 (k,): which of the choices asked for they are."""
    features: Features
    log_prob: Array
    """float32 (j,): of every play."""
    chosen: Array
    """int64 (k,): index among the plays of the choice."""


def draw(
    networks: Mapping[int, Policy], features: Features, whose: Array, rng: np.random.Generator | None
) -> tuple[Array, dict[int, Made]]:
    """Let networks make choices, under `torch.no_grad`; `whose`, int (n,), says by its code which network makes each.

    They are drawn, or without `rng` the most likely ones.

    Returns the plays, int64 (n,), and by code what each network made.
    """
    chosen, made = np.zeros(len(whose), np.int64), {}
    for code, network in networks.items():
        where = np.flatnonzero(whose == code)
        if len(where):
            part = features if len(where) == len(whose) else subset(features, where)
            log_prob = log_probs(network, part).cpu().numpy()
            made[code] = Made(where, part, log_prob, sample(log_prob, part.offsets, rng))
            chosen[where] = made[code].chosen
    return chosen, made
