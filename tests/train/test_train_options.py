"""Hyper-parameters are declared once: every field is an option of its verb; the card of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
import typer
from run_cli import run_cli
from typer.testing import CliRunner

from big2_agents.train.card import card, write_card
from big2_agents.train.curve_picture import curve_picture
from big2_agents.train.hyper_parameters import (
    CandidatePpoParameters,
    PpoParameters,
    in_panels,
    option,
)
from big2_env.base.outside import file_digest
from big2_env.climbing.rulesets import ruleset


@pytest.mark.parametrize(("method", "parameters"), [("candidate-ppo", CandidatePpoParameters), ("ppo", PpoParameters)])
def test_options__are_all_fields(method: str, parameters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run_cli("train", method, "--help").out
    for each in fields(parameters):
        assert f"--{each.name.replace('_', '-')} " in shown
    assert "runs/METHOD-RULESET" in shown


def test_opponents__of_a_wrong_name_are_refused_before_torch_is_loaded(tmp_path: Path) -> None:
    code = """
import sys
from big2_env.cli import main
try:
    main(["train", "candidate-ppo", *sys.argv[1:]])
finally:
    assert "torch" not in sys.modules
"""
    config = tmp_path / "phases.toml"
    config.write_text('[[phase]]\nminutes = 1\n[[phase]]\nopponents = "heuristi=3"\n')
    for args in (["--opponents", "heuristi=3"], ["--config", str(config)]):
        done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=120)
        assert done.returncode == 2
        assert done.stderr.startswith(
            "big2: expected opponents among greedy, heuristic, random, lowest with weights up to 99, "
        )
        assert done.stderr.endswith(", got 'heuristi=3'\n")


@dataclass
class Parameters:
    size: int = option(3, "How large.", min=1, max=9)
    loud: bool = option(True, "How loud.")


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ("a", 0, "a Parameters(size=3, loud=True)"),
        ("b --size 9 --no-loud", 0, "b Parameters(size=9, loud=False)"),
        ("b --size 10", 2, "--size"),
        ("", 2, "Missing argument"),
    ],
)
def test_verb__turns_fields_into_options(given: str, status: int, says: str) -> None:
    @in_panels
    def show(name: str, *, parameters: Parameters) -> None:
        print(name, parameters)

    app = typer.Typer()
    app.command()(show)
    found = CliRunner().invoke(app, given.split())
    assert (found.exit_code, says in found.output) == (status, True), found.output


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["candidate-ppo", "--ruleset", "bridge"], "unknown ruleset 'bridge'"),
        (["candidate-ppo", "--config", "nowhere.toml"], "nowhere.toml"),
        (["ppo", "--ruleset", "bridge"], "unknown ruleset 'bridge'"),
    ],
)
def test_train__refuses_names_before_torch_is_loaded(given: list[str], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("torch", "sb3_contrib"):  # which take seconds to load
        monkeypatch.setitem(sys.modules, library, None)
    answer = run_cli("train", *given)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert says in answer.err


def test_folder__is_named_after_method_and_ruleset() -> None:
    assert CandidatePpoParameters(ruleset="hong_kong").out == Path("runs/candidate-ppo-hong_kong")
    assert PpoParameters().out == Path("runs/ppo-big2")
    assert PpoParameters(out=Path("x")).out == Path("x")


def saved(path: Path) -> Path:
    np.savez(path, trunk1_bias=np.zeros(3, np.float16), layer1=np.zeros((5, 3), np.float16), rules="{}")
    return path


def test_card__has_the_command_the_files_and_the_curve(tmp_path: Path) -> None:
    args = CandidatePpoParameters("hong_kong", 30.0, tmp_path, 2, win_bonus=0.8, bfloat16=False)
    weights = saved(tmp_path / "hong_kong.npz")
    found = card(args, [weights])
    assert found["command"] == (
        "big2 train candidate-ppo --ruleset hong_kong --minutes 30 --seed 2 --win-bonus 0.8 --no-bfloat16"
    )
    [file] = found["files"]
    assert (file["name"], file["bytes"], file["sha256"]) == ("hong_kong.npz", weights.stat().st_size, file_digest(weights))
    assert (file["parameters"], file["shapes"]) == (18, {"layer1": [5, 3]})
    assert (found["curve"], found["results"], found["decisions"]) == ([], [], 0)
    (tmp_path / "curve.csv").write_text("iteration,minutes,choices,wins_random,payoff_random\n3,1.2,4000,0.5,0.25\n")
    (tmp_path / "progress.csv").write_text("iteration,minutes,choices\n3,1.2,4000\n")
    [point] = card(args, [weights])["curve"]
    assert point == {"minutes": 1.2, "decisions": 4000, "deals": 1000, "wins_random": 0.5, "payoff_random": 0.25}


def test_write_card__writes_data_page_and_picture(tmp_path: Path) -> None:
    args, weights = PpoParameters("big2", 20.0, tmp_path), tmp_path / "big2.npz"
    np.savez(weights, action=np.zeros((9, 4), np.float32), layer1=np.zeros((7, 4), np.float32))
    write_card(args, [weights])
    page = (tmp_path / "big2.md").read_text()
    assert "7 inputs, 1 hidden layer of 4 units, 9 actions. 64 parameters" in page
    assert f"$ big2 arena ppo:{weights} heuristic --ruleset big2 --deals 100 --out big2.jsonl" in page
    assert "$ big2 train ppo --ruleset big2 --minutes 20 --seed 1" in page
    assert ".svg" not in page
    assert "License" not in page
    data = json.loads((tmp_path / "big2.card.json").read_text())
    (tmp_path / "curve.csv").write_text(
        "iteration,minutes,choices,wins_random,payoff_random\n1,1,9,0.5,0.25\n2,2.5,99,0.6,-0.25\n"
    )
    write_card(args, [weights])
    assert json.loads((tmp_path / "big2.card.json").read_text()).keys() == data.keys()
    assert "![Wins and points by minutes of training](big2.curve.svg)" in (tmp_path / "big2.md").read_text()
    picture = fromstring((tmp_path / "big2.curve.svg").read_text())
    assert len(picture.findall("{*}polyline")) == 2


@pytest.mark.parametrize(("given", "says"), [(True, "including"), (False, "without")])
def test_card__says_whether_the_heuristic_was_an_input(given: bool, says: str, tmp_path: Path) -> None:
    args, weights = CandidatePpoParameters(out=tmp_path, heuristic_features=given), tmp_path / "big2.npz"
    layers = {name: np.zeros((4, 4), np.float32) for name in ("trunk1", "play", "deep", "head1")}
    np.savez(weights, **layers)
    write_card(args, [weights])
    assert f"{says} the heuristic's ranking" in " ".join((tmp_path / "big2.md").read_text().split())


def test_curve_picture__breaks_the_line_of_an_opponent_that_changed() -> None:
    curve = [{"minutes": i, "wins_heuristic": 0.3, "payoff_heuristic": 0.0} for i in range(1000)]
    picture = curve_picture(curve, [500])
    assert picture.count("<polyline") == 4
    assert len(picture) < 15_000


def test_card__has_parameters_of_auctions_only_in_games_with_one(tmp_path: Path) -> None:
    weights = saved(tmp_path / "x.npz")
    for name, has_auction in (("dou_dizhu", True), ("hong_kong", False)):
        assert (ruleset(name).auction is not None) == has_auction
        args = CandidatePpoParameters(name, out=tmp_path, random_auctions=0.4)
        [phase] = card(args, [weights], has_auction=has_auction)["phases"]
        assert (phase.get("random_auctions"), "team_share" in phase) == ((0.4, True) if has_auction else (None, False))
