"""Batches that step interpreted until their kernels are compiled: the same results, before, during and after the switch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from big2_env import ConfigError, IllegalPlayError
from big2_env.base.rng import SplitMix64
from big2_env.climbing.rulesets import available_rulesets
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.batch import ENDED, NEXT_STEP, SAME_STEP
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.plain_loops import MOST_ROWS
from big2_env.kernels.switch import Compilation

RULESETS = available_rulesets()
ROWS = 5
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "slots": ("big2", {"dtype": "float32"}),
    "ranks, an auction": ("dou_dizhu", {"opponents": "random", "skip_forced": True}),
    "two decks": ("dou_dizhu_4p", {"opponents": "random", "seat": "random", "masks": "bits"}),
    "a pile": ("qi_gui_523", {"dtype": "uint8", "masks": "ids"}),
    "captured cards": ("wu_gua_pi", {"opponents": "random", "seat": 1, "dtype": "uint8"}),
    "many actions": ("pao_de_kuai", {"skip_forced": True}),
}


@pytest.fixture(autouse=True)
def _nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every batch begin interpreted, and remain so."""
    monkeypatch.setattr("big2_env.kernels.engine.compilation", lambda *given: Compilation(lambda: None))
    monkeypatch.setattr(Compilation, "spend", lambda self, seconds: None)


def both(name: str, options: dict[str, Any]) -> list[BatchEngine]:
    """Return a compiled and an interpreted batch."""
    engines = [BatchEngine(RULESETS[name], ROWS, may_interpret=is_plain, **options) for is_plain in (False, True)]
    assert [engine._plain is None for engine in engines] == [True, False]
    for engine in engines:
        engine.reset(seed=3)
    return engines


def contents(engine: BatchEngine) -> Iterator[tuple[str, bytes]]:
    """Everything that a step writes."""
    for name in ("observation", "mask", "reward", "status", "payoffs", "paid", "seat", "actor", "games", "learners"):
        yield name, getattr(engine, name).tobytes()
    counts, ids = engine.legal_ids()
    yield "ids", b"".join(row[:count].tobytes() for row, count in zip(ids, counts, strict=True))
    yield "final", engine.final_observation[engine.status == ENDED].tobytes()


def assert_same(engines: list[BatchEngine]) -> None:
    for found, expected in zip(*map(contents, engines), strict=True):
        assert found == expected


@pytest.mark.parametrize("reset", [SAME_STEP, NEXT_STEP], ids=["same_step", "next_step"])
@pytest.mark.parametrize("case", OPTIONS, ids=lambda case: f"{OPTIONS[case][0]}, {case}")
def test_games__interpreted_and_compiled_are_the_same(case: str, reset: int) -> None:
    engines, rng, ended = both(*OPTIONS[case]), SplitMix64(1), 0
    assert_same(engines)
    for step in range(160):
        counts, ids = engines[0].legal_ids()
        actions = np.array([ids[i, rng.below(max(int(counts[i]), 1))] for i in range(ROWS)], np.int64)
        if step % 40 == 39:
            actions[step % ROWS] = engines[0].num_actions + rng.below(3) - 2  # illegal, for the most part
        assert (engines[0].are_legal(actions) == engines[1].are_legal(actions)).all()
        for engine in engines:
            engine.step(actions, reset)
        assert_same(engines)
        ended += int((engines[0].status == ENDED).sum())
    assert ended > 2
    rows = np.flatnonzero(engines[0].games.winner < 0)
    assert (engines[0].move_streams(rows) == engines[1].move_streams(rows)).all()
    for found, expected in zip(engines[0].look_at(rows), engines[1].look_at(rows), strict=True):
        assert (found == expected).all()
    assert engines[1]._plain is not None


@pytest.mark.parametrize("name", RULESETS)
def test_games__may_be_continued_compiled_at_any_time(name: str) -> None:
    engines = both(name, {"opponents": "random"})
    for step in range(60):
        if step == 30:
            assert engines[1]._plain is not None
            engines[1]._plain.compilation.is_ready = True
        counts, ids = engines[0].legal_ids()
        actions = ids[np.arange(ROWS), counts // 2 if step % 2 else 0].astype(np.int64)
        for engine in engines:
            engine.step(actions)
        assert_same(engines)
    assert engines[1]._plain is None


def test_environment__returns_the_same_and_refuses_the_same() -> None:
    def played(threads: int) -> list[Any]:
        envs = BatchEnv(3, opponents=first, threads=threads, on_illegal="raise")
        found: list[Any] = [*envs.reset(seed=5)]
        for wrong in (-1, envs.engine.num_actions, 700):
            with pytest.raises((ConfigError, IllegalPlayError)) as error:
                envs.step([wrong, 0, 0])
            found.append(str(error.value))
        for _ in range(30):
            found += envs.step(envs.random_actions())
        envs.close()
        assert (envs.engine._plain is None) == (threads > 1)
        return found

    def first(observations: Any, masks: Any, rng: Any) -> Any:
        return masks.argmax(axis=1)

    for one, other in zip(played(1), played(2), strict=True):
        if isinstance(one, dict):
            assert one.keys() == other.keys()
            assert str(one) == str(other)
        else:
            assert np.array_equal(one, other)


def test_plain_loops__are_for_few_rows_and_survive_a_copy() -> None:
    assert BatchEngine(RULESETS["big2"], MOST_ROWS + 1, may_interpret=True)._plain is None
    engines = both("big2", {})
    copy = engines[1].__copy__()
    assert copy._plain is not None
    for engine in (*engines, copy):
        engine.step(np.zeros(ROWS, np.int64))
    assert_same(engines)
    assert_same([engines[0], copy])
    assert (engines[0].rollouts() == copy.rollouts()).all()
    assert copy._plain is None


FIRST_STEP = """
import sys
from big2_env.envs.vector import BatchEnv
envs = BatchEnv(8, opponents={opponents!r})
envs.reset(seed=1)
envs.step(envs.random_actions())
print("numba" in sys.modules)
"""
IS_COMPILED = """
import numpy as np
from big2_env.games.klondike.kernels import observe
from big2_env.kernels.dialect.kernel import is_compiled
for _ in range(2):
    print(is_compiled(observe.unary, np.int64(3)), is_compiled(observe.unary, np.float64(3)))
    observe.unary(np.int64(3))
"""


@pytest.mark.parametrize("opponents", ["random", "greedy", "heuristic"])
def test_first_step__compiles_nothing(opponents: str, tmp_path: Path) -> None:
    assert printed(FIRST_STEP.format(opponents=opponents), tmp_path) == "False"


def test_is_compiled__knows_this_process_and_the_cache(tmp_path: Path) -> None:
    assert printed(IS_COMPILED, tmp_path).splitlines() == ["False False", "True False"]
    assert printed(IS_COMPILED, tmp_path).splitlines() == ["True False", "True False"]


def printed(code: str, cache: Path) -> str:
    """Return what a new process prints."""
    command, variables = [sys.executable, "-c", code], {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=200).stdout.strip()
