"""How a game of a batch ends: payoffs, resets, acts that are not legal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from row_moves import chosen

from big2_env import BIG2, ConfigError, Game, IllegalPlayError
from big2_env.envs.vector import BatchEnv

# Ends: who gets what, and what comes then.


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_payoffs__are_paid_once_for_each_game(mode: str, skip_forced: bool) -> None:
    env = BatchEnv(64, mode=mode, skip_forced=skip_forced)
    env.reset(seed=2)
    paid, games, got = np.zeros(4), 0, []
    for step in range(400):
        _, reward, terminated, _, infos = env.step(chosen(env, step))
        assert (terminated == (infos["payoffs"] != 0).any(axis=1)).all()
        np.testing.assert_allclose(infos["payoffs"].sum(axis=1), 0, atol=1e-6)
        paid += infos["payoffs"].sum(axis=0)
        games += int(terminated.sum())
        got += reward[terminated].tolist()
        assert (reward[~terminated] == 0).all()
    assert games > 150
    assert len(got) == games
    assert set(np.round(got, 3)) == ({1.0} if mode == "self_play" else {1.0, -0.333})
    assert (paid < games).all()
    np.testing.assert_allclose(paid.sum(), 0, atol=1e-3)
    if env.engine.has_learner:
        assert games == env.engine.learners.deals.sum() - env.num_envs
        assert 0.1 < got.count(1.0) / games < 0.45  # about a quarter: losses are seen


def play_to_an_end(env: BatchEnv, start: int = 0) -> tuple[int, Any]:
    """Steps until games end; the number of the step and what it returned."""
    for step in range(start, start + 1000):
        result = env.step(chosen(env, step))
        if result[2].any():
            return step, result
    raise AssertionError("no game ended")


@pytest.mark.parametrize("mode", ["self_play", "seat"])
def test_autoreset__modes_show_the_same_games(mode: str) -> None:
    same, later, never = (
        BatchEnv(4, mode=mode, autoreset_mode=kind) for kind in ("SameStep", AutoresetMode.NEXT_STEP, "Disabled")
    )
    for env in (same, later, never):
        env.reset(seed=21)
    for start in (0, 1000):
        (step, s), (_, n), (_, d) = (play_to_an_end(env, start) for env in (same, later, never))
        ended = s[2]
        for other in (n, d):
            np.testing.assert_array_equal(other[2], ended)
            np.testing.assert_array_equal(other[1], s[1])
            np.testing.assert_array_equal(other[4]["payoffs"], s[4]["payoffs"])
            assert "final_obs" not in other[4]
            assert not other[4]["action_mask"][ended].any()
            for row in range(4):
                now = s[4]["final_obs"][row] if ended[row] else s[0][row]
                np.testing.assert_array_equal(other[0][row], now)
            np.testing.assert_array_equal(other[4]["seat"][ended], other[4]["actor"][ended])
        counts, _ = never.legal_ids()
        assert ((counts == 0) == ended).all()
        with pytest.raises(ResetNeeded, match=f"row {ended.argmax()}: reset them by reset_mask"):
            never.step(chosen(never, 0))
        mask = ended.copy()
        obs, infos = never.reset(options={"reset_mask": mask})
        np.testing.assert_array_equal(obs, s[0])
        np.testing.assert_array_equal(infos["action_mask"], s[4]["action_mask"])
        np.testing.assert_array_equal(infos["seat"], s[4]["seat"])
        # The step after: rows that are over are dealt, the others act; the action of the former does not matter.
        moves = chosen(later, step + 1)
        moves[ended] = -5
        obs, reward, terminated, _, infos = later.step(moves)
        assert not terminated[ended].any()
        assert not reward[ended].any()
        assert (infos["actor"][ended] == -1).all()
        assert not infos["illegal"].any()
        np.testing.assert_array_equal(obs[ended], s[0][ended])
        np.testing.assert_array_equal(infos["action_mask"][ended], s[4]["action_mask"][ended])
        for env in (same, later, never):
            env.reset(seed=22)


@pytest.mark.parametrize("mode", ["self_play", "seat"])
@pytest.mark.parametrize("action", [-1, 1379, 2**40, 1378, 0])
def test_illegal_move__ends_the_game_of_its_row_alone(mode: str, action: int) -> None:
    for reward_for in (-1.0, -5.0):
        env = BatchEnv(3, mode=mode, illegal_reward=reward_for, autoreset_mode="Disabled")
        _, infos = env.reset(seed=3)
        actor = infos["seat"][1]
        moves = np.array([chosen(env, 0)[0], action, chosen(env, 0)[2]])
        if action == 0 and infos["action_mask"][1, 0]:  # in seat mode somebody has led
            env.engine.set_position(1, Game.deal(BIG2, 7).position)
            actor = env.engine.games.turn[1]
            if mode == "seat":
                assert env.engine.has_learner
                env.engine._learners.seat[1] = actor
        _, reward, terminated, _, infos = env.step(moves)
        assert infos["illegal"].tolist() == terminated.tolist() == [False, True, False]
        assert reward[1] == infos["payoffs"][1, actor] == reward_for
        assert np.count_nonzero(infos["payoffs"]) == np.count_nonzero(reward) == 1
        assert infos["seat"][1] == actor
        assert not infos["action_mask"][1].any()


def test_illegal_move__raises_where_that_is_asked_for_and_changes_nothing() -> None:
    env = BatchEnv(3, on_illegal="raise", mode="self_play")
    env.reset(seed=3)
    before = env.engine.games.tobytes()
    moves = chosen(env, 0)
    moves[2] = 0
    with pytest.raises(IllegalPlayError, match=r"^row 2, action 0: pass: the leader must play$"):
        env.step(moves)
    moves[2] = 1379
    with pytest.raises(ConfigError, match=r"^row 2, expected an action of 0 to 1378, got 1379$"):
        env.step(moves)
    assert env.engine.games.tobytes() == before
    later = BatchEnv(2, on_illegal="raise", autoreset_mode="NextStep", mode="self_play")
    later.reset(seed=3)
    step, _ = play_to_an_end(later)
    later.step(chosen(later, step + 1))  # a row that is over takes any action
