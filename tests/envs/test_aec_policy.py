"""Agents at the table of a PettingZoo environment."""

from __future__ import annotations

from typing import Any

import pytest

from big2_env import ConfigError
from big2_env.agents.interface import make_agent
from big2_env.envs.aec import env as aec_env
from big2_env.envs.aec_policy import AgentPolicy
from big2_env.envs.league import League
from big2_env.envs.seat import SeatEnv
from big2_env.games.uno.aec import env as uno_env


def test_agent_policy__plays_the_agents_games() -> None:
    for name in ("greedy", "random"):
        games = []
        for _ in range(2):
            table: Any = aec_env()
            policy, own = AgentPolicy(table, name), make_agent("lowest")
            table.reset(seed=7)
            for player in table.agent_iter():
                *_, terminated, _, _ = table.last()
                if terminated:
                    table.step(None)
                elif player == "player_0":
                    game = table.unwrapped.game
                    play = own.act(game.view(), game.legal_plays())
                    table.step(table.unwrapped.actions.of_play(play, game.position.hands[0]))
                else:
                    table.step(policy(table.observe(player), player))
            games.append(list(table.unwrapped.game.history))
        assert games[0] == games[1]
    with pytest.raises(ConfigError, match="expected a running game"):
        policy()


def test_agent_policy__says_what_it_serves() -> None:
    for other in (SeatEnv(), uno_env(), None):
        with pytest.raises(ConfigError, match=r"^expected an environment of big2_env\.envs\.aec, got "):
            AgentPolicy(other, "greedy")
    for given in (League("greedy"), lambda seen, masks, rng: masks.argmax(1)):
        with pytest.raises(ConfigError, match=r"^expected the name of an agent, an agent or what makes one, got "):
            AgentPolicy(aec_env(), given)
