"""Nothing of the browser's table is cut off, runs into something else, or stands there without a word."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
from test_web_table import SETTLED
from web_visitor import JudgedAtOnce, Served, Visitor, arrive, serving, sit_down

from big2_env.drawing.replay_page import NamedMove, Replay

SIZES = ((360, 740), (390, 844), (844, 390), (740, 360), (768, 1024), (1280, 800), (1920, 1080))
STATES: Final = {
    "13 cards": ("big2", 3, 7, 9),
    "17 cards": ("dou_dizhu", 2, 3, 7),
    "33 cards": ("dou_dizhu_4p", 3, 2, 8),
    "auction": ("dou_dizhu", 2, 3, 0),
    "ten seats": ("wu_gua_pi", 9, 7, 14),
    "result": ("big2", 3, 7, 1000),
    "result of ten": ("wu_gua_pi", 9, 7, 1000),
}
"""Game, opponents, seed, and number of moves."""
COVERED: Final = """(all) => {
  const needed = [...document.querySelectorAll(
    '.act.top .cards > *, .act.top .words, #status, .own > .buttons > *, .hand button, .advice button, .result td, .moments a')]
    .filter((one) => one.checkVisibility());
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`${document.documentElement.scrollWidth} wide`);
  for (const one of needed) {
    const box = one.getBoundingClientRect();
    const name = `${one.className || one.tagName} ${one.dataset.card ?? one.textContent}`;
    if (box.left < 0 || box.right > innerWidth + 1) wrong.push(`${name} beside the window`);
    if (!all && !(box.top >= 0 && box.bottom <= innerHeight + 1)) wrong.push(`${name} below the window: ${box.bottom}`);
    if (box.top < 0 || box.bottom > innerHeight) one.scrollIntoView({ block: 'nearest' });
    const now = one.getBoundingClientRect();
    const hit = document.elementFromPoint(now.left + Math.min(now.width / 2, 12), now.top + Math.min(now.height / 2, 18));
    if (!hit || !(one.contains(hit) || hit === one.parentElement)) wrong.push(`${name} under ${hit?.outerHTML.slice(0, 60)}`);
  }
  scrollTo(0, 0);
  return wrong;
}"""
"""What of the needed is covered, cut off, or (unless `all`) below the window."""
HIDDEN: Final = """() => [...document.querySelectorAll(':is(.cards.open, .act .cards) > *')].filter((one) => {
  const [box, after] = [one, one.nextElementSibling].map((card) => card?.firstElementChild.getBoundingClientRect());
  return after && after.top === box.top && after.left - box.left < 0.37 * box.width || box.width < 32 || box.right > innerWidth;
}).map((one) => one.innerHTML)"""
"""Cards whose index is under the next card, beside the window, or too small to be read."""
CUT = "(one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def come_back(page: Any, server: Served, game: str, opponents: int) -> None:
    """Open a table at which the game has been played to its end."""
    arrive(page, server, game, opponents, seed=7, moves=1000)
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


@pytest.mark.parametrize("state", STATES)
def test_table__covers_nothing_that_is_needed(state: str, new_page: Any, server: Served, judged_at_once: None) -> None:
    page = new_page(reduced_motion="reduce")
    arrive(page, server, *STATES[state])
    if "result" in state:
        page.locator(".moments a").nth(1).wait_for()
    wrong = covered(page, may_scroll=state == "result of ten")
    if page.locator("#hint[aria-disabled=false]").count():
        page.click("#hint")
        page.wait_for_selector(".advice li")
        wrong |= {f"hint, {where}": found for where, found in covered(page, may_scroll=state == "ten seats").items()}
        if state != "ten seats":
            page.set_viewport_size({"width": 1280, "height": 800})
            page.evaluate("document.querySelector('.numbers').open = true")
            page.evaluate(SETTLED)
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    wrong |= {f"twice the text, {where}": found for where, found in covered(page, may_scroll=True).items()}
    assert wrong == {}


def covered(page: Any, *, may_scroll: bool) -> dict[str, list[str]]:
    """What is covered in windows of all sizes, by size."""
    found = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(SETTLED)
        found[f"{width} x {height}"] = page.evaluate(COVERED, may_scroll)
    return {where: wrong for where, wrong in found.items() if wrong}


def test_phone__shows_the_whole_index_of_open_cards_and_plays(new_page: Any, server: Served) -> None:
    page, visitor, rng = new_page(reduced_motion="reduce"), Visitor(server), random.Random(4)
    page.set_viewport_size({"width": 360, "height": 740})
    for key in ("big2-9", "dou_dizhu-48", "dou_dizhu_4p-89"):
        page.goto(f"{server.url}#/puzzles/{key}")
        page.wait_for_selector(".cards.open")
        assert page.evaluate(HIDDEN) == []
    visitor.sit_down("taiwan", 3)
    while not any(seat["act"] and len(seat["act"]["cards"]) == 5 for seat in visitor.state["scene"]["seats"][1:]):
        visitor.act("deal") if visitor.state["scene"]["is_over"] else visitor.move(rng)
    page.context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in visitor.cookies.items()])
    for _ in range(2):
        page.goto(f"{server.url}#/table/{visitor.state['table']}")
        page.wait_for_selector(".act .cards")
        assert page.evaluate(HIDDEN) == []
        page.goto("about:blank")
        visitor.play_out()
    visitor.close()


SETTINGS = """() => [...document.querySelectorAll('.menu :is(select, input)')].map(one => {
  one.scrollIntoView({ block: 'nearest' });
  const own = one.getBoundingClientRect(), sheet = document.querySelector('.menu > .sheet').getBoundingClientRect();
  return [own.left, own.right, sheet.left, sheet.right, sheet.bottom];
})"""
"""Where each setting and the sheet of all are, in one call: news of the table draw the menu again."""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_settings__fit_every_window(width: int, height: int, new_page: Any, server: Served) -> None:
    page = new_page()
    page.set_viewport_size({"width": width, "height": height})
    sit_down(page, server)
    page.wait_for_selector("main[data-state=asked]")  # nothing is asked of a server that ends
    page.click("header summary")
    found = page.evaluate(SETTINGS)
    assert len(found) > 3
    for left, right, start, end, bottom in found:
        assert bottom <= height
        assert start <= left < right <= end <= width


def test_keys__leave_room_for_the_log(new_page: Any, server: Served) -> None:
    page = new_page()
    sit_down(page, server)
    page.wait_for_selector("main[data-state=asked]")  # nothing is asked of a server that ends
    page.click(".keys summary")
    for width, height in ((1280, 800), (1024, 620)):
        page.set_viewport_size({"width": width, "height": height})
        heading, log, keys = (page.locator(one).bounding_box() for one in (".log summary", ".log", ".keys"))
        assert heading["y"] + heading["height"] <= log["y"] + log["height"] <= keys["y"]


def test_status__keeps_the_name_in_one_line_at_twice_the_text(new_page: Any, server: Served) -> None:
    page = new_page(reduced_motion="reduce")
    arrive(page, server, *STATES["17 cards"])
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    for width in (700, 820, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(SETTLED)
        assert page.locator(".own .name").bounding_box()["height"] < 60, width
        assert page.locator(".own .look").bounding_box()["width"] > 200, width


def test_message__covers_neither_play_nor_hand(new_page: Any, server: Served) -> None:
    page = new_page(reduced_motion="reduce")
    arrive(page, server, *STATES["33 cards"])
    page.evaluate(
        "() => Object.assign(document.getElementById('message'), { textContent: 'The table has changed.', hidden: false })"
    )
    assert covered(page, may_scroll=False) == {}


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
    named = page.locator(".own > .buttons button[id^=bid_]").last
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


def test_end__names_best_move_and_turning_point_and_leads_to_them(new_page: Any, server: Served, judged_at_once: None) -> None:
    page = new_page()
    come_back(page, server, "big2", 3)
    page.locator(".moments a").nth(1).wait_for()
    best, turn = page.locator(".moments").inner_text().split("\n")
    assert best.startswith("Best move: number 4, full house K\u2660")
    assert turn.endswith("from +0.31 to \u22120.22 points for you")
    page.locator(".moments a").nth(1).click()
    page.wait_for_selector("main[data-judged=true]")
    assert page.frame_locator("iframe").locator("#slider").input_value() == "2"


class Costly(JudgedAtOnce):
    def judged(self, shown: Replay, *_: Any) -> Replay:
        found = super().judged(shown)
        assert found.verdict is not None
        costs = (NamedMove(5, "Move 6"), NamedMove(1, "Move 2"))
        return replace(
            found, verdict=replace(found.verdict, text="You lost it at move 6: S[2] instead of passing.", ply=5, costs=costs)
        )


def test_end__begins_with_the_sentence_of_the_review(new_page: Any, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", Costly)
    page = new_page(phone=True)
    page.set_viewport_size({"width": 360, "height": 740})
    come_back(page, server, "big2", 3)
    page.locator(".moments a").nth(2).wait_for()
    assert page.locator("#next").bounding_box()["y"] < 700
    worst, best, turn = page.locator(".moments a").all_inner_texts()
    assert (worst, best[:9], turn[:13]) == (
        "You lost it at move 6: 2\u2660\ufe0e instead of passing.",
        "Best move",
        "Turning point",
    )
    page.locator(".moments a").first.click()
    page.wait_for_selector("main[data-judged=true]")
    frame = page.frame_locator("iframe")
    assert frame.locator("#slider").input_value() == "5"
    assert frame.locator("#sentence").inner_text() == worst
    page.click("#leave")
    page.click("#review")
    page.wait_for_selector("main[data-judged=true]")
    assert frame.locator("#slider").input_value() == "0"
    named, bar = frame.locator("#named").bounding_box(), frame.locator(".nav").bounding_box()
    assert named["y"] + named["height"] <= bar["y"]  # without a scroll
    frame.locator("#named").tap()
    assert frame.locator("#slider").input_value() == "5"


def test_own_games__are_listed_in_every_window_and_lead_to_the_review(
    new_page: Any, server: Served, judged_at_once: None
) -> None:
    page = new_page()
    come_back(page, server, "big2", 3)
    page.goto(server.url)
    page.click("#own-games")
    page.wait_for_selector("main[data-state=games]")
    assert covered(page, may_scroll=True) == {}
    assert page.locator(".own-games h2").all_inner_texts() == ["Results", "Latest games"]
    page.click(".own-games a[href*=jsonl]")
    page.wait_for_selector("main[data-judged=true]")
    assert int(page.frame_locator("iframe").locator("#slider").get_attribute("max")) > 10
    page.keyboard.press("Escape")
    page.wait_for_selector("main[data-state=games]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#start")


@pytest.mark.parametrize("size", [(360, 740), (740, 360)])
def test_review__begins_with_the_table_and_scrolls_once(
    size: tuple[int, int], new_page: Any, server: Served, judged_at_once: None
) -> None:
    page = new_page(phone=True)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    come_back(page, server, "big2", 3)
    page.click("#review")
    page.wait_for_selector("main[data-judged=true]")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    frame = page.frame_locator("iframe")
    assert frame.locator("#felt").bounding_box()["y"] < 130
    assert not frame.locator("#moves").is_visible() or size[0] > 620
    frame.locator("#colours").scroll_into_view_if_needed()
    assert frame.locator("#felt").bounding_box()["y"] > 90 or size[1] < 500  # the cards stay while the text is read
    frame.locator("#list summary").click()
    assert frame.locator("#moves").is_visible() == (size[0] < 620)


def test_review__stays_open_while_escape_closes_its_menu(new_page: Any, server: Served, judged_at_once: None) -> None:
    page = new_page()
    come_back(page, server, "big2", 3)
    page.click("#review")
    page.click(".looked .menu summary")
    page.keyboard.press("Escape")
    page.locator(".looked .menu:not([open])").wait_for()
    assert page.url.endswith("/review")
    page.keyboard.press("Escape")
    page.wait_for_selector("main[data-state=over]")


def test_review__says_at_once_that_it_judges(new_page: Any, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first piece may take long: a judge is compiled."""
    go_on = Event()

    class Slow:
        moments, done, is_waiting = 1, 0, False

        @property
        def edition(self) -> int:
            return self.done

        def __init__(self, *_: Any) -> None:
            assert go_on.wait(30)

        def step(self) -> None:
            self.done = 1

        def judged(self, shown: Any, *_: Any) -> Any:
            return shown

    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", Slow)
    page = new_page()
    come_back(page, server, "dou_dizhu", 2)
    page.click("#review")
    try:
        page.wait_for_selector(".looked progress:not([hidden])")
        assert page.inner_text(".looked [role=status]") == "Judging\u2026"
    finally:
        go_on.set()
    page.wait_for_selector("main[data-judged=true]")
    assert page.inner_text(".looked [role=status]") == ""
