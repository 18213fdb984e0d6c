"""Where the tests find the files of the repository."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

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
    ROOT / "benchmarks" / "bench_v4" / "README.md",
    ROOT / "benchmarks" / "positions_v1" / "README.md",
    ROOT / "benchmarks" / "positions_v2" / "README.md",
]
"""Pages of the manual: the first one, and the pages next to the code that they describe."""
MARKDOWN = sorted(
    [
        *(path for folder in ("big2_env", "agents", "benchmarks", "notebooks") for path in (ROOT / folder).rglob("*.md")),
        *(ROOT / name for name in ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md")),
    ]
)
"""Every page of the repository: the manual, cards of models, pages for contributors."""
BENCHMARKS = ROOT / "benchmarks"
NOTEBOOKS = ROOT / "notebooks"


def write_modules(page: Path, folder: Path) -> None:
    """Write the modules that a page shows, each in a block that begins with its name, into a folder."""
    for name, text in re.findall(r"^```py\n# (\w+\.py)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text, "utf-8")


def script(name: str) -> Any:
    """Return a module of `benchmarks/`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return importlib.import_module(name)
