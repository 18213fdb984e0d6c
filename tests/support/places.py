"""Where the tests find the files of the repository."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
DATA = SUPPORT.parent / "data"
ROOT = SUPPORT.parents[1]
README = ROOT / "README.md"
PAGES = [
    README,
    *sorted((ROOT / "big2_env").rglob("*.md")),
    *sorted((ROOT / "agents").rglob("README.md")),
    ROOT / "benchmarks" / "README.md",
    ROOT / "benchmarks" / "bench_v3" / "README.md",
]
"""Pages of the manual: the first one, and the pages next to the code that they describe."""
BENCHMARKS = ROOT / "benchmarks"
NOTEBOOKS = ROOT / "notebooks"
