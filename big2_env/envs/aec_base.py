"""Base class of the PettingZoo environments: agents are seats that move strictly in turn, and all are paid at the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.validated import Copied
from big2_env.envs.options import BinaryBox
from big2_env.notation.transcript import seat_names

Env: TypeAlias = AECEnv[str, dict[str, npt.NDArray[Any]], int | None]
"""PettingZoo environment of named agents with observations by part; a terminated agent's action is `None`."""
INTEGERS: Final = {int, np.int32, np.int64}
"""Types of actions that every action space takes."""


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


class Wrapped(Copied, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    """Environment in PettingZoo's usual wrappers.

    An illegal move ends the game, with -1 for the agent that made it and 0 for the others. Attributes, `last`, legal moves and
    steps of agents that have terminated go to the environment directly, because no wrapper would change them.
    """

    def __init__(self, raw: Env) -> None:
        self._raw, self._inner = raw, _TerminateIllegal(raw, illegal_reward=-1)
        super().__init__(wrappers.AssertOutOfBoundsWrapper(self._inner))

    def __getattr__(self, name: str) -> Any:
        if name[0] != "_" and self._has_reset:
            return getattr(self._raw, name)
        return super().__getattr__(name)

    def __str__(self) -> str:
        return str(self.env)

    def last(self, observe: bool = True) -> tuple[Any, ...]:
        """Return what the agent to move sees and gets, as PettingZoo's `last` does."""
        raw, inner = self._raw, self._inner
        if not (self._has_reset and getattr(raw, "agents", None)):
            found: tuple[Any, ...] = super().last(observe)
            return found
        found = raw.last(observe)
        if observe:  # for the mask of the next step
            inner._prev_obs, inner._prev_info = found[0], found[4]
        return found

    def step(self, action: Any) -> None:
        """Make the selected agent's move, as PettingZoo's wrappers do."""
        raw, inner = self._raw, self._inner
        if not (self._has_reset and getattr(raw, "agents", None) and self._is_let_through(action)):
            super().step(action)
            return
        self._has_updated = True
        inner._prev_obs = inner._prev_info = None
        raw.step(action)

    def _is_let_through(self, action: Any) -> bool:
        """Return whether all wrappers let an action through, as the last observation has it."""
        raw, seen = self._raw, self._inner._prev_obs
        agent = raw.agent_selection
        mask = (raw.observe(agent) if seen is None else seen).get("action_mask")
        if mask is None:  # the caller has changed what it saw
            return False
        if raw.terminations[agent] or raw.truncations[agent]:
            return action is None
        return type(action) in INTEGERS and 0 <= action < len(mask) and bool(mask[action])


class AecBase(Copied, Env):  # type: ignore[misc]  # PettingZoo is not typed
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

    def _generator(self, seed: int | None) -> np.random.Generator:
        """Return the generator for a reset: a newly seeded one, or without a seed `np_random`, which callers may replace."""
        known = getattr(self, "np_random", None)  # `vars(self)` would make each attribute slower to read
        return seeding.np_random(seed)[0] if seed is not None or known is None else known

    def _begin(self, rng: np.random.Generator, turn: int) -> None:
        """Set all agents' attributes for a new game."""
        self.np_random = rng
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
