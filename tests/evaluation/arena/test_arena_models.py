"""Arenas with language models: games at once, kills, resumed runs, and reports that add up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from arena_runs import lines_of
from loopback_endpoint import KEY, NAME, Loopback, Say, faulty, first_legal, loopback, set_key_alone
from run_cli import run_cli

from big2_agents.evaluation.answers import COUNTS
from big2_agents.evaluation.arena.answer_counts import answer_rows
from big2_agents.evaluation.arena.results import GameResult, UnitResult, load
from big2_agents.evaluation.arena.schedule import Contest, Kind, Unit


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    set_key_alone(monkeypatch)


def options(path: Path, url: str, deals: int, *more: str) -> list[str]:
    agents = (NAME, "lowest", "lowest", "lowest")
    return ["arena", *agents, "--deals", str(deals), "--seed", "7", "--out", str(path), "--llm-url", url, "--json", *more]


def total(report: dict[str, Any]) -> dict[str, Any]:
    """The answers of all games, after checking that those by seat add up to them."""
    [whole] = [row for row in report["answers"] if row["place"] == "all"]
    seats = [row for row in report["answers"] if row["place"].startswith("seat")]
    for name, value in whole.items():
        if isinstance(value, (int, float)) and name not in ("wins", "score"):
            assert sum(row[name] for row in seats) == pytest.approx(value)
    return whole


def test_arena__plays_games_at_once__with_the_results_of_one_after_the_other(tmp_path: Path) -> None:
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    with loopback(faulty, delay=0.01) as server:
        page = ("--html", str(tmp_path / "a.html"), "--lang", "en")
        done = run_cli(*options(path, server.url, 1, "--at-once", "4", *page), "--illegal", "lowest")
    assert done.status == 0, done.err
    assert 2 <= server.most_at_once <= 4
    counted = total(json.loads(done.out))
    assert counted["calls"] + counted["failures"] == server.calls
    assert counted["fallbacks"] == counted["illegal"] + counted["unreadable"] > 0
    assert counted["tokens_out"] == 7 * counted["calls"]
    assert counted["games"] == 4
    assert KEY.encode() not in path.read_bytes()
    assert server.url.encode() not in path.read_bytes()
    assert "Answers of language models" in (tmp_path / "a.html").read_text(encoding="utf-8")
    cache = ("--llm-cache", str(tmp_path / "a.replies.jsonl"))
    same = run_cli(*options(again, "cache", 1, "--at-once", "1", *cache), "--illegal", "lowest")
    assert same.status == 0, same.err
    assert again.read_bytes() == path.read_bytes()
    assert json.loads(same.out) == json.loads(done.out)
    assert len(lines_of(tmp_path / "a.transcript.jsonl")) == counted["calls"]
    other = run_cli(*options(path, "cache", 2, "--resume", *cache), "--illegal", "random")
    assert other.status == 2
    assert "made with protocols llm:tiny" in other.err
    shown = run_cli(
        *[option for option in options(path, "cache", 1, "--resume", *cache) if option != "--json"], "--illegal", "lowest"
    )
    assert "Answers of llm:tiny" in shown.out
    assert "cost" not in shown.out
    for text, status in (("2,10.5", 0), ("2", 2), ("x,1", 2)):
        priced = run_cli(*options(path, "cache", 1, "--resume", *cache, "--price", text), "--illegal", "lowest")
        assert priced.status == status, priced.err
        if status:
            assert f"--price: expected dollars per million tokens as IN,OUT, such as 0.5,2, got '{text}'" in priced.err
        else:
            cost = (2 * counted["tokens_in"] + 10.5 * counted["tokens_out"]) / 1e6
            assert total(json.loads(priced.out))["cost"] == pytest.approx(cost, abs=1e-3)


def test_arena__reports_with_and_without_forfeits(tmp_path: Path) -> None:
    def say(messages: list[str], number: int) -> Any:
        return "hm" if "Your hand, 4 cards" in messages[0] else first_legal(messages)

    with loopback(say) as server:
        page = ("--html", str(tmp_path / "a.html"), "--lang", "en")
        done = run_cli(*options(tmp_path / "a.jsonl", server.url, 1, "--illegal", "retry:1", *page))
    assert done.status == 0, done.err
    report = json.loads(done.out)
    counted = total(report)
    assert counted["forfeits"] == counted["unreadable"] / 2 > 0
    assert "Without forfeited games" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert {row["agent"] for row in report["without_forfeits"]} == {NAME, "lowest"}
    _, results = load(tmp_path / "a.jsonl")
    for game in (game for unit in results for game in unit.games):
        assert sum(game.payoffs) == pytest.approx(0)


def test_answers__are_counted_by_role_too() -> None:
    counts = dict.fromkeys(COUNTS, 1.0)
    notes = {"counts": {"0": counts, "2": counts}, "landlord": 2}
    game = GameResult(1, (3, 0, 5), (1.0, 1.0, -2.0), notes)
    given_up = GameResult(-1, (3, 2, 5), (-3.0, -3.0, 6.0), notes | {"forfeit": (0, "tired")})
    contest = Contest((0, 1, 0), Kind.TABLE)
    rows = {
        row.place: row for row in answer_rows([UnitResult(Unit(0, 0), (game,)), UnitResult(Unit(1, 0), (given_up,))], [contest])
    }
    assert list(rows) == ["all", "seat 0", "seat 2", "farmer", "landlord"]
    assert [row.games for row in rows.values()] == [4, 2, 2, 2, 2]
    assert [row.forfeits for row in rows.values()] == [1, 1, 0, 1, 0]
    assert [row.counts["calls"] for row in rows.values()] == [4, 2, 2, 2, 2]
    assert (rows["farmer"].standing.score.mean, rows["landlord"].standing.score.mean) == (-1.0, 2.0)
    assert (rows["farmer"].standing.wins.mean, rows["landlord"].standing.wins.mean) == (0.5, 0.5)


@pytest.mark.parametrize("option", [("--isolate",), ("--jobs", "2"), ("--limit", "5")])
def test_arena__of_models_plays_in_one_process(tmp_path: Path, option: tuple[str, ...]) -> None:
    done = run_cli(*options(tmp_path / "a.jsonl", "http://127.0.0.1:9/v1", 1, *option))
    assert done.status == 2
    assert (
        "agents llm:MODEL play in one process, without a time limit: expected no --jobs, --ray, --isolate, --limit" in done.err
    )
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize(
    "line",
    [
        "match --limit 5",
        "match --isolate",
        "bench --jobs 2 --out FOLDER",
        "bench --positions --limit 5 --out FOLDER",
        "export --jobs 2 --out FOLDER",
        "export --limit 5 --out FOLDER",
    ],
)
def test_verbs__play_models_in_one_process(tmp_path: Path, line: str) -> None:
    verb, *options = line.replace("FOLDER", str(tmp_path / "new")).split()
    status, out, err = run_cli(verb, NAME, *options)
    assert (status, out) == (2, "")
    assert "agents llm:MODEL play in one process, without a time limit: expected no --" in err
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__of_a_model_keeps_its_budget_its_replies_and_its_protocol(tmp_path: Path) -> None:
    def bench(*options: str) -> str:
        return run_cli("bench", NAME, "--game", "big2", "--deals", "2", "--out", str(tmp_path), *options).err

    with loopback() as server:
        assert "the budget of 40 calls is used up" in bench("--llm-url", server.url, "--llm-budget", "40", "--at-once", "2")
        assert server.calls <= 40
        assert len(lines_of(tmp_path / "big2-llm_tiny_legal_no-rules.replies.jsonl")) > 20
        assert "made with protocols llm:tiny" in bench("--llm-url", server.url, "--resume", "--illegal", "lowest")


def test_arena__stops_with_a_message_and_keeps_deals(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with loopback() as server:
        done = run_cli(*options(path, server.url, 2, "--at-once", "2", "--llm-budget", "45"))
        assert done.status == 2
        assert "the budget of 45 calls is used up" in done.err
        for thread in threading.enumerate():  # one may still wait for the last call when the other stops the run
            if thread.name.endswith("(_play)"):
                thread.join(30)
        assert 44 <= server.calls <= 45  # the other's last call may be counted and never made
        resumed = run_cli(*options(path, server.url, 2, "--resume"))
        assert resumed.status == 0, resumed.err
    assert max(server.asked.values()) == 1


def killed_and_resumed(
    path: Path, deals: int, at_once: int, kill_at: tuple[int, ...], say: Say
) -> tuple[Loopback, dict[str, Any], list[tuple[int, int]]]:
    """The endpoint, the report and the memory of the last process, of a run that is killed after some calls.

    The memory is in bytes, each with the number of calls answered by then.
    """
    memory: list[tuple[int, int]] = []
    environment = os.environ | {"BIG2_LLM_TIMEOUT": "2"}
    with loopback(say, delay=0.5) as server:
        command = [sys.executable, "-m", "big2_env", *options(path, server.url, deals, "--resume", "--at-once", str(at_once))]
        for calls in (*kill_at, None):
            running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
            while running.poll() is None and (calls is None or server.answered < calls):
                time.sleep(0.02)
                if calls is None and sys.platform == "linux":
                    memory.append((server.answered, resident(running.pid)))
            if calls is not None:
                running.kill()
            out, err = running.communicate(timeout=60)
            assert calls is not None or running.returncode == 0, err
    return server, json.loads(out), memory


def resident(process: int) -> int:
    """Memory of a process in bytes, 0 once it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def check_killed(path: Path, deals: int, at_once: int, kill_at: tuple[int, ...]) -> tuple[Loopback, list[tuple[int, int]]]:
    server, report, memory = killed_and_resumed(path, deals, at_once, kill_at, faulty)
    counted = total(report)
    assert server.most_at_once <= at_once
    assert counted["games"] == 4 * deals
    answered = len(lines_of(path.with_suffix(".replies.jsonl"))) - 1
    assert counted["calls"] == answered == len(server.asked)  # no two games of this run have a request in common
    logged = map(json.loads, lines_of(path.with_suffix(".transcript.jsonl")))
    attempts = {json.dumps(line["prompt"]): line["attempts"] for line in logged}
    lost = [number - attempts[json.dumps(json.loads(body)["messages"][1:])] for body, number in server.asked.items()]
    assert sum(lost) == server.calls - counted["calls"] - counted["failures"]
    assert min(lost) >= 0
    # A kill loses a call with all its attempts, of which the call that repeats it knows nothing.
    assert sum(number > 0 for number in lost) <= at_once * len(kill_at)
    taped = path.with_name("taped.jsonl")
    cache = ("--llm-cache", str(path.with_suffix(".replies.jsonl")))
    assert run_cli(*options(taped, "cache", deals, *cache)).status == 0
    assert taped.read_bytes() == path.read_bytes()
    return server, memory


@pytest.mark.long
def test_arena__of_a_thousand_calls__is_killed_twice_and_adds_up(tmp_path: Path) -> None:
    server, memory = check_killed(tmp_path / "a.jsonl", 22, 32, (300, 700))
    assert server.calls >= 1000
    assert 16 <= server.most_at_once <= 32
    if memory:  # by quarters of the calls, for a busy machine may spend most of the time on the start
        first, last = memory[0][0], memory[-1][0] + 1
        parts = [[size for calls, size in memory if 4 * (calls - first) // (last - first) == part] for part in range(4)]
        assert max(parts[2]) - max(parts[1]) < 8 << 20
