"""Runs that are added up, and the commands that keep them: what a kill leaves goes on, and nothing counts twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cli import Answer, run_cli

from big2_agents.uno import match
from big2_env import ConfigError, NotationError
from big2_env.games.uno import simulate
from big2_env.runs.resumable import Total, kept, opened

COMMANDS = {
    "simulate": ("uno", "simulate", "--games", "1000", "--seed", "3", "--jobs", "1"),
    "strength": (
        "uno",
        "strength",
        "--games",
        "400",
        "--players",
        "2",
        "--players",
        "3",
        "--against",
        "automatic",
        "--jobs",
        "1",
    ),
    "hint": ("klondike", "hint", "--games", "4", "--samples", "1", "--seed", "3"),
}
NAMES = [pytest.param(name, marks=[pytest.mark.long] * (name != "simulate")) for name in COMMANDS]
"""One command shows what happens to the file; the others compile players or a search first."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "CHUNK", 200)
    monkeypatch.setattr(match, "CHUNK", 50)


def on_file(name: str, path: Path, *more: str) -> Answer:
    return run_cli(*COMMANDS[name], "--out", str(path), *more)


@pytest.mark.parametrize("name", NAMES)
def test_resume__after_a_kill_at_any_place__gives_the_undisturbed_file(tmp_path: Path, name: str) -> None:
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    undisturbed = on_file(name, whole)
    assert (undisturbed.status, undisturbed.err) == (0, "")
    assert undisturbed.out == run_cli(*COMMANDS[name]).out
    data = whole.read_bytes()
    assert data.count(b"\n") > 4
    second = data.index(b"\n", data.index(b"\n") + 1) + 1
    for cut in (9, second + 20):
        half.write_bytes(data[:cut])
        assert on_file(name, half, "--resume").out == undisturbed.out
        assert half.read_bytes() == data


def killed_and_resumed(tmp_path: Path, arguments: list[str]) -> None:
    whole, path = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    process = subprocess.Popen([sys.executable, "-m", "big2_env", *arguments, "--out", str(path)], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while time.monotonic() < until and not (path.exists() and path.read_bytes().count(b"\n") >= 3):
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    for kept_in in ([str(whole)], [str(path), "--resume"]):
        command = [sys.executable, "-m", "big2_env", *arguments, "--out", *kept_in]
        assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.long
@pytest.mark.release
@pytest.mark.parametrize(
    "arguments",
    ["uno simulate --games 2000000 --jobs 2", "uno strength --games 300000 --jobs 2", "klondike hint --games 12 --samples 8"],
)
def test_resume__after_kill_9__gives_the_undisturbed_file(tmp_path: Path, arguments: str) -> None:
    killed_and_resumed(tmp_path, arguments.split())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("to_file", [True, False])
def test_ctrl_c__prints_what_was_found_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, to_file: bool
) -> None:
    count, add = [0], Total.add

    def interrupted(total: Total, number: int, sums: Any) -> None:
        count[0] += 1
        if count[0] > 3:
            raise KeyboardInterrupt
        add(total, number, sums)

    path = tmp_path / "x.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(Total, "add", interrupted)
        stopped = on_file(name, path) if to_file else run_cli(*COMMANDS[name])
    said = {
        "simulate": ("600 of 1000 games", "UNO: 600 games from seed 3"),
        "strength": ("300 of 1600 games", "learned against automatic, 2 players, 300 games:\n"),
        "hint": ("3 of 4 games", "3 games from seed 3, 1 samples: "),
    }
    far, found = said[name]
    assert stopped.status == 130
    kept_where = "--resume continues" if to_file else "nothing was kept; --out keeps games"
    assert stopped.err == f"big2: stopped with {far}; {kept_where}\n"
    assert stopped.out.startswith(found)
    if to_file:
        assert on_file(name, path, "--resume").out == run_cli(*COMMANDS[name]).out


