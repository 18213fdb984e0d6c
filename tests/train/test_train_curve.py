"""The learning curve of a run: how often it is evaluated, what is drawn, what a person sees meanwhile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from run_cli import run_cli

from big2_agents.train import loop
from big2_agents.train.curve import BLOCKS, Point, draw_curve, read_curve, sparkline
from big2_agents.train.hyper_parameters import CandidatePpoParameters, PpoParameters, read_phases
from big2_agents.train.progress import ProgressBar
from big2_env import BIG2, ConfigError
from big2_env.base.language import Language, words

HEADER = "iteration,minutes,choices,wins_random,payoff_random,wins_greedy,payoff_greedy,staleness\n"
ROWS = ("0,0.0,0,0.25,0.0,0.1,-0.2,0\n", "9,0.5,900,0.5,0.3,0.2,-0.1,0\n", "20,1.0,2000,0.8,0.7,0.3,0.1,0\n")
PNG = b"\x89PNG\r\n\x1a\n"


class At(NamedTuple):
    iteration: int
    minutes: float
    completed: float = 0.0


@pytest.mark.parametrize(
    ("minutes", "given", "every"), [(3, None, 0.5), (9.9, None, 0.5), (10, None, 5), (3, 2.0, 2), (60, 0.0, 0)]
)
def test_evaluations__are_more_frequent_in_short_runs(minutes: float, given: float | None, every: float) -> None:
    for parameters in (CandidatePpoParameters, PpoParameters):
        assert parameters(minutes=minutes, evaluate_every=given).evaluation_interval == every


def test_evaluations__of_a_config_file(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text("evaluate_every = 2\nminutes = 3\n[[phase]]\n[[phase]]\nminutes = 30\n")
    assert [phase.evaluation_interval for phase in read_phases(path, {})] == [2.0, 2.0]
    path.write_text("[[phase]]\nminutes = 3\n[[phase]]\nminutes = 30\n")
    assert [phase.evaluation_interval for phase in read_phases(path, {})] == [0.5, 5.0]
    path.write_text('evaluate_every = "often"\n')
    with pytest.raises(ConfigError, match=r'expected a float for evaluate_every, got .*"often"'):
        read_phases(path, {})


def test_sparkline__fills_its_line_only_if_much_changes() -> None:
    assert sparkline([0.2, 0.9, 0.55]) == "▁█▅"
    assert sparkline([0.500, 0.501]) == "▁▁"
    assert sparkline([1.0]) == "▁"
    assert sparkline([]) == ""
    assert sparkline([i / 7 for i in range(8)]) == BLOCKS


def test_curve__of_a_folder_is_read_and_drawn(tmp_path: Path) -> None:
    assert read_curve(tmp_path) == []
    (tmp_path / "curve.csv").write_text(HEADER + "".join(ROWS))
    points = read_curve(tmp_path)
    assert points[1] == Point(0.5, 9, {"random": 0.5, "greedy": 0.2})
    for number in (0, 1, 3):
        draw_curve(points[:number], tmp_path / "curve.png", BIG2, "big2")
        assert (tmp_path / "curve.png").read_bytes().startswith(PNG)


def test_train__continues_with_other_rivals_and_draws_them_where_they_were_met(tmp_path: Path) -> None:
    small = ("--games", "8", "--width", "16", "--evaluation-deals", "2", "--no-bfloat16", "--no-tensorboard")
    out, png = tmp_path / "run", tmp_path / "curve.png"
    for choices, rivals in (("50", ()), ("100", ("--rivals", str(out / "mini8.npz"))), ("150", ("--png", str(png)))):
        run = run_cli("train", "candidate-ppo", "--ruleset", "mini8", "--choices", choices, "--out", str(out), *small, *rivals)
        assert run.status == 0, run.err
        assert ("rival1 ▁ " in run.err) == (choices == "100")
    assert ["rival1" in point.wins for point in read_curve(out)] == [False, False, True, False]
    assert png.read_bytes().startswith(PNG)
    assert ">rival1</text>" in (out / "mini8.curve.svg").read_text()
    assert "began as the heuristic" not in (out / "mini8.md").read_text()  # random weights that equal it in a tiny game


@pytest.mark.parametrize("method", ["ppo", "candidate-ppo"])
def test_png__without_matplotlib_names_the_extra_before_training(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    out = tmp_path / "run"
    status, printed, err = run_cli("train", method, "--out", str(out), "--png", str(tmp_path / "x.png"))
    assert (status, printed, err.count("\n")) == (2, "", 1)
    assert err.startswith("big2: --png needs matplotlib: pip install 'big2_env[plots]' (")
    assert not out.exists()


def test_png__that_cannot_be_written_is_refused_before_training(tmp_path: Path) -> None:
    answer = run_cli("train", "ppo", "--out", str(tmp_path / "run"), "--png", str(tmp_path / "none" / "x.png"))
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert not (tmp_path / "run").exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch about itself
@pytest.mark.parametrize(
    "method", [("ppo", "--games", "4", "--steps", "16"), ("candidate-ppo", "--games", "8", "--no-bfloat16")]
)
def test_train__draws_its_curve_and_says_that_tensorboard_is_missing(
    method: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "has_tensorboard", lambda: False)
    small = ("--width", "16", "--minutes", "1e-6", "--evaluation-deals", "2")
    answer = run_cli("train", *method, "--out", str(tmp_path), *small, "--png", str(tmp_path / "curve.png"))
    assert answer.status == 0, answer.err
    assert (tmp_path / "curve.png").read_bytes().startswith(PNG)
    assert answer.err.startswith(
        f"big2: no TensorBoard events in {tmp_path}/tensorboard: pip install 'big2_env[tensorboard]'\n"
    )
    assert not (tmp_path / "tensorboard").exists()


def test_bar__says_what_a_run_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    progress = ProgressBar(words(Language.EN), tmp_path)
    task = progress.progress.tasks[0]
    assert task.description == "loading"
    progress.begin("evaluating")
    assert task.description == "evaluating"
    progress._note_compiling(True)
    assert task.description == "compiling"
    progress._note_compiling(False)
    assert task.description == "evaluating"
    (tmp_path / "curve.csv").write_text(HEADER + ROWS[0])
    progress.begin("learning")
    progress.report(At(4, 0.3), {})
    assert task.description == "learning, 0.3 minutes, iteration 4"
    (tmp_path / "curve.csv").write_text(HEADER + "".join(ROWS))
    progress.report(At(20, 1.0, 0.5), {"wins_random": 0.8, "wins_greedy": 0.3})
    assert (task.description, task.completed) == ("learning, 1.0 minutes, iteration 20, greedy ▁▅█ 30%", 0.5)


def test_progress__of_a_pipe_is_a_line_per_evaluation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = ProgressBar(words(Language.EN), tmp_path)
    with progress:
        progress._note_compiling(True)
        progress._note_compiling(False)
        (tmp_path / "curve.csv").write_text(HEADER + ROWS[0])
        progress.begin("learning")
        (tmp_path / "curve.csv").write_text(HEADER + "".join(ROWS))
        progress.report(At(20, 1.0), {"wins_random": 0.8, "wins_greedy": 0.3, "payoff_greedy": 1.0})
        progress.report(At(21, 1.1), {})
    progress.print_curve()
    assert capsys.readouterr().err.splitlines() == [
        "0.0 minutes, iteration 0: win rate against random 25.0%, greedy 10.0%",
        "1.0 minutes, iteration 20: win rate against random 80.0%, greedy 30.0%",
        "win rate against random ▁▄█ 25.0% to 80.0%, greedy ▁▅█ 10.0% to 30.0%",
    ]
