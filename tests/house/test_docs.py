"""Every example in a docstring or in the README is run, and what the README takes from code is up to date."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from places import README
from readme_tables import GAME, PART, updated

import big2_agents
import big2_env

ROOT = README.parent
TEXT = README.read_text(encoding="utf-8")
MODULES = [
    info.name
    for package in (big2_env, big2_agents)
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not info.name.endswith("__main__")
]
COMMANDS = re.findall(r"^\$ (big2 .*)$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("name", ["big2_env", "big2_agents", *MODULES])
def test_docstrings__every_example_gives_what_it_shows(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings__there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name))) >= 10


def test_readme__every_python_example_gives_what_it_shows() -> None:
    blocks = re.findall(r"^```pycon\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    assert "```python" not in TEXT  # would not be run
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {"__name__": "__main__"}, "README", str(README), 0)
        assert doctest.DocTestRunner().run(test).failed == 0, block


def test_readme__every_command_works(tmp_path: Path) -> None:
    """One after the other, as a user types them who leaves `big2 play` at once, in a folder that holds `game.in`."""
    (tmp_path / "game.in").write_bytes(GAME.read_bytes() + b"\n0\n")
    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        shell = re.sub(r"\bbig2 (?=\w)", f"{shlex.quote(sys.executable)} -m big2_env ", command)
        done = subprocess.run(shell, shell=True, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120, input="q\n")
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr, command


def without_advice(text: str) -> str:
    """The text with the figures of the learned player's advice masked: their last digits depend on how a processor rounds."""

    def masked(part: re.Match[str]) -> str:
        figures = re.sub(r"(?<=\s)[+-]?\d[\d.]*%?(?=\s)", "#", part[0])
        return re.sub(r"([ ─])\1+", r"\1", figures) if part[2] == "advise" else part[0]

    return PART.sub(masked, text)


def test_readme__generated_parts_are_up_to_date() -> None:
    assert len(PART.findall(TEXT)) >= 6
    assert without_advice(updated(TEXT)) == without_advice(TEXT), "run: python tests/support/readme_tables.py"


def test_readme__shows_the_commands_that_ci_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    tests = re.findall(r"^\$ (pytest.*)$", TEXT, re.MULTILINE)
    assert len(tests) == 1
    assert f"\ncheck {tests[0]}\n" in script
    assert '\n$ pip install -e ".[dev]"\n' in TEXT
    assert '-e ".[dev]"\n' in script
