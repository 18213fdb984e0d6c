"""The page's tables of requests name every request to a table, with the keys of its message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unittest.mock import Mock

import pytest
from places import ROOT
from starlette.routing import Route

from big2_env.tables.browser import messages, reviews
from big2_env.tables.browser.app import application
from big2_env.tables.browser.table_handlers import CHANGES, OWN, QUESTIONS, SHARED

PAGE = (ROOT / "big2_env" / "tables" / "browser" / "README.md").read_text("utf-8")
ACTS = {**CHANGES, **QUESTIONS}
TABLE = {name: set(act.fields) for name, act in ACTS.items() if any(issubclass(kind, act.kinds) for kind in OWN)}
"""Keys by request to a table of one person."""
REQUESTS = {
    path.removeprefix("/api/shared/{table}/")
    for route in application(Mock()).routes
    if isinstance(route, Route) and (path := route.path).startswith("/api/shared/{table}/")
}
"""Requests to a shared table."""


SHARED_KEYS = {name: set(act.fields) for name, act in ACTS.items() if issubclass(SHARED[0], act.kinds)} | {
    "invited": set(messages.INVITE),
    "join": set(messages.JOIN),
    "qr": set(),
    "record": set(),
}
"""Keys by request to a shared table."""


def cells(start: str, end: str) -> list[tuple[list[str], str]]:
    """The requests `…/NAME` and the text about the body, by row of the table between two lines of the page."""
    rows = [line.split("|") for line in PAGE.partition(start)[2].partition(end)[0].splitlines() if line.startswith("| `")]
    return [(re.findall(r"…/(\w+)`", row[1]), row[2]) for row in rows]


def keys_in(text: str) -> set[str]:
    """The keys that a text names."""
    return set(re.findall(r"`(\w+)`", text))


def listed(start: str, end: str) -> list[tuple[list[str], set[str]]]:
    """The requests `…/NAME` and the keys of the body, by row of the table between two lines of the page."""
    return [(found, keys_in(text)) for found, text in cells(start, end)]


def shared_keys(name: str) -> list[set[str]]:
    """The keys of a request to a shared table, from each row that names it; `;` separates different requests of a row."""
    found = []
    for row, text in cells("### Shared tables", "## Security"):
        if name in row:
            parts = text.split(";")
            own = parts[row.index(name)] if len(parts) > 1 else text
            found.append(TABLE[name] if own.strip() == "as for tables" else keys_in(own))
    return found


def names(rows: Iterable[tuple[list[str], set[str]]]) -> list[str]:
    """The names of all requests."""
    return [name for found, _ in rows for name in found]


@pytest.mark.parametrize("name", TABLE)
def test_page__has_the_keys_of_a_request_to_a_table(name: str) -> None:
    assert [keys for found, keys in listed("## HTTP API", "### Shared tables") if name in found] == [TABLE[name]]


def test_page__has_every_part_of_a_verdict() -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith("| `POST …/review` | `version`, `step` | after the game")]
    assert set(reviews.MOVES) <= keys_in(row.partition("`moves` has")[2])


def test_page__has_no_other_request_to_a_table() -> None:
    assert set(names(listed("## HTTP API", "### Shared tables"))) == {*TABLE, "record"}


def test_page__has_every_request_to_a_shared_table_once() -> None:
    assert sorted(names(listed("### Shared tables", "## Security"))) == sorted(REQUESTS)


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_page__has_the_keys_of_a_request_to_a_shared_table(name: str) -> None:
    assert shared_keys(name) == [SHARED_KEYS[name]]
