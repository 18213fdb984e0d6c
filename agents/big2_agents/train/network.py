"""Torch networks of candidate PPO: a policy that scores candidate plays, a critic that sees all hands, and sampling."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from big2_agents.kernels.features import CARD_SIZES, Sizes
from big2_agents.kernels.selfplay import Features
from big2_agents.train.hyper_parameters import RULE_PLAYERS, Device
from big2_env.base.errors import ConfigError
from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]
NUM_RULE_PLAYERS = len(RULE_PLAYERS)
"""Number of rule-based opponents that the critic distinguishes."""


def torch_device(name: str) -> torch.device:
    """Return the torch device of a name in `Device`.

    Raises:
        ConfigError: The name is unknown, or torch finds no GPU.
    """
    found = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    if name not in (Device.AUTO, *found):
        raise ConfigError(f"expected device auto or {' or '.join(found)}, got {str(name)!r}")
    device = torch.device(found[-1] if name == Device.AUTO else name)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    return device


def arrays_of(state: Mapping[str, Tensor]) -> dict[str, Array]:
    """Return copies of the tensors of a `state_dict`, on any device, as arrays."""
    return {name: value.detach().cpu().numpy().copy() for name, value in state.items()}


def tensors_of(arrays: Mapping[str, Array]) -> dict[str, Tensor]:
    """Return copies of the arrays of `arrays_of` as tensors on the processor."""
    return {name: torch.tensor(array) for name, array in arrays.items()}


@dataclass
class Decisions:
    """Features of n decisions with m plays in all, on one device.

    Pickled, they are arrays, so that processes without the device can read them.
    """

    states: Tensor
    """int8 (n, sizes.state)."""
    hidden: Tensor
    """Hidden hands and other players, int8 (n, ...), or (0, ...) if they are not known."""
    plays: Tensor
    """int8 (m, sizes.play): the plays of one decision after another."""
    offsets: Tensor
    """Start of the plays of each decision, int64 (n + 1,), with the end, m; always on the processor."""

    @classmethod
    def of(cls, features: Features, device: torch.device) -> Self:
        """Return the decisions of arrays on a device."""
        states, hidden, plays = (
            torch.from_numpy(part).to(device) for part in (features.states, features.hidden, features.plays)
        )
        return cls(states, hidden, plays, torch.from_numpy(features.offsets))

    @classmethod
    def joined(cls, parts: Sequence[Decisions]) -> Self:
        """Return the decisions of several parts, one part after another."""
        states, hidden, plays = (torch.cat([getattr(part, name) for part in parts]) for name in ("states", "hidden", "plays"))
        return cls(states, hidden, plays, _starts(torch.cat([part.offsets.diff() for part in parts])))

    def __len__(self) -> int:
        return len(self.states)

    def __getstate__(self) -> dict[str, Array]:
        return {each.name: getattr(self, each.name).cpu().numpy() for each in fields(self)}

    def __setstate__(self, state: dict[str, Array]) -> None:
        own = {name: value if value.flags.writeable else value.copy() for name, value in state.items()}  # Ray's are read-only
        vars(self).update({name: torch.from_numpy(value) for name, value in own.items()})

    @property
    def device(self) -> torch.device:
        """Device of the features."""
        return self.states.device

    @cached_property
    def owner(self) -> Tensor:
        """Index of the decision that each play belongs to, int64 (m,)."""
        numbers, counts = torch.arange(len(self), device=self.device), self.offsets.diff().to(self.device)
        return numbers.repeat_interleave(counts, output_size=len(self.plays))

    def to(self, device: torch.device) -> Decisions:
        """Return the decisions with their features on a device."""
        return Decisions(self.states.to(device), self.hidden.to(device), self.plays.to(device), self.offsets)

    def split(self, size: int) -> Iterator[Decisions]:
        """Yield the decisions in parts of `size`, without copies."""
        for at in range(0, len(self), size):
            offsets = self.offsets[at : at + size + 1]
            plays = self.plays[offsets[0] : offsets[-1]]
            yield Decisions(self.states[at : at + size], self.hidden[at : at + size], plays, offsets - offsets[0])

    def places(self, chosen: Array) -> Array:
        """Return the indices among all plays, int64 (n,), of chosen plays given as indices within their decisions."""
        return self.offsets[:-1].numpy() + chosen

    def subset(self, rows: Array) -> tuple[Decisions, Tensor]:
        """Return the decisions `rows`, int64 (k,), and the indices of their plays among all plays."""
        given = torch.from_numpy(rows)
        counts, at = self.offsets.diff()[given], given.to(self.device)
        offsets = _starts(counts)
        shift = (self.offsets[given] - offsets[:-1]).to(self.device)
        total = int(offsets[-1])
        places = torch.arange(total, device=self.device) + shift.repeat_interleave(counts.to(self.device), output_size=total)
        hidden = self.hidden.index_select(0, at) if len(self.hidden) else self.hidden
        return Decisions(self.states.index_select(0, at), hidden, self.plays.index_select(0, places), offsets), places


def _starts(counts: Tensor) -> Tensor:
    """Return the start of each of several groups with these numbers of members, and the end, int64 (n + 1,)."""
    return nn.functional.pad(counts.cumsum(0), (1, 0))


class Net(nn.Module):
    """Base of the networks: device and precision."""

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next(self.parameters()).device

    def to_device(self, array: Array) -> Tensor:
        """Return an array as a tensor of the same type on the network's device."""
        return torch.from_numpy(array).to(self.device)

    def as_input(self, features: Tensor) -> Tensor:
        """Return int8 features on the network's device in the type of its computations."""
        return features.to(torch.bfloat16 if torch.is_autocast_enabled(self.device.type) else torch.float32)

    def for_play(self) -> Self:
        """Return the network for inference: with bfloat16 a copy that is cast once, otherwise the network itself."""
        return copy.deepcopy(self).to(torch.bfloat16) if torch.is_autocast_enabled(self.device.type) else self

    def padded(self, rows: Tensor) -> Tensor:
        """Return rows padded with zeros to one of a few sizes, if layers compute in bfloat16 on a processor.

        oneDNN generates code for each number of rows that a layer has not seen recently, which takes up to ten times as long as
        the layer itself. The sizes are 16, 32, 48, 64, 80, 96, 112, 128 and so on.
        """
        number, kind = len(rows), self.device.type
        if not number or kind != "cpu" or not torch.is_autocast_enabled(kind):
            return rows
        step = max(16, 1 << max(number, 4).bit_length() - 3)
        return nn.functional.pad(rows, (0, 0) * (rows.dim() - 1) + (0, -number % step))

    def precision(self, bfloat16: bool | None) -> torch.autocast:
        """Return a context that sets the precision of layers; casts are not cached, because a cache would outlive updates.

        Args:
            bfloat16: True for bfloat16; False, or `None` for no choice, for float32.
        """
        return torch.autocast(self.device.type, torch.bfloat16, enabled=bool(bfloat16), cache_enabled=False)


