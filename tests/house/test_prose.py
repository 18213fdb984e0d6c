"""Where `prose` finds clumsy turns of phrase and long sentences; `source_checks` compares their numbers."""

from __future__ import annotations

from pathlib import Path

import prose
import pytest


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.md", "It wins 54 % of games.\n\n    not code 54 %\n\n`54 %` is code.\n```\n54 %\n```\n", ["percent_space"]),
        ("a.md", "A [row beside](beside.md) it.", ["beside"]),
        ("a.py", '"""What it does."""\nX = 1\n"""Nobody knows."""\n', ["free_relative", "whoever"]),
        (
            "a.py",
            'def f() -> None:\n    """Return 1.\n\n    >>> "54 %"\n    """\n    raise ValueError(f"{1} seldom works")\n',
            ["archaic"],
        ),
        ("a.py", 'X = option(help="Moves, or so many.")\n', ["so_many"]),
        ("a.toml", '[a.b]\nen = "the best act"\nzh = "What else"\n', ["act_as_noun"]),
    ],
)
def test_clumsy_phrases__are_found_outside_code(name: str, text: str, wanted: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert sorted(found for _, found, _ in prose.hits(path)) == wanted


def test_sentences__end_at_stops_blank_lines_cells_and_items() -> None:
    page = (
        "Word " * 20
        + "end. "
        + "word " * 20
        + "\n\n* "
        + "word " * 20
        + "\n* "
        + "word " * 20
        + "\n| "
        + "word " * 20
        + " | x |\n"
    )
    assert prose.long_sentences(page) == []
    assert len(prose.long_sentences("word " * 31)) == 1
