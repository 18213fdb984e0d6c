"""Cross tables of the arena: contests of pairs and teams, paired differences by hand, what is written for other programs."""

from __future__ import annotations

import csv
import json
import math
import struct
import sys
from array import array
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from run_cli import run_cli

from big2_agents.evaluation.arena.report import COLUMNS, Report
from big2_agents.evaluation.arena.results import Config, GameResult, UnitResult, results_files
from big2_agents.evaluation.arena.schedule import Contest, Kind, Schedule, Unit, contests, units
from big2_agents.evaluation.arena.stats import Sample, deal_means
from big2_agents.evaluation.arena.units import Table
from big2_env import BIG2, ConfigError
from big2_env.runs.intervals import Interval, bootstrap

THREE = Config(("greedy", "lowest", "random"), "big2", "cards", 5, "cross")


def test_cross__is_everybody_alone_against_everybody_then_two_against_two() -> None:
    planned = contests(Schedule.CROSS, 3, BIG2)
    alone = [(0, 1, 1, 1), (0, 2, 2, 2), (1, 0, 0, 0), (1, 2, 2, 2), (2, 0, 0, 0), (2, 1, 1, 1)]
    teams = [(0, 1, 0, 1), (0, 2, 0, 2), (1, 2, 1, 2)]
    assert [contest.chairs for contest in planned] == alone + teams
    assert [(contest.kind, contest.rotations) for contest in planned] == [(Kind.ALONE, 4)] * 6 + [(Kind.TEAMS, 2)] * 3
    assert contests(Schedule.TEAMS, 3, BIG2) == planned[6:]
    assert contests(Schedule.ALONE, 3, BIG2) == planned[:2]
    for contest in planned:
        for agent in set(contest.chairs):
            seats = [seat for r in range(contest.rotations) for seat, sits in enumerate(contest.seating(r)) if sits == agent]
            assert sorted(seats) == sorted(list(range(4)) * (len(seats) // 4))  # every hand as often as every other
    assert [Contest((0, 1, 0, 1)).seating(rotation) for rotation in range(2)] == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert contests(Schedule.TABLE, 4, BIG2)[0].kind is Kind.TABLE
    with pytest.raises(ConfigError, match="expected 2 agents or more for a schedule of cross, got 1"):
        contests(Schedule.CROSS, 1, BIG2)
    two_seats = replace(BIG2, min_players=2, max_players=2, players=2, hand_size=26)
    assert contests(Schedule.PAIRS, 2, two_seats) == (Contest((0, 1), Kind.ALONE), Contest((1, 0), Kind.ALONE))
    with pytest.raises(ConfigError, match="expected an even number of seats, 4 or more, for two teams, got 2 in big2"):
        contests(Schedule.CROSS, 2, two_seats)


def test_arena__of_two_at_one_table_is_a_table(tmp_path: Path) -> None:
    out, png = tmp_path / "two.jsonl", tmp_path / "two.png"
    command = ("arena", "heuristic", "random", "--game", "qi_gui_523", "--deals", "4", "--jobs", "1")
    refused = run_cli(*command, "--out", str(out), "--png", str(png))
    assert (refused.status, "--png" in refused.err) == (2, True)
    assert not out.exists()  # nothing was played in vain
    rows = json.loads(run_cli(*command, "--out", str(out), "--json").out)["rows"]
    assert [(row["kind"], row["agent"], row["minus"]) for row in rows] == [
        *(("table", "heuristic", None), ("table", "random", None)),
        ("table", "heuristic", "random"),
    ]


def test_teams__of_equal_agents_are_exactly_even() -> None:
    config = replace(THREE, agents=("greedy", "greedy"), schedule="teams")
    for unit in units(5, config.contests()):
        assert set(deal_means(Table(config).play(unit), config.contests()[0]).values()) == {(0.25, 0.0)}


def game(winner: int) -> GameResult:
    return GameResult(winner, tuple(2 * (s != winner) for s in range(4)), tuple(6.0 if s == winner else -2.0 for s in range(4)))


def results_of(path: Path, config: Config, winners: dict[tuple[int, int], str]) -> Report:
    """The report of games won by the seats named: deal and contest to winners by rotation."""
    with results_files().open(path, config) as write:
        for unit, seats in winners.items():
            write(UnitResult(Unit(*unit), tuple(game(int(seat)) for seat in seats)))
    return Report.of(path)


def test_differences__agree_with_a_computation_by_hand(tmp_path: Path) -> None:
    """Contests 1 and 3 are agents 0 and 1 alone against copies of 2; in rotation r the one alone has seat r."""
    winners = {(0, 1): "0120", (0, 3): "1230", (1, 1): "0123", (1, 3): "0230", (2, 1): "0123", (0, 7): "01", (0, 8): "01"}
    winners |= {(deal, contest): winners[deal % 2, contest] for deal in (3, 4, 5) for contest in (1, 3)}
    report = results_of(tmp_path / "hand.jsonl", THREE, winners)
    [pair] = [found for found in report.differences if found[:4] == (Kind.ALONE, 0, 1, 2)]
    # Deals 0 and 4: 3 of 4 games against 0 of 4; deals 1, 3 and 5: 4 of 4 against 1 of 4; agent 1 has not played deal 2.
    assert pair.deals == 5
    assert pair.wins == (0.75, 0.75, 0.75)
    assert pair.score == (6.0, 6.0, 6.0)  # 8 a game won
    # Two against two: in rotation 0 seats 0 and 2 are the first's, in rotation 1 seats 1 and 3.
    [pair] = [found for found in report.differences if found[:4] == (Kind.TEAMS, 0, 1, 2)]
    assert pair.deals == 1
    assert pair.wins[0] == 0.0
    assert math.isnan(pair.wins.low)
    empty = [found for found in report.differences if not found.deals]
    assert len(empty) == 4
    assert all(math.isnan(found.score.mean) for found in empty)
    cells = {(row.kind, row.agent, row.others): row.standing for row in report.rows}
    assert len(cells) == 12
    assert cells[Kind.ALONE, 0, (2,)].wins.mean == pytest.approx(22 / 24)
    assert cells[Kind.TEAMS, 0, (2,)].wins == (0.5, pytest.approx(math.nan, nan_ok=True), 1)
    assert cells[Kind.TEAMS, 2, (0,)].wins.mean == 0.0
    assert cells[Kind.TEAMS, 2, (0,)].score.mean == -2.0


def test_bootstrap__agrees_with_a_computation_by_hand() -> None:
    # The mean is the number of fives drawn in five times: 0 in 33 % of samples, 3 or more in 6 %, 4 or more in 0.7 %.
    assert bootstrap(np.array([5.0, 0.0, 0.0, 0.0, 0.0])) == (1.0, 0.0, 3.0)
    assert bootstrap(np.array([0.5] * 7)) == (0.5, 0.5, 0.5)
    values = np.random.default_rng(1).normal(3.0, 2.0, 2000)
    mean, low, high = bootstrap(values)
    assert mean == pytest.approx(values.mean())
    half = 1.96 * values.std() / math.sqrt(2000)
    assert (mean - low, high - mean) == (pytest.approx(half, rel=0.1), pytest.approx(half, rel=0.1))
    assert bootstrap(values) == (mean, low, high)  # the same results give the same interval


def test_sample__keeps_numbers_and_not_objects() -> None:
    assert all(isinstance(column, array) for column in vars(Sample()).values())


def cross(path: Path, *more: str, agents: tuple[str, ...] = THREE.agents) -> tuple[int, str, str]:
    return run_cli("arena", *agents, "--seed", "5", "--jobs", "1", "--deals", "5", "--out", str(path), *more)


def test_cross__is_shown_and_written_and_read_back(tmp_path: Path) -> None:
    path, table, parquet, png = (tmp_path / name for name in ("a.jsonl", "a.csv", "a.parquet", "a.png"))
    files = ["--csv", str(table), "--parquet", str(parquet), "--png", str(png)]
    status, out, err = cross(path, "--schedule", "cross", *files)
    assert (status, err) == (0, "")
    assert "…" not in out  # nothing is cut off
    for text in ("3 x greedy", "2 x greedy", "greedy - lowest", "rating", "95% bootstrap intervals"):
        assert text in out
    report = Report.of(path)
    records = report.records()
    # 6 cells alone, 6 of teams; for 3 pairs of agents the one column that both met, alone and in teams
    assert [record["kind"] for record in records] == ["alone"] * 6 + ["teams"] * 6 + ["alone"] * 3 + ["teams"] * 3
    for record in records:
        assert list(record) == list(COLUMNS)
        assert all(value is None or type(value) is COLUMNS[name] for name, value in record.items())
        assert record["deals"] == 5
    first = report.rows[0].standing
    assert records[0]["score_low"] == first.score.mean - first.score.half_width
    assert Interval(*(records[12][key] for key in ("score", "score_low", "score_high"))) == report.differences[0].score
    assert [records[12][key] for key in ("agent", "minus", "against", "rating")] == ["greedy", "random", "3 x lowest", None]

    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    read = [{name: COLUMNS[name](text) if text else None for name, text in row.items()} for row in rows]
    assert read == records
    from pyarrow.parquet import read_table

    assert read_table(parquet).to_pylist() == records
    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert min(struct.unpack(">II", data[16:24])) > 300
    from matplotlib.image import imread

    assert len(np.unique(imread(png)[..., :3].reshape(-1, 3), axis=0)) > 50  # cells of many colours, and text
    rest = json.loads(cross(path, "--schedule", "cross", "--resume", "--json")[1])
    assert rest["rows"][12]["score"] == records[12]["score"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "a.jsonl", "a.parquet", "a.png"]


@pytest.mark.parametrize("cut", [0, 40, -1, -150])
def test_cross__goes_on_from_any_byte(tmp_path: Path, cut: int) -> None:
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    cross(whole, "--schedule", "teams")
    half.write_bytes(whole.read_bytes()[:cut])
    assert cross(half, "--schedule", "teams", "--resume")[0] == 0
    assert half.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("option", "module", "extra"), [("--parquet", "pyarrow", "parquet"), ("--png", "matplotlib.figure", "plots")]
)
def test_extra__that_is_missing_is_named_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    status, out, err = cross(tmp_path / "a.jsonl", "--schedule", "cross", option, str(tmp_path / "file"))
    assert (status, out) == (2, "")
    assert f": pip install 'big2_env[{extra}]' (" in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_png__of_one_table_is_refused(tmp_path: Path) -> None:
    agents = ("greedy", "lowest", "random", "random")
    status, _, err = cross(tmp_path / "a.jsonl", "--png", str(tmp_path / "a.png"), agents=agents)
    assert (status, err) == (2, "big2: --png: expected a schedule of pairs, alone, teams or cross, got one table\n")
    assert not list(tmp_path.iterdir())
    missing = tmp_path / "nowhere" / "a.csv"
    said = cross(tmp_path / "a.jsonl", "--csv", str(missing), agents=agents)[2]
    assert said == f"big2: expected a folder that exists, got {missing.parent}\n"
