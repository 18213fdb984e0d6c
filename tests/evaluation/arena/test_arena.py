"""The arena: who sits where, what is written and read back, what is counted."""

from __future__ import annotations

import json
import math
import re
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from arena_runs import PAIR, arena, lines_of
from run_cli import run_cli

from big2_agents.evaluation.arena.report import Report
from big2_agents.evaluation.arena.results import MAX_LINE, Config, GameResult, UnitResult, load, result_line, results_files
from big2_agents.evaluation.arena.schedule import Contest, Kind, Schedule, Unit, choose, contests, units
from big2_agents.evaluation.arena.stats import deal_means, ratings, samples
from big2_agents.evaluation.arena.units import Table, played
from big2_env import BIG2, ConfigError, NotationError
from big2_env.runs.executors import Local
from big2_env.runs.intervals import student
from big2_env.runs.resumable import encoded

TABLE_OF_FOUR = Config(("greedy", "lowest", "random", "random"), "big2", "cards", 7, "table")


@pytest.mark.parametrize("config", [TABLE_OF_FOUR, PAIR, Config(("a", "b", "c"), "big2", "winner", 0, "pairs")])
def test_schedule__every_chair_has_every_seat_once_between_the_same_neighbours(config: Config) -> None:
    for contest in config.contests():
        for chair in range(4):
            seats = [seat for rotation in range(4) for seat in range(4) if contest.chair_at(seat, rotation) == chair]
            assert sorted(seats) == [0, 1, 2, 3]
        for rotation in range(4):
            chairs = [contest.chair_at(seat, rotation) for seat in range(4)]
            assert all((after - before) % 4 == 1 for before, after in pairwise(chairs))
            assert contest.seating(rotation) == tuple(contest.chairs[chair] for chair in chairs)


def test_schedule__by_number_of_agents() -> None:
    assert [choose(number, BIG2) for number in (2, 3, 4, 5)] == [Schedule.PAIRS, Schedule.PAIRS, Schedule.TABLE, Schedule.PAIRS]
    assert contests(Schedule.TABLE, 4, BIG2) == (Contest((0, 1, 2, 3)),)
    assert contests(Schedule.PAIRS, 2, BIG2) == (Contest((0, 1, 1, 1), Kind.ALONE), Contest((1, 0, 0, 0), Kind.ALONE))
    assert len(contests(Schedule.PAIRS, 5, BIG2)) == 20
    assert list(units(2, contests(Schedule.PAIRS, 2, BIG2))) == [Unit(0, 0), Unit(0, 1), Unit(1, 0), Unit(1, 1)]
    with pytest.raises(ConfigError, match="expected 2 agents or more for a schedule of pairs, got 1"):
        contests(Schedule.PAIRS, 1, BIG2)
    with pytest.raises(ConfigError, match="expected 2 to 4 agents for a table of big2, got 5"):
        contests(Schedule.TABLE, 5, BIG2)
    assert contests(Schedule.TABLE, 3, BIG2) == (Contest((0, 1, 2)),)


@pytest.mark.parametrize("name", ["lowest", "greedy", "heuristic", "random"])
def test_rotation__is_fair_to_four_equal_agents(name: str) -> None:
    """Each wins exactly a quarter of every deal's games and scores exactly nothing: all luck is the seats'."""
    config = Config((name,) * 4, "big2", "cards", 3, "table")
    results = [Table(config).play(unit) for unit in units(6, config.contests())]
    for result in results:
        assert set(deal_means(result, config.contests()[0]).values()) == {(0.25, 0.0)}
    for sample in samples(results, config.contests())[0].values():
        assert sample.standing() == ((0.25, 0.0, 6), (0.0, 0.0, 6))
    assert len({rating.mean for rating in ratings(results, config.contests(), 4)}) == 1


def test_estimate__agrees_with_a_computation_by_hand() -> None:
    found = student([0.0, 0.25, 0.25, 0.5, 1.0])
    # mean 0.4; squared deviations .16 .0225 .0225 .01 .36 = .575, by 4 = .14375; t(4, 97.5 %) = 2.776445
    assert found.mean == pytest.approx(0.4)
    assert found.half_width == pytest.approx(2.776445 * math.sqrt(0.14375 / 5), rel=1e-6)
    assert math.isnan(student([0.5]).half_width)
    assert math.isnan(student([]).mean)


