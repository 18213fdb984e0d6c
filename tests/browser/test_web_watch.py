"""Tables without the visitor in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from test_web_table import CONTRAST, UNNAMED, WIDER
from web_visitor import serving


def test_watch__a_whole_game_on_a_phone(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page(phone=True)

        def check() -> None:
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate(CONTRAST) == []
            assert page.evaluate(UNNAMED) == []
            assert page.evaluate(WIDER) <= 0

        def ply() -> int:
            return table.version

        def wait(state: str, version: int = 0) -> None:
            page.wait_for_function(
                "([state, least]) => { const { state: now, version } = document.querySelector('main').dataset;"
                " return now === state && Number(version) >= least; }",
                arg=[state, version],
                timeout=60_000,
            )

        page.goto(server.url + "?lang=en")
        page.evaluate("localStorage.setItem('big2', JSON.stringify({ pace: 'slow' }))")
        page.reload()
        page.locator("#watch").tap()
        page.locator("input[name=opponent][value=lowest]").check(force=True)
        check()
        assert page.text_content("#start") == "Watch"
        page.locator("#start").tap()
        wait("running")
        [table] = server.lobby._tables.values()
        page.locator("#pause").tap()
        wait("paused")
        version = ply()
        for step in (1, 2, 3):
            page.locator("#step").tap()
            wait("paused", version + step)
        page.keyboard.press("ArrowRight")
        wait("paused", version + 4)
        assert page.locator(".place .cards.open").count() == 3
        check()
        page.locator("#values").tap()
        page.wait_for_selector(".advice li")
        check()
        page.locator("#undo").tap()
        wait("paused", version + 5)
        page.keyboard.press("s")
        page.wait_for_function("() => document.querySelectorAll('.place .cards.open').length === 0")
        assert page.locator(".hand > span").count() == len(table.session.view.ruleset.order.sort(table.session.view.hand))
        page.select_option("#watch-seat", "")
        page.wait_for_function("() => document.querySelectorAll('.place .cards.open').length === 3")
        page.select_option("#watch-pace", "at_once")
        page.locator("#pause").tap()
        wait("over")
        page.wait_for_timeout(400)
        check()
        page.locator("#watch-seat").wait_for(state="detached")
        page.keyboard.press("n")
        page.wait_for_function("() => document.querySelector('.scores').textContent.includes('Deal 2')")
        page.locator("#pause").tap()
        wait("paused")
        page.wait_for_load_state("networkidle")
        page.goto(server.url)
        assert "watching 4 × Thrifty" in (page.text_content(".tables") or "")
