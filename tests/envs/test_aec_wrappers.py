"""`env` answers every call as PettingZoo's own chain of wrappers does, in any order of calls."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from random import Random
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from big2_env.envs import aec
from big2_env.games.uno import aec as uno

CALLS = 500
TOO_EARLY = 20
"""Number of calls before the first reset."""
NOT_INTEGERS = [0.5, "x", True, np.array(3), np.array([3]), np.uint64(3), np.int8(3), np.float64(2), 2**70, -1, -(2**70)]
ATTRIBUTES = "agents agent_selection rewards terminations truncations infos num_agents possible_agents metadata max_num_agents"
OTHERS = "unknown _private _seats render_mode state_space masks rules _cumulative_rewards"
GAMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "big2": (aec, {"engine": "reference"}),
    "big2, compiled": (aec, {"engine": "compiled"}),
    "big2, log": (aec, {"engine": "reference", "render_mode": "ansi"}),
    "dou_dizhu": (aec, {"ruleset": "dou_dizhu", "engine": "reference", "skip_forced": True}),
    "pusoy_dos": (aec, {"ruleset": "pusoy_dos", "num_players": 3, "engine": "reference", "dtype": "float32"}),
    "uno": (uno, {"players": 3, "render_mode": "ansi"}),
}


class LoggingWrapper(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper. The environment keeps illegal actions in its log."""

    def step(self, action: Any) -> None:
        self.unwrapped.keep_illegal(action)
        super().step(action)


def chain(raw: AECEnv) -> AECEnv:
    inner = LoggingWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(inner))


def answer(call: Callable[[AECEnv], Any], env: AECEnv) -> Any:
    """Return the answer to a call or its error, with PettingZoo's warnings, in a form that compares."""
    EnvLogger.flush()
    try:
        found = plain(call(env))
    except Exception as error:
        found = type(error), str(error)
    return found, EnvLogger.mqueue[:]


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def mask_of(env: AECEnv) -> np.ndarray:
    return env.unwrapped.observe(env.unwrapped.agent_selection)["action_mask"]


def an_action(env: AECEnv, rng: Random) -> Any:
    """Draw an action: mostly a legal one, of some type."""
    raw, kind = env.unwrapped, rng.random()
    if not getattr(raw, "agents", None):
        return rng.choice([None, 0])
    if raw.terminations[raw.agent_selection]:
        return None if kind < 0.8 else 3
    mask = mask_of(env)
    if kind < 0.9:
        return rng.choice([int, np.int64, np.int32, np.int16])(rng.choice(np.flatnonzero(mask).tolist()))
    if kind < 0.93:
        return int(rng.choice(np.flatnonzero(mask == 0).tolist()))
    return rng.choice([*NOT_INTEGERS, None, len(mask), np.int64(-1)])


def a_call(env: AECEnv, rng: Random) -> Callable[[AECEnv], Any]:
    """Draw a call, the same for both environments."""
    kind, seed, agent = rng.random(), rng.randrange(100), rng.choice([*env.possible_agents, "nobody"])
    action = an_action(env, rng)

    def seen_and_moved(env: AECEnv) -> Any:
        found = plain(env.last())
        env.step(action)
        return found

    def in_a_loop(env: AECEnv) -> Any:
        for found in env.agent_iter(3):
            env.last()
            env.step(action)
            return found
        return None

    def moved_in_a_changed_mask(env: AECEnv) -> Any:
        seen = env.observe(env.agent_selection)
        seen["action_mask"][seed % 2 :: 2] = 0
        if seed < 20:
            del seen["action_mask"]
        env.step(action)

    calls: list[tuple[float, Callable[[AECEnv], Any]]] = [
        (0.45, seen_and_moved),
        (0.60, lambda env: env.step(action)),
        (0.66, in_a_loop),
        (0.69, lambda env: env.agent_iter().__iter__().__next__()),
        (0.74, lambda env: env.observe(agent)),
        (0.80, lambda env: env.last(observe=seed % 2 == 0)),
        (0.84, moved_in_a_changed_mask),
        (0.86, lambda env: env.state()),
        (0.88, lambda env: env.render()),
        (0.96, lambda env: getattr(env, rng_name)),
        (0.97, again(seed)),
        (0.98, lambda env: env.reset(options={"deck": "nonsense"})),
        (0.99, lambda env: (str(env), env.action_space(agent).n, env.observation_space(agent)["action_mask"].shape)),
        (1.00, lambda env: (isinstance(env, wrappers.OrderEnforcingWrapper), env.unwrapped is env, env.close())),
    ]
    rng_name = rng.choice([*ATTRIBUTES.split(), *OTHERS.split()])
    return next(call for until, call in calls if kind < until)


def again(seed: int) -> Callable[[AECEnv], Any]:
    return lambda env: env.reset(seed=seed)


def shown(env: AECEnv) -> Any:
    """Return what the attributes of an environment show."""
    return [answer(lambda env, name=name: getattr(env, name), env) for name in ATTRIBUTES.split()]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", GAMES)
def test_env__answers_every_call_as_the_chain_of_pettingzoos_wrappers(name: str, seed: int) -> None:
    game, given = GAMES[name]
    rng = Random(f"{name} {seed}")
    ours, theirs = game.env(**given), chain(game.raw_env(**given))
    games = 0
    for number in range(CALLS):
        call = a_call(ours, rng)
        if number > TOO_EARLY and not getattr(ours.unwrapped, "agents", None) and rng.random() < 0.3:
            call = again(games)
            games += 1
        drawn = rng.getstate()
        expected = answer(call, theirs)
        rng.setstate(drawn)
        assert answer(call, ours) == expected
        assert shown(ours) == shown(theirs)
        if rng.random() < 0.02:
            way = rng.choice([copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
            ours, theirs = way(ours), copy.deepcopy(theirs)
    assert games > 2


@pytest.mark.parametrize("make", [aec.env, uno.env])
def test_env__has_a_type_without_unknown_parts(make: Callable[..., Any]) -> None:
    """Type checkers infer agents, observations and actions of a user's loop from it."""
    agent, observation, action = get_args(get_type_hints(make)["return"])
    assert (agent, get_origin(observation), action) == (str, dict, int | None)
    assert AECEnv in type(make()).__mro__


def test_env__lets_legal_moves_through_without_the_wrappers(monkeypatch: pytest.MonkeyPatch) -> None:
    env = aec.env(engine="reference")
    env.reset(seed=7)

    def fail(*_: Any) -> None:
        raise AssertionError("a legal move went through the wrapper")

    with monkeypatch.context() as patch:
        for part in (wrappers.TerminateIllegalWrapper, wrappers.AssertOutOfBoundsWrapper, wrappers.BaseWrapper):
            patch.setattr(part, "step", fail)
        for agent in env.agent_iter():
            seen, _, terminated, *_ = env.last()
            assert agent == env.agent_selection
            env.step(None if terminated else int(seen["action_mask"].argmax()))
    assert env.agents == []


def test_env__illegal_move_reaches_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    env = aec.env(engine="reference", render_mode="ansi")
    env.reset(seed=7)
    raw, actor = env.unwrapped, env.agent_selection
    before = raw.game.copy()
    illegal = int(env.last()[0]["action_mask"].argmin())
    monkeypatch.setattr(aec.raw_env, "step", lambda *_: pytest.fail("an illegal move reached the game"))
    env.step(illegal)
    assert raw.game == before
    assert env.rewards == {agent: -1 if agent == actor else 0 for agent in env.possible_agents}
