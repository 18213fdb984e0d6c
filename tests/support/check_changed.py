"""Check the packages that changed since a commit: lint, types, and as many of their tests as fit into a minute.

python tests/support/check_changed.py [COMMIT]

Tests of a module are the test files that mention its dotted name. Their times are those of earlier runs, which pytest's cache
keeps; the cheapest files come first, and what does not fit is named.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from typing import Annotated

import typer
from places import ROOT

SECONDS = 40.0
"""What all tests together may take, on one core."""
UNKNOWN = 3.0
"""What a test file is taken to need that has not run yet."""
TIMES = "big2/seconds"
"""The key of pytest's cache with the seconds of each test file."""


def changed_files(since: str) -> list[str]:
    """Return the files that differ from a commit, new ones included."""
    diff = ["git", "diff", "--name-only", "--diff-filter=d", since]
    new = ["git", "ls-files", "--others", "--exclude-standard"]
    return sorted({line for command in (diff, new) for line in _output(command).splitlines()})


def module_of(path: str) -> str:
    """Return the dotted name of a source file.

    >>> module_of("agents/big2_agents/uno/match.py"), module_of("big2_env/envs/__init__.py")
    ('big2_agents.uno.match', 'big2_env.envs')
    """
    return path.removeprefix("agents/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def tests_of(changed: Iterable[str], texts: Mapping[str, str]) -> list[str]:
    """Return the test files that changed or mention a changed module.

    Args:
        changed: Paths of files.
        texts: The test files and supports by path.

    >>> tests_of(["big2_env/base/rng.py"], {"tests/test_a.py": "from big2_env.base.rng import x", "tests/test_b.py": ""})
    ['tests/test_a.py']
    """
    modules = [module_of(path) for path in changed if path.endswith(".py") and not path.startswith("tests/")]
    pattern = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, modules)) + r")(?![\w.])") if modules else None
    own = set(changed)
    return sorted(path for path, text in texts.items() if path in own or (pattern is not None and pattern.search(text)))


def fitting(tests: Iterable[str], times: Mapping[str, float], budget: float) -> tuple[list[str], list[str]]:
    """Return the cheapest tests that fit into a number of seconds together, and the others.

    >>> fitting(["a", "b", "c"], {"a": 9.0, "b": 1.0, "c": 2.0}, 4.0)
    (['b', 'c'], ['a'])
    """
    chosen, left, spent = [], [], 0.0
    for test in sorted(tests, key=lambda path: times.get(path, UNKNOWN)):
        spent += times.get(test, UNKNOWN)
        (chosen if spent <= budget else left).append(test)
    return chosen, left


def known_times() -> dict[str, float]:
    """Return the seconds of test files in earlier runs, from pytest's cache."""
    path = ROOT / ".pytest_cache" / "v" / TIMES
    found: dict[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def command(since: Annotated[str, typer.Argument(metavar="[COMMIT]", help="What changes are counted from.")] = "HEAD") -> None:
    """Check what changed since a commit, in about a minute."""
    changed = changed_files(since)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    chosen, left = fitting(tests_of(changed, texts), known_times(), SECONDS * (os.cpu_count() or 1) / 2)
    chosen.append("tests/house/test_structure.py")
    failed = [
        " ".join(each[:2])
        for each in (
            ["ruff", "check", "."],
            ["ruff", "format", "--check", "."],
            ["mypy"],
            ["python", "tests/support/source_checks.py"],
            ["pytest", "-q", "-n", "auto", "-m", "not release", *chosen],
        )
        if subprocess.run(each, cwd=ROOT, check=False).returncode
    ]
    if left:
        print("not run, for they take too long together:", *left, sep="\n  ")
    if failed:
        print("failed:", ", ".join(failed))
        raise typer.Exit(1)


def _output(given: list[str]) -> str:
    return subprocess.run(given, cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout


if __name__ == "__main__":
    typer.run(command)
