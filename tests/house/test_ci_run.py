"""The script of the checks: its summary, with stubs of all programs that it calls."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
TOOLS = ("bash", "cat", "dirname", "ln", "mkdir", "mktemp", "renice", "rm", "sed", "sort")
STUB = r"""#!/usr/bin/env bash
echo "${{0##*/}} $*" >> "$CALLS"
if [[ "$*" == "-m venv "* ]]; then
  mkdir -p "$3/bin"
  ln -s "$STUBS"/* "$3/bin"
  ln -sf "$0" "$3/bin/python"
elif [[ "$1" == -c || "$1" == --version ]]; then
  echo "{version}"
elif [[ "$*" == *"compile_cache.py load"* ]]; then
  mkdir -p "$NUMBA_CACHE_DIR"
fi
[[ -z "$FAILING" || "$*" != *"$FAILING"* ]]
"""


def run(folder: Path, *pythons: str, pyenv: str = "", failing: str = "") -> tuple[int, str, list[str]]:
    """Run the script with stubs, of which those called with a text fail: its status, its summary, and all calls."""
    stubs = folder / "stubs"
    installed = folder / "pyenv" / "versions" / f"{pyenv}.1" / "bin"
    named = {f"python{version}": version for version in pythons}
    for place, versions in (
        (stubs, dict.fromkeys(("python", "python3", "ruff", "mypy", "pytest", "big2", "chromium", "uv"), "2.7") | named),
        (installed, {"python": pyenv} if pyenv else {}),
    ):
        place.mkdir(parents=True)
        for name, version in versions.items():
            (place / name).write_text(STUB.format(version=version))
            (place / name).chmod(0o755)
    tools = folder / "tools"  # no Python of this machine
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(str(shutil.which(tool)))
    environment = {
        "CALLS": str(folder / "calls"),
        "FAILING": failing,
        "HOME": str(folder),
        "PATH": f"{stubs}:{tools}",
        "PYENV_ROOT": str(folder / "pyenv"),
        "STUBS": str(stubs),
        "TMPDIR": str(folder),
    }
    done = subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, timeout=120)
    _, found, summary = done.stdout.partition("== how long each step took")
    assert found, done.stdout + done.stderr
    return done.returncode, summary, (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize("failing", ["", "--ruleset capsa", "benchmarks/memory.py", "check .", "smoke.py"])
def test_summary__names_each_step_that_failed(tmp_path: Path, failing: str) -> None:
    status, summary, calls = run(tmp_path, "3.11", "3.13", failing=failing)
    assert status == (1 if failing else 0), summary
    for step in (
        "pytest -n auto",
        "compare_engines hong_kong 500, at low priority",
        "compare_random_rulesets 8, at low priority",
        "try_wheel 3.11 newest, at low priority",
    ):
        assert f"s  {step}\n" in summary
    wanted = {
        "--ruleset capsa": "[result_of comparisons] [compare_engines capsa 100]",
        "benchmarks/memory.py": "[result_of comparisons] [python benchmarks/memory.py --games 2000 ",
        "check .": "[ruff check .]",
        "smoke.py": "[result_of wheels] [try_wheel 3.11 newest] [try_wheel 3.11 lowest]",
    }
    assert ("== failed:" in summary) == bool(failing)
    assert wanted.get(failing, "") in summary
    assert any("compile_cache.py save" in call for call in calls) == (not failing)


def test_wheel__is_tried_on_all_pythons_but_that_of_the_suite(tmp_path: Path) -> None:
    """A version of pyenv is found without its shim, which does not start unless it is selected."""
    for found, lines in (
        (("3.11", "3.13"), ("whole suite: 3.13", "wheel: 3.11 newest", "wheel: 3.11 lowest", "not found: 3.12")),
        (("3.11",), ("whole suite: 3.12", "wheel: 3.11 newest", "wheel: 3.11 lowest", "not found: 3.13")),
        (("3.12",), ("whole suite: 3.12", "not found: 3.11", "not found: 3.13")),
    ):
        folder = tmp_path / "-".join(found)
        status, summary, calls = run(folder, *found, pyenv="3.12" if found == ("3.11",) else "")
        assert status == 0
        assert summary.split("\n== Pythons")[1].splitlines()[1:] == list(lines)
        assert sum("smoke.py" in call for call in calls) == sum("wheel" in line for line in lines)
