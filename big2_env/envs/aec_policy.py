"""Agents as callable policies for PettingZoo loops."""

from __future__ import annotations

from typing import Any

from big2_env.agents.interface import check_seats, move_text
from big2_env.agents.seeds import start_seed
from big2_env.base.errors import ConfigError, repr_text
from big2_env.envs.aec import raw_env
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike, copy_agent, is_batch_function


class AgentPolicy:
    """Callable that returns an agent's action for the player to move in an AEC environment.

    The agent is reset for each new game, with a seed derived from its seat, its hand and the environment's `salt`: same
    seed, same games. One policy can act for several players; each of them has its own agent.

    Args:
        env: `big2_env.envs.aec.env()`, `raw_env()` or the result of `pettingzoo.make`, with or without wrappers.
        given: Agent's name (`"greedy"`, `"heuristic"`, `"learned"`, ...), an agent, or a class or function that makes
            one.

    Raises:
        ConfigError: If `env` is another kind of environment, `given` is not an agent, or the agent cannot play the
            ruleset.

    >>> from big2_env.envs.aec import env
    >>> table = env()
    >>> greedy = AgentPolicy(table, "greedy")
    >>> table.reset(seed=7)
    >>> for player in table.agent_iter():
    ...     observation, reward, terminated, truncated, info = table.last()
    ...     table.step(None if terminated else greedy())
    """

    def __init__(self, env: Any, given: OpponentLike) -> None:
        self._env, self._given = getattr(env, "unwrapped", env), given
        if not isinstance(self._env, raw_env):
            raise ConfigError(f"expected an environment of big2_env.envs.aec, got {env!r}")
        if isinstance(given, League) or is_batch_function(given):
            raise ConfigError(f"expected the name of an agent, an agent or what makes one, got {given!r}")
        check_seats([copy_agent(given)], self._env.ruleset, len(self._env.possible_agents))
        self._agents: dict[int, tuple[Any, Any]] = {}
        """By seat: the game and the agent that plays it."""

    def __repr__(self) -> str:
        return f"AgentPolicy({self._given!r})"

    def __call__(self, *_: Any) -> int:
        """Return the action of the player to move. Arguments are accepted for convenience and ignored.

        Raises:
            ConfigError: If the game is over, or the agent returns an illegal play.
            ResetNeeded: Before the first reset.
        """
        game = self._env.game
        if game.is_over:
            raise ConfigError("expected a running game, got one that is over: step with None for a terminated player")
        seat, legal = game.turn, game.legal_plays()
        known, agent = self._agents.get(seat, (None, None))
        if agent is None:
            agent = copy_agent(self._given)
        if known is not game:
            agent.reset(start_seed(game, seat, salt=self._env.salt))
            self._agents[seat] = game, agent
        play = agent.act(game.view(), legal)
        if play not in legal:
            raise ConfigError(f"expected a legal play of agent {repr_text(agent)} on seat {seat}, got {move_text(play)}")
        return int(self._env.actions.of_play(play, game.position.hands[seat]))
