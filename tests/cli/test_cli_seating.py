"""The agents that a command names are repeated around the game's table, in every verb that takes several."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_agents.data import load
from big2_env.notation import records

SEATS = "big2: seats: greedy, random, greedy, random\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("greedy", "random"), ["greedy", "random", "greedy", "random"]),
        (("greedy", "random", "lowest"), ["greedy", "random", "lowest", "greedy"]),
        (("greedy", "random", "--players", "2"), ["greedy", "random"]),
        (("greedy", "--players", "3"), ["greedy"] * 3),
        (("greedy", "random", "--game", "dou_dizhu"), ["greedy", "random", "greedy"]),
        (("greedy", "random", "--game", "qi_gui_523"), ["greedy", "random"]),
        (("greedy", "random", "lowest", "--game", "qi_gui_523"), ["greedy", "random", "lowest"]),
    ],
)
def test_match__seats(args: tuple[str, ...], names: list[str]) -> None:
    status, out, err = run_cli("match", *args, "--log", "jsonl", "--lang", "en")
    assert status == 0
    [record] = records.load(out)
    assert record.extra["agents"] == names
    assert record.game.num_players == len(names)
    repeats = "greedy" in names[1:] and "random" in names
    assert err == (f"big2: seats: {', '.join(names)}\n" if repeats else "")


def test_match_from__seats_the_agents_at_the_table_of_the_game(here: Path) -> None:
    (here / "game.jsonl").write_text(run_cli("match", "lowest", "--players", "3", "--log", "jsonl").out, encoding="utf-8")
    status, out, err = run_cli("match", "greedy", "--from", "game.jsonl:3", "--log", "jsonl", "--lang", "en")
    assert (status, err) == (0, "")
    assert json.loads(out)["agents"] == ["greedy"] * 3
    refused = run_cli("match", "greedy", "--from", "game.jsonl:3", "--players", "4")
    assert refused == (2, "", "big2: --from game.jsonl:3: expected --players 3, got 4\n")


@pytest.mark.parametrize("options", [(), ("--players", "2")])
def test_export__seats_as_match_does(here: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]) -> None:
    monkeypatch.setenv("BIG2_LANG", "en")
    args = ("export", "greedy", "random", *options, "--games", "2", "--jobs", "1", "--out")
    status, _, err = run_cli(*args, "data")
    assert status == 0
    assert (SEATS in err) is not bool(options)
    assert load(here / "data").plan.agents == (("greedy", "random") if options else ("greedy", "random") * 2)
    page = (here / "data" / "README.md").read_text("utf-8")
    command = next(line for line in page.splitlines() if line.startswith("* Command:"))
    shown = "greedy random --game big2 --players 2 " if options else "greedy random greedy random --game big2 --scoring "
    assert f"big2 export {shown}" in command
    assert run_cli(*command.split("`")[1].split()[1:], "--jobs", "1", "--out", "again").status == 0
    assert (here / "again" / "README.md").read_text("utf-8") == page


@pytest.mark.parametrize("options", [("--schedule", "table"), ("--players", "2")])
def test_arena__seats_a_table_as_match_does(here: Path, options: tuple[str, ...]) -> None:
    args = ("arena", "greedy", "random", *options, "--lang", "en", "--deals", "1", "--jobs", "1")
    status, _, err = run_cli(*args, "--out", "a.jsonl")
    assert status == 0
    assert (SEATS in err) is ("table" in options)
    config = json.loads((here / "a.jsonl").read_text("utf-8").splitlines()[0])
    assert config["agents"] == ["greedy", "random"] * (2 if "table" in options else 1)
    assert run_cli(*args, "--out", "a.jsonl", "--resume").status == 0


def test_match__that_is_refused_says_nothing_else() -> None:
    assert run_cli("match", "greedy", "nobody").err.startswith("big2: unknown agent 'nobody'")


def test_play__seats_the_others() -> None:
    status, out, err = run_cli("play", "greedy", "random", "--seat", "2", "--seed", "3", "--lang", "en", stdin="q\n")
    assert (status, err) == (0, "big2: seats: you, greedy, random, greedy\n")
    assert out.endswith("the same deal again: big2 play greedy random greedy --seat 2 --seed 3\n")
    for args in (("greedy", "--players", "2"), ("greedy", "--players", "2", "--game", "big2")):
        status, out, err = run_cli("play", *args, "--seed", "3", "--lang", "en", stdin="q\n")
        assert (status, err) == (0, "")
        assert out.endswith("the same deal again: big2 play greedy --players 2 --seat 0 --seed 3\n")
    out = run_cli("play", "--players", "3", "--seed", "3", "--lang", "en", stdin="q\n").out
    assert out.endswith("the same deal again: big2 play heuristic heuristic --players 3 --seat 0 --seed 3\n")
    assert "expected at most a file, and no --from" in run_cli("play", "--resume", "--players", "2").err
