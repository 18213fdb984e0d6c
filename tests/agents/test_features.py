"""Features of the learned players in every game: of a view those of the game itself, and the same acts beside the agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_weights import random_weights

from big2_agents.kernels.codes import GREEDY, HEURISTIC, LOWEST, NET, RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.learned.policy import LearnedPolicy
from big2_env import BIG2, Game, RuleSet
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.base.salts import Salts
from big2_env.climbing.rulesets import available_rulesets

CODES = {"random": RANDOM, "lowest": LOWEST, "greedy": GREEDY, "heuristic": HEURISTIC}
OTHERS = [
    pytest.param(rules, id=name, marks=() if name == "hong_kong" else pytest.mark.long)
    for name, rules in available_rulesets().items()
]


class Beside:
    """Seats a player that counts its real choices and compares each with where the compiled games stand."""

    def __init__(self, player: LearnedPolicy, games: PlayedGames, row: int) -> None:
        self.player, self.games, self.row, self.choices = player, games, np.array([row]), 0

    def reset(self, seed: int) -> None:
        self.player.reset(seed)

    def act(self, view: Any, legal: Any) -> Any:
        play, sure = self.player.decide(view, legal)
        count = int(self.player._board["candidates"]["count"][0])
        if count == 1 or sure:
            return play
        self.choices += 1
        found = self.games.features(self.row, hidden=True)
        np.testing.assert_array_equal(self.player.scorer.states, found.states)
        np.testing.assert_array_equal(self.player.scorer.plays[:count], found.plays)
        assert found.states.any()
        assert found.hidden.any()
        self.games.choose(self.row, self.player.scorer.scores[:count].argmax()[None])
        self.games.advance()
        return play


@pytest.mark.parametrize("rules", OTHERS)
def test_features__of_a_view_are_those_of_the_game(rules: RuleSet, tmp_path: Path) -> None:
    player, number = LearnedPolicy(random_weights(rules, tmp_path / "net.npz")), 10
    games, rng, choices = PlayedGames(rules, number), np.random.default_rng(2), 0
    names = rng.choice(list(CODES), (number, games.seats))
    controllers = np.vectorize(CODES.get)(names).astype(np.int32)
    own = np.arange(number) % games.seats
    controllers[np.arange(number), own] = NET
    games.deal(np.arange(number), controllers)
    games.advance()
    for i in range(number):
        agents: list[Any] = [make_agent(str(name)) for name in names[i]]
        agents[own[i]] = beside = Beside(player, games, i)
        game = Game.deal(rules, i)
        reset_seats(agents, game, salt=Salts().first(i))
        outcome = play_out(game, agents)
        np.testing.assert_array_equal(games.payoffs()[i], outcome.payoffs)
        choices += beside.choices
    assert choices > 3 * number


def test_won__is_what_the_arena_counts(tmp_path: Path) -> None:
    games = PlayedGames(BIG2, 40)
    games.deal(np.arange(40), np.full((40, 4), GREEDY, np.int32))
    games.advance()
    assert (games.won().sum(axis=1) == 1).all()
    assert (games.payoffs()[games.won()] == 1).all()
