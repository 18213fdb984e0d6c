"""A figure on a page says how to repeat it: speeds and strengths have a command beside them, speeds the load as well.

A paragraph or table with a figure needs the command in itself, in one of the two blocks before it or in the one after it, all
of the same section: a command line, or the name of a script or an option, or a link to the page that has it.
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


def unnamed(page: str) -> list[str]:
    """The figures of a page that lack their command or their load, each with what it lacks."""
    found = []
    for section in re.split(r"^(?=#+ )", page, flags=re.M):
        parts = blocks(section)
        for i, part in enumerate(parts):
            speed, strength = SPEED.search(part), STRENGTH.search(part)
            figure = speed or strength
            if figure is None or part.startswith(("```", "    ")):
                continue
            near = "\n\n".join(parts[max(0, i - 2) : i + 2])
            if not COMMAND.search(near):
                found.append(f"{figure[0]}: expected a command beside it")
            if speed and not LOAD.search(near):
                found.append(f"{speed[0]}: expected the load that it was measured under")
    return found


ALL = sorted({*PAGES, *ROOT.glob("agents/big2_agents/**/*.md"), BENCHMARKS / "README.md"})


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_figures__name_their_command_and_speeds_their_load(page: Path) -> None:
    assert unnamed(page.read_text(encoding="utf-8")) == []


def test_figures__without_a_command_are_found() -> None:
    assert unnamed("# A\n\nIt plays 300,000 games/s.\n") == [
        "300,000 games/s: expected a command beside it",
        "300,000 games/s: expected the load that it was measured under",
    ]
    assert unnamed("# A\n\nOn a quiet machine, by `benchmarks/uno.py`.\n\n| games |\n| --- |\n| 300,000 games/s |\n") == []
    assert unnamed("`big2 bench learned`\n\n# B\n\nIt wins 60.5 % (± 0.3).\n") == ["wins 60.5: expected a command beside it"]
    assert unnamed("# B\n\nIt wins 60.5 % of its games (`big2 arena learned greedy`).\n") == []
