"""Every notebook runs from its first cell to its last, in a fresh kernel, and keeps what it showed."""

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


def test_notebooks__are_there() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__runs(path: Path, tmp_path: Path) -> None:
    """In a process of its own, what Jupyter warns of being no business of ours; in a folder that has the data as well."""
    shutil.copytree(path.parent / "data", tmp_path / "data")
    code = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=200, resources={"metadata": {"path": sys.argv[2]}}).execute()
"""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    arguments = [sys.executable, "-c", code, str(path), str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=280, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook__was_run_when_it_was_saved(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])
