"""RLlib's adapter, on RLlib's base class or on a class with the same name if RLlib is not installed."""

from __future__ import annotations

import copy
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env import ConfigError
from big2_env.climbing.view import View

BASE, ADAPTER = "ray.rllib.env.multi_agent_env", "big2_env.envs.rllib"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> Any:
    if find_spec("ray") is None:
        base: Any = ModuleType(BASE)
        base.MultiAgentEnv = type("MultiAgentEnv", (), {})
        for name in ("ray", "ray.rllib", "ray.rllib.env"):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setitem(sys.modules, BASE, base)
        monkeypatch.setitem(sys.modules, ADAPTER, base)  # so that the end of the test forgets it
        del sys.modules[ADAPTER]
    from big2_env.envs.rllib import RllibEnv

    return RllibEnv({"ruleset": "big2"})


def legal(seen: dict[str, Any]) -> dict[str, Any]:
    """The first legal action of the seat that is shown."""
    return {seat: np.flatnonzero(one["action_mask"])[0] for seat, one in seen.items()}


def test_game__pays_every_seat_at_its_end(env: Any) -> None:
    with pytest.raises(ResetNeeded):
        env.step({"player_0": 0})
    for seed in (3, None, 5):
        seen, _ = env.reset(seed=seed)
        ended, rewards = {"__all__": False}, {}
        while not ended["__all__"]:
            assert list(seen) == [env.games.agent_selection]
            assert not any(rewards.values())
            seen, rewards, ended, _, _ = env.step(legal(seen))
        assert set(seen) == set(rewards) == set(env.possible_agents)
        assert tuple(rewards.values()) == env.games.game.outcome.payoffs
        with pytest.raises(ResetNeeded):
            env.step({env.games.agent_selection: 0})


def test_illegal_action__ends_the_game_until_a_reset(env: Any) -> None:
    seen, _ = env.reset(seed=3)
    [seat] = seen
    before = len(env.games.game.history)
    wrong: Any
    for wrong in (1.5, "1", None):
        with pytest.raises(ConfigError):
            env.step({seat: wrong})
    illegal = int(np.flatnonzero(seen[seat]["action_mask"] == 0)[-1])
    seen, rewards, ended, _, _ = env.step({seat: illegal})
    assert (rewards[seat], sum(rewards.values()), ended["__all__"]) == (-1.0, -1.0, True)
    assert all(one["action_mask"].all() for one in seen.values())
    for action in (illegal, 1):
        with pytest.raises(ResetNeeded):
            env.step({seat: action})
    assert len(env.games.game.history) == before
    seen, _ = env.reset(seed=3)
    assert not env.step(legal(seen))[2]["__all__"]


def test_copy__stays_as_it_is_while_the_original_is_played(env: Any) -> None:
    seen, _ = env.reset(seed=3)
    other = copy.copy(env)
    expected = env.step(legal(seen))
    np.testing.assert_equal(other.step(legal(seen)), expected)


class Left:
    """Encoder of the number of cards of each seat, as an array or as numbers."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.space = space

    def encode(self, view: View) -> Any:
        return view.cards_left if isinstance(self.space, spaces.Tuple) else np.array(view.cards_left, np.int8)


@pytest.mark.parametrize("space", [spaces.Box(0, 13, (4,), np.int8), spaces.Tuple([spaces.Discrete(14)] * 4)], ids=str)
def test_observation__of_an_encoder_is_in_its_space(env: Any, space: spaces.Space[Any]) -> None:
    other = type(env)({"encoder": Left(space)})
    seen, _ = other.reset(seed=3)
    while len(seen) == 1:
        assert all(other.observation_spaces[seat].contains(one) for seat, one in seen.items())
        seen, *_ = other.step(legal(seen))
    assert {str(one["observations"].dtype) for one in seen.values() if space.shape} <= {"float32"}


def test_render__returns_what_the_table_shows(env: Any) -> None:
    other = type(env)({"render_mode": "ansi"})
    other.reset(seed=3)
    assert other.render() == other.games.render() != ""
    assert other.render_mode in other.metadata["render_modes"]
