"""Rollout buffer for self-play that splits rows of games into one trajectory per seat and game.

A row shows one seat after another. Advantages computed along a row would bootstrap each decision from another player's
value, and only the seat that ended a game would receive its payoff. Here each decision is followed by the same seat's
next decision. A seat's payoff follows its last decision of the game, no matter which seat ended the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from big2_env.base.errors import ConfigError
from big2_env.envs.shaping import Shaper

Array = npt.NDArray[Any]
CARRIED: Final = ("_seen", "_moves", "_masks", "_value", "_log_prob", "_potential")
"""Arrays kept for decisions that are carried over."""


class Decisions(NamedTuple):
    """The M decisions of a rollout to learn from, in order for each seat."""

    observations: Array
    """(M, size), as the policy saw them."""
    actions: Array
    """int64 (M,)."""
    masks: Array
    """Legal actions as bits, uint8 (M, bytes)."""
    values: Array
    """float32 (M,), the policy's value estimates; the following fields are float32 (M,) too."""
    log_probs: Array
    advantages: Array
    returns: Array
    rewards: Array
    rows: Array
    """int64 (M,), the row of each decision."""
    seats: Array
    """int64 (M,), the seat of each decision."""


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """`MaskableRolloutBuffer` for `SelfPlayVecEnv` with generalized advantage estimation along each seat's own decisions.

    One step of discounting is one decision of the seat. At the end of a rollout the seats to move are bootstrapped from
    the values of their current observations, as usual. For the other seats the successor of their last decision is still
    unknown. Such a decision serves as the bootstrap of earlier ones and is carried over to the next rollout, where its
    seat moves again or is paid. So every decision is learned from exactly once, and every payoff reaches its seat's last
    decision. A seat without any decision in a game (`skip_forced`) contributes nothing. Opponents' moves are not learned
    from, and their observations are never used for values.

    Payoffs come from the environment itself, so wrappers such as `VecNormalize` do not change them. With `shaping`, each
    seat's rewards are shaped by its own observations. Masks are stored as bits, in 1/32 of the memory of
    `MaskableRolloutBuffer`.

    It takes the arguments of `MaskableRolloutBuffer`; `attach` sets the environment. After
    `compute_returns_and_advantage`, `values`, `returns`, `advantages`, `rewards`, `rows` and `seats`, all (M,), describe
    the decisions to learn from, in order for each seat.
    """

    rows: Array
    """Row of each decision, int64 (M,)."""
    seats: Array
    """Seat of each decision, int64 (M,)."""
    _venv: Any = None

    def attach(self, venv: Any) -> None:
        """Set the environment and forget decisions carried over from another one.

        Args:
            venv: A `SelfPlayVecEnv`, with or without wrappers.

        Raises:
            ConfigError: If it is not a `SelfPlayVecEnv`, or has a different number of rows.
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
        self._moves = np.zeros(shape, np.int64)
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
        """Start a rollout; carry over unfinished decisions, or drop them if the previous rollout was aborted."""
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
        """Move the unfinished decisions to the first rows."""
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
        """Add a step: observations, actions, values and masks of all rows.

        Args:
            obs: Observations (rows, size).
            action: Actions (rows,) or (rows, 1).
            reward: Ignored; payoffs come from the environment.
            episode_start: Bool (rows,), true for rows that were reset.
            value: Value estimates (rows,).
            log_prob: Log probabilities of the actions (rows,).
            action_masks: Legal actions (rows, actions).

        Raises:
            ConfigError: If the environment or the masks are missing.
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
        self._moves[at] = np.asarray(action).reshape(self.n_envs)
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
        """Compute the advantage of every decision whose seat has moved again or been paid.

        Args:
            last_values: Values of the seats that are now to move, (rows,).
            dones: Ignored.

        Raises:
            ConfigError: If fewer than two decisions are complete.
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
        """Return the decisions to learn from."""
        at = self._chosen
        seen, masks = self._seen.reshape(-1, *self.obs_shape)[at], self._masks.reshape(-1, self._masks.shape[-1])[at]
        found = self.values, self.log_probs, self.advantages, self.returns, self.rewards, self.rows, self.seats
        return Decisions(seen, self._moves.reshape(-1)[at], masks, *found)

    def set_decisions(self, decisions: Decisions) -> None:
        """Learn from another buffer's decisions. The next rollout then starts without carried decisions."""
        self._seen, self._moves, self._masks = decisions.observations, decisions.actions, decisions.masks
        self.values, self.log_probs, self.advantages, self.returns, self.rewards, self.rows, self.seats = decisions[3:]
        self._chosen = np.arange(len(self.values))

    def carried(self) -> dict[str, Array]:
        """Return the unfinished decisions that the next rollout starts with.

        They overwrite the current rollout's carried decisions, so call `decisions` first.
        """
        self._carry_over()
        seats = len(self._carried)
        return {name: getattr(self, name)[:seats].copy() for name in (*CARRIED, "_carried")}

    def restore_carried(self, carried: dict[str, Array]) -> None:
        """Start the next rollout with the result of `carried`, from this buffer or another one."""
        seats = len(self._carried)
        for name, array in carried.items():
            if getattr(self, name).dtype != array.dtype:
                setattr(self, name, getattr(self, name).astype(array.dtype))
            getattr(self, name)[:seats] = array
        self._is_own[seats:], self._is_computed = False, True

    def _select_decisions(self) -> None:
        """Select the decisions to learn from."""
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
        """Yield the decisions in random order, in batches of nearly equal size, 2 to `batch_size` decisions each.

        A batch of one decision would have a normalized advantage of NaN.
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
            self._moves.reshape(-1, 1)[at],
            self.values[batch_inds],
            self.log_probs[batch_inds],
            self.advantages[batch_inds],
            self.returns[batch_inds],
            masks.view(np.bool_),
        )
        return MaskableRolloutBufferSamples(*(self.to_torch(array, copy=False) for array in data))
