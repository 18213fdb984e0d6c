"""Nothing that a caller edits in an environment or hands to it ends the interpreter: what might runs in other processes."""

from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import Any

import gymnasium
import numpy as np
import pytest
from forks import fatal
from hostile_values import hostile_arrays

from big2_env.envs.aec import raw_env
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv

ROWS = 4
Case = Callable[[], object]
RULESETS = {"Big2": "big2", "DouDizhu": "dou_dizhu"}
ENVS: dict[str, Callable[[str], Any]] = {
    "make_vec": lambda name: gymnasium.make_vec(f"big2/{name}-v0", num_envs=ROWS, opponents="greedy").unwrapped,
    "self-play": lambda name: gymnasium.make_vec(f"big2/{name}-v0", num_envs=ROWS, mode="self_play", copy=False).unwrapped,
    "SeatVecEnv": lambda name: SeatVecEnv(ROWS, ruleset=RULESETS[name]),
    "SelfPlayVecEnv": lambda name: SelfPlayVecEnv(ROWS, ruleset=RULESETS[name]),
    "make": lambda name: gymnasium.make(f"big2/{name}-v0", disable_env_checker=True).unwrapped,
    "AEC": lambda name: raw_env(RULESETS[name], engine="compiled"),
}
WRAPPED = ("self-play", "SeatVecEnv", "make")
"""Environments that call the same entry points as the others of this list."""
ENTRIES = ("step", "send", "step_async", "are_legal", "action_masks", "observe", "legal_ids", "env_method", "masks_of", "push")
"""Entry points that take acts, seats or rows, where an environment has them."""
NUMBERS = (-1, 2**31, 2**63, 0.5, None, "x", (), {"row": 1})


def go_on(env: Any) -> None:
    """Five steps of any environment, and what it shows between them."""
    for _ in range(5):
        if hasattr(env, "agent_iter"):
            seat = env.agents[0] if not env.agent_selection else env.agent_selection
            ended = env.terminations[seat] or env.truncations[seat]
            env.step(None if ended else int(np.argmax(env.observe(seat)["action_mask"])))
        elif hasattr(env, "env_method"):
            env.step(env.action_masks().argmax(1))
        elif hasattr(env, "num_envs"):
            env.step(env.action_masks().argmax(1))
            env.legal_ids()
        else:
            env.step(int(env.action_masks().argmax()))


def edit(env: Any, change: Case) -> None:
    """Make a change; where it is refused with an error, go on all the same, and go on from a new deal."""
    try:
        change()
    except Exception:
        env.reset()
    try:
        go_on(env)
    finally:
        env.reset()
        go_on(env)


def arrays_of(thing: Any, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """Every array that is reached by public names, through what the environment is made of."""
    for name in [name for name in dir(thing) if not name.startswith("_")]:
        try:
            value = getattr(thing, name)
        except Exception:
            continue
        if isinstance(value, np.ndarray):
            yield name, value
        elif depth and type(value).__module__.startswith("big2_env") and not isinstance(value, (MethodType, type)):
            yield from ((f"{name}.{inner}", array) for inner, array in arrays_of(value, depth - 1))


def edits(env: Any) -> Iterator[tuple[str, Case]]:
    """Every public attribute replaced, every array that can be reached written."""
    for name, array in arrays_of(env):
        for number in (99, -1):
            yield f"{name} filled with {number}", partial(fill, array, number)
    for name in [name for name in dir(env) if not name.startswith("_")]:
        if not callable(getattr(env, name, None)):
            for other in (None, 0, 10**6, "x", np.zeros(1, np.int8)):
                yield f"{name} = {other!r}", partial(setattr, env, name, other)


def fill(array: Any, number: int) -> None:
    """Write a number into every entry and every field."""
    for field in array.dtype.names or (None,):
        (array if field is None else array[field]).fill(number)


def calls(env: Any) -> Iterator[tuple[str, Case]]:
    """Every entry point with what nobody should hand in."""
    given: Any
    for name in ENTRIES:
        if entry := getattr(env, name, None):
            for i, given in enumerate([*hostile_arrays(ROWS), *NUMBERS]):
                yield f"{name} of {i}", partial(entry, given)
    for given in [*NUMBERS, *hostile_arrays(ROWS)]:
        yield f"reset(seed={given!r})", partial(env.reset, seed=given)
        yield f"reset(options={given!r})", partial(env.reset, options={"reset_mask": given})


@pytest.mark.long
@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.release] * (kind in WRAPPED)) for kind in ENVS])
@pytest.mark.parametrize("name", ["Big2", pytest.param("DouDizhu", marks=pytest.mark.release)])
def test_env__edited_or_handed_anything__does_not_end_the_interpreter(name: str, kind: str) -> None:
    env = ENVS[kind](name)
    env.reset(seed=3) if kind not in ("SeatVecEnv", "SelfPlayVecEnv") else env.reset()
    go_on(env)
    cases = [*edits(env), *calls(env)]
    assert len(cases) > 80, len(cases)
    assert not fatal([(text, partial(edit, env, case)) for text, case in cases], together=1)
