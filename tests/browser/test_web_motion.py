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
