"""Agents that hang, print, fail or cheat: one line with the game, a status that is not 0, results so far kept."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env import ConfigError
from big2_env.agents.time_limit import TimeLimit

BOTS = """
import time

class Bot:
    turns = 0

    def __init__(self):
        print("made")

    def reset(self, seed):
        print("reset", seed)

    def act(self, view, legal):
        print("act")
        Bot.turns += 1
        if Bot.turns > 400:  # some deals go well
            self.fault()
        return next(iter(legal))

    def fault(self): ...

class Sleeps(Bot):
    def fault(self):
        time.sleep(60)

class Spins(Bot):
    def fault(self):
        while True:
            try:
                while True: pass
            except Exception:
                continue

class Leaves(Bot):
    def fault(self):
        raise SystemExit(3)

class Cheats(Bot):
    def act(self, view, legal):
        super().act(view, legal)
        return "all my cards" if Bot.turns > 400 else next(iter(legal))

class Ponders(Bot):
    def advise(self, view, legal):
        time.sleep(60)

class NoStart(Bot):
    def reset(self, seed):
        raise OSError("no server")
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with agents, in the current directory."""
    name = f"bots_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Sleeps", "expected a move within 1 s, got none"),
        ("Spins", "expected a move within 1 s, got none"),
        ("Leaves", r"agent Leaves at seat \d fails: SystemExit: 3"),
        ("Cheats", r"agent Cheats at seat \d: expected a legal move, got .*all my cards.*"),
    ],
)
def test_arena__a_fault_is_one_line_with_the_game__and_results_are_kept(
    bots: str, name: str, says: str, tmp_path: Path
) -> None:
    out, spec = tmp_path / "a.jsonl", f"{bots}:{name}"
    began = time.monotonic()
    answer = run_cli("arena", spec, "lowest", "--deals", "60", "--seed", "5", "--jobs", "1", "--limit", "1", "--out", str(out))
    assert time.monotonic() - began < 30
    assert (answer.status, answer.out) == (2, "")
    *_, last = answer.err.splitlines()
    kept = len(out.read_bytes().splitlines()) - 1
    assert kept >= 2
    deal = kept // 2
    message = rf"big2: deal {deal}, seed {deal + 5}, seat \d, agent '{spec}': {says}; {deal} deals? (is|are) kept in {out}"
    assert re.fullmatch(message, last), last


def test_arena__an_agent_that_does_not_start_is_named(bots: str, tmp_path: Path) -> None:
    answer = run_cli(
        "arena", f"{bots}:NoStart", "lowest", "--seed", "0", "--deals", "2", "--jobs", "1", "--out", str(tmp_path / "a.jsonl")
    )
    assert answer.status == 2
    assert "deal 0, seed 0, agents " in answer.err
    assert "agent NoStart at seat 0 fails to start: OSError: no server" in answer.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_arena__what_agents_print_does_not_spoil_the_report(bots: str, jobs: str, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    answer = run_cli("arena", f"{bots}:Bot", "lowest", "--deals", "2", "--jobs", jobs, "--json", "--out", str(out))
    assert answer.status == 0
    assert json.loads(answer.out)["rows"][0]["agent"] == f"{bots}:Bot"


def test_match__what_agents_print_does_not_spoil_the_records(bots: str) -> None:
    for log in ("jsonl", "spec"):
        answer = run_cli("match", *[f"{bots}:Bot"] * 4, "--log", log, "--seed", "1")
        assert answer.status == 0
        assert not any(word in answer.out for word in ("made", "reset", "act\n"))
        assert answer.err.count("made") == 4


def test_bench__has_the_limit_of_the_arena(bots: str, tmp_path: Path) -> None:
    arguments = ["--ruleset", "big2", "--deals", "60", "--limit", "1", "--jobs", "1", "--out", str(tmp_path / "rows")]
    status, out, err = run_cli("bench", f"{bots}:Sleeps", *arguments)
    assert (status, out) == (2, "")
    assert "expected a move within 1 s, got none" in err.splitlines()[-1]


@pytest.mark.parametrize(
    "command",
    [
        ["match", "{bot}", "lowest", "lowest", "lowest", "--games", "60", "--log", "jsonl"],
        ["match", "{bot}", "lowest", "lowest", "lowest", "--games", "60", "--log", "spec"],
        ["export", "{bot}", "lowest", "lowest", "lowest", "--games", "60", "--piece", "5", "--jobs", "1", "--out", "set"],
        ["export", "{bot}", "lowest", "lowest", "lowest", "--games", "60", "--piece", "5", "--jobs", "2", "--out", "set"],
    ],
    ids=["match", "match aloud", "export", "export by processes"],
)
def test_limit__of_other_commands_that_let_agents_play__names_the_game(bots: str, command: list[str], tmp_path: Path) -> None:
    spec = f"{bots}:Sleeps"
    began = time.monotonic()
    answer = run_cli(*(word.format(bot=spec) for word in command), "--seed", "5", "--limit", "1")
    assert time.monotonic() - began < 60
    assert answer.status == 2
    *_, last = answer.err.splitlines()
    found = re.fullmatch(
        rf"big2: (game (\d+), )?seed (\d+), seat \d, agent '{spec}': expected a move within 1 s, got none", last
    )
    assert found is not None, last
    assert found[2] is None or int(found[2]) + 5 == int(found[3])


def test_limit__of_advice(bots: str, tmp_path: Path) -> None:
    game = run_cli("match", *["lowest"] * 4, "--log", "jsonl").out
    Path("game.jsonl").write_text(game)
    answer = run_cli("advise", "game.jsonl", "--move", "8", "--agent", f"{bots}:Ponders", "--limit", "0.2")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines()[-1] == "big2: expected advice within 0.2 s, got none"


def test_limit__of_what_is_quick_does_nothing_and_of_no_number_is_refused() -> None:
    limit = TimeLimit(0.2)
    assert limit.run(lambda: 7) == 7
    time.sleep(0.3)  # the alarm is off
    with pytest.raises(ConfigError, match=r"within 0.2 s"):
        limit.run(lambda: time.sleep(5))
    assert run_cli("arena", "lowest", "greedy", "--limit", "0").status == 2