class Policy(Net):
    """Network that scores candidate plays: a trunk over the state, a layer over each play, a head over their sum.

    Args:
        width: Units per layer of the trunk.
        joint: Units in which state and play are added.
        deep: Units of the layer on top of them.
        head: Units of the head.
        sizes: Sizes of the features.
    """

    def __init__(
        self, width: int = 512, joint: int = 256, deep: int = 128, head: int = 64, *, sizes: Sizes = CARD_SIZES
    ) -> None:
        super().__init__()
        self.trunk1 = nn.Linear(sizes.state, width)
        self.trunk2 = nn.Linear(width, width)
        self.trunk3 = nn.Linear(width, width)
        self.state = nn.Linear(width, joint)
        self.play = nn.Linear(sizes.play, joint, bias=False)
        self.deep = nn.Linear(joint, deep)
        self.head1 = nn.Linear(joint + deep, head)
        self.head2 = nn.Linear(head, 1)
        nn.init.zeros_(self.head2.bias)
        nn.init.normal_(self.head2.weight, std=0.01)

    @torch.no_grad()
    def init_from_heuristic(self, best: int, worse: Sequence[int], prior: float) -> None:
        """Let the initial scores prefer the heuristic's choice, using two units of the head's input and of the head.

        Args:
            best: Feature that marks the heuristic's choice.
            worse: Features that count how much lower the heuristic scores a play.
            prior: Score difference between the choice and a play with a much lower score; the mark alone is worth half.
        """
        for unit, features in enumerate(([best], list(worse))):
            self.state.weight[unit] = self.state.bias[unit] = self.play.weight[unit] = 0.0
            self.play.weight[unit, features] = 1.0 / len(features)
            self.head1.weight[unit] = self.head1.bias[unit] = 0.0
            self.head1.weight[unit, unit] = 1.0
            self.head2.weight[0, unit] = prior / 2 if unit == 0 else -prior / 2

    def ignore(self, places: Sequence[int]) -> None:
        """Let some features of plays have no effect: their weights are 0, and no gradient changes them."""
        with torch.no_grad():
            self.play.weight[:, places] = 0.0
        kept = torch.ones(self.play.in_features)
        kept[places] = 0.0
        self.play.weight.register_hook(lambda gradient: gradient * kept.to(gradient))

    def forward(self, states: Tensor, plays: Tensor, owner: Tensor) -> Tensor:
        """Return the score of each play, float (m,).

        Args:
            states: Features of states, (n, sizes.state).
            plays: Features of plays, (m, sizes.play).
            owner: Index of the state that each play belongs to, int64 (m,).
        """
        number, states, plays, owner = len(owner), self.padded(states), self.padded(plays), self.padded(owner)
        h = torch.relu_(self.trunk1(states))
        h = h + torch.relu_(self.trunk2(h))
        h = h + torch.relu_(self.trunk3(h))
        joint = self.state(h).index_select(0, owner).add_(self.play(plays)).relu_()
        joint = torch.cat([joint, torch.relu_(self.deep(joint))], dim=1)
        score: Tensor = self.head2(torch.relu_(self.head1(joint)))
        return score.float().squeeze(-1)[:number]


