"""Every notebook runs from its first cell to its last, in a fresh kernel, with fewer games, and keeps what it showed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import places
import pytest

NOTEBOOKS = sorted(places.NOTEBOOKS.glob("*.ipynb"))
FEWER = {
    r"\b(\d+)_000\b": r"\g<1>00",
    r"\blengths\(kept, 3000\b": "lengths(kept, 300",
    r"\bfor deck in \(DECK_54, DECK_52\)": "for deck in (DECK_54,)",
    r"\bfor memory in Memory\b": "for memory in list(Memory)[:4]",
    r"\bITERATIONS = 16\b": "ITERATIONS = 4",
    r"\bDEALS = 100\b": "DEALS = 50",
    r"\bDEALS = 8\b": "DEALS = 1",
    r"\bhistory\) < 80\b": "history) < 20",
    r"\btables = range\(2, 7\)": "tables = range(2, 4)",
    r'\("lowest", "greedy", "heuristic"\)': '("greedy",)',
    r"deals=32\b": "deals=16",
}
"""Replacements for what takes seconds: a tenth of thousands of games, one deck of two, no chain of 60,405 states."""


def test_notebooks__are_there() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__runs_with_fewer_games(path: Path, tmp_path: Path) -> None:
    """In a process of its own, what Jupyter warns of being no business of ours; in a folder that has the data as well."""
    shutil.copytree(path.parent / "data", tmp_path / "data")
    code = """
import json, re, sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
for cell in notebook.cells:
    for many, few in json.loads(sys.argv[3]).items():
        cell.source = re.sub(many, few, cell.source)
NotebookClient(notebook, timeout=200, resources={"metadata": {"path": sys.argv[2]}}).execute()
"""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    arguments = [sys.executable, "-c", code, str(path), str(tmp_path), json.dumps(FEWER)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=280, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__was_run_when_it_was_saved(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])
