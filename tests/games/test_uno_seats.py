"""UNO by `make_vec`: one learner's seat a row, the same games as the reference engine's with the same opponents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from big2_env import ConfigError
from big2_env.base.rng import SplitMix64
from big2_env.base.salts import Salts
from big2_env.base.side_game import seeded_move
from big2_env.games.uno import PRESETS, UnoGame, automatic_move, uno_rules
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.players import uno_player
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.games.uno.vector import UnoBatchEnv


class Row:
    """A row of the batch, by the reference engine."""

    def __init__(self, rules: Any, number: int, seed: int, seat: int | str, opponents: list[str]) -> None:
        self.rules, self.number, self.given, self.opponents = rules, number, seat, opponents
        self.stream, self.salts, self.deals = SplitMix64(SplitMix64(seed + number).next()), Salts(), 0
        self.salts.begin(seed + number)
        self.deal()

    def deal(self) -> None:
        while True:
            seed, self.salt = self.stream.next(), self.salts.next()
            self.game, draws = UnoGame.deal(self.rules, seed), SplitMix64(~seed)
            draws.next()
            players = self.rules.players
            self.seat: Any = (self.number + self.deals) % players if self.given == "rotate" else self.given
            if self.given == "random":
                self.seat = draws.below(players)
            self.deals += 1
            self.advance()
            if not self.game.is_over:
                return

    def advance(self) -> None:
        game = self.game
        while not game.is_over and game.turn != self.seat:
            if self.opponents[(game.turn - self.seat) % self.rules.players - 1] == "automatic":
                game.play(automatic_move(game.view()))
            else:
                game.play(seeded_move(uno_player("random"), game.view(), salt=self.salt))


@pytest.mark.parametrize(
    ("preset", "players", "opponents", "seat"),
    [
        ("table", 3, ["random", "automatic"], "rotate"),
        ("rlcard", 2, ["random"], "random"),
        ("article", 5, ["automatic"] * 4, 2),
    ],
)
def test_rows__are_the_reference_engines_games(preset: str, players: int, opponents: list[str], seat: int | str) -> None:
    rules, rng = uno_rules(preset, players=players), np.random.default_rng(2)
    layout = UnoLayout(rules)
    envs = UnoBatchEnv(3, rules=rules, opponents=opponents, seat=seat, scoring="points")
    observations, infos = envs.reset(seed=5)
    rows = [Row(rules, number, 5, seat, opponents) for number in range(3)]
    lost = won = 0
    for _ in range(150):
        for number, row in enumerate(rows):
            view = row.game.view(row.seat)
            assert infos["seat"][number] == row.seat == row.game.turn
            np.testing.assert_array_equal(observations[number], layout.encode(view))
            assert tuple(np.flatnonzero(infos["action_mask"][number])) == view.moves
        moves = np.array([rng.choice([move for move in row.game.legal_moves() if move < 60] or [60]) for row in rows])
        observations, rewards, terminated, _, infos = envs.step(moves)
        for number, row in enumerate(rows):
            row.game.play(int(moves[number]))
            row.advance()
            assert terminated[number] == row.game.is_over
            if row.game.outcome is None:
                assert rewards[number] == 0
                continue
            paid = row.game.outcome.payoffs("points")
            np.testing.assert_allclose(infos["payoffs"][number], paid)
            assert rewards[number] == infos["payoffs"][number, row.seat]
            np.testing.assert_array_equal(infos["final_obs"][number], layout.encode(row.game.view(row.seat)))
            won, lost = won + (rewards[number] > 0), lost + (rewards[number] < 0)
            row.deal()
    assert lost > 2 < won


def test_make_vec__is_the_learning_problem_of_make() -> None:
    envs: Any = gymnasium.make_vec("big2/Uno-v0", num_envs=256, players=2, opponents="automatic")
    assert envs.unwrapped.mode == "seat"
    single = UnoSeatEnv("automatic", players=2)
    assert (envs.single_observation_space, envs.single_action_space) == (single.observation_space, single.action_space)
    envs.reset(seed=1)
    paid: list[float] = []
    while len(paid) < 2000:
        _, rewards, terminated, _, _ = envs.step(envs.unwrapped.random_actions())
        paid += rewards[terminated].tolist()
    alone, rng = [], np.random.default_rng(3)
    for seed in range(250):
        _, info = single.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            _, reward, over, _, info = single.step(rng.choice(np.flatnonzero(info["action_mask"])))
        alone.append(reward)
    assert abs(np.mean(paid) - np.mean(alone)) < 4 * (np.var(paid) / len(paid) + np.var(alone) / len(alone)) ** 0.5
    assert np.mean(paid) < -0.1  # a row is paid for its losses as well


def test_games__are_the_same_for_every_number_of_rows_and_threads() -> None:
    one, many = UnoBatchEnv(8, players=4, seat="random"), UnoBatchEnv(8, players=4, seat="random", threads=3)
    alone = UnoBatchEnv(1, players=4, seat="random")
    found = one.reset(seed=2)[0], many.reset(seed=2)[0]
    last = alone.reset(seed=2 + 5)[0]
    for _ in range(100):
        moves = one.random_actions()
        found = one.step(moves)[0], many.step(moves)[0]
        last = alone.step(moves[5:6])[0]
    np.testing.assert_array_equal(*found)
    np.testing.assert_array_equal(found[0][5], last[0])
    many.close()
    np.testing.assert_array_equal(one.reset(seed=2)[0], UnoBatchEnv(8, players=4, seat="random").reset(seed=2)[0])
    np.testing.assert_array_equal(UnoBatchEnv(8, players=4).reset(seed=2)[1]["seat"], np.arange(8) % 4)


def test_next_step__shows_the_end_and_then_deals() -> None:
    envs = UnoBatchEnv(4, players=2, autoreset_mode="NextStep")
    envs.reset(seed=3)
    _, rewards, terminated, _, infos = envs.step(np.full(4, 61))  # keep, which nobody may
    assert terminated.all()
    assert infos["illegal"].all()
    assert (rewards == -1).all()
    assert not infos["action_mask"].any()
    _, rewards, terminated, _, infos = envs.step(np.zeros(4, np.int64))
    assert not terminated.any()
    assert not rewards.any()
    assert infos["action_mask"].any(1).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"opponents": "nobody"}, {"opponents": ["random"] * 3, "players": 2}, {"opponents": lambda view, rng: 0}, {"seat": 9},
        {"seat": True}, {"seat": "first"}, {"mode": "x"}, {"mode": "self_play", "opponents": "automatic"},
    ],
)  # fmt: skip
def test_arguments__that_cannot_be_served__are_refused_in_one_line(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"^(expected|opponents, seat and agent_seed need)[^\n]*$"):
        UnoBatchEnv(2, **wrong)


@pytest.mark.parametrize(
    "opponent", ["learned", "rule-v1", lambda view, rng: view.moves[0]], ids=["learned", "rule-v1", "function"]
)
def test_players_that_are_not_compiled__play_in_rows_that_are_stepped_one_by_one(opponent: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"\(other players and functions play in .* make_vec with vectorization_mode='sync'\)"
    ):
        gymnasium.make_vec("big2/Uno-v0", num_envs=2, opponents=opponent)
    envs = gymnasium.make_vec("big2/Uno-v0", num_envs=2, vectorization_mode="sync", players=2, opponents=opponent)
    assert envs.reset(seed=1)[0].shape == (2, 406)


@pytest.mark.long
def test_presets__all_compile_for_a_learner() -> None:
    for preset in PRESETS:
        envs = UnoBatchEnv(2, rules=preset)
        envs.reset(seed=1)
        assert not envs.step(envs.random_actions())[4]["illegal"].any()
