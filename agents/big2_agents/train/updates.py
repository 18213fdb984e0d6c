"""What candidate PPO does with a batch of choices: steps of PPO for the policy, of least squares for the critic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from big2_agents.train.choices import log_probs, scores, subset, take
from big2_agents.train.collect import Batch
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy, log_softmax

Array = npt.NDArray[Any]
MOST_WEIGHT: Final = 2.0
"""Most that a gain counts because its play has become likelier since it was made."""


class Settings(Protocol):
    """How the steps are made; `CandidatePpoParameters` says more."""

    epochs: int
    minibatch: int
    clip: float
    certain: float
    kept: float
    level: float


def importance(log_prob: Array, old: Array) -> Array:
    """How much what an earlier policy's plays gained counts now: as often as they have become likelier, at most `MOST_WEIGHT`.

    Both are log probabilities of the plays, of any shape: now, and when they were made.
    """
    weight: Array = np.exp(np.minimum(log_prob - old, math.log(MOST_WEIGHT)))
    return weight


@torch.no_grad()
def renewed(batch: Batch, policy: Policy, minibatch: int) -> Batch:
    """A batch of earlier weights as one of the policy: with its log probabilities, and gains weighted by how these changed.

    So the clip is about the policy that learns, not about the one that played, which would hold back what has been learned
    since. Source: the decoupled objective of Hilton et al., arXiv 2110.00641. `minibatch` choices are looked at at once.
    """
    parts = [
        log_probs(policy, subset(batch.features, rows)).cpu().numpy()
        for rows in np.array_split(np.arange(len(batch.chosen)), math.ceil(len(batch.chosen) / minibatch))
    ]
    log_prob = np.concatenate(parts)
    return replace(batch, log_prob=log_prob, gain=batch.gain * importance(log_prob, batch.log_prob))


def update(
    batch: Batch,
    policy: Policy | None,
    critic: Critic,
    optimizer: torch.optim.Optimizer,
    rng: np.random.Generator,
    settings: Settings,
    entropy_weight: float,
) -> dict[str, float]:
    """`epochs` passes of the policy, if any, over the choices worth it, one of the critic over all.

    Returns what happened, by name.
    """
    gain = batch.gain / (np.sqrt(np.mean(batch.advantage**2)) + 1e-6)
    known = np.stack([batch.log_prob, gain], axis=1)
    taught, weight = useful_choices(batch.log_prob[batch.features.places(batch.chosen)], rng, settings.certain, settings.kept)
    seen = []
    if policy is not None:
        for part in (part for _ in range(settings.epochs) for part in minibatches(len(taught), settings.minibatch, rng)):
            loss, found = _policy_loss(policy, batch, known, taught[part], weight[part], settings, entropy_weight)
            step(loss, policy, optimizer)
            seen.append([each.item() for each in found])
    value_loss = fit_values(
        critic, optimizer, batch.features.states, batch.features.hidden, batch.target, settings.minibatch, rng
    )
    means = np.mean(seen or np.zeros((1, 4)), axis=0).tolist()
    return dict(zip(("policy_loss", "entropy", "kl", "clipped"), means, strict=True)) | {
        "value_loss": value_loss,
        "explained": 1.0 - float(np.var(batch.advantage) / (np.var(batch.target) + 1e-9)),
        "taught": len(taught) / len(batch.chosen),
    }


def fit_values(
    critic: Critic,
    optimizer: torch.optim.Optimizer,
    states: Array,
    hidden: Array,
    target: Array,
    minibatch: int,
    rng: np.random.Generator,
) -> float:
    """One pass of a critic over positions and what it should have said of them; returns its mean squared error on the way.

    `states` and `hidden` are int8 (n, ...), `target` float32 (n,).
    """
    losses = []
    for rows in minibatches(len(target), minibatch, rng):
        loss = torch.nn.functional.mse_loss(
            critic(critic.as_input(states[rows]), critic.as_input(hidden[rows])), critic.placed(target[rows])
        )
        step(0.5 * loss, critic, optimizer)
        losses.append(loss.item())
    return float(np.mean(losses))


def useful_choices(
    log_prob: Array,
    rng: np.random.Generator,
    certain: float = CandidatePpoParameters.certain,
    kept: float = CandidatePpoParameters.kept,
) -> tuple[Array, Array]:
    """The choices that a policy learns from, int64 (k,), and the weight of each, float32 (k,).

    Where one play is all but certain no other is likely enough to be looked at, and the gradient is in proportion to what it
    lacks to 1: choices of a play more likely than 0.99, nearly half of all, had less than a hundredth of the gradient together
    when that was measured. Of choices of a play more likely than `certain` a share of `kept` stays, each in the place of
    those left out.
    """
    is_certain = log_prob > np.log(certain)
    rows = np.flatnonzero(~is_certain | (rng.random(len(log_prob)) < kept))
    return rows, np.where(is_certain[rows], np.float32(1 / kept), np.float32(1))


def minibatches(number: int, size: int, rng: np.random.Generator) -> Iterator[Array]:
    """The rows from 0 to `number` in random order, `size` at a time; a last part of less than half of that is left out."""
    size = max(1, min(size, number))
    order = rng.permutation(number)
    return (order[start : start + size] for start in range(0, number - size // 2, size))


def step(loss: Tensor, network: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """A step of one network; the optimizer leaves another's weights as they are, for they have no gradients."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    optimizer.step()


def _policy_loss(
    policy: Policy, batch: Batch, known: Array, rows: Array, weight: Array, settings: Settings, entropy_weight: float
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """What a step lowers for the choices `rows`, int64 (k,), of `weight`, float32 (k,).

    `known`, float32 (m, 2), has the old log probability and the gain of every play of the batch. Returned besides are the
    clipped objective, the entropy, the divergence from the old policy, the share of choices whose play is out of the clip's
    range.
    """
    features, clip = subset(batch.features, rows), settings.clip
    score, owner = scores(policy, features)
    log_probs = log_softmax(score, owner, len(rows))
    level = (score - log_probs)[policy.placed(features.offsets[:-1])]
    old, gain = policy.placed(take(batch.features.offsets, known, rows)[0]).unbind(dim=1)
    share = policy.placed(weight / weight.sum())
    ratio = (log_probs - old).clamp(max=20).exp()
    loss = -(share[owner] * torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)).sum()
    entropy = -(share[owner] * log_probs.exp() * log_probs).sum()
    divergence = (share[owner] * old.exp() * (old - log_probs)).sum()
    picked = ratio[policy.placed(features.places(batch.chosen[rows]))]
    clipped = (share * ((picked - 1).abs() > clip)).sum()
    return loss - entropy_weight * entropy + settings.level * (share * level**2).sum(), (loss, entropy, divergence, clipped)
