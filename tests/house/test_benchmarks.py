from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import measurements
import numpy as np
import pytest
import typer
from places import BENCHMARKS

from big2_agents.train.candidate_ppo import train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.loop import Callbacks

SCRIPTS = {path.stem for path in BENCHMARKS.glob("*.py")} - {"measured_rows", "side_by_side", "choosing", "klondike_players"}
CHECKS = {"faults", "mutations", "positions"}
"""Scripts that record no rows: their result is the exit status or a file."""


@pytest.fixture(autouse=True)
def _results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rows that a test records out of the repository."""
    monkeypatch.setenv("BENCHMARK_RESULTS", str(tmp_path / "results"))
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def recorded(tmp_path: Path, script: str) -> dict[str, dict[str, Any]]:
    """Return the rows that a script has recorded, by name."""
    path = tmp_path / "results" / f"{script}.json"
    assert measurements.bad_rows(path) == []
    rows = {row["name"]: row for row in json.loads(path.read_text("utf-8"))}
    assert all(row["command"].split()[0] in ("python", "OMP_NUM_THREADS=1") for row in rows.values())
    return rows


def run(script: str, tmp_path: Path, *missing: str, more: Sequence[str] = ()) -> tuple[str, Any]:
    """Return what a benchmark prints, and the report that it writes, with some packages missing; it records rows too."""
    arguments = [script, "--seconds", "0.1", "--rounds", "2", "--json", str(tmp_path / "found.json"), "--record", *more]
    code = f"""
import runpy, sys
sys.modules.update(dict.fromkeys({missing}))  # as if they were not installed
sys.path.insert(0, {str(BENCHMARKS)!r})
sys.argv = {arguments}
runpy.run_path({str(BENCHMARKS / script)!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))


def test_benchmark__of_the_aec_loop_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    printed, data = run("aec.py", tmp_path, "rlcard", more=["big2"])
    results = {result["name"]: result for result in data["results"]}
    for name in ("big2 raw_env", "big2 env"):
        assert name in printed
        assert len(results[name]["rounds"]) == 2
        assert min(results[name]["rounds"]) <= results[name]["median"] <= max(results[name]["rounds"])
        assert f"{results[name]['median']:,.0f}" in printed
    assert results["rlcard uno"] == {"name": "rlcard uno", "missing": "not installed: rlcard"}
    assert "\nleft out: rlcard uno (not installed: rlcard)\n" in printed
    assert data["settings"] == {"seconds": 0.1, "rounds": 2, "seed": 7}
    assert data["versions"]["big2_env"]
    assert list(data["times the reference engine"]) == ["big2"]
    for name, times in data["times the reference engine"].items():
        assert results[f"{name}, compiled"]["median"] > results[f"{name}, reference"]["median"]
        assert f"{times:.2f}" in printed
    rows = recorded(tmp_path, "aec")
    row = rows["speed of raw_env of big2 relative to the reference engine, range of rounds"]
    assert row["value"] == pytest.approx(data["times the reference engine"]["big2"], rel=1e-3)
    assert row["unit"] == "ratio"
    assert row["interval"][0] < row["value"] < row["interval"][1]
    assert row["command"].endswith("aec.py --seconds 0.1 --rounds 2 big2")
    assert not [name for name in rows if "rlcard" in name]


def test_benchmark__of_compiling_prints_seconds_by_ruleset(tmp_path: Path) -> None:
    """With processes in place of those that compile, which would take a minute."""
    file = tmp_path / "found.json"
    code = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import compiling
from pathlib import Path
for number, what in enumerate(compiling.CODES):
    compiling.CODES[what] = f"import os; os.listdir(os.environ['NUMBA_CACHE_DIR']); print({{number}} + 1.25)  # {{{{name}}}}"
