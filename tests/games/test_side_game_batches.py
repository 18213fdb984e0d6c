"""Batches of UNO and Klondike: copies stand on their own, and nothing that a caller edits or hands in ends the interpreter."""

import copy
import gc
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from forks import fatal
from hostile_values import hostile_arrays

from big2_env.games.klondike.kernels.engine import KlondikeBatchEngine
from big2_env.games.klondike.vector import KlondikeBatchEnv
from big2_env.games.uno import UnoRules
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.vector import UnoBatchEnv

ROWS = 4
ENVS: dict[str, Callable[[], Any]] = {
    "uno": partial(UnoBatchEnv, ROWS, opponents="automatic", players=3),
    "uno, self-play": partial(UnoBatchEnv, ROWS, mode="self_play", players=3),
    "klondike": partial(KlondikeBatchEnv, ROWS),
}
ENGINES: dict[str, Callable[[], Any]] = {
    "uno": lambda: UnoBatchEngine(UnoRules(players=3), ROWS, opponents=["automatic"] * 2, seat="rotate"),
    "uno, self-play": lambda: UnoBatchEngine(UnoRules(players=3), ROWS),
    "klondike": lambda: KlondikeBatchEngine(ROWS),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda given: pickle.loads(pickle.dumps(given)),
}


def played(env: Any) -> list[bytes]:
    found = []
    for _ in range(30):
        observations, rewards, *_ = env.step(env.action_masks().argmax(1))
        found.append(observations.tobytes() + rewards.tobytes())
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ENVS)
def test_copy__of_a_batch__stands_on_its_own(kind: str, way: str) -> None:
    def made() -> Any:
        env = ENVS[kind]()
        env.reset(seed=3)
        return env

    expected, one = played(made()), made()
    other = WAYS[way](one)
    assert played(one) == expected
    del one
    gc.collect()
    kept = [np.full(size, 255, np.uint8) for size in (100, 1000, 10_000, 100_000) for _ in range(100)]
    assert played(other) == expected, "a copy does what its original did, before or after it"
    assert kept


def go_on(engine: Any) -> None:
    for _ in range(8):
        engine.step(engine.mask.argmax(1).astype(np.int64))
    [getattr(engine, name)(0) for name in ("position", "game") if hasattr(engine, name)]


def edit(engine: Any, change: Callable[[], object]) -> None:
    """Make a change; where it is refused with an error, go on all the same."""
    try:
        change()
    finally:
        go_on(engine)


def write(record: Any, field: str, number: int) -> None:
    record[field] = np.full((), number, np.int64).astype(record.dtype[field].base)


def changes(engine: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every public record and array written, every public attribute replaced, every entry point with hostile arrays."""
    for name in [name for name in dir(engine) if not name.startswith("_")]:
        value = getattr(engine, name)
        if isinstance(value, np.ndarray) and value.dtype.names:
            for field in value.dtype.names:
                for number in (-1, 2**31 - 1, -(2**31), 12_345_678):
                    yield f"{name}.{field} = {number}", partial(write, value, field, number)
        elif isinstance(value, np.ndarray):
            yield f"{name} filled", partial(value.fill, 99)
        if callable(value):
            for i, given in enumerate(hostile_arrays(ROWS)):
                yield f"{name} of array {i}", partial(value, given)
        else:
            for other in (None, 0, 10**6, "x", np.zeros(1, np.int8)):
                yield f"{name} = {other!r}", partial(setattr, engine, name, other)
    buffers = (engine.observation, engine.mask, engine.reward, engine.status)
    for i, given in enumerate(hostile_arrays(ROWS)):
        for place in range(4):
            own = (*buffers[:place], given, *buffers[place + 1 :])
            yield f"buffer {place} is array {i}", partial(engine.step_into, np.zeros(ROWS, np.int64), *own)


@pytest.mark.parametrize("kind", ENGINES)
def test_engine__edited_or_handed_anything__does_not_end_the_interpreter(kind: str) -> None:
    engine = ENGINES[kind]()
    engine.reset(3)
    go_on(engine)
    cases = list(changes(engine))
    assert len(cases) > 300
    assert not fatal([(name, partial(edit, engine, case)) for name, case in cases])
