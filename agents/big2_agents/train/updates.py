"""Updates of candidate PPO from a batch of decisions: PPO steps for the policy, least squares for the critic."""

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
    """Return importance weights, at most `MAX_IMPORTANCE`.

    Args:
        log_prob: Current log probability of each play.
        old: Log probability when the play was made.
    """
    weight: Array = np.exp(np.minimum(log_prob - old, math.log(MAX_IMPORTANCE)))
    return weight


@torch.no_grad()
def reweighted(batch: Batch, policy: Policy, minibatch: int) -> Batch:
    """Return a batch of older weights with the policy's log probabilities and importance-weighted gains.

    PPO then clips relative to the policy that learns. Clipping relative to the one that played would undo recent updates.
    Source: the decoupled objective of Hilton et al., arXiv 2110.00641.

    Args:
        batch: Decisions made by older weights.
        policy: The policy with its current weights.
        minibatch: Decisions to compute at a time.
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
    """Make `args.epochs` passes of the policy over useful decisions, and one pass of the critic over all.

    Args:
        batch: The decisions.
        policy: The policy; `None` to train only the critic.
        critic: The critic.
        optimizer: Optimizer of both networks.
        rng: Generator of minibatches and useful decisions.
        args: Hyper-parameters.
        ent_coef: Current entropy coefficient.

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
    """Make one pass of a critic over positions, and return its mean squared error during the pass.

    Args:
        critic: The critic.
        optimizer: Its optimizer.
        states: Features of states, int8 (n, sizes.state).
        hidden: Features of the hidden hands, int8 (n, ...).
        target: Target values, float32 (n,).
        minibatch: Positions per gradient step.
        rng: Generator of minibatches.
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
    """Return the decisions that a policy learns from, int64 (k,), and their weights, float32 (k,).

    The gradient of a nearly certain decision is proportional to 1 minus its probability. In one measurement, decisions above
    0.99 were nearly half of all, but had less than a hundredth of the gradient. Of decisions above `args.certain_prob`, only a
    fraction `args.certain_share` is kept, weighted to represent the others.

    Args:
        log_prob: Log probability of each chosen play, float32 (n,).
        rng: Generator of the decisions to keep.
        args: Hyper-parameters.
    """
    is_certain = log_prob > np.log(args.certain_prob)
    rows = np.flatnonzero(~is_certain | (rng.random(len(log_prob)) < args.certain_share))
    return rows, np.where(is_certain[rows], np.float32(1 / args.certain_share), np.float32(1))


def minibatches(number: int, size: int, rng: np.random.Generator) -> Iterator[Array]:
    """Return the rows below `number` in random order, `size` at a time; a last part of less than half is dropped."""
    size = max(1, min(size, number))
    order = rng.permutation(number)
    return (order[start : start + size] for start in range(0, number - size // 2, size))


def step(loss: Tensor, network: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Make a gradient step of one network; other networks of the optimizer have no gradients and do not change."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    optimizer.step()


def _policy_loss(
    policy: Policy, batch: Batch, known: Array, rows: Array, weight: Array, args: CandidatePpoParameters, ent_coef: float
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the loss of some decisions, followed by measurements.

    Args:
        policy: The policy.
        batch: The batch.
        known: Old log probability and gain of every play of the batch, float32 (m, 2).
        rows: The decisions, int64 (k,).
        weight: Their weights, float32 (k,).
        args: Hyper-parameters.
        ent_coef: Current entropy coefficient.

    Returns:
        The loss; and the clipped objective, the entropy, the divergence from the old policy, and the fraction of chosen plays
        outside the clip range.
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
