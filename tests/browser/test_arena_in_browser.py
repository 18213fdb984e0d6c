"""The arena's page in a browser: nothing is cut off or asked for, on a screen and on a phone, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page
from run_cli import run_cli


@pytest.mark.parametrize(("phone", "scheme"), [(False, "light"), (True, "dark")])
def test_page__fits_and_its_tables_scroll(new_page: Callable[..., Page], tmp_path: Path, phone: bool, scheme: str) -> None:
    path = tmp_path / "arena.html"
    agents = "heuristic", "greedy", "lowest", "random"
    args = "--schedule", "cross", "--deals", "2", "--jobs", "1", "--out", str(tmp_path / "a.jsonl"), "--html", str(path)
    assert run_cli("arena", *agents, *args).status == 0
    page = new_page(phone=phone, color_scheme=scheme)
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
    tables = page.locator(".wide")
    assert tables.count() == 6
    for number in range(6):
        inner, outer = tables.nth(number).evaluate("one => [one.scrollWidth, one.clientWidth]")
        assert phone or inner <= outer
    first = page.locator("tbody th").first.bounding_box()
    assert first is not None
    assert first["width"] > 60  # a name is not broken into single letters
    assert page.locator("td.more-3, td.less-3").count() > 0
