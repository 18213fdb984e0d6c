"""Updates of candidate PPO from a batch of choices: PPO steps for the policy, least squares for the critic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Policy, log_probs, log_softmax, scores, subset, take_plays
from big2_agents.train.self_play import Batch

Array = npt.NDArray[Any]
MAX_IMPORTANCE: Final = 2.0
"""Upper bound of importance weights."""


def importance(log_prob: Array, old: Array) -> Array:
    """Return importance weights, at most `MAX_IMPORTANCE`, from log probabilities of plays now and when they were made."""
    weight: Array = np.exp(np.minimum(log_prob - old, math.log(MAX_IMPORTANCE)))
    return weight


@torch.no_grad()
def reweighted(batch: Batch, policy: Policy, minibatch: int) -> Batch:
    """Return a batch of earlier weights with the policy's log probabilities, and gains weighted by how these changed.

    The clip is then about the policy that learns, not about the one that played, which would hold back what has been learned
    since. Source: the decoupled objective of Hilton et al., arXiv 2110.00641. `minibatch` choices are computed at a time.
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
    args: CandidatePpoParameters,
    ent_coef: float,
) -> dict[str, float]:
    """Make `args.epochs` passes of the policy, if any, over useful choices, and one of the critic over all.

    Returns:
        Measurements by name, the columns of progress.csv.
    """
    gain = batch.gain / (np.sqrt(np.mean(batch.advantage**2)) + 1e-6)
    known = np.stack([batch.log_prob, gain], axis=1)
    taught, weight = useful_choices(batch.log_prob[batch.features.places(batch.chosen)], rng, args)
    seen = []
    if policy is not None:
        for part in (part for _ in range(args.epochs) for part in minibatches(len(taught), args.minibatch, rng)):
            loss, found = _policy_loss(policy, batch, known, taught[part], weight[part], args, ent_coef)
            step(loss, policy, optimizer)
            seen.append([each.item() for each in found])
    value_loss = fit_values(critic, optimizer, batch.features.states, batch.features.hidden, batch.target, args.minibatch, rng)
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
    """Make one pass of a critic over positions and targets; return its mean squared error on the way.

    `states` and `hidden` are int8 (n, ...), `target` is float32 (n,).
    """
    losses = []
    for rows in minibatches(len(target), minibatch, rng):
        loss = torch.nn.functional.mse_loss(
            critic(critic.as_input(states[rows]), critic.as_input(hidden[rows])), critic.to_device(target[rows])
        )
        step(0.5 * loss, critic, optimizer)
        losses.append(loss.item())
    return float(np.mean(losses))


def useful_choices(log_prob: Array, rng: np.random.Generator, args: CandidatePpoParameters) -> tuple[Array, Array]:
    """Return the choices that a policy learns from, int64 (k,), and the weight of each, float32 (k,).

    If the chosen play is nearly certain, no other is likely enough to be tried, and the gradient is in proportion to what its
    probability lacks to 1: choices of a play more likely than 0.99, nearly half of all, had less than a hundredth of the
    gradient together when that was measured. Of choices above `args.certain_prob` a fraction `args.certain_share` is kept, each
    with the weight of those left out.
    """
    is_certain = log_prob > np.log(args.certain_prob)
    rows = np.flatnonzero(~is_certain | (rng.random(len(log_prob)) < args.certain_share))
    return rows, np.where(is_certain[rows], np.float32(1 / args.certain_share), np.float32(1))


def minibatches(number: int, size: int, rng: np.random.Generator) -> Iterator[Array]:
    """Return the rows from 0 to `number` in random order, `size` at a time; a last part of less than half is dropped."""
    size = max(1, min(size, number))
    order = rng.permutation(number)
    return (order[start : start + size] for start in range(0, number - size // 2, size))


def step(loss: Tensor, network: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Make a gradient step of one network; weights of others, which have no gradients, stay as they are."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    optimizer.step()


def _policy_loss(
    policy: Policy, batch: Batch, known: Array, rows: Array, weight: Array, args: CandidatePpoParameters, ent_coef: float
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the loss of the choices `rows`, int64 (k,), of `weight`, float32 (k,).

    `known`, float32 (m, 2), has the old log probability and the gain of every play of the batch. Also returned: the clipped
    objective, the entropy, the divergence from the old policy, and the fraction of chosen plays outside of the clip range.
    """
    features, clip = subset(batch.features, rows), args.clip_range
    score, owner = scores(policy, features)
    log_probs = log_softmax(score, owner, len(rows))
    log_normalizer = (score - log_probs)[policy.to_device(features.offsets[:-1])]
    old, gain = policy.to_device(take_plays(batch.features.offsets, known, rows)[0]).unbind(dim=1)
    share = policy.to_device(weight / weight.sum())
    ratio = (log_probs - old).clamp(max=20).exp()
    loss = -(share[owner] * torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)).sum()
    entropy = -(share[owner] * log_probs.exp() * log_probs).sum()
    divergence = (share[owner] * old.exp() * (old - log_probs)).sum()
    picked = ratio[policy.to_device(features.places(batch.chosen[rows]))]
    clipped = (share * ((picked - 1).abs() > clip)).sum()
    z_loss = args.z_loss * (share * log_normalizer**2).sum()
    return loss - ent_coef * entropy + z_loss, (loss, entropy, divergence, clipped)
