"""The script of the checks: its summary, with stubs of all programs that it calls."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
STUB = """#!/usr/bin/env bash
if [[ "$*" == "-m venv "* ]]; then
  mkdir -p "$3/bin"
  ln -s "$STUBS"/* "$3/bin"
fi
[[ -z "$FAILING" || "$*" != *"$FAILING"* ]]
"""


@pytest.mark.parametrize("failing", ["", "--ruleset capsa", "benchmarks/memory.py", "check ."])
def test_summary__names_each_step_that_failed(tmp_path: Path, failing: str) -> None:
    for name in ("python3.11", "python", "ruff", "mypy", "pytest", "big2", "chromium"):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": "python3.11", "TMPDIR": str(tmp_path)}
    stubs = {"STUBS": str(tmp_path), "FAILING": failing}
    done = subprocess.run([SCRIPT], env=os.environ | given | stubs, capture_output=True, text=True, timeout=120)
    assert done.returncode == (1 if failing else 0), done.stdout + done.stderr
    _, _, summary = done.stdout.partition("== how long each step took")
    for step in (
        "pytest -n auto",
        "compare_engines hong_kong 500, at low priority",
        "compare_random_rulesets 8, at low priority",
    ):
        assert f"s  {step}\n" in summary
    wanted = {
        "--ruleset capsa": "[result_of comparisons] [compare_engines capsa 100]",
        "benchmarks/memory.py": "[result_of comparisons] [python benchmarks/memory.py --games 2000 ",
        "check .": "[ruff check .]",
    }
    assert ("== failed:" in summary) == bool(failing)
    assert wanted.get(failing, "") in summary
