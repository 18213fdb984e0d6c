from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_benchmark__of_the_aec_loop_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    arguments = ["aec.py", "--seconds", "0.1", "--rounds", "2", "--json", str(tmp_path / "aec.json")]
    code = f"""
import runpy, sys
sys.modules["rlcard"] = None  # as if it were not installed
sys.path.insert(0, {str(BENCHMARKS)!r})
sys.argv = {arguments}
runpy.run_path({str(BENCHMARKS / "aec.py")!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    data = json.loads((tmp_path / "aec.json").read_text(encoding="utf-8"))
    results = {result["name"]: result for result in data["results"]}
    for name in ("big2 raw_env", "big2 env"):
        assert name in done.stdout
        assert len(results[name]["rounds"]) == 2
        assert min(results[name]["rounds"]) <= results[name]["median"] <= max(results[name]["rounds"])
        assert f"{results[name]['median']:,.0f}" in done.stdout
    assert results["rlcard uno"] == {"name": "rlcard uno", "missing": "not installed: rlcard"}
    assert "\nleft out: rlcard uno (not installed: rlcard)\n" in done.stdout
    assert data["settings"] == {"seconds": 0.1, "rounds": 2, "seed": 7}
    assert data["versions"]["big2_env"]
