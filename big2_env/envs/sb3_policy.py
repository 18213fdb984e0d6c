"""A policy of MaskablePPO that works on the legal acts alone, and policies as opponents.

sb3-contrib's distribution goes over every action a dozen times at each decision: exponentials, noise to draw from, checks. Of
the 1,379 actions of ruleset `big2` about five are legal. Here their logits are taken out of the network's last layer, and
everything after that is done with these: the same probabilities, entropies and gradients, in a fraction of the time.

    MaskablePPO(LegalPolicy, venv)

Where few of many actions are legal, learning is several times faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from big2_env.errors import ConfigError
from big2_env.kernels.seat_engine import RowRandom

FAR = -1e8
"""The logit of what cannot be chosen, as in sb3-contrib."""


class LegalCategorical:
    """Choices among the legal actions of each row, from logits (rows, actions); without a mask all actions are legal.

    A row without a legal action draws action 0.
    """

    def __init__(self, logits: th.Tensor) -> None:
        self._all = logits
        self.apply_masking(None)

    def apply_masking(self, masks: th.Tensor | npt.NDArray[Any] | None) -> None:
        """Say which actions are legal, anything that is true or false (rows, actions)."""
        rows, actions = self._all.shape
        device = self._all.device
        if masks is None:
            self._ids = th.arange(actions, device=device).expand(rows, actions)
            self._scores = self._all
        else:
            legal = th.as_tensor(masks, dtype=th.bool, device=device).reshape(rows, actions)
            row, action = legal.nonzero(as_tuple=True)
            counts = th.bincount(row, minlength=rows)
            longest = max(int(counts.max()), 1)
            # Each row's legal actions from the left; what stands right of them is too far to be chosen.
            place = th.arange(len(row), device=device) - (counts.cumsum(0) - counts)[row]
            self._ids = th.zeros((rows, longest), dtype=th.int64, device=device)
            self._ids[row, place] = action
            is_one = th.arange(longest, device=device) < counts[:, None]
            self._scores = th.where(is_one, self._all.gather(1, self._ids), FAR)
        self._logs: th.Tensor | None = None

    @property
    def _log_chances(self) -> th.Tensor:
        """The log probabilities of what stands in `_ids`."""
        if self._logs is None:
            self._logs = th.log_softmax(self._scores, dim=1)
        return self._logs

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        """Log probabilities of actions (rows,): (rows,); of one that is not legal as good as minus infinity."""
        found = self._ids == actions.reshape(-1, 1)
        at = found.to(th.uint8).argmax(dim=1, keepdim=True)
        chances = self._log_chances.gather(1, at).squeeze(1)
        return th.where(found.any(dim=1), chances, FAR)

    def entropy(self) -> th.Tensor:
        """Entropies in nats, (rows,)."""
        return -(self._log_chances * self._log_chances.exp()).sum(dim=1)

    def sample(self) -> th.Tensor:
        """An action drawn in each row, int64 (rows,), with one random number each."""
        sums = self._log_chances.exp().cumsum(dim=1)
        drawn = th.rand((len(sums), 1), device=sums.device) * sums[:, -1:]
        # The first whose sum is above what was drawn; rounded, this may be the sum of all.
        above = sums > drawn
        at = th.where(above.any(dim=1), above.to(th.uint8).argmax(dim=1), self._scores.argmax(dim=1))
        return self._ids.gather(1, at[:, None]).squeeze(1)

    def mode(self) -> th.Tensor:
        """The likeliest action of each row, int64 (rows,)."""
        return self._ids.gather(1, self._scores.argmax(dim=1, keepdim=True)).squeeze(1)

    @property
    def probs(self) -> th.Tensor:
        """The probabilities of all actions, (rows, actions)."""
        return th.zeros_like(self._all).scatter_add(1, self._ids, self._log_chances.exp())


class LegalDistribution(MaskableCategoricalDistribution):
    """A `MaskableCategoricalDistribution` over the legal actions alone."""

    distribution: Any

    def proba_distribution(self, action_logits: th.Tensor) -> LegalDistribution:
        """Itself, with new logits (rows, actions)."""
        self.distribution = LegalCategorical(action_logits.reshape(-1, self.action_dim))
        return self

    def mode(self) -> th.Tensor:
        """The likeliest action of each row, int64 (rows,)."""
        actions: th.Tensor = self.distribution.mode()
        return actions


class LegalPolicy(MaskableActorCriticPolicy):
    """`MlpPolicy` of sb3-contrib with the same networks, over the legal actions alone. The arguments are the same.

    Raises:
        ConfigError: an action space that is not Discrete.
    """

    def _build(self, lr_schedule: Any) -> None:
        if not isinstance(self.action_space, spaces.Discrete):
            raise ConfigError(f"action space {self.action_space}: allowed is Discrete")
        self.action_dist = LegalDistribution(int(self.action_space.n))
        super()._build(lr_schedule)


class PolicyOpponent:
    """An opponent for `SeatVecEnv` that plays as a model does now: a snapshot, which later learning does not change.

    It draws from each game's own luck: same seed, same games. With `deterministic` it makes its likeliest act.
    """

    def __init__(self, model: MaskablePPO, *, deterministic: bool = False) -> None:
        self.deterministic = deterministic
        self.update(model)

    def update(self, model: MaskablePPO) -> None:
        """Take a new snapshot, of this model as it is now."""
        # Not a deep copy: after learning a policy holds tensors of its last batch, which cannot be copied.
        self.policy = type(model.policy)(**model.policy._get_constructor_parameters()).to(model.device)
        self.policy.load_state_dict(model.policy.state_dict())
        self.policy.set_training_mode(False)

    def __call__(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], luck: RowRandom) -> npt.NDArray[np.int64]:
        """An act for each row, int64 (M,), from observations (M, size) and masks (M, actions)."""
        with th.no_grad():
            seen, _ = self.policy.obs_to_tensor(observations)
            choice: Any = self.policy.get_distribution(seen, action_masks=masks.view(np.bool_)).distribution
            chances: npt.NDArray[np.float64] = choice.probs.cpu().numpy().astype(np.float64)
        if self.deterministic:
            return np.asarray(chances.argmax(axis=1), np.int64)
        sums = chances.cumsum(axis=1)
        drawn = np.minimum(luck.random() * sums[:, -1], np.nextafter(sums[:, -1], 0.0))
        # The first whose sum is above what was drawn: never one without a chance.
        return np.asarray(np.count_nonzero(sums <= drawn[:, None], axis=1), np.int64)
