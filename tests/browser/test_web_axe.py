"""What axe-core says about the browser's pages: table, hint, result, review, start page and list of games.

npm install axe-core
BIG2_AXE=node_modules/axe-core/axe.min.js pytest tests/browser/test_web_axe.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from web_visitor import Served, arrive, serving

AXE: Final = os.environ.get("BIG2_AXE", "")
"""Path of axe-core's script."""
GRAVE: Final = """async () => (await axe.run(document, { iframes: false })).violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`)"""

pytestmark = pytest.mark.skipif(not AXE, reason="BIG2_AXE names no script of axe-core")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


@pytest.mark.parametrize(("scheme", "phone"), [("light", False), ("dark", True)])
@pytest.mark.parametrize(("game", "opponents"), [("big2", 3), ("dou_dizhu", 2)])
def test_axe__finds_nothing_serious(
    game: str, opponents: int, scheme: str, phone: bool, new_page: Any, server: Served, judged_at_once: None
) -> None:
    page = new_page(color_scheme=scheme, phone=phone, reduced_motion="reduce")
    script, found = Path(AXE).read_text("utf-8"), {}

    def look(name: str) -> None:
        for number, frame in enumerate(page.frames):
            frame.evaluate(script)
            if wrong := frame.evaluate(GRAVE):
                found[f"{name}, frame {number}"] = wrong

    page.goto(server.url)
    page.wait_for_selector("#start")
    look("start page")
    arrive(page, server, game, opponents, seed=7, moves=9)
    look("table")
    page.locator(".hand button").first.click()
    page.wait_for_selector(".look:is(.good, .bad)")
    page.click("details.menu summary")
    look("selection and settings")
    page.keyboard.press("Escape")
    page.click("#hint[aria-disabled=false]")
    page.wait_for_selector(".advice li")
    look("hint")
    page.click("#rules")
    page.wait_for_selector("dialog h3")
    look("rules")
    page.keyboard.press("Escape")
    page.click("#give-up")
    look("question")
    page.keyboard.press("Escape")
    arrive(page, server, game, opponents, seed=7, moves=1000)
    page.locator(".moments a").nth(1).wait_for()
    look("result")
    page.click("#review")
    page.wait_for_selector("main[data-judged=true]")
    look("review")
    page.goto(f"{server.url}#/games")
    page.wait_for_selector("main[data-state=games]")
    look("games")
    assert found == {}
