"""Agents at the table of a PettingZoo environment: a function that acts for one of its players."""

from __future__ import annotations

from typing import Any

from big2_env.agent_seeds import start_seed
from big2_env.agents import act_text, check_seats
from big2_env.envs.aec import raw_env
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike, copy_agent, is_batch_function
from big2_env.errors import ConfigError, repr_text


class AgentPolicy:
    """The actions of an agent for whichever player of an AEC environment is to move.

    The agent is reset when the environment has been, by a seed that follows from its seat and the hand it
    was dealt: same seed, same games.
    One policy may act for several players: each has an agent of its own.

    Args:
        env: `big2_env.envs.aec.env()`, `raw_env()` or what `pettingzoo.make` gives, in any wrappers.
        given: a name (`"greedy"`, `"heuristic"`, `"learned"`, ...), an agent, a class or function that makes one.

    Raises:
        ConfigError: another environment; a name that no agent has, something that is no agent, or an agent that cannot play
            the ruleset.

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
        """By seat: the game that the agent plays, and the agent."""

    def __repr__(self) -> str:
        return f"AgentPolicy({self._given!r})"

    def __call__(self, *_: Any) -> int:
        """The action of the player to move; arguments that a loop hands over, as observation and player, are not used.

        Raises:
            ConfigError: nobody is to move, or the agent gives what is no legal play.
            ResetNeeded: there is no game yet.
        """
        game = self._env.game
        if game.is_over:
            raise ConfigError(
                "expected a game that goes on, got one that is over: a player that has terminated steps with None"
            )
        seat, legal = game.turn, game.legal_plays()
        known, agent = self._agents.get(seat, (None, None))
        if agent is None:
            agent = copy_agent(self._given)
        if known is not game:
            agent.reset(start_seed(game, seat))
            self._agents[seat] = game, agent
        play = agent.act(game.view(), legal)
        if play not in legal:
            raise ConfigError(f"expected a legal play of agent {repr_text(agent)} on seat {seat}, got {act_text(play)}")
        return int(self._env.actions.of_play(play, game.position.hands[seat]))
