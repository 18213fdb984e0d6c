"""Counts of lines of code."""

from __future__ import annotations

from pathlib import Path

from code_lines import Count, count_package, count_text

MODULE = '''"""A module.

Two lines of it."""

import ast  # an import
from os import (
    path,

    sep,
)

# a comment
WIDTH = 3
"""An attribute."""


def area(side: int) -> str:
    """Return a text.

    More of it.
    """
    import math

    return """
two lines
""" + str(
        math.prod((side, WIDTH))
    )  # the end
'''


def test_count__leaves_out_docstrings_comments_and_blank_lines() -> None:
    assert count_text(MODULE) == Count(files=1, code=7, imports=6)
    assert count_text("") == Count(files=1, code=0, imports=0)


def test_count__adds_the_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for path in ("first.py", "inner/second.py", "inner/text.txt"):
        (tmp_path / path).write_text(MODULE, encoding="utf-8")
    assert count_package(tmp_path) == Count(files=2, code=14, imports=12)
    assert count_package(tmp_path / "first.py") == Count(files=1, code=7, imports=6)