def test_samples__take_the_mean_over_seats_and_rotations_of_a_deal() -> None:
    contest = Contest((0, 1, 1, 1))

    def game(winner: int) -> GameResult:
        return GameResult(
            winner, tuple(0 if s == winner else 2 for s in range(4)), tuple(6.0 if s == winner else -2.0 for s in range(4))
        )

    # The agent alone is at seat 0, 1, 2, 3 in rotations 0 to 3. Deal 0: it wins rotations 0 and 2; deals 1 to 4: none.
    won = [(0, 0, 2, 1), *[(1, 2, 3, 0)] * 4]
    results = [UnitResult(Unit(deal, 0), tuple(map(game, winners))) for deal, winners in enumerate(won)]
    assert deal_means(results[0], contest) == {0: (0.5, 2.0), 1: (2 / 12, (2 * 6.0 + 10 * -2.0) / 12)}
    alone, three = (sample.standing() for sample in samples(results, [contest])[0].values())
    assert alone.wins.mean == 0.1
    assert alone.score.mean == -1.2
    assert alone.wins.half_width == pytest.approx(2.776445 * 0.1, rel=1e-6)  # t(4, 97.5 %) times sd .2236 by sqrt(5)
    assert three.wins.mean == pytest.approx((2 / 12 + 4 * 4 / 12) / 5)
    assert three.score.mean == pytest.approx(0.4)


@pytest.mark.parametrize("scoring", ["own", "cards"])  # thirds of a point, and whole ones
@pytest.mark.parametrize("schedule", ["pairs", "table"])
def test_ratings__rank_agents_as_they_play(scoring: str, schedule: str) -> None:
    config = Config(("greedy", "random", "lowest"), "big2", scoring, 1, schedule)
    table = Table(config, patience=0)
    results = [table.play(unit) for unit in units(60, config.contests())]
    greedy, random, first = (rating.mean for rating in ratings(results, config.contests(), 3))
    assert greedy > first > random


@pytest.mark.parametrize("config", [TABLE_OF_FOUR, PAIR])
def test_results__do_not_depend_on_the_number_of_jobs(config: Config) -> None:
    wanted = list(units(5, config.contests()))
    lines = []
    for jobs in (1, 2):
        with played(config, iter(wanted), Local(jobs)) as results:
            lines.append([encoded(result_line(result)) for result in results])
    assert lines[0] == lines[1]
    assert len(set(lines[0])) == len(wanted)


def test_results__of_a_deal_are_the_match_of_its_seed() -> None:
    [_, second] = [Table(TABLE_OF_FOUR).play(unit) for unit in units(2, TABLE_OF_FOUR.contests())]
    for rotation in range(4):
        agents = [TABLE_OF_FOUR.agents[agent] for agent in Contest((0, 1, 2, 3)).seating(rotation)]
        record = json.loads(run_cli("match", *agents, "--seed", "8", "--scoring", "cards", "--log", "jsonl").out)
        assert GameResult(record["winner"], tuple(record["cards_left"]), tuple(record["payoffs"])) == second.games[rotation]


def test_arena__writes_a_header_and_a_line_for_each_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    status, out, err = arena(path, 3)
    assert (status, err) == (0, "")
    first, *rest = map(json.loads, lines_of(path))
    assert {
        "schema": 1,
        "kind": "big2 arena",
        "agents": ["greedy", "random"],
        "seed": 7,
        "schedule": "pairs",
    }.items() <= first.items()
    assert [(line["deal"], line["contest"]) for line in rest] == [(d, c) for d in range(3) for c in range(2)]
    config, results = load(path)
    assert config == PAIR
    assert [encoded(results_files().first(config)), *(encoded(result_line(result)) for result in results)] == lines_of(path)
    for word in ("greedy", "3 x random", "wins %", "score", "rating", "±"):
        assert word in out
    report = json.loads(arena(path, 3, "--resume", "--json")[1])
    assert [row["against"] for row in report["rows"]] == ["3 x random", "3 x greedy"]
    assert [row["deals"] for row in report["rows"]] == [3, 3]
    assert report["rows"][0]["wins"] == Report.of(path).rows[0].standing.wins.mean


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xff\n", "line 3: expected text in UTF-8, got the byte 0xff"),
        (b"[]\n", "line 3: expected a JSON object, got '[]'"),
        (b'{"deal":0}\n', "line 3: contest: expected a whole number from 0 to 1, got 'null'"),
        (b'{"deal":-1,"contest":0,"games":[]}\n', "line 3: deal: expected a whole number from 0 to 999999999, got '-1'"),
        (b'{"deal":true,"contest":0,"games":[]}\n', "line 3: deal: expected a whole number from 0 to 999999999, got 'true'"),
        (b'{"deal":1,"contest":0,"games":[]}\n', "line 3: expected a list of 4 games"),
        (
            b'{"deal":1,"contest":0,"games":[1,2,3,4]}\n',
            "line 3: expected a game as [winner, cards left, payoffs], by 4 seats, got '1'",
        ),
        (b'{"deal":1,"contest":0,"games":[[4,[0,0,0,0],[0,0,0,0]],1,1,1]}\n', "line 3: expected a game as"),
        (b'{"deal":1,"contest":0,"games":[[0,[0,0,0],[0,0,0,0]],1,1,1]}\n', "line 3: expected a game as"),
        (b'{"deal":1,"contest":0,"games":[[0,[0,0,0,-1],[0,0,0,0]],1,1,1]}\n', "line 3: expected a game as"),
        (b'{"deal":1,"contest":0,"games":[[0,[0,0,0,0],[0,0,0,"x"]],1,1,1]}\n', "line 3: expected a game as"),
        (b'{"deal":1,"contest":0,"games":[[0,[0,0,0,0],[0,0,0,1e999]],1,1,1]}\n', "line 3: '1e999' is larger"),
        (b"x" * MAX_LINE + b"\n", f"line 3: more than {MAX_LINE} bytes"),
    ],
)
def test_results__that_are_wrong_are_refused_with_their_line(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 2)
    first, second, *_ = lines_of(path)
    path.write_bytes(first + second + line)
    before = path.read_bytes()
    status, out, err = arena(path, 4, "--resume")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert path.read_bytes() == before
    with pytest.raises(NotationError):
        list(load(path)[1])


