"""RLlib: all seats of a game as a `MultiAgentEnv`, with masks where RLlib's masked modules look for them.

    from big2_env.envs.rllib import RllibEnv
    config = PPOConfig().environment(RllibEnv, env_config={"ruleset": "big2"})

`agents/examples/rllib_self_play.py` trains on it by PPO in self-play.

## Observations

A dict for the one seat that is to move: `observations`, float32 `(547,)` for ruleset `big2`, and `action_mask`, float32
`(1379,)`: the keys and dtypes that `ray.rllib.examples.rl_modules.classes.action_masking_rlm` asks for. When the game ends
every seat gets its last observation, with a mask of ones: RLlib takes the logarithm of a mask, and asks for no action.

## Rewards

0 until the game ends; then every seat gets its own payoff, whoever moved last: each loser sees its loss. An action that is not
legal ends the game too, with -1 for the seat that made it and 0 for the others: RLlib's check of environments makes such ones.

## Arguments

`env_config` has those of `big2_env.envs.aec.raw_env`: `ruleset`, `num_players`, `scoring`, `skip_forced` and so on.
RLlib 2.60 pins `gymnasium==1.2.2`; this package works with it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from big2_env.envs.aec import raw_env
from big2_env.errors import ConfigError, IllegalPlayError

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(f"big2_env.envs.rllib needs RLlib: pip install 'big2_env[rllib]' ({error})") from error

Observation: TypeAlias = dict[str, npt.NDArray[np.float32]]


class RllibEnv(MultiAgentEnv):  # type: ignore[misc]  # RLlib's classes are untyped where it is not installed
    """All seats of a game for RLlib; see the module's page.

    Args:
        config: arguments of `big2_env.envs.aec.raw_env` by name.

    Raises:
        ConfigError: an argument that it does not take or cannot serve.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        try:
            self.games = raw_env(**dict(config or {}))
            """The PettingZoo environment that plays."""
        except TypeError as error:
            raise ConfigError(f"env_config: {error}") from None
        self.agents = self.possible_agents = list(self.games.possible_agents)
        seen: Any = self.games.observation_space(self.agents[0])
        windows = spaces.Dict(
            {
                "observations": spaces.Box(0.0, 1.0, seen["observation"].shape, np.float32),
                "action_mask": spaces.Box(0.0, 1.0, seen["action_mask"].shape, np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.agents, windows)
        self.action_spaces = {agent: self.games.action_space(agent) for agent in self.agents}
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a game; returns what the seat to move sees, and empty infos."""
        self.games.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        seat = self.games.agent_selection
        return {seat: self._seen(seat)}, {}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make the action of the seat to move; returns observations, rewards, terminated, truncated, infos.

        Raises:
            ConfigError: actions of other seats than the one to move.
        """
        seat = self.games.agent_selection
        if set(actions) != {seat}:
            raise ConfigError(f"expected an action of {seat}, who is to move, got actions of {sorted(actions)}")
        try:
            self.games.step(int(actions[seat]))
            is_over = all(self.games.terminations.values())
            rewards = {agent: float(reward) for agent, reward in self.games.rewards.items()}
        except IllegalPlayError:
            is_over = True
            rewards = dict.fromkeys(self.possible_agents, 0.0) | {seat: -1.0}
        ended = {"__all__": is_over} | dict.fromkeys(self.possible_agents if is_over else (), True)
        shown = self.possible_agents if is_over else [self.games.agent_selection]
        seen = {agent: self._seen(agent, is_over=is_over) for agent in shown}
        return seen, rewards, ended, {"__all__": False}, {}

    def _seen(self, agent: str, *, is_over: bool = False) -> Observation:
        """What a seat sees and may do."""
        seen = self.games.observe(agent)
        mask = seen["action_mask"].astype(np.float32)
        return {"observations": seen["observation"].astype(np.float32), "action_mask": np.ones_like(mask) if is_over else mask}

    def close(self) -> None:
        """Nothing is held open."""
        self.games.close()
