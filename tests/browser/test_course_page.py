"""The page for games in the text format: pasted and opened texts, the check, and the game by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from web_visitor import Served, serving

from big2_env.tables.session.course import sample_texts

GAME, LOG = sample_texts()["input"], sample_texts()["log"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as served:
        yield served


def shown(page: Page, times: int) -> Any:
    """The frame with the game, once it was shown that often."""
    page.wait_for_selector(f"main[data-shown='{times}']")
    return page.frame_locator("iframe")


def test_course__example_from_the_lobby_passes_and_plays_by_keyboard(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    page.click("form details summary")
    page.click("a#course")
    page.click("#example")
    frame = shown(page, 1)
    assert page.get_attribute("main", "data-checked") == "true"
    assert "as expected" in page.inner_text(".verdict")
    for key, count in (("ArrowRight", "1 / 45"), ("End", "45 / 45"), ("ArrowLeft", "44 / 45")):
        page.keyboard.press(key)
        assert frame.locator("#count").inner_text() == count
    page.click("details.menu summary")
    page.select_option("#language", "zh-Hans")
    shown(page, 1)
    assert "日志与预期相同" in page.inner_text(".verdict")
    assert page.input_value("#course-text") == GAME


def test_course__shows_the_line_that_differs_and_its_step(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    page.goto(f"{server.url}#/course")
    page.fill("#course-text", GAME)
    page.fill("#course-expected", LOG.replace("PASS.", "PASS", 1))
    page.keyboard.press("Control+Enter")
    frame = shown(page, 1)
    assert page.get_attribute("main", "data-checked") == "false"
    assert "line 37" in page.inner_text(".verdict")
    assert page.locator(".compared dd").all_inner_texts() == ["玩家 地瓜球 PASS\u00a0", "玩家 地瓜球 PASS."]
    assert frame.locator("#count").inner_text() == "8 / 45"
    page.click("#to-step")
    page.keyboard.press("End")
    assert frame.locator("#count").inner_text() == "45 / 45"
    page.click("#to-step")
    assert frame.locator("#count").inner_text() == "8 / 45"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_course__files_and_errors(new_page: Any, server: Served, tmp_path: Path) -> None:
    page = new_page()
    page.goto(f"{server.url}#/course")
    (tmp_path / "a.in").write_text("C[3]\n", "utf-8")
    (tmp_path / "a.out").write_text(LOG, "utf-8")
    (tmp_path / "large.out").write_bytes(b"x" * (1 << 20))
    for name, file in (("text", "a.in"), ("expected", "a.out")):
        with page.expect_file_chooser() as chooser:
            page.click(f"#open-{name}")
        chooser.value.set_files(tmp_path / file)
        page.wait_for_function("(id) => document.getElementById(id).value", arg=f"course-{name}")
    page.click("#show")
    page.wait_for_selector("main[data-checked=refused]")
    assert "line 1: the deck: " in page.inner_text(".verdict")
    assert page.locator("iframe").count() == 0
    with page.expect_file_chooser() as chooser:
        page.click("#open-text")
    chooser.value.set_files(tmp_path / "large.out")
    page.wait_for_selector("#message:not([hidden])")
    assert "1048576" in page.inner_text("#message")
    assert page.input_value("#course-text") == "C[3]\n"
    page.fill("#course-text", "x" * 140_000)
    page.click("#show")
    page.wait_for_function("() => document.querySelector('.verdict').textContent.includes('too long')")
