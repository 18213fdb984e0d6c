"""A page whose table expired says so, and leads to a new game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from web_visitor import serving, sit_down

from big2_env.tables.browser.sqlite_store import SqliteStore

GONE = {
    "en": ("This table is gone: a table is removed 30 days after its last move", "Home"),
    "zh-Hant": ("這張牌桌已經移除：最後一次出牌 30 天後牌桌會被移除", "首頁"),
    "zh-Hans": ("这张牌桌已经移除：最后一次出牌 30 天后牌桌会被移除", "首页"),
}


@pytest.mark.parametrize("lang", GONE)
def test_gone__an_open_page_says_so_and_begins_another_game(lang: str, new_page: Any, tmp_path: Path) -> None:
    now = [1e9]
    with serving(tmp_path, store=SqliteStore(tmp_path, clock=lambda: now[0])) as server:
        page = new_page()
        page.expected = ("410",)
        sit_down(page, server, lang=lang)
        page.wait_for_selector("main[data-state=asked]")
        address = page.url
        now[0] += 30 * 86400
        page.keyboard.press("7")  # asks what these cards are
        for _ in range(2):
            page.wait_for_selector("#to-lobby")
            text, button = GONE[lang]
            assert page.inner_text("main section p").startswith(text)
            assert page.locator("main .button, main button").all_inner_texts() == [button]
            page.keyboard.press("7")  # nothing is left of the table
            page.reload()
        page.click("#to-lobby")
        page.click("#start")
        page.wait_for_selector("main[data-state=asked]")
        assert page.url != address
        page.close()
