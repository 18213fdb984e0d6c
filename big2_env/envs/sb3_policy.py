"""MaskablePPO policy that computes logits of legal actions only, and policies as opponents.

    MaskablePPO(LegalPolicy, venv)

sb3-contrib's distribution processes every action several times per decision. Of the 1,379 actions of ruleset `big2`,
about five are legal. Here the network's last and largest layer computes the logits of the legal actions only, and
everything after it uses only these. Probabilities, entropies and gradients are the same. Learning is several times faster
if few of many actions are legal.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import VecNormalize
from torch.nn import functional

from big2_env.base.errors import ConfigError
from big2_env.kernels.opponents import RowRandom

FAR = -1e8
"""Logit of actions that cannot be chosen, as in sb3-contrib."""
MANY = 16
"""If more than 1 in `MANY` actions is legal, computing all logits is faster."""


class LegalCategorical:
    """Categorical distribution over the legal actions of each row.

    Without a mask all actions are legal. A row without a legal action draws action 0.

    Args:
        inputs: Logits (rows, actions), or with a `layer` its inputs (rows, inputs).
        layer: Last layer of the network, whose outputs are the logits of all actions.
    """

    def __init__(self, inputs: th.Tensor, layer: th.nn.Linear | None = None) -> None:
        self._inputs, self._layer = inputs, layer
        self._shape = len(inputs), inputs.shape[1] if layer is None else layer.out_features
        self.apply_masking(None)

    def apply_masking(self, masks: th.Tensor | npt.NDArray[Any] | None) -> None:
        """Set the legal actions, anything that converts to bool (rows, actions)."""
        self._masks = masks
        self._logs: th.Tensor | None = None
        self.__dict__.pop("_listed", None)

    @cached_property
    def _listed(self) -> tuple[th.Tensor, th.Tensor]:
        """Legal actions of each row, left-aligned, and their logits; both (rows, longest)."""
        (rows, actions), inputs, layer, masks = self._shape, self._inputs, self._layer, self._masks
        device = inputs.device
        if masks is None:
            return th.arange(actions, device=device).expand(rows, actions), inputs if layer is None else layer(inputs)
        legal = th.as_tensor(masks, dtype=th.bool, device=device).reshape(rows, actions)
        row, action = legal.nonzero(as_tuple=True)
        counts = th.bincount(row, minlength=rows)
        longest = max(int(counts.max()), 1)
        if layer is not None and len(row) * MANY > rows * actions:
            inputs, layer = layer(inputs), None
        if layer is None:
            logits = inputs[row, action]
        else:
            weights, bias = functional.embedding(action, layer.weight), layer.bias[action]
            logits = (functional.embedding(row, inputs) * weights).sum(dim=1) + bias
        # What stands right of a row's legal actions is too far to be chosen.
        place = th.arange(len(row), device=device) - (counts.cumsum(0) - counts)[row]
        ids = th.zeros((rows, longest), dtype=th.int64, device=device)
        ids[row, place] = action
        scores = th.full((rows, longest), FAR, dtype=logits.dtype, device=device)
        return ids, scores.index_put((row, place), logits)

    @property
    def _ids(self) -> th.Tensor:
        return self._listed[0]

    @property
    def _scores(self) -> th.Tensor:
        return self._listed[1]

    @property
    def _log_chances(self) -> th.Tensor:
        """Log probabilities of the actions in `_ids`."""
        if self._logs is None:
            self._logs = th.log_softmax(self._scores, dim=1)
        return self._logs

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        """Return the log probabilities of actions, both (rows,); about minus infinity for illegal actions."""
        found = self._ids == actions.reshape(-1, 1)
        at = found.to(th.uint8).argmax(dim=1, keepdim=True)
        chances = self._log_chances.gather(1, at).squeeze(1)
        return th.where(found.any(dim=1), chances, FAR)

    def entropy(self) -> th.Tensor:
        """Return the entropies in nats, (rows,)."""
        return -(self._log_chances * self._log_chances.exp()).sum(dim=1)

    def sample(self) -> th.Tensor:
        """Draw an action for each row, int64 (rows,), with one random number each."""
        sums = self._log_chances.exp().cumsum(dim=1)
        drawn = th.rand((len(sums), 1), device=sums.device) * sums[:, -1:]
        # The first whose sum is above what was drawn; rounded, this may be the sum of all.
        above = sums > drawn
        at = th.where(above.any(dim=1), above.to(th.uint8).argmax(dim=1), self._scores.argmax(dim=1))
        return self._ids.gather(1, at[:, None]).squeeze(1)

    def mode(self) -> th.Tensor:
        """Return the most likely action of each row, int64 (rows,)."""
        return self._ids.gather(1, self._scores.argmax(dim=1, keepdim=True)).squeeze(1)

    @property
    def probs(self) -> th.Tensor:
        """Probabilities of all actions, (rows, actions)."""
        chances = self._log_chances.exp()
        return chances.new_zeros(self._shape).scatter_add(1, self._ids, chances)


class LegalDistribution(MaskableCategoricalDistribution):
    """`MaskableCategoricalDistribution` over the legal actions only."""

    distribution: Any

    def proba_distribution(self, action_logits: th.Tensor) -> LegalDistribution:
        """Set the logits, (rows, actions), and return the distribution itself."""
        self.distribution = LegalCategorical(action_logits.reshape(-1, self.action_dim))
        return self

    def of_layer(self, inputs: th.Tensor, layer: th.nn.Linear) -> LegalDistribution:
        """Set the logits to a layer's outputs for inputs (rows, inputs), and return the distribution itself."""
        self.distribution = LegalCategorical(inputs, layer)
        return self

    def mode(self) -> th.Tensor:
        """Return the most likely action of each row, int64 (rows,)."""
        actions: th.Tensor = self.distribution.mode()
        return actions


