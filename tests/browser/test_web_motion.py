"""What moves and sounds at the browser's table, and the ways to choose cards there, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from web_visitor import Served, arrive, serving

RECORDER: Final = """window.moved = []; window.tones = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  const names = new Set(frames.flatMap((frame) => Object.keys(frame)));
  moved.push([options.duration, options.duration + (options.delay ?? 0), ...names]);
  return animate.call(this, frames, options);
};
window.OscillatorNode = class extends OscillatorNode { start(...when) { tones++; super.start(...when); } };"""
"""Notes what is animated and how many tones begin."""
MOST: Final = 400
"""Milliseconds of the longest motion: the deal."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def play_single(page: Any) -> None:
    """Lead the lowest card by two taps, and wait until somebody else is to move."""
    version = page.get_attribute("main", "data-version")
    page.locator(".hand button").first.dblclick()
    page.wait_for_function("(old) => document.querySelector('main').dataset.version !== old", arg=version)


def test_motion__moves_and_fades_only(new_page: Any, server: Served) -> None:
    page = new_page()
    page.add_init_script(RECORDER)
    arrive(page, server, "big2", 3, seed=2, moves=0)
    page.wait_for_function("() => document.getAnimations().length === 0")
    dealt = page.evaluate("moved.splice(0)")
    assert len(dealt) == page.locator(".hand button").count()
    assert max(end for _, end, *_ in dealt) <= MOST
    play_single(page)
    page.wait_for_selector("main[data-state=asked], main[data-state=over]")
    played = page.evaluate("moved")
    assert 180 in {duration for duration, *_ in played}
    assert {name for _, _, *names in dealt + played for name in names} <= {"transform", "opacity", "offset"}
    assert page.evaluate("tones") == 0  # off by default


def test_motion__is_none_where_less_is_wanted(new_page: Any, server: Served) -> None:
    page = new_page(reduced_motion="reduce")
    page.add_init_script(RECORDER)
    arrive(page, server, "big2", 3, seed=2, moves=0)
    play_single(page)
    page.wait_for_selector("main[data-state=asked], main[data-state=over]")
    assert page.evaluate("moved") == []


def test_sounds__are_a_setting(new_page: Any, server: Served) -> None:
    page = new_page()
    page.add_init_script(RECORDER)
    arrive(page, server, "big2", 3, seed=2, moves=0)
    page.click("details.menu summary")
    page.check("#sounds")
    page.keyboard.press("Escape")
    play_single(page)
    page.wait_for_function("tones > 0")
    page.wait_for_selector("main[data-state=asked], main[data-state=over]")


def chosen(page: Any) -> list[str]:
    return list(page.locator(".hand button[aria-pressed=true]").evaluate_all("(all) => all.map((one) => one.dataset.card)"))


def test_hand__a_swipe_chooses_what_it_passes(new_page: Any, server: Served) -> None:
    page = new_page()
    arrive(page, server, "big2", 3, seed=7, moves=0)
    cards = list(page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)"))

    def swipe(first: int, *places: int) -> None:
        boxes = [page.locator(".hand button").nth(place).bounding_box() for place in (first, *places)]
        for number, box in enumerate(boxes):
            page.mouse.move(box["x"] + 6, box["y"] + 20, steps=4)
            if not number:
                page.mouse.down()
        page.mouse.up()

    swipe(2, 5)
    assert chosen(page) == cards[2:6]
    page.wait_for_selector(".look:is(.good, .bad)")  # one answer for all of them
    swipe(5, 4)
    assert chosen(page) == cards[2:4]
    swipe(10, 7, 9)  # forth and back
    assert chosen(page) == [*cards[2:4], *cards[9:11]]
    page.locator(".hand button").nth(3).click()
    assert chosen(page) == [cards[2], *cards[9:11]]
    page.wait_for_selector(".look:is(.good, .bad)")


def test_hand__a_finger_swipes_sideways_and_scrolls_up_and_down(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    arrive(page, server, "big2", 3, seed=7, moves=0)
    devtools = page.context.new_cdp_session(page)

    def swipe(first: int, x: float, y: float) -> None:
        box = page.locator(".hand button").nth(first).bounding_box()
        for share in range(6):
            point = {"x": box["x"] + 8 + x * share / 5, "y": box["y"] + 20 + y * share / 5}
            kind = "touchMove" if share else "touchStart"
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(1, 80, 0)
    assert len(chosen(page)) > 1
    page.wait_for_selector(".look:is(.good, .bad)")
    before = chosen(page)
    swipe(1, 0, -120)
    page.wait_for_function("scrollY > 50")
    assert chosen(page) == before


def test_hand__tab_goes_through_the_legal_plays_and_leaves_after_them(new_page: Any, server: Served) -> None:
    page = new_page()
    arrive(page, server, "big2", 3, seed=7, moves=30)
    [table] = server.lobby._tables.values()
    order = table.session.ruleset.order
    plays = [{str(card) for card in order.sort(play.mask)} for play in table.session.legal if play.mask]
    page.locator(".hand button").first.focus()
    focused = "document.activeElement.dataset.card ?? document.activeElement.id"
    assert len(plays) > 2
    for play in plays:
        page.keyboard.press("Tab")
        page.wait_for_selector(".look.good")
        assert set(chosen(page)) == play
        assert page.evaluate(focused) in play
    assert "can be played" in page.inner_text(".look[role=status]")
    page.keyboard.press("Shift+Tab")
    assert set(chosen(page)) == plays[-2]
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "play"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    assert chosen(page) == []
    page.keyboard.press("Shift+Tab")
    assert not page.evaluate("document.querySelector('.hand').contains(document.activeElement)")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # it has come anew, so it goes through the plays
    page.wait_for_selector(".look.good")
    assert set(chosen(page)) == plays[0]


def test_hand__is_sorted_as_the_person_likes(new_page: Any, server: Served) -> None:
    page = new_page()
    arrive(page, server, "big2", 3, seed=7, moves=0)

    def hand() -> list[str]:
        return list(page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)"))

    by_rank = hand()
    page.locator(".hand button").nth(3).click()
    page.click("details.menu summary")
    page.select_option("#sort", "suit")
    suits = [card[0] for card in hand()]
    assert suits == sorted(suits, key="SHCD".index)
    assert page.get_attribute(".hand button[aria-pressed=true]", "data-card") == by_rank[3]
    page.select_option("#sort", "pattern")
    ranks = [card[1:] for card in hand()]
    counts = [ranks.count(rank) for rank in ranks]
    assert counts == sorted(counts, reverse=True)
    page.select_option("#sort", "rank")
    assert hand() == by_rank