def test_results__twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 1)
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines, lines[2]]))
    assert f"{path} line 4: expected every unit once, got deal 0 of contest 1 twice" in arena(path, 4, "--resume")[2]


@pytest.mark.parametrize(
    ("more", "agents", "message"),
    [
        (["--resume", "--seed", "8"], ("greedy", "random"), "made with seed 7, but this run has 8"),
        (
            ["--resume"],
            ("greedy", "lowest"),
            "made with agents ['greedy', 'random'], but this run has ['greedy', 'lowest']",
        ),
        (["--resume", "--scoring", "winner"], ("greedy", "random"), "made with scoring own, but this run has winner"),
        ([], ("greedy", "random"), "already exists: give --resume, --overwrite or another --out"),
        (["--resume", "--overwrite"], ("greedy", "random"), "expected one of --resume and --overwrite, got both"),
        (["--resume"], ("greedy", "nobody"), "unknown agent 'nobody'; expected one of"),
        (["--scoring", "owns"], ("greedy", "random"), "unknown scoring 'owns'; expected winner, cards or own (the ruleset's)"),
        (["--resume"], ("greedy",), "expected 2 agents or more for a schedule of pairs, got 1"),
        (["--resume", "--schedule", "table"], ("greedy",) * 5, "big2 needs 2 to 4 players, got 5"),
        (["--resume", "--players", "2", "--schedule", "pairs"], ("greedy", "random"), "--players: expected --schedule table"),
        (["--resume", "--ruleset", "whist"], ("greedy", "random"), "ruleset 'whist'"),
    ],
)
def test_arena__refuses_what_does_not_fit_and_keeps_the_file(
    tmp_path: Path, more: list[str], agents: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 1)
    before = path.read_bytes()
    status, out, err = arena(path, 2, *more, agents=agents)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before


def test_arena__refuses_a_file_that_is_none_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"schema": 1, "ruleset": "big2"}\n')
    assert arena(path, 1, "--resume")[::2] == (2, f"big2: {path} line 1: expected kind big2 arena, schema 1, got 'null', '1'\n")
    path.write_text('{"my": "data"}')  # without a newline it could be half a header, and is none of this run's
    message = f"big2: {path}: not results of this run: expected a file that it wrote, an empty one or another --out\n"
    assert arena(path, 1, "--resume")[::2] == (2, message)
    assert path.read_text() == '{"my": "data"}'
    header = results_files().first(PAIR)
    path.write_bytes(encoded(header).replace(b'"schema":1', b'"schema":2'))
    with pytest.raises(NotationError, match="expected kind big2 arena, schema 1, got '\"big2 arena\"', '2'"):
        load(path)
    for key, message in (
        ("identity", "expected an identity that names the same ruleset, got 'null'"),
        ("agent_seed", "agent_seed: expected a whole number, got 'null'"),
    ):
        path.write_bytes(encoded({name: value for name, value in header.items() if name != key}))
        with pytest.raises(NotationError, match=message):
            load(path)


def test_results__that_are_written_do_not_stay_in_memory(tmp_path: Path) -> None:
    games = (GameResult(0, (0, 1, 2, 3), (1.0, -0.5, -0.25, -0.25)),) * 4
    path = tmp_path / "long.jsonl"
    with results_files().open(path, PAIR) as write:
        write(UnitResult(Unit(0, 0), games))
        tracemalloc.start()
        try:
            for deal in range(1, 3001):
                write(UnitResult(Unit(deal, 0), games))
            grown, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert len(lines_of(path)) == 3002
    assert grown < 50_000  # bytes


