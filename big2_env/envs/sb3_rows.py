"""A batch of games as the `VecEnv` that Stable-Baselines3 asks for."""

from __future__ import annotations

import time
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from big2_env.envs.vector import BatchEnv
from big2_env.errors import ConfigError

Array: TypeAlias = npt.NDArray[Any]
Rows: TypeAlias = int | Iterable[int] | None


class GamesVecEnv(VecEnv):
    """A `BatchEnv` as SB3 asks for it."""

    render_mode = None

    def __init__(self, games: BatchEnv) -> None:
        self.games = games
        """The games, as a Gymnasium vector environment."""
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self.num_players = games.engine.num_players
        """How many seats a game has."""
        self.ended: Array = np.zeros(self.num_envs, np.bool_)
        """Whether the last step ended a game, bool (rows,)."""
        self.actor: Array = np.full(self.num_envs, -1, np.int32)
        """The seat that acted in the last step, int32 (rows,); -1 before the first."""
        self.seat: Array = np.zeros(self.num_envs, np.int32)
        """The seat that each row shows, int32 (rows,)."""
        self.payoffs: Array = np.zeros((self.num_envs, self.num_players), np.float32)
        """What each seat got where the last step ended a game, else 0, float32 (rows, seats)."""
        self._masks: Array | None = None
        self._actions: npt.ArrayLike = ()
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._started_at = time.time()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def reset(self) -> Array:
        """Deal all games and return what the rows show; by the seeds given with `seed`, else the rows deal on.

        Raises:
            ConfigError: options were set; there are none.
        """
        if any(self._options):
            raise ConfigError(f"expected no reset options, got {next(filter(None, self._options))!r}")
        seeds = [seed for seed in self._seeds if seed is not None]
        observations, infos = self.games.reset(seed=seeds or None)
        self._reset_seeds()
        self._masks, self.seat = infos["action_mask"].view(np.bool_), infos["seat"]
        self.reset_infos = [{"seat": seat} for seat in self.seat.tolist()]
        self.actor = np.full(self.num_envs, -1, np.int32)
        self.ended, self.payoffs = np.zeros_like(self.ended), np.zeros_like(self.payoffs)
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Keep the actions for `step_wait`, integers (rows,)."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make one act in each row; returns observations, rewards, dones, infos.

        Raises:
            ConfigError, IllegalPlayError, ResetNeeded: as `BatchEnv.step`.
        """
        observations, rewards, self.ended, _, infos = self.games.step(self._actions)
        self._masks, self.seat = infos["action_mask"].view(np.bool_), infos["seat"]
        self.actor, self.payoffs = infos["actor"], infos["payoffs"]
        self._returns += rewards
        self._lengths += 1
        by_row: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(self.ended).tolist():
            by_row[row] = self._end(row, infos)
        return observations, rewards, self.ended.copy(), by_row

    def _end(self, row: int, infos: dict[str, Any]) -> dict[str, Any]:
        """What is told of a game that ended; its counts begin anew."""
        seconds = round(time.time() - self._started_at, 6)
        info = {
            "episode": {"r": self._return(row), "l": int(self._lengths[row]), "t": seconds},
            "terminal_observation": infos["final_obs"][row],
            "seat": int(self.actor[row]),
            "payoffs": self.payoffs[row].copy(),
            "TimeLimit.truncated": False,
        }
        if infos["illegal"][row]:
            info["illegal"] = True
        self._returns[row], self._lengths[row] = 0.0, 0
        return info

    def _return(self, row: int) -> float:
        """What a game that ended brought, as SB3 logs it."""
        return float(self._returns[row])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions of all rows, bool (rows, actions)."""
        return self.games.action_masks() if self._masks is None else self._masks

    def close(self) -> None:
        """Let the threads go."""
        self.games.close()

    def env_method(self, method_name: str, *method_args: Any, indices: Rows = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks` of each row, bool (actions,).

        Raises:
            AttributeError: another method: rows are no environments of their own.
        """
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"expected method 'action_masks' of a row, without arguments, got {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Rows = None) -> list[Any]:
        """An attribute of this environment, which all rows share, once for each row."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Rows = None) -> None:
        """Set an attribute of this environment.

        Raises:
            ConfigError: for some rows only: they share it.
        """
        if indices is not None and set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ConfigError(f"expected all rows, which share attribute {attr_name!r}, got rows {indices}")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Rows = None) -> list[bool]:
        """Whether rows are wrapped: they do what `Monitor` does, and nothing else."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]
