"""Measurements are rows of JSON, and numbers on pages agree with them."""

from __future__ import annotations

import ast
from pathlib import Path

import measurements
import pytest
from places import BENCHMARKS, MARKDOWN, ROOT

RESULTS = sorted([*(ROOT / "benchmarks/results").glob("*.json"), *(ROOT / "agents/big2_agents/models").glob("*.card.json")])


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_rows__have_every_field(path: Path) -> None:
    assert measurements.bad_rows(path) == []


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page__quotes_measured_numbers_from_rows(page: Path) -> None:
    assert measurements.problems(page) == []


ROW = {"value": 88.14, "interval": [87.7, 88.6]}


@pytest.mark.parametrize("text", ["wins 88% of games", "88.1%", "88.1 ± 0.5%", "90%"])
def test_quote__rounded_from_its_row_is_accepted(text: str) -> None:
    assert measurements.wrong_quote(text, ROW) == ""


def test_row__in_a_table_has_three_digits_and_its_interval() -> None:
    assert measurements.shown({"name": "A", **ROW}) == "88.1 ± 0.45"
    assert measurements.shown({"name": "A", "value": 8581603, "interval": None}) == "8,580,000"
    row = {"name": "A, range of 9 rounds", "value": 1.2345, "interval": [1, 1500]}
    assert measurements.shown(row) == "1.23 (1 to 1,500)"


@pytest.mark.parametrize("text", ["87%", "88.2%", "88.1 ± 0.3%", "most games", "80%"])
def test_quote__of_another_number_is_refused(text: str) -> None:
    assert measurements.wrong_quote(text, ROW) != ""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("It wins 88% of games.", "strength"),
        ("It makes 300,000 games per second.", "speed"),
        ("Measured at 0279fd1.", "commit"),
        ("On a quiet machine it is faster.", "load"),
        ("[3 times](rows.json#a) as fast, says `python benchmarks/a.py`.", "command"),
        ("[4 times](rows.json#a) as fast.", "the row has 3"),
        ("[3 times](rows.json#b) as fast.", "no such row"),
    ],
)
def test_page__with_a_number_that_is_not_a_row_is_refused(text: str, what: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "rows.json").write_text('[{"name": "A", "value": 3, "interval": null}]')
    page.write_text(text)
    found = measurements.problems(page)
    assert len(found) == 1
    assert what in found[0]
    page.write_text("[3 times](rows.json#a) as fast.\n\n<!-- generated: x -->\nwins 88% of games\n<!-- end -->\n")
    assert measurements.problems(page) == []


@pytest.mark.parametrize("script", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_scripts__import_what_there_is(script: Path) -> None:
    """Scripts run in release tests only, so a function that only they call could go unseen."""
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("big2_"):
            exec(compile(ast.Module([node], []), script.name, "exec"), {})  # the repository's own code
