"""People at a table with friends, each with a browser of their own."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page

LOST = ("ERR_CONNECTION", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_NETWORK", "Failed to load resource")
"""What a browser writes while the server is gone."""


def settle(page: Page, lang: str = "en", **setup: Any) -> None:
    """Choose the language, and the game that the first page begins with."""
    kept = json.dumps({"lang": lang, "pace": "at_once", "setup": setup})
    page.add_init_script(f"location.host && (localStorage.getItem('big2') ?? localStorage.setItem('big2', {json.dumps(kept)}))")


def open_table(page: Page, url: str, game: str, seats: int, name: str = "Anna", clock: str = "0", agent: str = "lowest") -> str:
    """Open a table as its host does, and return its link."""
    settle(page, game=game, players=seats, opponents=[agent] * (seats - 1))
    page.goto(url)
    page.click("#friends")
    page.fill("#friends-name", name)
    page.select_option("#friends-agent", agent)
    page.select_option("#friends-clock", clock)
    page.click("#friends-open")
    page.wait_for_selector("main[data-room=waiting]")
    return page.input_value("#link")


def join(page: Page, link: str, name: str, lang: str = "en") -> None:
    """Take a seat by a link, or watch if none is free."""
    settle(page, lang)
    page.goto(link)
    page.fill("#join-name", name)
    page.click("#join")
    page.wait_for_selector("main[data-room]")


def version(page: Page) -> int:
    """The version of the table that a page shows."""
    return int(page.get_attribute("main", "data-version") or 0)


def until(page: Page, least: int) -> None:
    """Wait for a version."""
    page.wait_for_function("(least) => Number(document.querySelector('main').dataset.version) >= least", arg=least)


def act(page: Page) -> None:
    """Make the first legal move of the person whose turn it is: call, else play the lowest cards, else pass."""
    before = version(page)
    if page.locator("#play").count():
        page.locator(".hand button").first.focus()
        with page.expect_response("**/plays*"):
            page.keyboard.press("Tab")
        page.wait_for_function(
            "() => document.querySelector('.hand [aria-pressed=true]') || document.activeElement.closest('.own > .buttons')"
        )
        if page.locator(".hand [aria-pressed=true]").count():
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("p")
    else:
        page.locator(".own > .buttons button[aria-disabled=false]").first.click()
    until(page, before + 1)


def close(*pages: Page) -> None:
    """Leave the server before it ends, as streams that break off are errors to a browser."""
    for page in pages:
        page.goto("about:blank")
