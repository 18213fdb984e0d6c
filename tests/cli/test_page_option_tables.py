"""Tables of options on pages list the options of their commands, all of them or known ones, with the defaults of the code."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

import pytest
from places import ROOT

from big2_env.cli._group import _command

COMPLETE = {
    "export": ("agents/big2_agents/data/README.md", "| option | default | meaning |"),
    "serve": ("big2_env/tables/browser/README.md", "| option of `serve` | meaning | default |"),
    "mcp": ("big2_env/tables/mcp/README.md", "| option | meaning | default |"),
}
"""By command: the page and the head of a table of all its options."""
SOME = {
    "arena": ("agents/README.md", "| option | purpose |"),
    "site": ("big2_env/tables/browser/README.md", "| option | source of Pyodide | size of the folder |"),
    "match": ("agents/big2_agents/language_model/README.md", "| option | variable | purpose |"),
}
"""By command: the page and the head of a table of some of its options."""
TABLES = COMPLETE | SOME


def parameters(verb: str) -> dict[str, Any]:
    """The options of a command by name, without `--help`."""
    found = {name: one for one in _command(verb).params for name in (*one.opts, *one.secondary_opts)}
    return {name: one for name, one in found.items() if name.startswith("--") and name != "--help"}


def rows(verb: str) -> list[dict[str, str]]:
    """The rows of a command's table, by column."""
    page, head = TABLES[verb]
    text = (ROOT / page).read_text("utf-8")
    assert text.count(head) == 1
    lines = text.partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    columns = [name.strip() for name in head.strip("| ").split(" | ")]
    return [dict(zip(columns, [cell.strip() for cell in line[1:-1].split("|")], strict=True)) for line in lines]


def named(row: dict[str, str]) -> list[str]:
    """The options that the first cell of a row names."""
    return re.findall(r"--[a-z][a-z-]*", next(iter(row.values())))


@pytest.mark.parametrize("verb", TABLES)
def test_tables__name_options_of_their_command(verb: str) -> None:
    listed = [option for row in rows(verb) for option in named(row)]
    assert len(listed) >= 2
    assert set(listed) <= set(parameters(verb))
    if verb in COMPLETE:
        assert set(listed) == set(parameters(verb))


@pytest.mark.parametrize("verb", COMPLETE)
def test_tables__have_the_defaults_of_their_command(verb: str) -> None:
    known = parameters(verb)
    for row in rows(verb):
        for option in named(row)[:1]:
            default = known[option].default
            if default is not None and default is not False:
                shown = str(default.value if isinstance(default, Enum) else default)
                assert re.match(rf"`?{re.escape(shown)}\b", row["default"]), option
            elif default is False and row["default"]:
                assert row["default"] == "off", option
