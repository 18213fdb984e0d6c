"""`big2 warm`: what it compiles, and that a second call finds it."""

from __future__ import annotations

import subprocess
import sys

import numba as nb
from run_cli import run_cli

from big2_env.kernels.dialect.kernel import compiled_by


def test_warm__says_that_there_is_nothing_to_do_the_second_time() -> None:
    asked = ["warm", "--agents", "greedy", "--agents", "heuristic"]
    assert run_cli(*asked).status == 0
    command = [sys.executable, "-m", "big2_env", *asked]  # here, other tests may have left threads that compile
    lines = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [
        "Big Two, environments",
        "Big Two, arena games of rule-based agents",
        "Big Two, agent greedy",
        "Big Two, agent heuristic",
    ]
    assert all(": nothing to do (" in line for line in lines[:-1])
    assert lines[-1].startswith("Nothing to do: all was compiled before")


def test_warm__counts_what_is_compiled() -> None:
    @nb.njit
    def fresh(x: int) -> int:
        return x + 1

    assert compiled_by(lambda: fresh(1)) >= 1
    assert compiled_by(lambda: fresh(2)) == 0


def test_warm__refuses_names_before_anything_is_compiled_and_says_what_it_leaves_out() -> None:
    assert run_cli("warm", "--agents", "nobody").err.startswith("big2: unknown agent 'nobody'; expected one of ")
    assert run_cli("warm", "--game", "whist").status == 2
    answer = run_cli("warm", "--agents", "ppo:/nowhere.npz")
    assert (answer.status, answer.out) == (2, "")


def test_warm__leaves_out_an_agent_that_cannot_play_the_game() -> None:
    answer = run_cli("warm", "--game", "hong_kong", "--agents", "ppo")
    assert answer.status == 0
    assert "agent ppo: left out: no ppo player for hong_kong" in answer.out
