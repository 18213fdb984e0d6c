"""What every environment refuses in the same way: how illegal acts end, and options of a reset."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from big2_env import ConfigError, IllegalPlayError
from big2_env.envs.aec import raw_env
from big2_env.envs.options import draw_seed
from big2_env.games.uno.aec import raw_env as uno_table

IDS = ("big2/Big2-v0", "big2/Uno-v0", "big2/Klondike-v0")


@pytest.mark.parametrize("given", ["x", None, float("nan"), float("inf"), 1j])
@pytest.mark.parametrize("name", IDS)
def test_illegal_reward__that_is_no_finite_number__is_refused(name: str, given: Any) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ConfigError, match=r"^expected a finite number as illegal_reward, got "):
            make(name, illegal_reward=given)


@pytest.mark.parametrize("name", IDS)
def test_reset_options__that_are_no_mapping__are_refused(name: str) -> None:
    for env in (gymnasium.make(name), gymnasium.make_vec(name, num_envs=2)):
        with pytest.raises(ConfigError, match=r"^expected a dict of reset options, got \[1\]$"):
            env.reset(options=[1])  # type: ignore[arg-type]


def test_reset_options__of_the_aec_environment__are_refused_too() -> None:
    with pytest.raises(ConfigError, match=r"^expected a dict of reset options, got \[1\]$"):
        raw_env("big2").reset(options=[1])  # type: ignore[arg-type]


def test_reset_options__of_the_uno_seat__are_warned_about() -> None:
    with pytest.warns(UserWarning, match=r"^reset options \['deck'\] are not known and do nothing$"):
        gymnasium.make("big2/Uno-v0").reset(options={"deck": ""})


def test_reset_options__that_are_not_known__are_warned_about_where_reset_is_called() -> None:
    seats = [gymnasium.make(name).unwrapped for name in IDS]
    rows = [gymnasium.make_vec(name, num_envs=2) for name in IDS]
    for env in (*seats, raw_env("big2"), *rows):
        with pytest.warns(UserWarning, match=r"^reset options \['nonsense'\] are not known and do nothing") as warned:
            env.reset(options={"nonsense": 1})
        assert [one.filename for one in warned] == [__file__]


def test_reset_options__a_deck_that_is_no_cards__is_refused() -> None:
    for env in (gymnasium.make("big2/Big2-v0"), gymnasium.make("big2/Klondike-v0"), raw_env("big2"), uno_table()):
        with pytest.raises(ConfigError, match=r"^expected one item for each place in reset option deck, got a int$"):
            env.reset(options={"deck": 3})


@pytest.mark.parametrize("name", IDS)
def test_illegal_action__is_named_with_the_reason(name: str) -> None:
    env: Any = gymnasium.make(name)
    illegal = int(np.flatnonzero(env.reset(seed=1)[1]["action_mask"] == 0)[-1])
    assert env.step(illegal)[-1]["illegal"].startswith(f"action {illegal}: ")
    strict: Any = gymnasium.make(name, on_illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalPlayError, match=f"^action {illegal}: "):
        strict.step(illegal)


def test_draw_seed__is_the_next_number_of_any_generator() -> None:
    for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox):
        one, other = np.random.Generator(kind(5)), np.random.Generator(kind(5))
        for _ in range(5):
            assert draw_seed(one) == int(other.integers(2**64, dtype=np.uint64))
            assert one.integers(9) == other.integers(9)
            assert one.integers(9, dtype=np.uint32) == other.integers(9, dtype=np.uint32)
