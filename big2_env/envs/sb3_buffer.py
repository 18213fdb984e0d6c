"""The rollout buffer of self-play: what rows of games hold, taken apart into a trajectory for each seat of each game.

A row shows one seat after another. Advantages along a row would bootstrap each decision from another player's value and give
the payoff of a game to the seat that ended it alone. Here a seat's decision is followed by the same seat's next decision, and a
seat's payoff comes with its last decision of the game, whoever ended it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from big2_env.envs.shaping import Shaper
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]
CARRIED: Final = ("_seen", "_acts", "_masks", "_value", "_log_prob", "_potential")
"""What is kept of a decision that waits."""


class Decisions(NamedTuple):
    """The M decisions of a rollout that are learned from, each seat's in their order."""

    observations: Array
    """(M, size), as the policy saw them."""
    actions: Array
    """int64 (M,)."""
    masks: Array
    """The legal actions as bits, uint8 (M, bytes)."""
    values: Array
    """float32 (M,): what the policy said of them; the others are float32 (M,) too."""
    log_probs: Array
    advantages: Array
    returns: Array
    rewards: Array
    rows: Array
    """int64 (M,): the row of each."""
    seats: Array
    """int64 (M,): the seat of each."""


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """A `MaskableRolloutBuffer` for `SelfPlayVecEnv`: generalised advantage estimation along each seat's own decisions.

    A step of discount is one decision of the seat, not one of the table. When a rollout ends, the seats to move are
    bootstrapped from their values of what they now see, as anywhere. The other seats wait: what follows their last decision is
    not known. Such a decision is the bootstrap of the ones before it, and is itself carried over into the next rollout, where
    its seat moves again or is paid. So every decision is learned from exactly once, and every payoff is given to its seat's
    last decision; a seat that was never asked (`skip_forced`) has none, and its payoff teaches nothing. Opponents' acts are
    not learned from, and nobody's value is taken from what they see.

    Payoffs come from the environment itself, not through its wrappers: `VecNormalize` does not change them. With `shaping` each
    seat's are shaped by what that seat sees.

    Masks are kept as bits, a thirty-second of what `MaskableRolloutBuffer` takes, and arrays are used again.

    The arguments are those of `MaskableRolloutBuffer`; `attach` says which environment is stepped. After
    `compute_returns_and_advantage`, `values`, `returns`, `advantages`, `rewards`, `rows` and `seats` are of the decisions to
    learn from, (M,), each seat's in their order.
    """

    rows: Array
    """The row of each decision, int64 (M,)."""
    seats: Array
    """The seat that made it, int64 (M,)."""
    _venv: Any = None

    def attach(self, venv: Any) -> None:
        """Say which environment is stepped; what was carried over from another is forgotten.

        Raises:
            ConfigError: not a `SelfPlayVecEnv`, or one of another number of rows.
        """
        inner = getattr(venv, "unwrapped", venv)
        if not hasattr(inner, "is_by_seat") or inner.num_envs != self.n_envs:
            given = f"{type(inner).__name__} with {getattr(inner, 'num_envs', 'no')} rows"
            raise ConfigError(f"expected a SelfPlayVecEnv with {self.n_envs} rows for a buffer by seats, got {given}")
        self._venv, inner.is_by_seat = inner, True
        steps, games, seats = self.buffer_size, self.n_envs, inner.num_players
        assert self.observation_space.dtype is not None
        assert isinstance(self.action_space, spaces.Discrete)
        self._num_actions = int(self.action_space.n)
        # The first rows are what was carried over, one decision of each seat; then come the steps.
        shape = (seats + steps, games)
        self._seen = np.zeros((*shape, *self.obs_shape), self.observation_space.dtype)
        self._acts = np.zeros(shape, np.int64)
        self._masks = np.zeros((*shape, -(-self._num_actions // 8)), np.uint8)
        self._value, self._log_prob = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._reward, self._advantage = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._shaper: Shaper | None = inner.shaper
        self._potential = np.zeros(shape, np.float32)
        self._seat = np.zeros(shape, np.int64)
        self._seat[:seats] = np.arange(seats)[:, None]
        self._is_settled = np.zeros(shape, np.bool_)
        self._is_own = np.ones(shape, np.bool_)
        self._ended = np.zeros((steps, games), np.bool_)
        self._payoffs = np.zeros((steps, games, seats), np.float32)
        self._carried = np.zeros((seats, games), np.bool_)
        self._is_computed = False

    def reset(self) -> None:
        """Begin a rollout: carry over the decisions that wait, or forget them where the rollout before was cut short."""
        self.pos, self.full = 0, False
        if self._venv is None:
            return
        if self._is_computed:
            self._carry_over()
        else:
            self._carried[:] = False
        self._is_computed = False
        self._shown = self._venv.seen

    def _carry_over(self) -> None:
        """Move the decisions that wait to the first rows."""
        seats = len(self._carried)
        steps, rows = np.nonzero(self._is_own[seats:] & ~self._is_settled[seats:])
        into = self._seat[seats + steps, rows], rows
        for name in CARRIED:
            array = getattr(self, name)
            array[into] = array[seats + steps, rows]
        self._carried[into] = True

    def add(  # type: ignore[override]  # as its base class overrides
        self,
        obs: Array,
        action: Array,
        reward: Array,
        episode_start: Array,
        value: th.Tensor,
        log_prob: th.Tensor,
        action_masks: Array | None = None,
    ) -> None:
        """Add a step: what the rows showed and which acts were made. `reward` is not used, the environment says who got what.

        Raises:
            ConfigError: without an environment, or without masks.
        """
        if self._venv is None:
            raise ConfigError("expected a buffer by seats with an environment: SelfPlayPPO attaches it, or attach(venv)")
        if action_masks is None:
            raise ConfigError("expected action masks with each step: learn(use_masking=True)")
        step = self.pos
        if step == 0:
            self._carried &= ~np.asarray(episode_start, np.bool_)  # rows that were reset have begun other games
        at = len(self._carried) + step
        if obs.dtype != self._seen.dtype:  # a wrapper made other numbers of them: those are kept as they are
            self._seen = self._seen.astype(obs.dtype)
        self._seen[at] = obs
        if self._shaper is not None:
            self._potential[at], self._shown = self._shaper.potentials(self._shown), self._venv.seen
        self._acts[at] = np.asarray(action).reshape(self.n_envs)
        self._masks[at] = np.packbits(np.asarray(action_masks).reshape(self.n_envs, -1).astype(np.bool_, copy=False), axis=1)
        self._value[at] = value.detach().cpu().numpy().reshape(self.n_envs)
        self._log_prob[at] = log_prob.detach().cpu().numpy().reshape(self.n_envs)
        self._seat[at] = self._venv.actor
        self._is_own[at] = self._venv.was_own
        self._ended[step] = self._venv.ended
        self._payoffs[step] = self._venv.payoffs
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(self, last_values: th.Tensor, dones: Array) -> None:
        """Settle every decision whose seat moved again or was paid; `last_values` are those of the seats now to move.

        Raises:
            ConfigError: fewer than two decisions are settled.
        """
        seats, games = self._carried.shape
        # What follows the decisions at hand, by row and seat: nothing yet, the seat's next decision, or the end of the game.
        is_known = np.zeros((games, seats), np.bool_)
        reward, value, gae, goes_on, potential = (np.zeros((games, seats), np.float32) for _ in range(5))
        to_move = np.arange(games), self._venv.seat
        is_known[to_move] = True
        value[to_move] = last_values.detach().cpu().numpy().reshape(games)
        goes_on[to_move] = 1.0
        if self._shaper is not None:
            potential[to_move] = self._shaper.potentials(self._venv.seen)
        for at in range(seats + self.buffer_size - 1, -1, -1):
            if at >= seats:
                step = at - seats
                if self._ended[step].any():
                    ended = self._ended[step]
                    reward[ended] = self._payoffs[step, ended]
                    is_known[ended] = True
                    goes_on[ended] = 0.0
                rows = np.flatnonzero(self._is_own[at])
            else:
                rows = np.flatnonzero(self._carried[at])
            key = rows, self._seat[at, rows]
            own, known = self._value[at, rows], is_known[key]
            gained = reward[key] + self.gamma * goes_on[key] * potential[key] - self._potential[at, rows]
            delta = gained + self.gamma * goes_on[key] * value[key] - own
            advantage = np.where(known, delta + self.gamma * self.gae_lambda * goes_on[key] * gae[key], 0.0)
            self._is_settled[at] = False
            self._is_settled[at, rows] = known
            self._reward[at, rows] = gained
            self._advantage[at, rows] = advantage
            reward[key], value[key], gae[key], potential[key] = 0.0, own, advantage, self._potential[at, rows]
            is_known[key], goes_on[key] = True, 1.0
        self._carried &= ~self._is_settled[:seats]
        self._is_computed = True
        self._select_decisions()

    def decisions(self) -> Decisions:
        """The decisions to learn from, as a value."""
        at = self._chosen
        seen, masks = self._seen.reshape(-1, *self.obs_shape)[at], self._masks.reshape(-1, self._masks.shape[-1])[at]
        found = self.values, self.log_probs, self.advantages, self.returns, self.rewards, self.rows, self.seats
        return Decisions(seen, self._acts.reshape(-1)[at], masks, *found)

    def set_decisions(self, decisions: Decisions) -> None:
        """Learn from decisions that another buffer of this kind gave; the next rollout begins with none carried over."""
        self._seen, self._acts, self._masks = decisions.observations, decisions.actions, decisions.masks
        self.values, self.log_probs, self.advantages, self.returns, self.rewards, self.rows, self.seats = decisions[3:]
        self._chosen = np.arange(len(self.values))

    def carried(self) -> dict[str, Array]:
        """What the next rollout begins with: the decisions that wait for their seat's next turn, or for its payment.

        They take the places of those that the rollout began with, so `decisions` comes first.
        """
        self._carry_over()
        seats = len(self._carried)
        return {name: getattr(self, name)[:seats].copy() for name in (*CARRIED, "_carried")}

    def restore_carried(self, carried: dict[str, Array]) -> None:
        """Begin the next rollout with what `carried` gave, of this buffer or of another one."""
        seats = len(self._carried)
        for name, array in carried.items():
            if getattr(self, name).dtype != array.dtype:
                setattr(self, name, getattr(self, name).astype(array.dtype))
            getattr(self, name)[:seats] = array
        self._is_own[seats:], self._is_computed = False, True

    def _select_decisions(self) -> None:
        """Name the decisions to learn from."""
        self._chosen = np.flatnonzero(self._is_settled)
        if len(self._chosen) < 2:
            raise ConfigError(
                f"expected 2 or more decisions to learn from, got {len(self._chosen)} in a rollout of {self.buffer_size} steps "
                f"and {self.n_envs} games; raise n_steps, so that seats are asked again"
            )
        self.values, self.log_probs = self._value.reshape(-1)[self._chosen], self._log_prob.reshape(-1)[self._chosen]
        self.advantages, self.rewards = self._advantage.reshape(-1)[self._chosen], self._reward.reshape(-1)[self._chosen]
        self.returns = self.advantages + self.values
        self.rows, self.seats = self._chosen % self.n_envs, self._seat.reshape(-1)[self._chosen]

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """The decisions to learn from in a random order, in batches of nearly equal size: at most `batch_size`, at least 2.

        The advantage of one decision, normalised, is not a number.
        """
        count = len(self._chosen)
        batches = 1 if batch_size is None else max(1, min(-(-count // batch_size), count // 2))
        for batch in np.array_split(np.random.permutation(count), batches):
            yield self._get_samples(batch)

    def _get_samples(  # type: ignore[override]  # as its base class overrides
        self, batch_inds: Array, env: Any = None
    ) -> MaskableRolloutBufferSamples:
        at = self._chosen[batch_inds]
        masks = np.unpackbits(self._masks.reshape(-1, self._masks.shape[-1])[at], axis=1, count=self._num_actions)
        data = (
            self._seen.reshape(-1, *self.obs_shape)[at],
            self._acts.reshape(-1, 1)[at],
            self.values[batch_inds],
            self.log_probs[batch_inds],
            self.advantages[batch_inds],
            self.returns[batch_inds],
            masks.view(np.bool_),
        )
        return MaskableRolloutBufferSamples(*(self.to_torch(array, copy=False) for array in data))
