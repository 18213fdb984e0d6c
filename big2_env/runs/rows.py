"""Rows of results: a small JSON file each, to keep in a repository, and their tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from big2_env.base.errors import NotationError
from big2_env.base.json_values import parse_object
from big2_env.base.outside import read_text
from big2_env.runs.atomic_files import write_text

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

T = TypeVar("T")
MAX_FILE: Final = 1 << 16
"""Maximum size of a row's file in bytes."""


def read_row(path: Path, parse: Callable[[dict[str, Any]], T]) -> T:
    """Return the row in a file.

    Args:
        path: The file.
        parse: Returns the row for JSON values.

    Raises:
        NotationError: The file is malformed; the message names it.
    """
    try:
        return parse(parse_object(read_text(path, MAX_FILE)))
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from None


def write_row(path: Path, data: Mapping[str, Any]) -> None:
    """Write a row, atomically."""
    write_text(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def figures_table(
    texts: Iterable[str | Text], figures: Iterable[str | Text], rows: Iterable[Sequence[str | Text]], **options: Any
) -> Table:
    """Return a table with columns of texts, then columns of figures to the right.

    Args:
        texts: Headings of the texts.
        figures: Headings of the figures.
        rows: Cells of each row.
        options: Arguments of the table, such as `title`, `caption` and `show_lines`.
    """
    from rich.table import Table

    made = Table(**options)
    for heading in texts:
        made.add_column(heading, no_wrap=True)
    for heading in figures:
        made.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        made.add_row(*row)
    return made
