from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from places import BENCHMARKS

AGENTS = """
from big2_agents.rule_based.simple import LowestAgent

class Frugal(LowestAgent):
    pass

class Hoarder(LowestAgent):
    kept = []

    def reset(self, seed):
        super().reset(seed)
        self.kept.append(b"x" * (1 << 20))
"""


def measured(tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """What the script prints of ten games after two."""
    (tmp_path / "crew.py").write_text(AGENTS, encoding="utf-8")
    options = "--games", "10", "--warm-up", "2", "--ruleset", "big2", "--path", "views", "--limit", "5"
    given = [sys.executable, str(BENCHMARKS / "memory.py"), *options, *more]
    return subprocess.run(given, capture_output=True, text=True, check=False, timeout=240, cwd=tmp_path)


def test_memory__of_an_agent_that_keeps_everything_is_over_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    done = measured(tmp_path, "--agents", "crew:Frugal", "--agents", "crew:Hoarder", "--json", str(file))
    assert done.returncode == 1, done.stderr
    assert done.stdout.endswith("expected growth of at most 5 MiB, got more in views big2 crew:Hoarder\n")
    found = {tuple(row["case"]["agents"]): row for row in json.loads(file.read_text(encoding="utf-8"))["results"]}
    assert found["crew:Frugal",]["growth"] < 5
    assert 40 <= found["crew:Hoarder",]["growth"] < 50  # four seats, ten games, a mebibyte each


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--path", "moon"], "unknown path: moon; expected some of arena, views, aec, rows, batch, session"),
        (["--agents", "nobody"], "unknown agent 'nobody'; expected one of"),
        (["--ruleset", "whist"], "unknown: whist; expected some of big2"),
    ],
)
def test_memory__refuses_what_there_is_not(tmp_path: Path, option: list[str], message: str) -> None:
    done = measured(tmp_path, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr
