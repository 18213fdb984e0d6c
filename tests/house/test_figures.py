"""A figure on a page says how to repeat it: a command, the revision, and for speeds the load.

A paragraph or table with a figure needs the command in itself, in one of the two blocks before it or in the one after it, all
of the same section: a command line, or the name of a script or an option, or a link to the page that has it. The revision
stands in the same section; on a model's card anywhere.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from places import BENCHMARKS, PAGES, ROOT

NUMBER = r"\d[\d,.]*"
COUNTED = "games|acts|choices|decisions|deals|plays|steps|learner steps|positions|endings"
SPEED = re.compile(
    rf"{NUMBER} (?:million )?(?:{COUNTED})(?:/s| a second)|{NUMBER} (?:ms|µs)\b|times as fast|times (?:OpenSpiel|RLCard)"
    rf"|{NUMBER} s(?:econds)? of processor"
)
STRENGTH = re.compile(rf"± ?\d|\b(?:wins?|won) {NUMBER}|{NUMBER} ?% of (?:the |its )?(?:games|deals)")
COMMAND = re.compile(
    r"`[^`]*(?:big2 |benchmarks/|\.py\b|pytest|python -m |--\w)[^`]*`|^ {4,}(?:\w+=\S+ )?(?:python|big2) |^\$ |\]\([^)]*\)",
    re.M,
)
TABLE = re.compile(rf"^\|(?=.*(?:\| [+-]?{NUMBER} ?%|± ?\d|(?:s a (?:processor )?second|\bms|\w/s) \|)).*", re.M)
"""A row of a table with a share, an interval or a rate."""
REVISION = re.compile(r"\b(?:revisions?|commit) `?[0-9a-f]{7}\b")
LOAD = re.compile(r"quiet|busy|\bload\b|processor")


def blocks(section: str) -> list[str]:
    """Paragraphs, tables and blocks of code, in order."""
    found, inside, current = [], False, list[str]()
    for line in [*section.splitlines(), ""]:
        inside ^= line.startswith("```")
        if line.strip() or inside:
            current.append(line)
        elif current:
            found.append("\n".join(current))
            current = []
    return found


def unnamed(page: str, *, is_card: bool = False) -> list[str]:
    """The figures of a page that lack their command, revision or load, each with what it lacks."""
    found = []
    for section in re.split(r"^(?=#+ )", page, flags=re.M):
        parts = blocks(section)
        for i, part in enumerate(parts):
            speed, strength = SPEED.search(part), STRENGTH.search(part)
            figure = speed or strength
            if part.startswith(("```", "    ")):
                continue
            measured = figure or TABLE.search(part)
            if measured and not REVISION.search(page if is_card else section):
                found.append(f"{measured[0]}: expected the revision that it was measured at")
            if figure is None:
                continue
            near = "\n\n".join(parts[max(0, i - 2) : i + 2])
            if not COMMAND.search(near):
                found.append(f"{figure[0]}: expected a command beside it")
            if speed and not LOAD.search(near):
                found.append(f"{speed[0]}: expected the load that it was measured under")
    return found


ALL = sorted({*PAGES, *ROOT.glob("agents/big2_agents/**/*.md"), BENCHMARKS / "README.md"})


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_figures__name_their_command_and_revision_and_speeds_their_load(page: Path) -> None:
    assert unnamed(page.read_text(encoding="utf-8"), is_card=page.parent.name == "models") == []


REVISED = "At revision 0123abc. "


def test_figures__without_a_command_or_a_load_are_found() -> None:
    assert unnamed(f"# A\n\n{REVISED}It plays 300,000 games/s.\n") == [
        "300,000 games/s: expected a command beside it",
        "300,000 games/s: expected the load that it was measured under",
    ]
    table = "| games |\n| --- |\n| 300,000 games/s |\n"
    assert unnamed(f"# A\n\n{REVISED}On a quiet machine, by `benchmarks/uno.py`.\n\n{table}") == []
    assert unnamed(f"`big2 bench learned`\n\n# B\n\n{REVISED}It wins 60.5 % (± 0.3).\n") == [
        "wins 60.5: expected a command beside it"
    ]
    assert unnamed(f"# B\n\n{REVISED}It wins 60.5 % of its games (`big2 arena learned greedy`).\n") == []


@pytest.mark.parametrize(
    ("figure", "named"),
    [
        ("It wins 60.5 % of its games (`big2 arena learned greedy`).", "wins 60.5"),
        ("On a quiet machine, by `benchmarks/uno.py`: 300,000 games/s.", "300,000 games/s"),
        ("| minutes | games won |\n| --- | --- |\n| 5 | 35.4 % |", "| 5 | 35.4 % |"),
        (
            "| script | decisions a processor second |\n| --- | --- |\n| a | 2,600 |",
            "| script | decisions a processor second |",
        ),
    ],
)
def test_figures__without_a_revision_are_found(figure: str, named: str) -> None:
    assert unnamed(f"# A\n\n{figure}\n") == [f"{named}: expected the revision that it was measured at"]
    assert unnamed(f"# A\n\nThe figures came with revision 0123abc.\n\n{figure}\n") == []
    assert unnamed(f"# A\n\nMade at revision 0123abc.\n\n# B\n\n{figure}\n") != []
    assert unnamed(f"# A\n\nMade at revision 0123abc.\n\n# B\n\n{figure}\n", is_card=True) == []
