"""Where the tests find the files of the repository."""

from __future__ import annotations

from pathlib import Path

SUPPORT = Path(__file__).parent
DATA = SUPPORT.parent / "data"
ROOT = SUPPORT.parents[1]
README = ROOT / "README.md"
PAGES = [
    README,
    *sorted((ROOT / "big2_env/language").glob("README.zh-*.md")),
    *sorted(page for room in ("big2_env", "agents") for page in (ROOT / room).rglob("README.md")),
]
"""The pages of the manual: the first one, and one beside the code of each subject."""
BENCHMARKS = ROOT / "benchmarks"
NOTEBOOKS = ROOT / "notebooks"
