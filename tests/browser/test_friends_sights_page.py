"""A spectator in a real browser asks to see a hand; its person shows it, and hides it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from friends import Friend
from friends_pages import act, close, join, open_table, until, version
from test_friends_page import check, whose_turn
from test_web_layout import covered
from web_visitor import serving


def hand(page: Any) -> list[str]:
    return page.locator(".own .hand [data-card]").evaluate_all("(all) => all.map((one) => one.dataset.card).sort()")


@pytest.mark.parametrize("game", ["big2", "uno"])
def test_sights__are_asked_for_shown_and_hidden(game: str, new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest, watcher = (new_page(reduced_motion="reduce") for _ in range(3))
        agent = "lowest" if game == "big2" else "random"
        link = open_table(host, server.url, game, 2, agent=agent)
        join(guest, link, "Ben")
        join(watcher, link, "Eve")
        watcher.locator("#watch-0").wait_for()  # in the waiting room, too
        host.click("#start")
        for page in (host, guest, watcher):
            page.wait_for_selector("main[data-room=table]")
        assert hand(watcher) == []
        watcher.click("#watch-1")
        guest.locator(".notice.sight .main").wait_for()
        check(guest)
        wrong = {f"wish, {where}": found for where, found in covered(guest, may_scroll=False).items()}
        assert host.locator(".notice").count() == 0
        guest.click(".notice.sight .main")
        watcher.locator(".own .hand [data-card]").first.wait_for()
        assert hand(watcher) == hand(guest)
        for page in (host, guest, watcher):
            page.locator(".friend.eye[role=img]").wait_for()
            check(page)
            wrong |= {f"seen, {where}": found for where, found in covered(page, may_scroll=False).items()}
        assert watcher.locator(".own .buttons button, .own .hand button").count() == 0
        mover = {"host": host, "guest": guest}[whose_turn({"host": host, "guest": guest}) or ""]
        if game == "big2":
            before = version(watcher)
            act(mover)
            until(watcher, before + 1)
            assert hand(watcher) == hand(guest)
        watcher.locator(".hand [data-card]").first.click()
        watcher.keyboard.press("Enter")
        assert watcher.locator("#message").is_hidden()
        guest.click(".people-card button[id^=hide]")
        watcher.locator(".own .hand [data-card]").first.wait_for(state="detached")
        assert (hand(watcher), watcher.locator("#watch-1").count()) == ([], 0)
        close(host, guest, watcher)
        assert wrong == {}


PRESS_AGAIN = """() => new MutationObserver(() => document.querySelector(".notice.sight .main")?.click())
  .observe(document.querySelector(".notices"), { childList: true })"""
"""Presses what comes to the place of a button that was pressed, as the second press of a double click does."""


def test_sights__a_double_click_allows_one_spectator(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host = new_page(reduced_motion="reduce")
        key, invite = open_table(host, server.url, "big2", 2).split("/")[-2:]
        host.click("#seat-1-agent")
        host.wait_for_selector("#seat-1-free")
        watchers = [Friend(server, name) for name in ("Eve", "Fay")]
        for friend in watchers:
            path = f"/api/shared/{key}"
            friend.post(f"{path}/invited", {"invite": invite})
            friend.state = friend.post(f"{path}/join?lang=en", {"invite": invite, "name": friend.name}).json()
            assert friend.post(f"{path}/sight?lang=en", {"seat": 0}).status == 200
        host.locator(".notice.sight", has_text="Eve").wait_for()
        host.evaluate(PRESS_AGAIN)
        host.click(".notice.sight .main")
        settled = host.locator(".notice.sight:has([aria-disabled=false])", has_text="Fay")
        settled.wait_for()
        assert [friend.look()["shared"]["sight"]["allowed"] for friend in watchers] == [True, False]
        settled.locator(".main").click()
        settled.wait_for(state="detached")
        assert [friend.look()["shared"]["sight"]["allowed"] for friend in watchers] == [True, True]
        for friend in watchers:
            friend.close()
        close(host)
