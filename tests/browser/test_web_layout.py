"""Nothing of the browser's table is cut off, runs into something else, or stands there without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from web_visitor import Served, Visitor, serving, sit_down

CUT = "(one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def come_back(page: Any, server: Served, game: str, opponents: int) -> None:
    """Open a table at which the game has been played to its end."""
    visitor = Visitor(server)
    visitor.sit_down(game, opponents)
    visitor.play_out()
    visitor.close()
    page.context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in visitor.cookies.items()])
    page.goto(f"{server.url}#/table/{visitor.state['table']}")
    page.wait_for_selector("main[data-state=over]")


@pytest.mark.parametrize(("game", "opponents"), [("three_two_one", 3), ("dou_dizhu_x", 2)])
def test_phone__names_the_game_in_full_from_the_top(game: str, opponents: int, new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    page.set_viewport_size({"width": 360, "height": 560})
    sit_down(page, server, game, opponents=opponents)
    page.wait_for_selector("main[data-state=asked]")
    assert page.evaluate("scrollY") == 0
    assert not page.locator("header h1").evaluate(CUT)
    assert page.locator("header .button").evaluate_all(
        "(all) => all.every((one) => one.getBoundingClientRect().right <= innerWidth)"
    )


def test_log__stays_inside_its_frame(new_page: Any, server: Served) -> None:
    page = new_page()
    sit_down(page, server, "wu_gua_pi", opponents=9)
    page.wait_for_selector("main[data-state=asked]")
    page.evaluate("for (let i = 0; i < 60; i++) document.querySelector('.events').append(document.createElement('li'))")
    ends = page.evaluate("['.log', '.events'].map((one) => document.querySelector(one).getBoundingClientRect().bottom)")
    assert ends[1] <= ends[0]
    assert page.locator(".events").evaluate("(list) => list.scrollHeight > list.clientHeight && list.clientHeight > 80")


def test_hints__stand_in_one_row_beside_33_cards(new_page: Any, server: Served) -> None:
    """So that what has to be beaten is not covered by them."""
    page = new_page()
    sit_down(page, server, "dou_dizhu_4p", seed=2)
    page.wait_for_selector("main[data-state=asked]")
    named = page.locator(".own > .buttons button.main").last
    assert named.evaluate("(one) => getComputedStyle(one, '::first-letter').textTransform") == "uppercase"
    named.click()
    page.wait_for_selector("#play")
    assert page.locator(".hand button").count() == 33
    page.wait_for_selector("main[data-state=asked]")
    page.click("#hint")
    page.wait_for_selector(".advice li")
    tops = page.locator(".advice li").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    assert len(tops) == 3
    assert max(tops) - min(tops) < 5
    look, advice = (page.locator(one).evaluate("(one) => one.getBoundingClientRect()") for one in (".look", ".advice"))
    assert look["bottom"] <= advice["top"]


def test_end__says_in_one_line_who_has_won(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    come_back(page, server, "wu_gua_pi", 9)
    line = page.locator(".status")
    assert "+" not in line.inner_text()
    assert line.evaluate("(one) => getComputedStyle(one, '::first-letter').textTransform") == "uppercase"
    assert line.evaluate("(one) => one.getBoundingClientRect().height") < 60


def test_review__says_at_once_that_it_judges(new_page: Any, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first piece may take long: a judge is compiled."""
    go_on = Event()

    class Slow:
        moments, done = 1, 0

        def __init__(self, *_: Any) -> None:
            assert go_on.wait(30)

        def step(self) -> None:
            self.done = 1

        def judged(self, shown: Any, *_: Any) -> Any:
            return shown

    monkeypatch.setattr("big2_env.web.web_table.reviewing", Slow)
    page = new_page()
    come_back(page, server, "dou_dizhu", 2)
    page.click("#review")
    try:
        page.wait_for_selector(".looked progress:not([hidden])")
        assert page.inner_text(".looked [role=status]").startswith("Judging: 0 of ")
    finally:
        go_on.set()
    page.wait_for_selector("main[data-judged=true]")
    assert page.inner_text(".looked [role=status]") == ""
