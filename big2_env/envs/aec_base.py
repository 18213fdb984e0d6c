"""Base class of the PettingZoo environments: agents are seats that move strictly in turn, and all are paid at the end."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from big2_env.envs.options import BinaryBox
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.notation.transcript import seat_names


class _SetByReset:
    """Attribute that exists only after the first reset, with an error that says so.

    `__getattr__` would do the same but make every attribute access slower.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, env: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__} has no attribute {self._name!r}: call reset() first")


class _TerminateIllegal(wrappers.TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo is not typed
    """PettingZoo's wrapper, which adds the illegal action to the game's log."""

    def step(self, action: Any) -> None:
        self.unwrapped.keep_illegal(action)
        super().step(action)


def wrap(raw: AECEnv) -> AECEnv:
    """Return an environment in PettingZoo's usual wrappers.

    An illegal move then ends the game, with -1 for the agent that made it and 0 for the others.
    """
    wrapped = _TerminateIllegal(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class AecBase(AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """AEC environment with agents `player_0`, `player_1`, ..., masked observations and one action space for all."""

    agents: Any = _SetByReset()
    agent_selection: Any = _SetByReset()
    rewards: Any = _SetByReset()
    terminations: Any = _SetByReset()
    truncations: Any = _SetByReset()
    infos: Any = _SetByReset()
    np_random: Any = _SetByReset()

    def _set_spaces(
        self,
        players: int,
        observation: int,
        actions: int,
        state: int,
        dtype: npt.DTypeLike,
        *,
        seen: spaces.Space[Any] | None = None,
        has_mask: bool = True,
    ) -> None:
        """Name the agents and create their spaces.

        Args:
            players: Number of seats.
            observation: Size of an observation.
            actions: Number of actions.
            state: Size of the state.
            dtype: Dtype of observations and state.
            seen: Observation space of an encoder; `None` for a `Box` of zeros and ones.
            has_mask: False if observations have no `action_mask`.
        """
        self.possible_agents = list(seat_names(None, players))
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._rng: np.random.Generator | None = None
        box, mask = seen or BinaryBox((observation,), dtype), BinaryBox((actions,), np.int8)
        parts = [("observation", box), ("action_mask", mask)][: 1 + has_mask]
        self._observation_spaces = {agent: spaces.Dict(parts) for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = BinaryBox((state,), dtype)

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ConfigError(f"expected agent {', '.join(self.possible_agents)}, got {agent!r}") from None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space, the same object each time."""
        return self._observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space, the same object each time."""
        return self._action_spaces[self.possible_agents[self._seat(agent)]]

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _generator(self, seed: int | None) -> np.random.Generator:
        """Return the generator for a reset: a newly seeded one, or the current one without a seed."""
        return seeding.np_random(seed)[0] if seed is not None or self._rng is None else self._rng

    def _begin(self, rng: np.random.Generator, turn: int) -> None:
        """Set all agents' attributes for a new game.

        Args:
            rng: The environment's generator.
            turn: Seat to move.
        """
        self._rng = self.np_random = rng
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[turn]
        self._skip_agent_selection = None

    def _is_done(self, agent: str) -> bool:
        """Return whether an agent has terminated, by the rules or through a wrapper."""
        done: bool = self.terminations.get(agent, True) or self.truncations.get(agent, True)
        return done

    def _leave(self, action: None) -> None:
        """Let the selected agent, which has terminated, leave the game.

        Raises:
            ResetNeeded: If all agents have left.
            ValueError: If the action is not `None`.
        """
        if not self.agents:
            raise ResetNeeded("step() after the last agent is done: call reset() first")
        self._was_dead_step(action)

    def keep_illegal(self, action: Any) -> None:
        """Do nothing. Environments with a log of illegal actions override this."""

    def _refusal(self, action: Any, error: Exception) -> Exception:
        """Return the error for a move of the selected agent that an engine rejected with `error`."""
        agent = self.agent_selection
        if isinstance(error, IllegalPlayError):
            self.keep_illegal(action)
            return IllegalPlayError(f"{agent}, action {action}: {error}", error.refusal)
        if isinstance(error, ConfigError):
            return ConfigError(f"{agent}: {error}")
        last = self._action_spaces[agent].n - 1
        return ConfigError(f"{agent}: expected an integer 0 to {last} as action, got {action!r}")

    def _pay(self, payoffs: Iterable[float]) -> None:
        """End the game with these payoffs. All earlier rewards are 0, so there is nothing to clear or to add up."""
        self.rewards = dict(zip(self.possible_agents, payoffs, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""