def test_arena__overwrites_when_told_to(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 3)
    arena(path, 1, "--overwrite")
    assert len(lines_of(path)) == 3


def test_extra__that_is_missing_is_named_and_what_needs_it_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    monkeypatch.setitem(sys.modules, "scipy", None)  # nor is that needed
    status, out, err = arena(tmp_path / "a.jsonl", 2)
    assert (status, err) == (0, "big2: ratings are left out, they need openskill: pip install 'big2_env[arena]'\n")
    assert "rating: needs the extra arena" in out
    records = json.loads(arena(tmp_path / "b.jsonl", 5, "--scoring", "cards", "--json").out)["rows"]
    assert [row["agent"] for row in records] == ["greedy", "random"]
    assert all(row["rating"] is None and row["score_low"] < row["score"] for row in records)


def test_resume__takes_the_scoring_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert json.loads(arena(path, 1, "--scoring", "cards", "--json").out)["scoring"] == "cards"
    assert json.loads(arena(path, 2, "--resume", "--json").out)["scoring"] == "cards"
    path.write_bytes(lines_of(path)[0][:40])  # killed within the first line
    assert json.loads(arena(path, 1, "--resume", "--json").out)["scoring"] == "own"
    refused = run_cli("arena", "--merge", str(path), "--out", str(tmp_path / "b.jsonl"), "--scoring", "own")
    assert (
        refused.err == "big2: --merge: expected only --out, --overwrite, --deals and report files, got an option for playing\n"
    )


@pytest.mark.parametrize(
    ("game", "scoring", "order"),
    [
        ("big2", "own", ["wins %", "score"]),
        ("qi_gui_523", "own", ["wins %", "score"]),
        ("big2", "cards", ["score", "wins %"]),
        ("hong_kong", "own", ["score", "wins %"]),
    ],
)
def test_tables__show_wins_first_only_if_games_are_won_or_lost(
    tmp_path: Path, game: str, scoring: str, order: list[str]
) -> None:
    page = tmp_path / "a.html"
    for schedule, first, second in (("table", *order), ("pairs", *(name.removesuffix(" %") for name in order))):
        more = ("--game", game, "--scoring", scoring, "--schedule", schedule, "--html", str(page), "--overwrite", "--jobs", "1")
        out = run_cli("arena", "greedy", "random", "--deals", "5", *more, "--out", str(tmp_path / "a.jsonl")).out
        assert 0 < out.index(first) < out.index(second)
    [row] = [line for line in out.splitlines() if line.startswith("│ greedy ")]
    assert ("%" in row) == (first == "wins")
    cell = re.search(r'<td class="(?:more|less)[^>]*>([^<]*)<small>([^<]*)<', page.read_text(encoding="utf-8"))
    assert cell is not None
    assert ["%" in text for text in cell.groups()] == [first == "wins", second == "wins"]


@pytest.mark.parametrize(("deals", "shown"), [(1, False), (4, False), (5, True)])
def test_tables__show_no_interval_of_less_than_five_deals(tmp_path: Path, deals: int, shown: bool) -> None:
    page = tmp_path / "a.html"
    for schedule in ("table", "cross"):
        more = ("--schedule", schedule, "--html", str(page), "--overwrite", "--scoring", "cards")
        agents = ("greedy", "random", "lowest", "heuristic")
        out = arena(tmp_path / "a.jsonl", deals, *more, agents=agents).out
        results = out.replace("rating", "").replace("par is", "")
        numbers = re.findall(r"[+-]\d+\.\d\d ± (\S+)|\d+\.\d ± (\d+\.\d)%|% ± (-)", results)
        assert numbers
        assert {any(map(str.isdigit, "".join(found))) for found in numbers} == {shown}
        assert ("to +" in out or "to -" in out) == shown  # ends of paired differences
    rows = json.loads(arena(tmp_path / "a.jsonl", deals, "--schedule", "cross", "--resume", "--json", agents=agents).out)[
        "rows"
    ]
    assert {(row["wins_low"] is None, row["score_high"] is None) for row in rows} == {(not shown, not shown)}
    below = re.findall(r"<small>[^<]*</small>", page.read_text(encoding="utf-8"))
    assert any("± –" in text for text in below) != shown


@pytest.mark.parametrize("option", ["--csv", "--parquet", "--png"])
def test_command__a_place_for_no_file__is_refused_before_the_games(option: str, tmp_path: Path) -> None:
    out = tmp_path / "arena.jsonl"
    found = run_cli("arena", "random", "lowest", "--deals", "1", "--jobs", "1", "--out", str(out), option, "/")
    assert (found.status, found.err) == (2, "big2: expected a file to write, got /\n")
    assert not out.exists()
