"""The heuristic's weights fitted to what a ruleset pays: the search, its folder, what comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cli import run_cli

from big2_agents.kernels.codes import GREEDY
from big2_agents.models.formula import Weights, WeightsFile, first_weights_of, weights_of
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_agents.train.fit.evolution import Evolution
from big2_agents.train.fit.fitting import Coordinates, Fit, steps_of
from big2_agents.train.fit.scoring import DuplicateDeals
from big2_agents.train.hyper_parameters import FitParameters
from big2_env import BIG2, HONG_KONG, ConfigError, available_rulesets


def test_evolution__finds_the_top_of_a_noisy_hill_whose_slopes_differ() -> None:
    rng, top, slopes = np.random.default_rng(3), np.linspace(-2, 2, 8), np.geomspace(0.2, 5, 8)
    search = Evolution(8, 12, 0.7)
    for generation in range(150):
        points = search.points(np.random.default_rng(generation))
        search.learn(points, -(((points - top) * slopes) ** 2).sum(axis=1) + rng.normal(0, 0.3, 12))
    missing = (((np.array([np.zeros(8), search.average]) - top) * slopes) ** 2).sum(axis=1)
    assert missing[0] > 100
    assert missing[1] < 0.6


def test_coordinates__are_those_that_matter_in_a_ruleset() -> None:
    rulesets = available_rulesets()
    assert "pay" in steps_of(HONG_KONG)
    assert "pay" not in steps_of(BIG2)  # every loser pays the same
    assert "bomb" in steps_of(rulesets["dou_dizhu"])
    assert "partner" not in steps_of(HONG_KONG)
    for rules in rulesets.values():
        start = first_weights_of(rules)
        places = Coordinates(rules, start)
        assert places.weights(np.zeros(places.size)) == start
        moved = places.weights(np.full(places.size, -50.0))
        assert moved.decay == 0
        changed = {name for name, value in moved.as_json().items() if value != start.as_json()[name]}
        assert changed == set(steps_of(rules))


def test_score__is_paid_for_playing_better_and_for_nothing_else() -> None:
    start, reckless = first_weights_of(BIG2), replace(first_weights_of(BIG2), patience=9.0)
    duplicate = DuplicateDeals(BIG2, [GREEDY, start, reckless])
    assert duplicate.score(start, start, 5) == pytest.approx(0.0)
    scores = duplicate.scores(reckless, [start] * 20, range(20))
    assert np.mean(scores) < -0.1  # who always passes does not win
    assert duplicate.games_per_deal == 4


SMALL = ("--generations", "3", "--population", "4", "--deals", "6", "--measured-deals", "5", "--minutes", "9")


def fit(out: Path, *more: str) -> tuple[int, str, str]:
    return run_cli("train", "weights", "--ruleset", "hong_kong", "--out", str(out), *SMALL, *more)


def lines(out: Path) -> list[dict[str, Any]]:
    """Return the lines of a search's file without its time."""
    found = [json.loads(line) for line in (out / "generations.jsonl").read_text().splitlines()]
    return [{key: line[key] for key in line if key != "milliseconds"} for line in found]


def test_weights__are_the_same_each_time_and_play(tmp_path: Path) -> None:
    status, out, err = fit(tmp_path / "one")
    assert status == 0, err
    assert "against first " in out
    path = tmp_path / "one" / "hong_kong.json"
    found = WeightsFile.load(path)
    assert found.ruleset == "hong_kong"
    assert found.made["generations"] == 3
    assert found.made["games"] == 3 * (4 * 6 + 3) * 4
    assert set(found.gain) == {"first", "greedy", "greedy than first", "random", "random than first"}
    assert HeuristicAgent(str(path)).weights == found.weights

    stopped = fit(tmp_path / "two", "--generations", "2", "--minutes", "1e-6")  # generations count instead of minutes
    assert stopped[0] == 0
    assert len(lines(tmp_path / "two")) == 1 + 2
    assert fit(tmp_path / "two")[0] == 0
    again = WeightsFile.load(tmp_path / "two" / "hong_kong.json")
    assert (again.weights, again.gain) == (found.weights, found.gain)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["generations.jsonl", "hong_kong.json"]

    status, _, err = fit(tmp_path / "two", "--seed", "2")
    assert status == 2
    assert err == f"big2: {tmp_path / 'two' / 'generations.jsonl'}: made with seed 1, but this run has 2\n"