class LegalPolicy(MaskableActorCriticPolicy):
    """`MlpPolicy` of sb3-contrib with the same networks and arguments, restricted to the legal actions.

    Raises:
        ConfigError: If the action space is not `Discrete`.
    """

    def _build(self, lr_schedule: Any) -> None:
        if not isinstance(self.action_space, spaces.Discrete):
            raise ConfigError(f"expected a Discrete action space, got {self.action_space}")
        self.action_dist = LegalDistribution(int(self.action_space.n))
        super()._build(lr_schedule)

    def _get_action_dist_from_latent(self, latent_pi: th.Tensor) -> LegalDistribution:
        assert isinstance(self.action_dist, LegalDistribution)
        assert isinstance(self.action_net, th.nn.Linear)
        return self.action_dist.of_layer(latent_pi, self.action_net)


class PolicyOpponent:
    """Opponent that plays a frozen snapshot of an SB3 model.

    It draws from each game's own random numbers: same seed, same games. Opponents see the games' own observations,
    whatever wrappers the learner has. The opponent of a model trained behind `VecNormalize` normalizes them with the
    statistics at the time of the snapshot.

    Args:
        model: Model whose policy is copied.
        deterministic: True to choose the most likely action, False to sample.
        normalize: `VecNormalize` wrapper that the model was trained behind; by default the one of the model's
            environment, if any.
    """

    def __init__(self, model: MaskablePPO, *, deterministic: bool = False, normalize: VecNormalize | None = None) -> None:
        self.deterministic = deterministic
        self.update(model, normalize)

    @property
    def is_stochastic(self) -> bool:
        """True if it samples."""
        return not self.deterministic

    def update(self, model: MaskablePPO, normalize: VecNormalize | None = None) -> None:
        """Replace the snapshot by the model's current policy.

        Args:
            model: Model whose policy is copied.
            normalize: As of the class.
        """
        # Not a deep copy: after learning a policy holds tensors of its last batch, which cannot be copied.
        self.policy = type(model.policy)(**model.policy._get_constructor_parameters()).to(model.device)
        self.policy.load_state_dict(model.policy.state_dict())
        self.policy.set_training_mode(False)
        given: Any = normalize or model.get_vec_normalize_env()
        self._mean: npt.NDArray[np.float64] | None = None
        if given is not None and given.norm_obs:
            self._mean, self._clip = given.obs_rms.mean.copy(), float(given.clip_obs)
            self._scale = 1.0 / np.sqrt(given.obs_rms.var + given.epsilon)

    def _normalized(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the observations as the model was trained on them."""
        if self._mean is None:
            return observations
        found: npt.NDArray[np.float32] = np.clip((observations - self._mean) * self._scale, -self._clip, self._clip).astype(
            "f4"
        )
        return found

    def __call__(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], rng: RowRandom) -> npt.NDArray[np.int64]:
        """Return an action for each row, int64 (M,).

        Args:
            observations: (M, size).
            masks: Legal actions (M, actions).
            rng: Random numbers, one stream per row.
        """
        with th.no_grad():
            seen, _ = self.policy.obs_to_tensor(self._normalized(observations))
            choice: Any = self.policy.get_distribution(seen, action_masks=masks.view(np.bool_)).distribution
            chances: npt.NDArray[np.float64] = choice.probs.cpu().numpy().astype(np.float64)
        if self.deterministic:
            return np.asarray(chances.argmax(axis=1), np.int64)
        sums = chances.cumsum(axis=1)
        drawn = np.minimum(rng.random() * sums[:, -1], np.nextafter(sums[:, -1], 0.0))
        # The first whose sum is above what was drawn: never one without a chance.
        return np.asarray(np.count_nonzero(sums <= drawn[:, None], axis=1), np.int64)
