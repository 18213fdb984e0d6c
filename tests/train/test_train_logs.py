"""Logs of both trainers: CSV files, TensorBoard and a function of the user's receive the same rows."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_cli import run_cli

from big2_agents.train import candidate_ppo, loop, ppo
from big2_agents.train.hyper_parameters import CandidatePpoParameters, PpoParameters

# torch about itself
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
TINY: dict[str, Any] = {"games": 8, "width": 16, "minibatch": 64, "evaluation_deals": 2, "evaluate_every": 0.0}
Start = Callable[..., Any]


def start_candidate_ppo(out: Path, **more: Any) -> Any:
    return CandidatePpoParameters(out=out, bfloat16=False, **TINY, **more), candidate_ppo.train


def start_ppo(out: Path, **more: Any) -> Any:
    return PpoParameters(out=out, steps=16, **TINY, **more), ppo.train


BOTH = pytest.mark.parametrize("start", [start_candidate_ppo, start_ppo])


def run(start: Start, out: Path, iterations: int, **more: Any) -> list[tuple[str, dict[str, float]]]:
    """Run some iterations, each of which is evaluated, and return what the log received."""
    args, train = start(out, **more)
    seen: list[int] = []
    found: list[tuple[str, dict[str, float]]] = []

    def log(table: str, row: Any) -> None:
        found.append((table, dict(row)))
        row.clear()  # as a function of a user may, such as one that pops the step

    callbacks = loop.Callbacks(
        lambda learner, _: seen.append(learner.iteration),
        lambda: len(seen) == iterations,
        log=log,
    )
    train(args, callbacks)
    return found


def rows_of(path: Path) -> list[dict[str, float]]:
    with path.open() as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


@BOTH
def test_rows__reach_the_files_tensorboard_and_a_function(start: Start, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found, stopped = run(start, tmp_path, 2, tensorboard=True), int(time.time())
    while int(time.time()) == stopped:  # names of event files have whole seconds and a number, and 10 is read before 9
        time.sleep(0.01)
    found += run(start, tmp_path, 1, tensorboard=True)  # continued
    assert [table for table, _ in found] == ["curve", *["progress", "curve"] * 3]
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    for table in ("progress", "curve"):
        rows = [row for name, row in found if name == table]
        written = rows_of(tmp_path / f"{table}.csv")
        assert [set(row) for row in written] == [set(row) for row in rows]
        for name in rows[0]:
            assert [row[name] for row in written] == pytest.approx([row[name] for row in rows], abs=1e-5)
            scalars = events.Scalars(f"{table}/{name}")
            assert [scalar.step for scalar in scalars] == [row["choices"] for row in rows]
            assert [scalar.value for scalar in scalars] == pytest.approx([row[name] for row in rows], rel=1e-5, nan_ok=True)


@BOTH
def test_tensorboard__is_used_if_installed_and_named_if_asked_for(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "find_spec", lambda name: None)
    run(start, tmp_path / "without", 1)
    assert not (tmp_path / "without" / "tensorboard").exists()
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ImportError, match=r"pip install 'big2_env\[tensorboard\]'"):
        run(start, tmp_path / "with", 1, tensorboard=True)


@pytest.mark.parametrize("method", [("candidate-ppo", "--games", "8"), ("ppo", "--games", "4", "--steps", "16")])
def test_seeds__have_a_folder_each_and_a_mean_with_its_interval(
    method: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows_seen.py").write_text("seen = []\ndef note(table, row):\n    seen.append((table, row['choices']))\n")
    small = ("--width", "16", "--minutes", "1e-6", "--evaluation-deals", "2", "--no-tensorboard", "--seed", "3", "--seeds", "5")
    answer = run_cli("train", *method, *small, "--out", "runs", "--log", "rows_seen:note", "--png", "curve.png")
    assert answer.status == 0, answer.err
    assert sorted(path.name for path in Path("runs").iterdir()) == ["3", "4", "5", "6", "7"]
    assert sorted(path.name for path in tmp_path.glob("*.png")) == [f"curve_{seed}.png" for seed in range(3, 8)]
    ends = [rows_of(tmp_path / "runs" / str(seed) / "curve.csv")[-1]["wins_greedy"] for seed in range(3, 8)]
    last = answer.out.splitlines()[-1]
    assert last.startswith("5 seeds: mean win rate against random ")
    assert f"greedy {sum(ends) / 5:.1%} ± " in last
    seen = sys.modules.pop("rows_seen").seen
    assert [table for table, _ in seen] == ["curve", "progress", "curve"] * 5


@pytest.mark.parametrize("spec", ["nothing_here:note", "json", "json:none", ":note", "json:__name__"])
def test_log__that_is_no_function_is_refused(spec: str, tmp_path: Path) -> None:
    answer = run_cli("train", "ppo", "--out", str(tmp_path / "run"), "--log", spec)
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert f"--log: expected a function as MODULE:NAME, got '{spec}'" in answer.err
    assert not (tmp_path / "run").exists()


def test_log__names_the_library_that_its_module_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lacks_a_library.py").write_text("import no_such_tracker\ndef note(table, row): ...\n")
    answer = run_cli("train", "ppo", "--log", "lacks_a_library:note")
    assert "'lacks_a_library' cannot be imported: ModuleNotFoundError: No module named 'no_such_tracker'\n" in answer.err
