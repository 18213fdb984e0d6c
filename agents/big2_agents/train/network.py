"""The networks in torch: a policy that scores candidate plays, and a critic that sees all hands."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt
import torch
from torch import Tensor, nn

from big2_agents.kernels.features import CARD_SIZES, Sizes
from big2_agents.train.seating import NUM_RULE_PLAYERS

Array = npt.NDArray[Any]


class Net(nn.Module):
    """A network that knows where it computes."""

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.parameters()).device

    def placed(self, array: Array) -> Tensor:
        """An array, as it is, where the network computes."""
        return torch.from_numpy(array).to(self.device)

    def as_input(self, array: Array) -> Tensor:
        """int8 features where the network computes, in the dtype that its layers compute in."""
        is_half = torch.is_autocast_enabled(self.device.type)
        return self.placed(array).to(torch.bfloat16 if is_half else torch.float32)

    def for_play(self) -> Self:
        """The network as it is now, for many batches without a gradient: where layers compute in bfloat16, a copy cast once."""
        return copy.deepcopy(self).to(torch.bfloat16) if torch.is_autocast_enabled(self.device.type) else self

    def padded(self, rows: Tensor) -> Tensor:
        """Rows with zeros behind them where layers compute in bfloat16 on a processor: 16, 32, 48, 64, 80, 96, 112, 128 ...

        For a number of rows that a layer has not had lately, oneDNN makes code, which takes up to ten times as long as the
        layer itself. So there are few such numbers.
        """
        number, kind = len(rows), self.device.type
        if not number or kind != "cpu" or not torch.is_autocast_enabled(kind):
            return rows
        step = max(16, 1 << max(number, 4).bit_length() - 3)
        return nn.functional.pad(rows, (0, 0) * (rows.dim() - 1) + (0, -number % step))

    def compute(self, bfloat16: bool) -> torch.autocast:
        """The precision of the layers. The cache of cast weights is off: it would outlive the steps that change them."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=bfloat16, cache_enabled=False)


class Policy(Net):
    """Scores of candidate plays: a trunk over the state, a layer over each play, a head over their sum."""

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
    def follow(self, best: int, worse: Sequence[int], prior: float) -> None:
        """Let the scores begin at those of the heuristic: two units of the head's input, and of the head, are given to them.

        Args:
            best: the feature of the heuristic's choice.
            worse: the features that say by how much it likes a play less.
            prior: what its choice scores more than a play that it likes much less, half of it for being the choice.
        """
        for unit, features in enumerate(([best], list(worse))):
            self.state.weight[unit] = self.state.bias[unit] = self.play.weight[unit] = 0.0
            self.play.weight[unit, features] = 1.0 / len(features)
            self.head1.weight[unit] = self.head1.bias[unit] = 0.0
            self.head1.weight[unit, unit] = 1.0
            self.head2.weight[0, unit] = prior / 2 if unit == 0 else -prior / 2

    def forward(self, states: Tensor, plays: Tensor, owner: Tensor) -> Tensor:
        """The score of each play, float (m,); `owner`, int64 (m,), says which state it belongs to."""
        number, states, plays, owner = len(owner), self.padded(states), self.padded(plays), self.padded(owner)
        h = torch.relu(self.trunk1(states))
        h = h + torch.relu(self.trunk2(h))
        h = h + torch.relu(self.trunk3(h))
        joint = torch.relu(self.state(h)[owner] + self.play(plays))
        joint = torch.cat([joint, torch.relu(self.deep(joint))], dim=1)
        score: Tensor = self.head2(torch.relu(self.head1(joint)))
        return score.float().squeeze(-1)[:number]


class Critic(Net):
    """The expected payoff (scaled) of the seat to move, from all hands and from who of the others is a rule player.

    Networks as opponents are the features 0, so a critic for play among networks needs no more than the hands.
    """

    def __init__(self, width: int = 512, *, sizes: Sizes = CARD_SIZES) -> None:
        super().__init__()
        self.sizes = sizes
        self.net = nn.Sequential(
            nn.Linear(sizes.state + sizes.hidden + (sizes.seats - 1) * NUM_RULE_PLAYERS, width),
            nn.ReLU(),
            nn.Linear(width, width // 2),
            nn.ReLU(),
            nn.Linear(width // 2, width // 4),
            nn.ReLU(),
            nn.Linear(width // 4, 1),
        )

    def forward(self, states: Tensor, hidden: Tensor) -> Tensor:
        """The value of each state, float (n,); `hidden` (n, sizes.hidden), wider where it says who the others are."""
        if hidden.shape[1] == self.sizes.hidden:
            hidden = nn.functional.pad(hidden, (0, (self.sizes.seats - 1) * NUM_RULE_PLAYERS))
        value: Tensor = self.net(self.padded(torch.cat([states, hidden], dim=1)))
        return value.float().squeeze(-1)[: len(states)]

    @torch.no_grad()
    def values(self, states: Array, hidden: Array) -> Array:
        """The value of each state, float32 (n,), of int8 features."""
        found: Array = self(self.as_input(states), self.as_input(hidden)).cpu().numpy()
        return found


def log_softmax(scores: Tensor, owner: Tensor, count: int) -> Tensor:
    """The log probability of each play among the plays of its state, (m,)."""
    top = torch.full((count,), -torch.inf, device=scores.device).scatter_reduce(0, owner, scores.detach(), "amax")
    shifted = scores - top[owner]
    total = torch.zeros(count, device=scores.device).index_add(0, owner, shifted.exp())
    return shifted - total.log()[owner]
