"""Every ruleset runs under every shell: each has really played a little."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any
from unittest.mock import patch

import gymnasium
import numpy as np
import pytest
from row_moves import random_moves
from sb3_small import QUIET, small

from big2_agents.evaluation.arena.results import Config
from big2_agents.evaluation.arena.schedule import units
from big2_agents.evaluation.arena.units import Table
from big2_env import Game, available_rulesets, ruleset
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.envs.aec import raw_env
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.turn_engine import CompiledEngine
from big2_env.registration import env_id
from big2_env.testing.differential import compare, compare_positions
from big2_env.testing.masks import check_masks

pytestmark = QUIET
RULESETS = list(available_rulesets())


def aec(name: str) -> None:
    """A game turn by turn, all seats, with the masks of every agent checked."""
    env: Any = raw_env(name, engine="compiled")
    assert isinstance(env._engine, CompiledEngine)
    assert check_masks(env, games=1) >= 10
    env.reset(seed=5)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        paid[agent] += reward
        env.step(None if terminated else int(observation["action_mask"].nonzero()[0][-1]))
    assert any(paid.values())
    assert abs(sum(paid.values())) < 1e-5


def seat(name: str) -> None:
    """A game of one learner against agents."""
    env = SeatEnv(ruleset=name, engine="compiled", opponents="lowest")
    assert isinstance(env._engine, CompiledEngine)
    _, info = env.reset(seed=5)
    rng, ended, reward = np.random.default_rng(5), False, 0.0
    while not ended:
        _, reward, ended, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
    assert reward == info["payoffs"][info["seat"]]


def vector(name: str, **options: Any) -> None:
    """Games in a batch until one has ended."""
    envs: Any = gymnasium.make_vec(env_id(name), num_envs=8, **options).unwrapped
    _, infos = envs.reset(seed=5)
    shown = infos["seat"].copy()
    for _ in range(1000):
        assert infos["action_mask"].any(axis=1).all()
        _, rewards, ended, _, infos = envs.step(envs.random_actions())
        assert not infos["illegal"].any()
        rows = np.flatnonzero(ended)
        if len(rows):
            assert np.allclose(infos["payoffs"][rows].sum(axis=1), 0, atol=1e-5)
            if envs.mode == "seat":
                assert (infos["actor"][rows] == shown[rows]).all()
            assert (rewards[rows] == infos["payoffs"][rows, infos["actor"][rows]]).all()
            return
    raise AssertionError("no game has ended")


def sb3_seat(name: str) -> None:
    """Stable-Baselines3's rows of one learner each, until a game has ended."""
    venv = SeatVecEnv(4, ruleset=name)
    venv.seed(5)
    venv.reset()
    rng = np.random.default_rng(5)
    for _ in range(1000):
        *_, infos = venv.step(random_moves(venv, rng))
        if any(infos):
            assert all("is_success" in info for info in infos if info)
            return
    raise AssertionError("no game has ended")


def sb3_self_play(name: str) -> None:
    """A small rollout collected and learned from in self-play."""
    model = small(SelfPlayVecEnv(2, ruleset=name), n_steps=16, batch_size=16, n_epochs=1, policy_kwargs={"net_arch": [8]})
    model.learn(32)
    assert model.num_timesteps == 32
    assert model._n_updates == 1


def search(name: str) -> None:
    """A game with a searching player at the table."""
    rules = ruleset(name)
    agents = [make_agent("search:8"), *(make_agent("greedy") for _ in range(rules.default_players - 1))]
    game = Game.deal(rules, 5)
    reset_seats(agents, game)
    assert play_out(game, agents).payoffs
    assert any(move.seat == 0 for move in game.history)


def arena(name: str) -> None:
    """A deal among rule players by kernels alone, with the results that the agents themselves bring."""
    agents = tuple(islice(cycle(("heuristic", "greedy", "random", "lowest")), ruleset(name).default_players))
    config = Config(agents, name, "own", 5, "table")
    [unit] = units(1, config.contests())
    with patch.object(Table, "_by_agents", side_effect=AssertionError("not by kernels")):
        compiled, interpreted = (Table(config, patience=patience).play(unit) for patience in (0, math.inf))
    with patch.object(Table, "_by_rules", return_value=None):
        assert compiled == interpreted == Table(config).play(unit)


def differential(name: str) -> None:
    """Both engines, play for play: some games, and some random positions."""
    rules = ruleset(name)
    players = {rules.min_players, rules.default_players, rules.max_players}
    for number in sorted(players):
        compare(rules, 6 // len(players), every=64, num_players=number)
    assert compare_positions(rules, 3, every=64).positions == 3


SHELLS: dict[str, Callable[[str], None]] = {
    "AEC": aec,
    "seat": seat,
    "make_vec": vector,
    "make_vec self-play": lambda name: vector(name, mode="self_play"),
    "SeatVecEnv": sb3_seat,
    "SB3 self-play": sb3_self_play,
    "search": search,
    "arena": arena,
    "differential": differential,
}


SAMPLE = {name: [list(SHELLS)[(2 * place + step) % len(SHELLS)] for step in range(3)] for place, name in enumerate(RULESETS)}
"""Shells of `.ci/run`: three of each ruleset, every shell with several rulesets. `.ci/run full` runs all of them."""


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("extent", ["sample", pytest.param("all", marks=pytest.mark.release)])
def test_every_ruleset__runs_under_every_shell(name: str, extent: str) -> None:
    """One test for each ruleset: its shells share what they compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for shell in SAMPLE[name] if extent == "sample" else SHELLS:
            SHELLS[shell](name)


def test_sample__has_every_shell_with_several_rulesets() -> None:
    shells = [shell for found in SAMPLE.values() for shell in found]
    assert min(map(shells.count, SHELLS)) >= 4


def test_rulesets__are_all_there() -> None:
    assert len(RULESETS) >= 12
