"""Where the tests find the files of the repository."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
DATA = SUPPORT.parent / "data"
ROOT = SUPPORT.parents[1]
README = ROOT / "README.md"
BENCHMARKS = ROOT / "benchmarks"
NOTEBOOKS = ROOT / "notebooks"
