"""Klondike compiled: rows of a batch are the games of the environment, observation for observation and mask for mask."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from big2_env import ConfigError, IllegalPlayError
from big2_env.base.rng import SplitMix64
from big2_env.games.klondike.cards import FOUNDATION, NUM_MOVES, card_move, shuffled
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.klondike.kernels.engine import KlondikeBatchEngine
from big2_env.games.klondike.vector import KlondikeBatchEnv

INFOS = ("score", "is_won", "stuck")


def begun(env: KlondikeEnv, stream: SplitMix64) -> tuple[Any, dict[str, Any]]:
    return env.reset(options={"deck": shuffled(stream.next())})


def chosen(mask: Any, rng: np.random.Generator) -> int:
    """A legal act by chance, of which those that win games are more likely, and 1 in 200 that is not legal."""
    if rng.random() < 0.003:
        return int(rng.choice([-1, NUM_MOVES, *np.flatnonzero(mask == 0)]))
    legal = np.flatnonzero(mask)
    up = [move for move in legal if (moved := card_move(int(move))) is not None and moved.target == FOUNDATION]
    return int(rng.choice(up or (legal[1:] if len(legal) > 1 and rng.random() < 0.4 else legal)))


@pytest.mark.parametrize(("reward", "max_moves", "dtype"), [("score", 1000, "int8"), ("win", 90, "float32")])
def test_rows__are_the_games_of_the_environment(reward: str, max_moves: int, dtype: str) -> None:
    rows, rng, ends = 4, np.random.default_rng(3), dict.fromkeys(("won", "stuck", "truncated", "illegal"), 0)
    envs = KlondikeBatchEnv(rows, reward=reward, max_moves=max_moves, dtype=dtype, illegal_reward=-7)
    engine: Any = envs.engine
    single = [KlondikeEnv(reward=reward, max_moves=max_moves, illegal_reward=-7) for _ in range(rows)]
    observations, infos = envs.reset(seed=5)
    streams = [SplitMix64(SplitMix64(5 + row).next()) for row in range(rows)]
    seen = [begun(env, stream) for env, stream in zip(single, streams, strict=True)]
    for _ in range(1000):
        np.testing.assert_array_equal(observations, [observation for observation, _ in seen])
        np.testing.assert_array_equal(infos["action_mask"], [info["action_mask"] for _, info in seen])
        np.testing.assert_array_equal(envs.action_masks(), infos["action_mask"].astype(bool))
        counts, ids = envs.legal_ids()
        for row, env in enumerate(single):
            assert tuple(ids[row, : counts[row]]) == env.game.legal_moves()
            assert engine.position(row) == env.game.state
        moves = [chosen(info["action_mask"], rng) for _, info in seen]
        observations, rewards, terminated, truncated, infos = envs.step(np.array(moves))
        for row, env in enumerate(single):
            if not 0 <= moves[row] < NUM_MOVES:  # the environment raises at numbers of no act
                assert (rewards[row], terminated[row], infos["illegal"][row]) == (-7, True, True)
                seen[row] = begun(env, streams[row])
                ends["illegal"] += 1
                continue
            observation, paid, over, cut, info = env.step(moves[row])
            assert (rewards[row], terminated[row], truncated[row]) == (paid, over, cut)
            assert infos["illegal"][row] == ("illegal" in info)
            seen[row] = observation, info
            if over or cut:
                np.testing.assert_array_equal(infos["final_obs"][row], observation)
                final = [infos["final_info"][name][row] for name in INFOS]
                assert final == [info["score"], info["is_won"], info.get("stuck", False)]
                ends["won"] += info["is_won"]
                ends["stuck"] += "stuck" in info
                ends["truncated"] += cut
                ends["illegal"] += "illegal" in info
                seen[row] = begun(env, streams[row])
            else:
                assert infos["score"][row] == info["score"]
    assert ends["illegal"] > 3
    assert ends["truncated"] > 20 if max_moves == 90 else ends["won"] > 0


def test_ends__are_those_of_the_environment() -> None:
    engine, rows, steps = KlondikeBatchEngine(1000, reward="score"), 1000, 500
    engine.reset(1)
    moves, paid, first = np.zeros((steps, rows), np.int64), np.zeros((steps, rows)), np.full(rows, -1)
    for step in range(steps):
        moves[step] = engine.random_actions()
        engine.step(moves[step])
        paid[step] = engine.reward
        first[(first < 0) & (engine.status > 0)] = step
    ended = np.flatnonzero(first >= 0)
    stuck = [row for row in ended if engine.games.last_stuck[row]]
    won = [row for row in ended if engine.games.last_won[row]]
    assert min(len(stuck), len(won)) > 2
    env = KlondikeEnv(reward="score")
    for row in (*stuck[:4], *won[:8]):
        begun(env, SplitMix64(SplitMix64(1 + int(row)).next()))
        trail = moves[: first[row] + 1, row]
        found = [env.step(move) for move in trail]
        assert [step[1] for step in found] == paid[: len(trail), row].tolist()
        assert [step[2] for step in found] == [False] * (len(trail) - 1) + [True]
        assert found[-1][4]["is_won"] == (row in won)


def test_games__are_the_same_for_every_number_of_rows_and_threads() -> None:
    one, many = KlondikeBatchEngine(9, max_moves=60), KlondikeBatchEngine(9, max_moves=60, threads=3)
    alone = KlondikeBatchEngine(1, max_moves=60)
    for engine in (one, many):
        engine.reset(7)
    alone.reset(7 + 4)
    for _ in range(200):
        moves = one.random_actions().copy()
        np.testing.assert_array_equal(moves, many.random_actions())
        assert one.are_legal(moves).all()
        one.step(moves)
        many.step(moves)
        alone.step(moves[4:5])
    np.testing.assert_array_equal(one.observation, many.observation)
    np.testing.assert_array_equal(one.mask, many.mask)
    np.testing.assert_array_equal(one.observation[4], alone.observation[0])
    many.close()


def test_random_actions__are_all_the_legal_ones_and_no_others() -> None:
    envs = KlondikeBatchEnv(4)
    _, infos = envs.reset(seed=3)
    drawn = np.array([envs.random_actions() for _ in range(200)])
    for row in range(4):
        assert set(drawn[:, row]) == set(np.flatnonzero(infos["action_mask"][row]))


def test_make_vec__gives_many_games_that_follow_gymnasium() -> None:
    envs: Any = gymnasium.make_vec("big2/Klondike-v0", num_envs=3, max_moves=20, autoreset_mode="NextStep")
    assert type(envs.unwrapped) is KlondikeBatchEnv
    observations, infos = envs.reset(seed=2)
    assert envs.observation_space.contains(observations)
    assert set(infos) == {"action_mask", *INFOS}
    for _ in range(20):
        observations, _, terminated, truncated, infos = envs.step(np.zeros(3, np.int64))
    assert truncated.all()
    assert not terminated.any()
    assert not infos["action_mask"].any()
    observations, rewards, terminated, truncated, infos = envs.step(np.zeros(3, np.int64))  # deals
    assert not (terminated | truncated | infos["illegal"]).any()
    assert infos["action_mask"].any(1).all()
    assert (rewards == 0).all()
    assert not envs.unwrapped.layout.named(observations)["dealt"].any()


def test_disabled_autoreset__is_reset_by_mask() -> None:
    envs = KlondikeBatchEnv(2, max_moves=3, autoreset_mode=AutoresetMode.DISABLED, copy=False)
    envs.reset(seed=2)
    for _ in range(3):
        _, _, _, truncated, _ = envs.step(np.zeros(2, np.int64))
    assert truncated.all()
    with pytest.raises(ResetNeeded, match="the first in row 0"):
        envs.step(np.zeros(2, np.int64))
    _, infos = envs.reset(options={"reset_mask": np.array([False, True])})
    assert infos["action_mask"].any(1).tolist() == [False, True]


def test_step_into__says_done_for_games_that_are_broken_off() -> None:
    envs = KlondikeBatchEnv(2, max_moves=1)
    obs, infos = envs.reset(seed=2)
    done, reward = np.zeros(2, np.bool_), np.zeros(2, np.float32)
    envs.step_into(np.zeros(2, np.int64), obs, infos["action_mask"], reward, done)
    assert done.all()


def test_illegal_moves__are_refused_with_the_row_and_change_nothing() -> None:
    envs = KlondikeBatchEnv(2, on_illegal="raise")
    observations, _ = envs.reset(seed=7)
    before = observations.copy()
    with pytest.raises(IllegalPlayError, match=r"^row 1, action 1: expected deal, .*got AC>1$"):
        envs.step(np.array([0, 1]))
    with pytest.raises(ConfigError, match=r"^row 0, expected an action of 0 to 416, got 417$"):
        envs.step(np.array([417, 0]))
    np.testing.assert_array_equal(envs.engine.observation, before)


def test_render__shows_each_row() -> None:
    envs = KlondikeBatchEnv(2, render_mode="svg")
    envs.reset(seed=7)
    picture = envs.render()
    assert isinstance(picture, str)
    assert picture.startswith("<svg")


@pytest.mark.parametrize(
    "wrong",
    [{"reward": "x"}, {"max_moves": 0}, {"max_moves": 2**31}, {"max_moves": 1.5}, {"on_illegal": "x"}, {"render_mode": "x"}],
)
def test_arguments__that_cannot_be_served__are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        KlondikeBatchEnv(1, **wrong)