class Critic(Net):
    """Network that predicts the scaled payoff of the seat to move from all hands and the other players.

    Copies of the policy count as no player: their entries are 0.

    Args:
        width: Units of the first layer; each later layer has half of the one before.
        sizes: Sizes of the features.
        players: Number of other players that it distinguishes.
    """

    def __init__(self, width: int = 512, *, sizes: Sizes = CARD_SIZES, players: int = NUM_RULE_PLAYERS) -> None:
        super().__init__()
        self.sizes, self.players = sizes, players
        self.net = nn.Sequential(
            nn.Linear(sizes.state + sizes.hidden + (sizes.seats - 1) * players, width),
            nn.ReLU(inplace=True),
            nn.Linear(width, width // 2),
            nn.ReLU(inplace=True),
            nn.Linear(width // 2, width // 4),
            nn.ReLU(inplace=True),
            nn.Linear(width // 4, 1),
        )

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load weights, also of a critic that distinguishes fewer players; weights for the others are then 0."""
        given = _for_players(state_dict, "net.0.weight", self.sizes, self.players)
        return super().load_state_dict(given, strict, assign)

    def forward(self, states: Tensor, hidden: Tensor) -> Tensor:
        """Return the value of each state, float (n,).

        Args:
            states: Features of states, (n, sizes.state).
            hidden: Features of the hidden hands, (n, sizes.hidden), or wider with the other players.
        """
        if hidden.shape[1] == self.sizes.hidden:
            hidden = nn.functional.pad(hidden, (0, (self.sizes.seats - 1) * self.players))
        value: Tensor = self.net(self.padded(torch.cat([states, hidden], dim=1)))
        return value.float().squeeze(-1)[: len(states)]

    def of_states(self, states: Tensor, hidden: Tensor) -> Tensor:
        """Return values from features of any type, float32 (n,)."""
        found: Tensor = self(self.as_input(states), self.as_input(hidden))
        return found


def _for_players(state: Mapping[str, Any], name: str, sizes: Sizes, players: int) -> Mapping[str, Any]:
    """Return the weights of a critic that distinguishes at least a number of players; weights for new ones are 0.

    Args:
        state: A `state_dict`.
        name: Name of its weights of the inputs: state, hidden hands, the players of each other seat.
        sizes: Sizes of the features.
        players: Number of players.
    """
    first, known = state[name], sizes.state + sizes.hidden
    before = first[:, known:].unflatten(1, (sizes.seats - 1, -1))
    missing = players - before.shape[2]
    if missing <= 0:
        return state
    others = nn.functional.pad(before, (0, missing)).flatten(1)
    return {**state, name: torch.cat([first[:, :known], others], dim=1)}


class PlayCritic(Policy):
    """Network that predicts by how much the scaled payoff after each play exceeds the critic's value, seeing all hands.

    Together both estimate the value of every play against any opponents (dueling networks: Wang et al., arXiv 1511.06581). It
    has the layers of a policy, over all that a `Critic` sees.

    Args:
        width: Units per layer of the trunk.
        joint: Units in which state and play are added.
        deep: Units of the layer on top of them.
        head: Units of the head.
        sizes: Sizes of the features.
        players: Number of other players that it distinguishes.
    """

    def __init__(
        self,
        width: int = 512,
        joint: int = 256,
        deep: int = 128,
        head: int = 64,
        *,
        sizes: Sizes = CARD_SIZES,
        players: int = NUM_RULE_PLAYERS,
    ) -> None:
        wider = sizes._replace(state=sizes.state + sizes.hidden + (sizes.seats - 1) * players)
        super().__init__(width, joint, deep, head, sizes=wider)
        self.sizes, self.players = sizes, players

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load weights, also of a critic that distinguishes fewer players; weights for the others are then 0."""
        given = _for_players(state_dict, "trunk1.weight", self.sizes, self.players)
        return super().load_state_dict(given, strict, assign)

    @classmethod
    def from_policy(cls, policy: Policy, sizes: Sizes, players: int) -> Self:
        """Return a critic that starts with a policy's layers, except for the last one; it ignores the hidden hands at first.

        Args:
            policy: The policy.
            sizes: Sizes of its features.
            players: Number of other players that the critic distinguishes.
        """
        layers = policy.trunk1, policy.state, policy.deep, policy.head1
        critic = cls(*(layer.out_features for layer in layers), sizes=sizes, players=players)
        state = critic.state_dict()
        for name, value in policy.state_dict().items():
            if not name.startswith("head2"):
                state[name] = nn.functional.pad(value, (0, state[name].shape[-1] - value.shape[-1]))
        critic.load_state_dict(state)
        return critic

    def of_plays(self, states: Tensor, hidden: Tensor, plays: Tensor, owner: Tensor) -> Tensor:
        """Return the advantage of each play, float32 (m,).

        Args:
            states: Features of states, int8 (n, sizes.state).
            hidden: Features of the hidden hands and the other players, int8 (n, ...).
            plays: Features of plays, int8 (m, sizes.play).
            owner: Index of the state that each play belongs to, int64 (m,).
        """
        found: Tensor = self(self.as_input(torch.cat([states, hidden], dim=1)), self.as_input(plays), owner)
        return found


@dataclass
class Networks:
    """Networks of a learner."""

    policy: Policy
    critic: Critic
    play_critic: PlayCritic

    @property
    def by_name(self) -> dict[str, Net]:
        """The networks by name."""
        return dict(vars(self))

    def for_play(self) -> Networks:
        """Return the networks for inference."""
        return Networks(self.policy.for_play(), self.critic.for_play(), self.play_critic.for_play())

    def on_processor(self) -> Networks:
        """Return copies of the networks on the processor."""
        copied = copy.deepcopy(self)
        return Networks(copied.policy.cpu(), copied.critic.cpu(), copied.play_critic.cpu())

    def play_values(self, features: Decisions, valued: Array) -> Tensor:
        """Return the estimated value of each play, float32 (m,); its decision's value outside `valued`, bool (m,)."""
        states, hidden, owner = features.states, features.hidden, features.owner
        decisions = np.arange(len(states)).repeat(features.offsets.diff().numpy())[valued]
        indices = *np.unique(decisions, return_inverse=True), np.flatnonzero(valued)
        rows, whose, places = map(self.critic.to_device, indices)
        advantage = self.play_critic.of_plays(states[rows], hidden[rows], features.plays[places], whose)
        return self.critic.of_states(states, hidden)[owner].index_add_(0, places, advantage)


def log_softmax(scores: Tensor, owner: Tensor, count: int) -> Tensor:
    """Return the log probability of each play within its state, (m,).

    Args:
        scores: Score of each play, (m,).
        owner: Index of the state that each play belongs to, int64 (m,).
        count: Number of states.
    """
    top = torch.full((count,), -torch.inf, device=scores.device).scatter_reduce(0, owner, scores.detach(), "amax")
    shifted = scores - top.index_select(0, owner)
    total = torch.zeros(count, device=scores.device).index_add(0, owner, shifted.exp())
    return shifted - total.log().index_select(0, owner)


def scores(policy: Policy, features: Decisions) -> tuple[Tensor, Tensor]:
    """Return the score of every play, float32 (m,), and the index of its decision, int64 (m,)."""
    owner = features.owner
    return policy(policy.as_input(features.states), policy.as_input(features.plays), owner), owner


def log_probs(policy: Policy, features: Decisions) -> Tensor:
    """Return the log probability of every play within its decision, float32 (m,)."""
    return log_softmax(*scores(policy, features), len(features))


def sample(score: Array, offsets: Array, rng: np.random.Generator | None) -> tuple[Array, Array]:
    """Choose a play for each decision; return its index, int64 (n,), and the log probability of every play, float32 (m,).

    Args:
        score: Score of every play, float32 (m,).
        offsets: Start of the plays of each decision, int64 (n + 1,), with the end, m.
        rng: Generator to draw plays; `None` for the first of the most likely ones.
    """
    noise = np.empty(0, np.float32) if rng is None else rng.random(len(score), np.float32)
    chosen, log_prob = np.zeros(len(offsets) - 1, np.int64), np.empty(len(score), np.float32)
    _sample(score, offsets, noise, chosen, log_prob)
    return chosen, log_prob


@kernel(entry=True)
def _sample(score: Array, offsets: Array, noise: Array, chosen: Array, log_prob: Array) -> None:
    """Write what `sample` returns; the largest of log p + Gumbel noise is a draw."""
    for n in range(len(chosen)):
        first, end = offsets[n], offsets[n + 1]
        top, total, best = score[first], np.float32(0), np.float32(-np.inf)
        for i in range(first, end):
            top = max(top, score[i])
        for i in range(first, end):
            total += np.exp(score[i] - top)
        base = top + np.log(total)
        for i in range(first, end):
            value = log_prob[i] = score[i] - base
            if len(noise):
                value -= np.float32(np.log(1e-20 - np.log(noise[i] + 1e-20)))
            if value > best:
                best, chosen[n] = value, i - first
