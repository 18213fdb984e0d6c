"""The learner's seat, in turn, drawn or fixed, means the same in every environment; encoders of one's own; settlements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium import spaces

from big2_env import BIG2, ConfigError
from big2_env.climbing.settlement import Settlement, Standing
from big2_env.climbing.view import View
from big2_env.envs.aec import raw_env
from big2_env.envs.sb3 import SeatVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.games.uno.seat_env import UnoSeatEnv


@pytest.mark.parametrize("env", [SeatEnv(seat="rotate"), UnoSeatEnv(players=4, seat="rotate")])
def test_rotate__goes_round_from_episode_to_episode(env: Any) -> None:
    seats = [env.reset(seed=1)[1]["seat"], *(env.reset()[1]["seat"] for _ in range(8))]
    assert seats == [(seats[0] + i) % 4 for i in range(9)]
    assert env.reset(seed=1)[1]["seat"] == seats[0]  # a seed begins the round anew


def test_rotate__beside_a_seat_for_one_episode() -> None:
    env = SeatEnv(seat=2)
    assert [env.reset(seed=1, options={"seat": seat})[1]["seat"] for seat in ("rotate", 3, None)] == [0, 3, 2]
    assert len({env.reset(options={"seat": "random"})[1]["seat"] for _ in range(40)}) == 4


def test_random__is_drawn_from_the_rows_stream() -> None:
    few, many = (BatchEnv(rows, seat="random") for rows in (3, 50))
    drawn = Counter[int]()
    for seed in (5, None, None, None):
        seats = [env.reset(seed=seed)[1]["seat"].tolist() for env in (few, many)]
        assert seats[0] == seats[1][:3]
        drawn.update(seats[1])
    assert min(drawn[seat] for seat in range(4)) > 30
    assert SeatVecEnv(2, seat="random").games.engine._fixed_seat == many.engine._fixed_seat
    rotated = BatchEnv(6)
    assert [rotated.reset(seed=seed)[1]["seat"].tolist() for seed in (1, None)] == [[0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 1, 2]]


class CountsAndTop:
    """An encoder of one's own: cards left by seat, and whether something lies on the table."""

    space = spaces.Box(0.0, 13.0, (5,), np.float32)

    def encode(self, view: View) -> np.ndarray[Any, Any]:
        return np.array([*view.cards_left, view.top is not None], np.float32)


def test_encoder__of_ones_own_makes_the_observations() -> None:
    env = SeatEnv(encoder=CountsAndTop(), seat=1)
    observation, _ = env.reset(seed=3)
    assert env.observation_space is CountsAndTop.space
    assert observation.tolist() == [*env.game.view(1).cards_left, env.game.top is not None]
    table = raw_env(encoder=CountsAndTop())
    table.reset(seed=3)
    seen = table.observe("player_2")
    assert table.observation_space("player_2").contains(seen)
    assert seen["observation"].tolist() == [13, 13, 13, 13, 0]


@pytest.mark.parametrize(
    "wrong", [3, CountsAndTop, spaces.Box(0, 1, (5,)), lambda view: view], ids=["number", "class", "space", "function"]
)
def test_encoder__that_is_none_is_refused_in_one_line(wrong: Any) -> None:
    for make in (SeatEnv, raw_env):
        with pytest.raises(
            ConfigError, match=r"^expected an encoder with a gymnasium space as `space` and encode\(view\), got .+"
        ):
            make(encoder=wrong)


@dataclass(frozen=True)
class FirstTakesTen(Settlement):
    """Ten to whoever finishes first, from the seat after it."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        winner, number = standing.finished[0], len(standing.hands)
        return tuple(10.0 * (seat == winner) - 10.0 * (seat == (winner + 1) % number) for seat in range(number))


def test_settlement__of_ones_own_works() -> None:
    env, done = SeatEnv("lowest", scoring=FirstTakesTen(), seat=0), False
    _, info = env.reset(seed=2)
    while not done:
        _, reward, done, _, info = env.step(info["action_mask"].nonzero()[0][-1])
    assert sorted(info["payoffs"]) == [-10, 0, 0, 10]
    assert reward == info["payoffs"][0]
    with pytest.warns(
        UserWarning, match=r"the settlement FirstTakesTen.*; the readable rules serve it, a hundred times slower$"
    ):
        envs = BatchEnv(1, ruleset=BIG2, scoring=FirstTakesTen(), opponents="lowest", seat=0)
    envs.reset(seed=2)
    ended = np.zeros(1, np.bool_)
    while not ended[0]:
        _, rewards, ended, _, infos = envs.step(envs.random_actions())
    assert sorted(infos["payoffs"][0].tolist()) == [-10, 0, 0, 10]
    assert rewards[0] == infos["payoffs"][0, 0]


class TooLong:
    """An encoder whose observations are longer than its space says."""

    space = spaces.Box(0, 13, (3,), np.int8)

    def encode(self, view: View) -> npt.NDArray[np.int8]:
        return np.array(view.cards_left, np.int8)


def test_encoder__returns_what_its_space_says() -> None:
    expected = r"^expected the encoder to return an element of its space, Box\(0, 13, \(3,\), int8\), got int8 \(4,\) \[13"
    with pytest.raises(ConfigError, match=expected):
        SeatEnv(encoder=TooLong()).reset(seed=1)
    env = raw_env(encoder=TooLong())
    env.reset(seed=1)
    with pytest.raises(ConfigError, match=expected):
        env.observe("player_0")
