"""The page's tables of requests name every request to a table, with the keys of its message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unittest.mock import Mock

import pytest
from places import ROOT

from big2_env.language import Language
from big2_env.web import messages
from big2_env.web.shared_routes import SharedRoutes
from big2_env.web.table_acts import CHANGES, QUESTIONS

PAGE = (ROOT / "big2_env" / "web" / "README.md").read_text("utf-8")
TABLE = {name: set(act.fields) for name, act in {**CHANGES, **QUESTIONS}.items()} | {"again": set(messages.AGAIN)}
"""Keys by request to a table of one person."""
SHARED = {
    path.removeprefix("/api/shared/{table}/")
    for route in SharedRoutes(Mock(), lambda request: Language.EN).routes()
    if (path := route.path).startswith("/api/shared/{table}/")
}
"""Requests to a shared table."""


def listed(start: str, end: str) -> list[tuple[list[str], set[str]]]:
    """The requests `…/NAME` and the keys of the body, by row of the table between two lines of the page."""
    rows = [line.split("|") for line in PAGE.partition(start)[2].partition(end)[0].splitlines() if line.startswith("| `")]
    return [(re.findall(r"…/(\w+)`", row[1]), set(re.findall(r"`(\w+)`", row[2]))) for row in rows]


def names(rows: Iterable[tuple[list[str], set[str]]]) -> list[str]:
    """The names of all requests."""
    return [name for found, _ in rows for name in found]


@pytest.mark.parametrize("name", TABLE)
def test_page__has_the_keys_of_a_request_to_a_table(name: str) -> None:
    assert [keys for found, keys in listed("## HTTP API", "### Shared tables") if name in found] == [TABLE[name]]


def test_page__has_no_other_request_to_a_table() -> None:
    assert set(names(listed("## HTTP API", "### Shared tables"))) == {*TABLE, "record"}


def test_page__has_every_request_to_a_shared_table_once() -> None:
    assert sorted(names(listed("### Shared tables", "## Security"))) == sorted(SHARED)
