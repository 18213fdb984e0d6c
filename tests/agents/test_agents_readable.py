"""Agents, environments and arenas on rulesets that the kernels do not serve: one warning, and a game."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from house_rules import TWO_DECKS

from big2_env import Game
from big2_env.agents.interface import make_agent, play_turn, reset_seats
from big2_env.base.errors import warn_once
from big2_env.envs.aec import raw_env
from big2_env.kernels.compile import only_readable

RULES = replace(TWO_DECKS, name="two_decks_here")


@pytest.fixture(autouse=True)
def fresh() -> None:
    warn_once.cache_clear()
    only_readable.cache_clear()


def test_agents__play_greedily_where_kernels_do_not_serve_the_rules() -> None:
    game = Game.deal(RULES, seed=3)
    seats = [make_agent(("heuristic", "search:4", "greedy")[seat % 3]) for seat in range(game.num_players)]
    reset_seats(seats, game)
    with pytest.warns(UserWarning, match="two_decks_here .* it has two decks .*; greedy plays instead") as warned:
        make_agent("heuristic").act(game.view(), game.legal_plays())
    assert len(warned) == 1
    for _ in range(12):  # without another warning
        view, legal = game.view(), game.legal_plays()
        greedy = make_agent("greedy").act(view, legal)
        assert [agent.act(view, legal) for agent in map(make_agent, ("heuristic", "search:4"))] == [greedy, greedy]
        assert make_agent("heuristic").advise(view, legal)[0].play == greedy
        play_turn(game, seats)


def test_compiled_engine__of_an_environment_is_the_readable_one_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="the readable rules serve it, a hundred times slower"):
        env = raw_env(RULES, engine="compiled")
    env.reset(seed=1)
    env.step(env.legal_ids()[0])


@pytest.mark.parametrize("mode", ["seat", "self_play"])
def test_make_vec__of_such_rules_plays_games_to_their_end(mode: str) -> None:
    more = {"opponents": "greedy"} if mode == "seat" else {}
    with pytest.warns(UserWarning, match="the readable rules serve it"):
        envs = gymnasium.make_vec("big2/Big2-v0", num_envs=2, ruleset=RULES, mode=mode, masks="ids", threads=2, **more)
    envs.reset(seed=2)
    ended = np.zeros(2, np.int64)
    for _ in range(150):
        _, rewards, over, _, infos = envs.step(envs.unwrapped.random_actions())
        ended += over
        assert (rewards[~over] == 0).all()
        if over.any():
            assert infos["payoffs"][over].sum(axis=1) == pytest.approx(0, abs=1e-5)
    assert ended.min() >= 1