compiling.main(["big2", "dou_dizhu"], Path({str(file)!r}), record=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    seconds = {"make_vec step": 1.25, "make_vec step, again": 1.25, "heuristic act": 2.25, "heuristic act, again": 2.25}
    assert json.loads(file.read_text(encoding="utf-8"))["seconds"] == {"big2": seconds, "dou_dizhu": seconds}
    assert "dou_dizhu" in done.stdout
    rows = recorded(tmp_path, "compiling")
    assert rows["CPU time until the first make_vec step of big2, cache filled"]["value"] == 1.25
    assert len(rows) == 8


def test_benchmark__of_the_engine_prints_tables_and_ratios(tmp_path: Path) -> None:
    printed, data = run("engine.py", tmp_path, "rlcard", "pyspiel", "pygame")
    medians = {
        result["name"]: result.get("median")
        for table in ("batches", "turn by turn", "rollouts")
        for result in data[table]["results"]
    }
    for name, median in medians.items():
        assert (f"{median:,.0f}" if median else f"left out: {name} (not installed: ") in printed
    missing = sorted(name for name, median in medians.items() if median is None)
    peers = ["connect_four env", "connect_four raw_env", "open_spiel dou_dizhu", "rlcard doudizhu", "rlcard uno"]
    assert missing == peers
    assert medians["kernel"] > 10 * medians["big2 raw_env"]
    assert medians["make_vec, copy=False"] > 5 * medians["big2 raw_env"] > 5 * medians["big2 env"]
    ratios = data["ratios and sizes"]
    assert 500 < ratios["bytes per game, int8"] < 4096 < ratios["bytes per game, float32"]
    assert 3 < ratios["legal actions on average, random play"] < 4 < 8 < ratios["legal actions on average, careful play"]
    assert ratios["times a memset of the same bytes, kernel"] > 1
    rows = recorded(tmp_path, "engine")
    assert rows["rate of kernel, range of rounds"]["value"] == pytest.approx(medians["kernel"], rel=1e-3)
    assert rows["bytes per game, int8"]["unit"] == "bytes"


def test_benchmark__of_the_fishing_game_prints_tables_and_writes_json(tmp_path: Path) -> None:
    printed, data = run("fishing.py", tmp_path)
    medians = {result["name"]: result["median"] for result in data["results"]}
    assert medians["compiled, one thread"] > 50 * medians["reference engine"]
    assert set(data["10,000 games, seconds"]) == {"in one process", "as a command"}
    assert "as a command" in printed
    assert (
        recorded(tmp_path, "fishing")["speed of compiled, one thread relative to reference engine, range of rounds"]["value"]
        > 50
    )


def test_benchmark__of_klondike_prints_what_it_found(tmp_path: Path) -> None:
    more = ["--deals", "30", "--positions", "30", "--games", "4", "--samples", "3"]
    printed, data = run("klondike.py", tmp_path, "pyspiel", more=more)
    assert "left out: open_spiel solitaire (not installed: pyspiel)" in printed
    for name in ("fresh deals", "random play"):
        assert data["solver"][name]["number"] == 30 == sum(data["solver"][name]["verdicts"].values())
    assert data["solver"]["fresh deals"]["verdicts"] == {"winnable": 26, "lost": 4}
    assert sum(data["check"].values()) == 30
    assert list(data["players"]) == ["random", "rule of thumb", "hints, 3 samples"]
    assert all(0 <= one["won"] <= one["games"] == 4 for one in data["players"].values())
    assert "hints, 3 samples" in printed
    rows = recorded(tmp_path, "klondike")
    assert rows["fresh deals decided within 1 s of CPU time"]["unit"] == "%"
    won = data["players"]["hints, 3 samples"]["won"]
    assert rows["deals won by hints, 3 samples"]["value"] == 25 * won
    no = {name: number for name, number in data["check"].items() if name.startswith("nothing found")}
    if sum(no.values()):
        share = 100 * no.get("nothing found / winnable", 0) / sum(no.values())
        assert rows['wrong "no" of the published check']["value"] == pytest.approx(share, rel=1e-3)


def test_benchmark__of_agents_counts_decisions_with_a_choice(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    script = [sys.executable, str(BENCHMARKS / "decisions.py"), "greedy", "--games", "2", "--rounds", "3", "--json", str(out)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    [found] = json.loads(out.read_text(encoding="utf-8"))["results"]
    assert 10 < found["views"] < 200
    assert f"{found['medians']['own']:,.0f}" in done.stdout
    assert [len(rounds) for rounds in found["rounds"].values()] == [3, 3, 3]


def test_benchmark__of_doudizhu_plays_both_sides_of_every_deal(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / "doudizhu.py"), "greedy", "--deals", "12", "--json", str(file)]
    others = ["--against", "rlcard", "--against", "greedy", "--against", "random", "--record"]
    done = subprocess.run([*command, *others], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    rule, equal, weak = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert [equal["both"][figure] for figure in ("WP", "WP ±", "ADP", "ADP ±")] == [0.5, 0, 0, 0]
    assert equal["landlord"]["WP"] + equal["farmers"]["WP"] == 1
    assert weak["both"]["WP"] > 0.8
    assert weak["both"]["ADP"] > 1
    assert 0 < rule["both"]["WP"] < 1
    assert rule["both"]["ADP"] != 0
    assert "rlcard" in done.stdout
    row = recorded(tmp_path, "doudizhu")["wins of greedy against greedy, both sides"]
    assert (row["value"], row["interval"], row["unit"]) == (50, [50, 50], "%")


def test_benchmark__of_credit_measures_every_variant_by_the_ends_of_games(tmp_path: Path) -> None:
    rounds = iter(range(10))  # the policy learns after the first 8
    args = CandidatePpoParameters(out=tmp_path, games=64, width=16, evaluation_deals=4)
    train(args, Callbacks(is_stopped=lambda: next(rounds, 9) == 9))
    file = tmp_path / "credit.json"
    arguments = [str(BENCHMARKS / "credit.py"), str(tmp_path), "--rounds", "3", "--games", "64", "--json", str(file)]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert len(results) == 8
    for name, found in results.items():
        assert name in done.stdout
        assert found["seconds"] > 0
        assert not found["one_round"] > 1.5  # NaN where so few games leave nothing but noise
    true = results["likely plays, lambda 1"]
    assert np.isnan(true["bias"]) or true["bias"] == pytest.approx(1)


def test_benchmark__of_duels_is_the_negative_the_other_way_round(tmp_path: Path) -> None:
    held_out = str(BENCHMARKS / "players" / "hong_kong.npz")
    gains = []
    for new, old in (("shipped", held_out), (held_out, "shipped")):
        code = f"import runpy, sys; sys.path.insert(0, {str(BENCHMARKS)!r}); sys.argv = sys.argv[1:]; " + (
            f"runpy.run_path({str(BENCHMARKS / 'duels.py')!r}, run_name='__main__')"
        )
        report = tmp_path / "found.json"
        arguments = ["duels.py", new, "--old", old, "--deals", "40", "--json", str(report)]
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, timeout=600)
        gains.append({name: gain for name, (gain, _) in json.loads(report.read_text())["gains"].items()})
    assert gains[0] == pytest.approx({name: -gain for name, gain in gains[1].items()})
    assert gains[0]["against the held-out player"] > 0


def test_benchmark__of_endings_decides_those_of_14_cards_within_a_second(tmp_path: Path) -> None:
    file = tmp_path / "solve.json"
    arguments = [str(BENCHMARKS / "solve.py"), "--endings", "20", "--game", "big2", "--game", "dou_dizhu", "--json", str(file)]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    data = json.loads(file.read_text(encoding="utf-8"))
    assert [(row["game"], row["endings"]) for row in data["results"]] == [
        (name, kind) for name in ("big2", "dou_dizhu") for kind in ("equal", "unequal", "played")
    ]
    for row in data["results"]:
        assert row["decided within a second"] >= 0.95
        assert sum(row["verdicts"].values()) == row["number"] == 20
        assert f"{row['ms']['median']:,.2f}" in done.stdout


def test_benchmark__of_the_family_prints_ratios_to_those_that_are_there(tmp_path: Path) -> None:
    printed, data = run("family.py", tmp_path, "pyspiel", more=["qi_gui_521"])
    medians = {result["name"]: result.get("median") for result in data["results"]}
    assert [name for name, median in medians.items() if median is None] == ["open_spiel dou_dizhu"]
    assert "left out: open_spiel dou_dizhu (not installed: pyspiel)" in printed
    assert medians["qi_gui_521, compiled"] > 10 * medians["qi_gui_521, reference"]
    assert medians["qi_gui_521, make_vec, lists"] > 5 * medians["qi_gui_521, reference"]
    ratios = data["ratios"]["qi_gui_521, compiled"]
    assert ratios["rlcard doudizhu, run"] > ratios["rlcard doudizhu, step"] > 10


@pytest.mark.long
def test_benchmark__against_a_revision_finds_itself_as_fast() -> None:
    options = ["--rounds", "1", "--repeats", "3", "--row", "aec big2"]
    command = [sys.executable, str(BENCHMARKS / "against.py"), "HEAD", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=400)
    assert done.returncode == 0, done.stderr
    found = re.search(r"aec big2\D+([\d.]+)", done.stdout)
    assert found is not None
    assert 0.3 < float(found[1]) < 3
    refused = subprocess.run([*command[:2], "no-such-revision"], capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode != 0
    assert "no-such-revision" in refused.stderr


def test_recorder__replaces_rows_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured_rows = importlib.import_module("measured_rows")
    monkeypatch.setattr(measured_rows, "RESULTS", tmp_path)
    for value in (1.23456, 2345.6):
        rows = [("A, b", value, "ratio", (1, 3000)), (f"only at {value}", value, "ratio")]
        measured_rows.Recorder("some").add(measured_rows.Row(*row) for row in rows)
    rows = json.loads((tmp_path / "some.json").read_text("utf-8"))
    assert [(row["name"], row["value"]) for row in rows] == [
        ("A, b", 2346),
        ("only at 1.23456", 1.235),
        ("only at 2345.6", 2346),
    ]
    assert measurements.bad_rows(tmp_path / "some.json") == []


def test_recorder__shows_the_command_without_its_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_rows = importlib.import_module("measured_rows")
    given = [str(BENCHMARKS / "aec.py"), "big2", "--json", "a.json", "--record", "--json=b.json", "--learner", "seat MlpPolicy"]
    monkeypatch.setattr("sys.argv", given)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert measured_rows.command_line() == 'OMP_NUM_THREADS=1 python benchmarks/aec.py big2 --learner "seat MlpPolicy"'


def test_benchmark__of_exploitability_measures_agents_and_solvers(tmp_path: Path) -> None:
    table, file = tmp_path / "curves.csv", tmp_path / "found.json"
    code = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import exploitability
from pathlib import Path
for _ in range(2):
    exploitability.main(
        "mini6", minutes=0, cfr=3, mccfr=2, nfsp=0, out=None, table=Path({str(table)!r}), json=Path({str(file)!r}), record=True
    )
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    rows = recorded(tmp_path, "exploitability")
    assert rows["exploitability of greedy on mini6"]["value"] == 0.3333
    assert rows["exploitability of CFR+ after 3 iterations on mini6"]["value"] < 0.19
    agents = json.loads(file.read_text("utf-8"))["agents"]
    assert agents["random"] == pytest.approx(71 / 135)
    lines = table.read_text("utf-8").splitlines()
    assert lines[:2] == ["ruleset,method,step,seconds,exploitability", "mini6,random,0,0.0,0.52593"]
    assert [line.split(",")[1:3] for line in lines[5:]] == [
        ["CFR+", "1"],
        ["CFR+", "2"],
        ["CFR+", "3"],
        ["MCCFR", "1"],
        ["MCCFR", "2"],
    ]


def test_benchmark__of_sampled_deals_compares_them_with_the_deal_that_is_played(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
import sampled_deals
from big2_env import BIG2
from big2_agents.learned.policy import LearnedPolicy

policy, found = LearnedPolicy(), []
for _, position in zip(range(60), sampled_deals.close_decisions(BIG2, policy)):
    view = position.game.view()
    scores = [score for _, score in policy.rated(view, view.legal_plays())]
    assert 0 <= sorted(scores)[-1] - sorted(scores)[-2] < sampled_deals.GAP
    found.append(sampled_deals.on_actual_deal(position, policy))
assert set(found) <= {{-4 / 3, 0.0, 4 / 3}} and len(set(found)) > 1, found
sampled_deals.main(["big2"], positions=40, json=None, record=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    rows = recorded(tmp_path, "sampled_deals")
    assert len(rows) == 7
    for row in rows.values():
        assert row["interval"][0] <= row["value"] <= row["interval"][1]


@pytest.mark.parametrize("script", sorted(SCRIPTS - CHECKS))
def test_script__writes_a_report_and_records_rows(script: str) -> None:
    text = (BENCHMARKS / f"{script}.py").read_text("utf-8")
    assert "json: JsonOption = None" in text
    assert "record: RecordOption = False" in text
    assert f'Recorder("{script}")' in text


def test_readme__lists_every_script() -> None:
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| \[`(\w+)\.py`\]", page, re.MULTILINE)) == SCRIPTS


def test_reproduce__measures_every_number_of_the_readme() -> None:
    script = importlib.import_module("reproduce")
    assert set(script.published()) == set(script.MEASURES)


@pytest.mark.parametrize(("value", "status", "verdict"), [(36.5, 0, "as published"), (44.0, 1, "DIFFERS")])
def test_reproduce__fails_if_an_interval_does_not_overlap_the_published_one(
    value: float, status: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = importlib.import_module("reproduce")
    name = "wins, one against three heuristic"
    row = script.Row(name, value, "%", (value - 1, value + 1))

    def missing(settings: Any) -> Any:
        raise ImportError("not installed: rlcard")

    measures = {measurements.slug(name): lambda settings: row, "wins-of-learned-against-rlcard-both-sides": missing}
    monkeypatch.setattr(script, "MEASURES", measures)
    try:
        script.main(json=tmp_path / "found.json", record=False)
        ended = 0
    except typer.Exit as error:
        ended = error.exit_code
    assert ended == status
    printed = " ".join(capsys.readouterr().out.split())
    assert verdict in printed
    assert f"{value:.1f} ({value - 1:.1f} to {value + 1:.1f})" in printed
    assert "left out: not installed: rlcard" in printed
    assert json.loads((tmp_path / "found.json").read_text())["results"][0]["value"] == value


def test_reproduce__trains_over_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    script = importlib.import_module("reproduce")
    monkeypatch.setattr(script, "trained_wins", lambda decisions, deals, seed: 0.3 + seed / 100 + decisions * deals)
    row = script.training(script.Settings(deals=0, jobs=1))
    assert measurements.slug(row.name) == list(script.MEASURES)[-1]
    assert row.value == pytest.approx(33)
    assert row.interval == pytest.approx((33 - 1.963, 33 + 1.963), abs=1e-3)


GAIN = {"gain": 0.05, "half_width": 0.11, "minutes": 60, "settings": {"player": "shipped", "ruleset": "hong_kong"}}
FOUND = {"wins": 0.35, "wins ±": 0.05, "score": 0.1, "score ±": 0.2, "ruleset": "big2", "opponents": "greedy", "player": "10ms"}
RUN = {"staleness": 1, "choices_per_second": 600.0, "payoff_greedy": 0.3, "error_greedy": 0.01}
WINS = {f"wins_{name}": 0.5 for name in ("random", "greedy", "heuristic")}
LOOPS = {"unit": "decisions per second", "results": [{"name": "engine", "rounds": [1.0, 3.0]}]}
CASE = {"path": "arena", "ruleset": "big2", "agents": ("a", "b"), "games": 2000, "warm_up": 1}
RECORDS = [{"agent": "a", "minus": None, "against": "b", **dict.fromkeys(("wins", "wins_low", "wins_high"), 0.5)}]


@pytest.mark.parametrize(
    ("script", "report", "name", "value"),
    [
        ("waiting", {"seconds": {"solve": 0.2}}, "CPU time of solve, cache empty", 0.2),
        ("exploit", GAIN, "gain of a response after 60 minutes against three shipped players of hong_kong", 0.05),
        (
            "exploit",
            {**GAIN, "settings": {"player": "heuristic", "ruleset": "mini12", "opponents": 1}},
            "gain of a response after 60 minutes against one heuristic player of mini12",
            0.05,
        ),
        (
            "duels",
            {"new": "runs/a.npz", "old": "shipped", "ruleset": "hong_kong", "gains": {"head to head": (0.4, 0.1)}},
            "gain of runs/a.npz over shipped in hong_kong, head to head",
            0.4,
        ),
        ("search", {"results": [FOUND]}, "wins of search:10ms against three greedy in big2", 35),
        (
            "rollout_workers",
            {"updates": 40, "runs": [{"workers": 0, **RUN}, {"workers": 2, **RUN, "choices_per_second": 900.0}]},
            "speed of 2 workers relative to 0",
            1.5,
        ),
        (
            "scaling",
            {"rows": {f"{n} {where}": {"games": n} for where in ("here", "on Ray") for n in (1, 2)}, "batches": {}},
            "speed of workers, 2 here relative to 1 here",
            2,
        ),
        (
            "monte_carlo",
            {"settings": {"minutes": 10, "ruleset": "big2"}, "results": [{"learner": "PPO", "choices": 5, **WINS}]},
            "wins against three greedy after 10 minutes of PPO in big2",
            50,
        ),
        (
            "learning_curve",
            {
                "settings": {"minutes": 3, "games": 100},
                "curves": {"seat": [{"greedy": 0.25, "random": 0.5}]},
                "collecting": {"seat": {"decisions": 40.0}, "dummy": {"decisions": 10.0}},
            },
            "speed of collecting, seat relative to dummy",
            4,
        ),
        ("uno", {"decisions": LOOPS, "games": LOOPS}, "rate of engine, range of rounds", 2),
        ("uno", {"published": 2.4}, "largest difference from the published table", 2.4),
        ("decisions", {"ruleset": "big2", "results": []}, None, 0),
        (
            "strength",
            {"agent": "a", "results": {"big2": [RECORDS[0] | {"score": 1.0, "score_low": 0.5, "score_high": 1.5}]}},
            "payoff of a against b in big2",
            1,
        ),
        (
            "against",
            {"revision": "9d7db64", "ratios": {"aec": [1.0, 2.0, 4.0]}},
            "aec, speed relative to 9d7db64, range of 3 rounds",
            2,
        ),
    ],
)
def test_rows__of_a_report(script: str, report: Any, name: str | None, value: float) -> None:
    rows = {row.name: row.value for row in importlib.import_module(script).rows(report)}
    assert rows.get(name, 0) == pytest.approx(value)


def test_rows__of_memory() -> None:
    [row] = importlib.import_module("memory").growths({"results": [{"case": CASE, "growth": 1.5}]})
    assert (row.name, row.value) == ("growth of memory over 2,000 games, arena big2 a,b", 1.5)
