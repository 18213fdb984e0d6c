"""Count the lines of code of Python packages: without docstrings, comments and blank lines.

PYTHONPATH=tests/support python -m code_lines [PATH...]
"""

from __future__ import annotations

import ast
import io
import tokenize
from functools import reduce
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from places import ROOT
from rich.console import Console
from rich.table import Table

PACKAGES = [Path("big2_env"), Path("agents/big2_agents")]
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
"""Tokens that do not make a line a line of code."""


class Count(NamedTuple):
    """Lines of one or several files."""

    files: int = 0
    code: int = 0
    imports: int = 0

    def plus(self, other: Count) -> Count:
        """Return the sums of two counts."""
        return Count(*(mine + its for mine, its in zip(self, other, strict=True)))


def count_text(text: str) -> Count:
    """The lines of a module. A string that is a statement of its own is a docstring, wherever it is."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    imports: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(_lines_of(node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(_lines_of(node))
    imports &= lines
    return Count(1, len(lines - imports), len(imports))


def count_package(path: Path) -> Count:
    """The lines of a file, or of all Python files in a folder."""
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return reduce(Count.plus, (count_text(file.read_text(encoding="utf-8")) for file in files), Count())


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def command(
    path: Annotated[list[Path] | None, typer.Argument(help="Packages.", show_default="big2_env, agents/big2_agents")] = None,
) -> None:
    """Print the files, code lines and import lines of packages."""
    table = Table("package", "files", "code", "imports", "total", title="lines without docstrings, comments and blank lines")
    counts = {str(each): count_package(ROOT / each) for each in path or PACKAGES}
    if len(counts) > 1:
        counts["all"] = reduce(Count.plus, counts.values())
    for name, count in counts.items():
        table.add_row(name, *(f"{number:,}" for number in (*count, count.code + count.imports)))
    Console().print(table)


if __name__ == "__main__":
    typer.run(command)
