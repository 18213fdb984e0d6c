from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from places import BENCHMARKS

SCRIPT = BENCHMARKS / "learning_curve.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


def test_learning_curve__measures_learners_and_where_time_goes(tmp_path: Path) -> None:
    names = ["self_play LegalPolicy", "dummy LegalPolicy"]
    chosen = [argument for name in names for argument in ("--learner", name)]
    done = run(*chosen, "--minutes", "0.002", "--points", "1", "--games", "512", "--json", str(tmp_path / "curve.json"))
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "curve.json").read_text(encoding="utf-8"))
    assert list(data["curves"]) == list(data["collecting"]) == names
    for name, (first, last) in data["curves"].items():
        assert name in done.stdout
        assert first["wall"] == first["decisions"] == 0
        assert last["processor"] > 0
        assert last["wall"] > 0.1
        assert last["decisions"] >= 1024
        assert f"{last['decisions']:,.0f}" in done.stdout
        # An untrained network plays worse than chance, for it always makes its likeliest act; learning helps at once.
        assert 0 < first["random"] < last["random"] < 1
        assert 0 <= last["greedy"] < last["random"]
    for parts in data["collecting"].values():
        shares = [parts[part] for part in ("environment", "masks", "network", "buffer", "rest")]
        assert abs(sum(shares) - 1) < 1e-9
        assert min(shares) > 0
        assert parts["decisions"] > 50
    assert data["settings"]["many"]["rows"] == 128


def test_learning_curve__refuses_an_unknown_learner() -> None:
    done = run("--learner", "nobody")
    assert done.returncode == 2
    assert "unknown: nobody; expected some of" in " ".join(done.stderr.replace("│", " ").split())