@pytest.mark.parametrize("name", NAMES)
def test_file__of_another_run_or_with_more_games_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.jsonl"
    on_file(name, path)
    data = path.read_bytes()
    for more, says in (
        ([], f"{path} already exists: give --resume, --overwrite or another --out"),
        (["--resume", "--overwrite"], "expected one of --resume and --overwrite, got both"),
        (["--resume", "--seed", "9"], ", but this run has 9"),
        (["--resume", "--games", "2"], " games, expected at least as many, got 2"),
    ):
        status, out, err = on_file(name, path, *more)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert says in err
        assert path.read_bytes() == data
    assert run_cli(*COMMANDS[name], "--resume").err == "big2: --resume: expected --out with the file of the earlier run\n"


def test_file_of_strength__names_players_as_records_do_and_commands_do_not(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    on_file("strength", path)
    text = path.read_text("utf-8")
    assert '"against":["article"]' in text
    assert '"2 players, article"' in text
    assert "automatic" not in text
    refused = run_cli("uno", "strength", "--against", "article")
    assert refused == (
        2,
        "",
        "big2: expected automatic, learned, rule-v1, random or search:TRIES as UNO player, got 'article'\n",
    )


def test_single_hint__has_nothing_to_keep() -> None:
    assert run_cli("klondike", "hint", "--out", "x.jsonl").err.startswith("big2: --out: expected --games as well")


def test_total__adds_up_and_keeps_the_largest() -> None:
    total = Total({"sum": 2, "most": 1}, largest=("most",))
    for number, sums in ((3, [1, 2, 5]), (4, [10, 20, 4])):
        total.add(number, np.array(sums))
    assert (total.number, total.sums.tolist()) == (7, [11, 22, 5])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"first": 1}, "expected first 2"), ({"number": 0}, "number: expected"), ({"number": True}, "number: expected"),
        ({"sum": [1, 2, 3]}, "sum: expected at most 2 numbers, got 3"), ({"sum": 1}, "sum: expected a list"),
        ({"sum": [1.5]}, "sum: expected a list"), ({"sum": [2**63]}, "sum: expected a list"), ({"part": "c"}, "part: expected"),
    ],
)  # fmt: skip
def test_file__with_a_wrong_line_is_refused_with_its_number(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path, header = tmp_path / "x.jsonl", {"kind": "test", "seed": 1}
    parts = {name: Total({"sum": 2}) for name in "ab"}
    with kept(path, header, parts):
        parts["a"].add(2, np.array([1, 0]))
    good = {"part": "a", "first": 2, "number": 1, "sum": [1]}
    with path.open("a") as file:
        file.write(json.dumps(good | change) + "\n")
    with (
        pytest.raises(NotationError, match=rf"x\.jsonl line 3: {says}"),
        kept(path, header, {name: Total({"sum": 2}) for name in "ab"}, resume=True),
    ):
        pass


def test_file__of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    for header, got in (
        ('"schema":1,"kind":"other"', "'\"other\"', '1'"),
        ('"schema":2,"kind":"test"', "'\"test\"', '2'"),
        ("", "'null', 'null'"),
    ):
        path.write_text(f"{{{header}}}\n")
        with (
            pytest.raises(NotationError, match=rf"x\.jsonl line 1: expected kind test, schema 1, got {got}$"),
            kept(path, {"kind": "test"}, {}, resume=True),
        ):
            pass
    path.write_text('{"seed":1}\n')
    with (
        pytest.raises(NotationError, match=r"line 1: expected kind test, got 'null', 'null'$"),
        opened(path, {"kind": "test"}, max_line=99, resume=True),
    ):
        pass
    path.write_text('{"schema":1,"kind":"test","rules":{"players":2}}\n')
    wanted = {"kind": "test", "rules": {"players": 3}}
    with pytest.raises(ConfigError, match="made with rules players 2, but this run has 3"), kept(path, wanted, {}, resume=True):
        pass
