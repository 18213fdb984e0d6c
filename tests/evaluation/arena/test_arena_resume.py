"""An arena that is stopped or killed goes on as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arena_runs import arena, lines_of
from run_cli import run_cli

from big2_agents.evaluation.arena import command as arena_command
from big2_agents.evaluation.arena.results import load, result_line
from big2_agents.evaluation.arena.schedule import units
from big2_agents.evaluation.arena.units import Table
from big2_env.runs.resumable import encoded


@pytest.mark.parametrize("cut", [0, 1, 30, -1, -20, -300])
def test_resume__goes_on_as_if_nothing_had_happened(tmp_path: Path, cut: int) -> None:
    """Cut anywhere, a header or a line in half, the file is the same in the end."""
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    arena(whole, 4)
    data = whole.read_bytes()
    half.write_bytes(data[:cut])
    assert arena(half, 4, "--resume")[0] == 0
    assert half.read_bytes() == data


def test_resume__adds_deals_and_starts_where_there_is_no_file(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    arena(once, 5)
    arena(twice, 2, "--resume")
    arena(twice, 5, "--resume")
    assert twice.read_bytes() == once.read_bytes()
    status, _, err = arena(twice, 3, "--resume")
    assert (status, err) == (2, f"big2: --deals: {twice} has 5 deals, expected at least as many, got 3\n")


def test_arena__without_a_named_file__keeps_each_run_in_its_own_and_resumes_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arena-best.jsonl").touch()

    def run(agent: str, deals: int, *more: str) -> str:
        answer = run_cli("arena", agent, "random", "--deals", str(deals), "--seed", "7", "--jobs", "1", *more)
        assert answer.status == 0, answer.err
        return answer.err

    for number, name in enumerate(("arena.jsonl", "arena-2.jsonl", "arena-3.jsonl")):
        assert run(("greedy", "lowest", "greedy")[number], 1) == f"big2: results in {name}\n"
    first, last = Path("arena.jsonl").read_bytes(), Path("arena-3.jsonl").read_bytes()
    assert first == last
    assert run("greedy", 2, "--resume") == "big2: results in arena-3.jsonl\n"
    assert Path("arena-3.jsonl").read_bytes().startswith(last)
    assert len(lines_of(Path("arena-3.jsonl"))) == 5
    assert run("lowest", 1, "--overwrite") == "big2: results in arena-3.jsonl\n"
    assert Path("arena-3.jsonl").read_bytes() == Path("arena-2.jsonl").read_bytes()
    refused = run_cli("arena", "nobody", "random")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    merged = run_cli("arena", "--merge", "arena-3.jsonl")
    assert (merged.status, merged.err) == (0, "big2: results in arena-4.jsonl\n")
    assert Path("arena.jsonl").read_bytes() == first


def test_resume__fills_holes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 4)
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[:3] + lines[4:]))
    arena(path, 4, "--resume")
    assert sorted(lines_of(path)) == sorted(lines)
    assert len(list(load(path)[1])) == 8


CROSS = ("lowest", "greedy", "random", "--schedule", "cross")


def running(path: Path, deals: int) -> subprocess.Popen[bytes]:
    code = [sys.executable, "-m", "big2_env", "arena", *CROSS, "--deals", str(deals)]
    return subprocess.Popen([*code, "--jobs", "2", "--out", str(path), "--resume"], stdout=subprocess.DEVNULL)


def wait_for(path: Path, number_of_lines: int) -> None:
    for _ in range(600):
        if path.exists() and len(lines_of(path)) >= number_of_lines:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} never had {number_of_lines} lines")


def children_of(pid: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                yield int(stat.parent.name)
        except (OSError, IndexError):
            pass


def test_kill__loses_nothing_counts_nothing_twice_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    with running(path, 10**6) as process:
        wait_for(path, 12)
        children = list(children_of(process.pid))
        os.kill(process.pid, signal.SIGKILL)
    kept = lines_of(path)
    assert len(kept) >= 12
    deals = sum(line.endswith(b"\n") for line in kept) // 9 + 2  # nine contests: three agents in six pairs and three teams
    assert run_cli("arena", *CROSS, "--deals", str(deals), "--jobs", "1", "--out", str(path), "--resume").status == 0
    config, results = load(path)
    assert [result.unit for result in results] == list(units(deals, config.contests()))
    assert lines_of(path)[: len(kept) - 1] == kept[:-1]
    table = Table(config)
    assert [encoded(result_line(table.play(unit))) for unit in units(deals, config.contests())] == lines_of(path)[1:]
    assert len(children) >= 2
    for _ in range(200):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            break
        time.sleep(0.05)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def test_interrupt__says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(arena_command, "played", interrupted)
    status, _, err = arena(tmp_path / "a.jsonl", 3)
    assert (status, err) == (130, "big2: stopped with 0 of 3 deals; --resume continues\n")