def test_search__learns_the_same_from_its_file(tmp_path: Path) -> None:
    def search(name: str, *generations: int) -> Fit:
        for number in generations:
            made = Fit(FitParameters(ruleset="hong_kong", out=tmp_path / name, population=4, deals=6, generations=number))
            with made.opened() as write:
                made.run(lambda _: None, lambda: False, write)
        return made

    whole, stopped = search("whole", 21), search("stopped", 4, 20, 21)
    assert (stopped.weights, stopped.games) == (whole.weights, whole.games)
    assert (stopped.evolution.mean == whole.evolution.mean).all()
    assert lines(tmp_path / "whole") == lines(tmp_path / "stopped")
    assert any(line["check"][1] > line["check"][0] for line in lines(tmp_path / "whole") if "check" in line)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"generation": 2}, "generation: expected a whole number from 1 to 1, got '2'"),
        ({"values": [0.5, 1, 2]}, "values: expected a list of 4 numbers, got '[0.5, 1, 2]'"),
        ({"values": [0.5, 1, 2, "3"]}, "values: expected a list of 4 numbers, got '[0.5, 1, 2, \"3\"]'"),
        ({"games": -1}, "games: expected a whole number of at least 0, got '-1'"),
    ],
)
def test_line__that_is_wrong_is_refused_with_its_number(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    assert fit(tmp_path, "--generations", "1")[0] == 0
    file = tmp_path / "generations.jsonl"
    first, second = file.read_text().splitlines()
    file.write_text(f"{first}\n{json.dumps(json.loads(second) | change)}\n")
    assert fit(tmp_path)[2] == f"big2: {file} line 2: {message}\n"


def test_weights__by_workers_are_those_without(tmp_path: Path) -> None:
    found = []
    for name, workers in (("none", "0"), ("two", "2")):
        status, _, err = fit(tmp_path / name, "--workers", workers)
        assert status == 0, err
        file = WeightsFile.load(tmp_path / name / "hong_kong.json")
        found.append((lines(tmp_path / name), file.weights, file.gain))
    assert found[0] == found[1]


def test_best__is_taken_over_only_where_it_scores_more(tmp_path: Path) -> None:
    made = Fit(FitParameters(ruleset="big2", out=tmp_path, population=4, deals=6))
    size = made.coordinates.size
    made.evolution.average = np.full(size, 40.0)  # weights that play badly
    old, new = made._check_mean()
    assert new < old
    assert made.weights == first_weights_of(BIG2)


def test_house_ruleset__has_weights_of_its_own_from_a_file(tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text('preset = "big2"\nscoring = { kind = "CardsLeft" }\n')
    status, _, err = run_cli("train", "weights", "--ruleset", str(rules), "--out", str(tmp_path), *SMALL)
    assert status == 0, err
    assert WeightsFile.load(tmp_path / "house.json").ruleset == "house"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected a JSON object"),
        ('{"kind": "other"}', "expected kind 'big2 heuristic weights', got"),
        ('{"kind": "big2 heuristic weights", "ruleset": "x", "weights": {"lead": "1"}}', "expected numbers for turn"),
        ('{"kind": "big2 heuristic weights", "ruleset": "x", "weights": {"decay": -1}}', "expected a decay from 0 to 2"),
        ('{"kind": "big2 heuristic weights", "ruleset": "x", "weights": {"turn": [1]}}', "expected finite weights for turn, 3"),
        ("x" * 70000, "expected at most 65,536 bytes"),
    ],
)
def test_weights_file__that_is_wrong_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"heuristic weights .*wrong\.json: ") as caught:
        HeuristicAgent(str(path))
    assert message in str(caught.value)


def test_weights_of__are_fitted_to_the_settlement_that_is_shipped() -> None:
    assert weights_of(HONG_KONG.with_scoring("winner")) == first_weights_of(HONG_KONG)
    assert weights_of(HONG_KONG) == weights_of(replace(HONG_KONG, auto_lead=True))
    assert isinstance(weights_of(HONG_KONG), Weights)
