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
from big2_agents.train.network import Net, Networks, Policy, log_probs, log_softmax, scores
from big2_agents.train.self_play import Batch

Array = npt.NDArray[Any]
MAX_IMPORTANCE: Final = 2.0
"""Upper bound of importance weights."""
LEAST: Final = 0.1
"""Length, relative to the root mean square, that is added to short gradients, so that no weight is very large."""


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
    """Make `args.epochs` passes of the policy and one of each critic, each over the decisions that are useful to it.

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
    lengths = gradient_lengths(features.offsets.numpy(), batch.log_prob, gain, ent_coef)
    taught, weight = useful_choices(lengths, args.noise, rng)
    share_of_all = args.minibatch / len(batch.chosen)  # a minibatch of useful decisions stands for one of all
    seen = []
    if trains_policy:
        number = round(share_of_all * len(taught))
        for part in (part for _ in range(args.epochs) for part in minibatches(len(taught), number, rng)):
            loss, found = _policy_loss(policy, batch, known, taught[part], weight[part], args, ent_coef)
            step(loss, policy, optimizers.policy_and_critic)
            seen.append(torch.stack(found).detach())

    rows, weight = useful_choices(np.abs(batch.advantage), args.critic_noise, rng)
    number = round(share_of_all * len(rows))
    arrays = rows, picks[rows], batch.target[rows], weight / weight.mean()
    places, played, target, weights = map(critic.to_device, arrays)
    states, hidden, plays = features.states[places], features.hidden[places], features.plays[played]

    def value(at: Tensor) -> Tensor:
        return critic.of_states(states[at], hidden[at])

    def advantage(at: Tensor) -> Tensor:
        return networks.play_critic.of_plays(states[at], hidden[at], plays[at], torch.arange(len(at), device=at.device))

    value_loss = _fit(critic, optimizers.policy_and_critic, value, target, weights, number, rng)
    with torch.no_grad():
        rest = target - torch.cat([value(at) for at in torch.arange(len(rows), device=places.device).split(args.minibatch)])
    play_loss = _fit(networks.play_critic, optimizers.play_critic, advantage, rest, weights, number, rng)
    means = (torch.stack(seen).mean(dim=0) if seen else torch.zeros(4)).cpu().tolist()
    return dict(zip(("policy_loss", "entropy", "kl", "clipped"), means, strict=True)) | {
        "value_loss": value_loss,
        "play_loss": play_loss,
        "explained": 1.0 - float(np.var(batch.advantage) / (np.var(batch.target) + 1e-9)),
        "taught": len(taught) / len(batch.chosen),
    }


def _fit(
    network: Net,
    optimizer: torch.optim.Optimizer,
    predict: Callable[[Tensor], Tensor],
    target: Tensor,
    weight: Tensor,
    minibatch: int,
    rng: np.random.Generator,
) -> float:
    """Fit a network's predictions by weighted least squares in one pass, and return the mean squared error during the pass.

    `predict` is a function of the rows of a minibatch, int64 (k,).
    """
    losses = []
    for rows in minibatches(len(target), minibatch, rng):
        at = network.to_device(rows)
        loss = (weight[at] * (predict(at) - target[at]) ** 2).mean()
        step(0.5 * loss, network, optimizer)
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


def gradient_lengths(offsets: Array, log_prob: Array, gain: Array, ent_coef: float) -> Array:
    """Return the length of the gradient of each decision with respect to the scores of its plays, float (n,).

    Args:
        offsets: Start of the plays of each decision, int64 (n + 1,), with the end, m.
        log_prob: Log probability of every play, float32 (m,).
        gain: Gain of every play, float32 (m,).
        ent_coef: Entropy coefficient.
    """
    starts, counts, prob = offsets[:-1], np.diff(offsets), np.exp(log_prob)
    rising = gain - ent_coef * prob * log_prob
    # Scores matter by their differences only, so what would raise all of them has no effect.
    slope = rising - prob * np.add.reduceat(rising, starts).repeat(counts)
    lengths: Array = np.sqrt(np.add.reduceat(slope**2, starts))
    return lengths


def useful_choices(lengths: Array, noise: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the decisions that a network learns from, int64 (k,), and their weights, float32 (k,).

    A decision is kept with a probability in proportion to the length of its gradient, and its weight is the inverse. The sum of
    gradients is then right on average, and no other choice adds so little variance (Katharopoulos and Fleuret, arXiv
    1803.00942). Half of a policy's decisions are nearly certain and have less than a hundredth of the sum.

    Args:
        lengths: Length of the gradient of each decision, float (n,).
        noise: Variance that the sum may gain, relative to the sum of squares of the lengths.
        rng: Generator of the decisions to keep.
    """
    lengths = np.hypot(lengths, LEAST * np.sqrt(np.mean(lengths**2)) + 1e-9)
    most, low, high = (1.0 + noise) * np.sum(lengths**2), 1.0 / lengths.max(), 1.0 / lengths.min()
    while high > 1.01 * low:
        factor = math.sqrt(low * high)
        low, high = (low, factor) if np.maximum(lengths**2, lengths / factor).sum() <= most else (factor, high)
    chance = np.minimum(1.0, high * lengths)
    rows = np.flatnonzero(rng.random(len(lengths)) < chance)
    return rows, (1.0 / chance[rows]).astype(np.float32)


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
