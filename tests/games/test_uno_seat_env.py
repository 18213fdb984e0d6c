"""One seat of UNO as a Gymnasium environment."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.games.uno.cards import NUM_MOVES
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.games.uno.view import UnoView


def episode(env: Any, seed: int | None, pick: int = 0) -> tuple[list[bytes], float, dict[str, Any]]:
    """What a learner sees who makes the first legal act (-1: the last), its reward, and the last info."""
    observation, info = env.reset(seed=seed)
    seen, reward, over = [observation.tobytes()], 0.0, False
    while not over:
        assert reward == 0
        observation, reward, over, _, info = env.step(np.flatnonzero(info["action_mask"])[pick])
        seen.append(observation.tobytes())
    return seen, reward, info


def test_make__gives_an_environment_that_gymnasium_accepts() -> None:
    made = gymnasium.make("big2/Uno-v0", players=2)
    assert isinstance(made.unwrapped, UnoSeatEnv)
    check_env(made.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("opponents", ["random", "automatic"])
@pytest.mark.parametrize("players", [2, 5])
def test_episode__pays_the_learner_what_its_seat_gets(players: int, opponents: str) -> None:
    env = UnoSeatEnv(opponents, players=players)
    lost = won = 0
    for seed in range(40):
        _, reward, info = episode(env, seed)
        assert reward == info["payoffs"][env.seat] != 0
        assert info["payoffs"].shape == (players,)
        assert info["payoffs"].sum() == pytest.approx(0)
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        won, lost = won + (reward > 0), lost + (reward < 0)
    assert won > 0 < lost


def test_render__says_the_moves_of_the_present_game(capsys: pytest.CaptureFixture[str]) -> None:
    told, printed = (UnoSeatEnv("automatic", render_mode=mode) for mode in ("ansi", "human"))
    for seed in range(3):
        ended = False
        for env in (told, printed):
            env.reset(seed=seed)
        while not ended:
            move = int(np.flatnonzero(told.action_masks())[-1])
            ended = told.step(move)[2]
            printed.step(move)
        lines = str(told.render()).splitlines()
        assert lines[0].endswith(" is turned up")
        assert lines[-1].startswith("out: ") or "points left" in lines[-1]
        assert len(lines) == len(told.game.history) + 2
        assert [line.split(":")[0] for line in lines[1:-1]] == [f"player_{move.seat}" for move in told.game.history]
        assert capsys.readouterr().out.splitlines()[-len(lines) :] == lines
        assert printed.render() is None
    with pytest.raises(ConfigError, match="expected render_mode 'human', 'ansi', 'svg', 'rgb_array' or None, got 'text'"):
        UnoSeatEnv(render_mode="text")


def test_seat__is_drawn_or_the_one_given() -> None:
    env = UnoSeatEnv(players=3)
    env.reset(seed=1)
    assert {env.reset()[1]["seat"] for _ in range(40)} == {0, 1, 2}
    fixed = UnoSeatEnv(players=3, seat=2)
    assert {fixed.reset(seed=seed)[1]["seat"] for seed in range(9)} == {2}
    assert fixed.game.turn == 2
    assert (env.observation_space, env.action_space) == (fixed.observation_space, fixed.action_space)


def test_episode__is_the_same_for_the_same_seed_and_of_a_copy() -> None:
    one, other = UnoSeatEnv(players=3), UnoSeatEnv(players=3)
    expected = episode(one, 4)[:2]
    assert episode(other, 4)[:2] == expected
    assert episode(one, 5)[:2] != expected
    one.reset(seed=4)
    twin = copy.copy(one)
    after = episode(one, None)[:2]
    assert episode(twin, None)[:2] == after


def test_opponents__see_their_own_view_and_must_make_legal_moves() -> None:
    seen: list[UnoView] = []

    def first(view: UnoView, rng: np.random.Generator) -> int:
        seen.append(view)
        return view.moves[0]

    env = UnoSeatEnv([first, "automatic"], players=3, seat=0)
    episode(env, 1)
    assert {view.seat for view in seen} == {1}
    cheat = UnoSeatEnv(lambda view, rng: -1, players=2, seat=0)
    with pytest.raises(ConfigError, match=r"on seat 1: expected one of the moves \[.*\], got -1$"):
        [episode(cheat, seed) for seed in range(3)]
    with pytest.raises(ResetNeeded):
        cheat.step(0)


def test_illegal_move__ends_the_episode_or_raises() -> None:
    env, strict = UnoSeatEnv(players=2, illegal_reward=-3), UnoSeatEnv(players=2, on_illegal="raise")
    illegal = int(np.flatnonzero(env.reset(seed=1)[1]["action_mask"] == 0)[0])
    _, reward, over, _, info = env.step(illegal)
    assert (reward, over, info["action_mask"].sum()) == (-3, True, 0)
    assert info["illegal"]
    with pytest.raises(ResetNeeded):
        env.step(illegal)
    strict.reset(seed=1)
    before = strict.game.view()
    with pytest.raises(IllegalPlayError):
        strict.step(illegal)
    assert strict.game.view() == before
    for nonsense in (-1, NUM_MOVES, 0.5, None):
        with pytest.raises(ConfigError):
            strict.step(nonsense)


@pytest.mark.parametrize(
    "wrong",
    [
        {"opponents": "nobody"}, {"opponents": ["random"] * 3, "players": 2}, {"opponents": 5}, {"seat": 9}, {"seat": "first"},
        {"scoring": "x"}, {"on_illegal": "x"}, {"players": 99}, {"rules": 3},
    ],
)  # fmt: skip
def test_arguments__that_cannot_be_served__are_refused_in_one_line(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        UnoSeatEnv(**wrong)
    assert "\n" not in str(caught.value)


def test_calls_before_a_reset__say_so() -> None:
    env = UnoSeatEnv()
    for call in (lambda: env.step(0), env.action_masks, lambda: env.game):
        with pytest.raises(ResetNeeded):
            call()
