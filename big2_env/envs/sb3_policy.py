"""A policy of MaskablePPO that works on the legal acts alone, and policies as opponents.

sb3-contrib's distribution goes over every action a dozen times at each decision: exponentials, noise to draw from, checks. Of
the 1,379 actions of ruleset `big2` about five are legal. Here the network's last layer, the largest, computes the logits of
these alone, and everything after that is done with them: the same probabilities, entropies and gradients, in a fraction of the
time.

    MaskablePPO(LegalPolicy, venv)

Where few of many actions are legal, learning is several times faster.
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

from big2_env.errors import ConfigError
from big2_env.kernels.opponents import RowRandom

FAR = -1e8
"""The logit of what cannot be chosen, as in sb3-contrib."""
MANY = 16
"""Where more than one action of so many is legal, it is faster to compute the logits of all."""


class LegalCategorical:
    """Choices among the legal actions of each row; without a mask all actions are legal.

    A row without a legal action draws action 0.

    Args:
        inputs: logits (rows, actions), or with a layer what goes into it (rows, inputs).
        layer: the last one of the network, whose outputs are the logits of all actions.
    """

    def __init__(self, inputs: th.Tensor, layer: th.nn.Linear | None = None) -> None:
        self._inputs, self._layer = inputs, layer
        self._shape = len(inputs), inputs.shape[1] if layer is None else layer.out_features
        self.apply_masking(None)

    def apply_masking(self, masks: th.Tensor | npt.NDArray[Any] | None) -> None:
        """Say which actions are legal, anything that is true or false (rows, actions)."""
        self._masks = masks
        self._logs: th.Tensor | None = None
        self.__dict__.pop("_listed", None)

    @cached_property
    def _listed(self) -> tuple[th.Tensor, th.Tensor]:
        """The legal actions of each row from the left, and their logits; both (rows, longest)."""
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
        chances = self._log_chances.exp()
        return chances.new_zeros(self._shape).scatter_add(1, self._ids, chances)


class LegalDistribution(MaskableCategoricalDistribution):
    """A `MaskableCategoricalDistribution` over the legal actions alone."""

    distribution: Any

    def proba_distribution(self, action_logits: th.Tensor) -> LegalDistribution:
        """Itself, with new logits (rows, actions)."""
        self.distribution = LegalCategorical(action_logits.reshape(-1, self.action_dim))
        return self

    def of_layer(self, inputs: th.Tensor, layer: th.nn.Linear) -> LegalDistribution:
        """Itself, with the logits that a layer makes of its inputs (rows, inputs)."""
        self.distribution = LegalCategorical(inputs, layer)
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
            raise ConfigError(f"expected a Discrete action space, got {self.action_space}")
        self.action_dist = LegalDistribution(int(self.action_space.n))
        super()._build(lr_schedule)

    def _get_action_dist_from_latent(self, latent_pi: th.Tensor) -> LegalDistribution:
        assert isinstance(self.action_dist, LegalDistribution)
        assert isinstance(self.action_net, th.nn.Linear)
        return self.action_dist.of_layer(latent_pi, self.action_net)


class PolicyOpponent:
    """An opponent that plays as a model does now: a snapshot, which later learning does not change.

    It draws from each game's own rng: same seed, same games. With `deterministic` it makes its likeliest act.

    Opponents see the games' own observations, whatever wrappers the learner has. A model that was trained behind `VecNormalize`
    gets them normalised by the statistics of that moment: those of its environment, or of `normalize` for a model that was
    loaded without one.

    Args:
        model: whose policy it is.
        deterministic: whether it makes its likeliest act.
        normalize: the wrapper that the model was trained behind; by default that of the model's environment, where it has one.
    """

    def __init__(self, model: MaskablePPO, *, deterministic: bool = False, normalize: VecNormalize | None = None) -> None:
        self.deterministic = deterministic
        self.update(model, normalize)

    def update(self, model: MaskablePPO, normalize: VecNormalize | None = None) -> None:
        """Take a new snapshot, of this model as it is now."""
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
        """Observations as the model was trained on them."""
        if self._mean is None:
            return observations
        found: npt.NDArray[np.float32] = np.clip((observations - self._mean) * self._scale, -self._clip, self._clip).astype(
            "f4"
        )
        return found

    def __call__(self, observations: npt.NDArray[Any], masks: npt.NDArray[Any], rng: RowRandom) -> npt.NDArray[np.int64]:
        """An act for each row, int64 (M,), from observations (M, size) and masks (M, actions)."""
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
