"""Batches of UNO and Klondike whose kernels run interpreted: the same games as compiled ones, on the same memory, at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from big2_env.games.klondike.kernels import engine as klondike
from big2_env.games.uno.kernels import engine as uno
from big2_env.games.uno.rules import uno_rules
from big2_env.kernels import plain_loops
from big2_env.kernels.batch import NEXT_STEP, SAME_STEP
from big2_env.kernels.switch import Compilation

OUTPUTS = ("observation", "mask", "status", "payoffs", "final_observation", "reward", "seat", "actor")


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Compilations that never begin, and the kernels that were called interpreted."""
    called: list[str] = []
    never = Compilation(lambda: None)
    never.spend = lambda seconds: called.append("")  # type: ignore[method-assign]
    for engine in (uno, klondike):
        monkeypatch.setattr(engine, "compilation", lambda *given: never)
    yield called
    assert called
    assert not never.is_ready


def compare(plain: Any, compiled: Any, steps: int = 60) -> None:
    """Play the same random games, with an illegal action now and then and both ways to deal again."""
    assert plain.may_interpret
    for engine in (plain, compiled):
        engine.reset(3)
    for step in range(steps):
        moves = plain.random_actions().copy()
        np.testing.assert_array_equal(moves, compiled.random_actions())
        if step % 7 == 3:
            moves[0] = -1 if step % 2 else 1000
        for engine in (plain, compiled):
            engine.step(moves, reset=NEXT_STEP if step % 3 else SAME_STEP)
        for name in OUTPUTS:
            np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name), f"{name} after step {step}")
        lists = [[row[:count].tolist() for count, row in zip(*engine.legal_ids(), strict=True)] for engine in (plain, compiled)]
        assert lists[0] == lists[1]


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("opponent", [None, "random", "automatic"])
@pytest.mark.parametrize("preset", [("table", 2), ("mattel", 4)])
def test_uno__interpreted_is_compiled(preset: tuple[str, int], opponent: str | None, dtype: str) -> None:
    rules = uno_rules(preset[0], players=preset[1])
    options: dict[str, Any] = {"opponents": opponent and [opponent] * (preset[1] - 1), "dtype": dtype}
    compare(uno.UnoBatchEngine(rules, 4, **options, may_interpret=True), uno.UnoBatchEngine(rules, 4, **options))


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_klondike__interpreted_is_compiled(dtype: str) -> None:
    options: dict[str, Any] = {"dtype": dtype, "max_moves": 40}
    compare(klondike.KlondikeBatchEngine(4, **options, may_interpret=True), klondike.KlondikeBatchEngine(4, **options), 90)


def test_large_batches__and_those_with_threads_are_compiled(interpreted: list[str]) -> None:
    interpreted.append("")  # nothing runs here
    assert not uno.UnoBatchEngine(uno_rules("table"), plain_loops.MOST_ROWS + 1, may_interpret=True).may_interpret
    assert not klondike.KlondikeBatchEngine(4, threads=2, may_interpret=True).may_interpret


@pytest.mark.parametrize("game", ["Uno", "Klondike"])
def test_make_vec__steps_without_numba(game: str, interpreted: list[str], tmp_path: Any) -> None:
    interpreted.append("")  # in another process
    code = f"""
import sys, gymnasium, big2_env
envs = gymnasium.make_vec("big2/{game}-v0", num_envs=2)
envs.reset(seed=1)
envs.step(envs.unwrapped.random_actions())
assert "numba" not in sys.modules, "numba"
"""
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=60)
