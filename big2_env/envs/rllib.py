"""RLlib adapter: all seats of a game as a `MultiAgentEnv` with action masks.

    from big2_env.envs.rllib import RllibEnv
    config = PPOConfig().environment(RllibEnv, env_config={"ruleset": "big2"})

`agents/examples/rllib_self_play.py` trains PPO in self-play. RLlib 2.60 pins `gymnasium==1.2.2`, which this package
supports.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.base.errors import ConfigError, IllegalPlayError, needing
from big2_env.base.validated import Copied
from big2_env.envs.aec import raw_env
from big2_env.envs.screen import Picture

with needing("big2_env.envs.rllib needs RLlib: pip install 'big2_env[rllib]'"):
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

Observation: TypeAlias = dict[str, npt.NDArray[np.float32]]


class RllibEnv(Copied, MultiAgentEnv):  # type: ignore[misc]  # RLlib's classes are untyped where it is not installed
    """RLlib `MultiAgentEnv` in which all seats are agents, `player_0`, `player_1`, ....

    Observations: a dict for the seat to move, with `observations`, float32 `(547,)` for ruleset `big2`, and
    `action_mask`, float32 `(1379,)`. These are the keys and dtypes that
    `ray.rllib.examples.rl_modules.classes.action_masking_rlm` expects. When the game ends every seat receives its last
    observation, with a mask of ones, because RLlib takes the logarithm of masks. An encoder's `Box` becomes float32 with its
    own bounds; other spaces stay as they are.

    Rewards: 0 until the game ends, then every seat receives its own payoff, whichever seat moved last. An illegal action
    ends the game with -1 for the seat that made it and 0 for the others; RLlib's environment check makes such actions.

    Args:
        config: Arguments of `big2_env.envs.aec.raw_env` by name, such as `ruleset`, `num_players`, `scoring` and
            `skip_forced`.

    Raises:
        ConfigError: If an argument is unknown or invalid.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        try:
            self.games = raw_env(**dict(config or {}))
            """The underlying PettingZoo environment."""
        except TypeError as error:
            raise ConfigError(f"env_config: {error}") from None
        if self.games.masks != "dense":
            raise ConfigError(f"env_config: expected masks 'dense', got {self.games.masks!r}")
        self.metadata, self.render_mode = self.games.metadata, self.games.render_mode
        self.agents = self.possible_agents = list(self.games.possible_agents)
        seen: Any = self.games.observation_space(self.agents[0])
        shown, mask = seen["observation"], seen["action_mask"]
        self._is_box = isinstance(shown, spaces.Box)
        windows = spaces.Dict({"observations": _as_float(shown) if self._is_box else shown, "action_mask": _as_float(mask)})
        self.observation_spaces = dict.fromkeys(self.agents, windows)
        self.action_spaces = {agent: self.games.action_space(agent) for agent in self.agents}
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a game.

        Args:
            seed: Seed of the environment's generator; `None` continues it.
            options: As of `raw_env.reset`.

        Returns:
            The observation of the seat to move, by agent, and empty infos.
        """
        self.games.reset(seed=seed, options=options)
        seat = self.games.agent_selection
        return {seat: self._seen(seat)}, {}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make the move of the seat to move.

        Args:
            actions: The action of that seat, by agent.

        Returns:
            Observations, rewards, terminated, truncated and infos, by agent.

        Raises:
            ConfigError: If `actions` contains other seats than the one to move, or no integer in the action space.
            ResetNeeded: If no game is running.
        """
        seat = getattr(self.games, "agent_selection", None)
        if seat is None or self.games.terminations[seat]:
            raise ResetNeeded("step() before the first game or after the end of one: call reset() first")
        if set(actions) != {seat}:
            raise ConfigError(f"expected an action of {seat}, who is to move, got actions of {sorted(actions)}")
        try:
            self.games.step(actions[seat])
            is_over = all(self.games.terminations.values())
            rewards = {agent: float(reward) for agent, reward in self.games.rewards.items()}
        except IllegalPlayError:
            is_over, self.games.terminations = True, dict.fromkeys(self.possible_agents, True)
            rewards = dict.fromkeys(self.possible_agents, 0.0) | {seat: -1.0}
        ended = {"__all__": is_over} | dict.fromkeys(self.possible_agents if is_over else (), True)
        shown = self.possible_agents if is_over else [self.games.agent_selection]
        seen = {agent: self._seen(agent, is_over=is_over) for agent in shown}
        return seen, rewards, ended, {"__all__": False}, {}

    def _seen(self, agent: str, *, is_over: bool = False) -> Observation:
        """Return the observation and mask of a seat."""
        seen = self.games.observe(agent)
        mask, shown = seen["action_mask"].astype(np.float32), seen["observation"]
        shown = shown.astype(np.float32) if self._is_box else shown
        return {"observations": shown, "action_mask": np.ones_like(mask) if is_over else mask}

    def render(self) -> Picture | None:
        """Return the game as `raw_env.render` does."""
        return self.games.render()


def _as_float(box: spaces.Box) -> spaces.Box:
    """Return a box of float32 with the same bounds."""
    return spaces.Box(box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32)
