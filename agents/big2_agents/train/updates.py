"""Updates of candidate PPO from a batch of decisions: PPO steps for the policy, least squares for the critics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import Critic, Decisions, Net, Networks, Policy, log_probs, log_softmax, scores
from big2_agents.train.self_play import Batch

Array = npt.NDArray[Any]
MAX_IMPORTANCE: Final = 2.0
"""Upper bound of importance weights."""


class Optimizers(NamedTuple):
    """Optimizers of a learner's networks."""

    policy_and_critic: torch.optim.Optimizer
    play_critic: torch.optim.Optimizer


def adam(networks: Iterable[torch.nn.Module], learning_rate: float) -> torch.optim.Adam:
    """Return an Adam optimizer of some networks."""
    parameters = [parameter for network in networks for parameter in network.parameters()]
    return torch.optim.Adam(parameters, lr=learning_rate, eps=1e-5, fused=parameters[0].device.type in ("cpu", "cuda"))


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
    log_prob = torch.cat([log_probs(policy, part) for part in batch.features.split(minibatch)]).cpu().numpy()
    return replace(batch, log_prob=log_prob, gain=batch.gain * importance(log_prob, batch.log_prob))


def update(
    batch: Batch,
    networks: Networks,
    optimizers: Optimizers,
    rng: np.random.Generator,
    args: CandidatePpoParameters,
    ent_coef: float,
    *,
    trains_policy: bool = True,
) -> dict[str, float]:
    """Make `args.epochs` passes of the policy over useful decisions, and one pass of each critic over all.

    Args:
        batch: The decisions.
        networks: The networks.
        optimizers: Their optimizers.
        rng: Generator of minibatches and useful decisions.
        args: Hyper-parameters.
        ent_coef: Current entropy coefficient.
        trains_policy: False to train only the critics.

    Returns:
        Measurements by name, the columns of progress.csv.
    """
    gain = batch.gain / (np.sqrt(np.mean(batch.advantage**2)) + 1e-6)
    features, policy, critic = batch.features, networks.policy, networks.critic
    picks = features.places(batch.chosen)
    known = torch.from_numpy(np.stack([batch.log_prob, gain], axis=1)).to(critic.device)
    target = critic.to_device(batch.target)
    taught, weight = useful_choices(batch.log_prob[picks], rng, args)
    seen = []
    if trains_policy:
        for part in (part for _ in range(args.epochs) for part in minibatches(len(taught), args.minibatch, rng)):
            loss, found = _policy_loss(policy, batch, known, taught[part], weight[part], args, ent_coef)
            step(loss, policy, optimizers.policy_and_critic)
            seen.append(torch.stack(found).detach())

    def value(at: Tensor) -> Tensor:
        return critic.of_states(features.states.index_select(0, at), features.hidden.index_select(0, at))

    def advantage(at: Tensor) -> Tensor:
        states, hidden = features.states.index_select(0, at), features.hidden.index_select(0, at)
        plays = features.plays.index_select(0, played.index_select(0, at))
        return networks.play_critic.of_plays(states, hidden, plays, torch.arange(len(at), device=at.device))

    value_loss = _fit(critic, optimizers.policy_and_critic, value, target, args.minibatch, rng)
    rest, played = target - values_of(critic, features, args.minibatch), critic.to_device(picks)
    play_loss = _fit(networks.play_critic, optimizers.play_critic, advantage, rest, args.minibatch, rng)
    means = (torch.stack(seen).mean(dim=0) if seen else torch.zeros(4)).cpu().tolist()
    return dict(zip(("policy_loss", "entropy", "kl", "clipped"), means, strict=True)) | {
        "value_loss": value_loss,
        "play_loss": play_loss,
        "explained": 1.0 - float(np.var(batch.advantage) / (np.var(batch.target) + 1e-9)),
        "taught": len(taught) / len(batch.chosen),
    }


@torch.no_grad()
def values_of(critic: Critic, features: Decisions, minibatch: int) -> Tensor:
    """Return a critic's value of each decision, float32 (n,), computed in parts of `minibatch`."""
    parts = zip(features.states.split(minibatch), features.hidden.split(minibatch), strict=True)
    return torch.cat([critic.of_states(states, hidden) for states, hidden in parts])


def _fit(
    network: Net,
    optimizer: torch.optim.Optimizer,
    predict: Callable[[Tensor], Tensor],
    target: Tensor,
    minibatch: int,
    rng: np.random.Generator,
) -> float:
    """Fit a network's predictions by least squares in one pass, and return the mean squared error during the pass.

    `predict` is a function of the rows of a minibatch, int64 (k,).
    """
    losses = []
    for rows in minibatches(len(target), minibatch, rng):
        at = network.to_device(rows)
        loss = torch.nn.functional.mse_loss(predict(at), target[at])
        step(0.5 * loss, network, optimizer)
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


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
    policy: Policy, batch: Batch, known: Tensor, rows: Array, weight: Array, args: CandidatePpoParameters, ent_coef: float
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
    clip, features, places = args.clip_range, *batch.features.subset(rows)
    score, owner = scores(policy, features)
    log_probs = log_softmax(score, owner, len(rows))
    log_normalizer = (score - log_probs)[features.offsets[:-1].to(policy.device)]
    old, gain = known[places].unbind(dim=1)
    share = policy.to_device(weight / weight.sum())
    ratio = (log_probs - old).clamp(max=20).exp()
    loss = -(share[owner] * torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)).sum()
    entropy = -(share[owner] * log_probs.exp() * log_probs).sum()
    divergence = (share[owner] * old.exp() * (old - log_probs)).sum()
    picked = ratio[policy.to_device(features.places(batch.chosen[rows]))]
    clipped = (share * ((picked - 1).abs() > clip)).sum()
    z_loss = args.z_loss * (share * log_normalizer**2).sum()
    return loss - ent_coef * entropy + z_loss, (loss, entropy, divergence, clipped)
