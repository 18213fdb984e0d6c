"""Every shipped agent says rightly whether its moves depend on its seed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loopback_endpoint import NAME, loopback, set_key_alone
from sb3_small import QUIET, small

from big2_agents.evaluation.arena.bench import positions
from big2_env import BIG2
from big2_env.agents.interface import available_agents, is_stochastic, make_agent
from big2_env.agents.isolated import IsolatedAgent
from big2_env.agents.time_limit import limited
from big2_env.base.plugins import AGENT_FILES, UNO_PLAYERS, plugins
from big2_env.envs.sb3 import PolicyOpponent, SelfPlayVecEnv
from big2_env.games.uno import UnoGame, UnoRules
from big2_env.games.uno.players import BUILT_IN, uno_player
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowRandom

pytestmark = QUIET
DETERMINISTIC = {"lowest", "greedy", "heuristic", "learned", "ppo"}
QUICK = {"search": "search:8", "learned-search": "learned-search:60"}
"""Specifications with small budgets."""
SEEDS = 6


def vary(ask: Callable[[Any, int], object], questions: list[Any]) -> bool:
    """Whether some question has several answers, by the seed of each answer."""
    return any(len({ask(question, seed) for seed in range(SEEDS)}) > 1 for question in questions)


def moves_vary(agent: Any) -> bool:
    """Whether an agent makes several moves in some position of big2, by its seed."""

    def ask(game: Any, seed: int) -> object:
        agent.reset(seed)
        return agent.act(game.view(), game.legal_plays())

    return vary(ask, [game.copy() for game in islice(positions(BIG2, 5, 2), 0, None, 4)])


@pytest.mark.parametrize("name", available_agents())
def test_agents__say_whether_their_moves_depend_on_the_seed(name: str) -> None:
    agent = make_agent(QUICK.get(name, name))
    assert is_stochastic(agent) == (name not in DETERMINISTIC) == moves_vary(agent)


def test_agents__of_files_and_models_say_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(plugins(AGENT_FILES)) == {"sb3", "llm"}
    small(SelfPlayVecEnv(2), n_steps=2).save(tmp_path / "model.zip")
    network = make_agent(f"sb3:{tmp_path / 'model.zip'}")
    assert not is_stochastic(network)
    assert not moves_vary(network)
    set_key_alone(monkeypatch)
    with loopback(lambda messages, number: "I would rather not.") as server:
        monkeypatch.setenv("BIG2_LLM_URL", server.url)
        monkeypatch.setenv("BIG2_LLM_ILLEGAL", "random")
        model = make_agent(NAME)
        assert is_stochastic(model)
        assert moves_vary(model)


def test_agents__that_say_nothing_may_draw() -> None:
    class Silent:
        def reset(self, seed: int) -> None: ...

        def act(self, view: Any, legal: Any) -> Any:
            return next(iter(legal))

    assert is_stochastic(Silent())


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_agents__say_it_through_processes_and_time_limits(name: str) -> None:
    agent = IsolatedAgent(name)
    assert is_stochastic(agent) == is_stochastic(make_agent(name))
    agent.close()
    assert is_stochastic(limited([make_agent(name)], 60.0)[0]) == is_stochastic(make_agent(name))


@pytest.mark.parametrize("deterministic", [True, False])
def test_policy_opponents__say_whether_they_sample(deterministic: bool) -> None:
    opponent, engine = PolicyOpponent(small(SelfPlayVecEnv(2), n_steps=2), deterministic=deterministic), BatchEngine(BIG2, 32)
    engine.reset(seed=5)

    def ask(row: int, seed: int) -> int:
        return int(opponent(engine.observation[row, None], engine.mask[row, None], RowRandom(np.array([seed], np.uint64)))[0])

    assert is_stochastic(opponent) == (not deterministic) == vary(ask, list(range(32)))


@pytest.mark.long
@pytest.mark.parametrize("name", [*BUILT_IN, *plugins(UNO_PLAYERS)])
def test_uno_players__say_whether_their_moves_depend_on_the_generator(name: str) -> None:
    player, rng, game = (
        uno_player("search:8" if name == "search" else name),
        np.random.default_rng(3),
        UnoGame.deal(UnoRules(), 3),
    )
    views = []
    while not game.is_over and len(views) < 40:
        if len(game.view().moves) > 1:
            views.append(game.view())
        game.play(int(rng.choice(game.view().moves)))
    varies = vary(lambda view, seed: player(view, np.random.default_rng(seed)), views)
    assert is_stochastic(player) == (name not in ("automatic", "learned")) == varies
