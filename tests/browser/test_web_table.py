"""The browser's table in a real Chromium: whole games by mouse, keyboard and touch, reloading, languages, contrast."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from web_visitor import Served, arrive, named_cards, serving, sit_down

from big2_env.climbing.play import Play
from big2_env.drawing.replay_page import Replay
from big2_env.tables.browser.web_table import WebTable
from big2_env.text.names import points

CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const linear = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.map(linear); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => {
    for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; }
    return rgba('Canvas'); };
  const wrong = [];
  for (const e of document.querySelectorAll('body *')) {
    const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join('');
    if (!text || !e.checkVisibility() || e.closest('[aria-hidden=true], svg, script, option')) continue;
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) wrong.push(`${text}: ${ratio.toFixed(2)}`);
  }
  return wrong;
}"""
UNNAMED = """() => [...document.querySelectorAll('button, a, input, select, summary')].filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"""
BODY = "() => { const copy = document.body.cloneNode(true); copy.querySelector('#symbols').remove(); return copy.outerHTML; }"
"""The page without the drawings of all cards."""
SEED = 2**64 - 59
"""More than a number of JavaScript holds."""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Wait until the page has been laid out for its present size: cards are placed by an observer of sizes."""
WIDER = f"""async () => {{
  await ({SETTLED})();
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}}"""
"""By how many pixels the settled page is wider than the window."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def table_of(server: Served) -> WebTable:
    [table] = [table for table in server.lobby._tables.values() if not table.is_practice]
    return table


def wait(page: Page, version: int | None = None) -> str:
    """Wait until the person is asked or the game is over, in a later state than `version`."""
    page.wait_for_function(
        """(version) => { const { state, version: now } = document.querySelector('main').dataset;
        return ['asked', 'over'].includes(state) && now !== String(version); }""",
        arg=version,
    )
    return page.get_attribute("main", "data-state") or ""


def play_out(page: Page, server: Served, act: Callable[[Play, list[int]], None]) -> int:
    """Play to the end; `act` does what a person does for a play with its places in the hand. Returns the number of turns."""
    rng, version, turns = random.Random(5), None, 0
    while wait(page, version) == "asked":
        table = table_of(server)
        version, legal = table.version, table.session.legal
        longest = max(len(play) for play in legal)
        play = rng.choice([play for play in legal if len(play) == longest])
        hand = legal.ruleset.order.sort(legal.hand)
        shown = page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)")
        assert shown == [str(card) for card in hand]
        act(play, [place for place, card in enumerate(hand) if play.mask >> card & 1])
        turns += 1
    return turns


def check_page(page: Page, server: Served) -> None:
    """No card is named that the person may not know, nothing is without a name, too pale, or too wide."""
    view = table_of(server).session.game.view(0)
    mask = view.hand | view.bottom | view.obligation | sum(view.played)
    if view.outcome is None:
        assert named_cards(page.evaluate(BODY)) <= {str(card) for card in view.ruleset.order.sort(mask)}
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(WIDER) <= 0


class Judged:
    """A review that takes two steps."""

    moments = 2
    is_waiting = False

    def __init__(self, *_: Any) -> None:
        self.done = 0

    @property
    def edition(self) -> int:
        return self.done

    def step(self) -> None:
        self.done += 1

    def judged(self, shown: Replay, *_: Any) -> Replay:
        return replace(shown, notes=("judged all",) if self.done == 2 else ())


def test_table__a_whole_game_by_mouse_reloaded_in_the_middle(
    new_page: Any, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", Judged)
    page = new_page()
    sit_down(page, server)

    def act(play: Play, places: list[int]) -> None:
        for place in places:
            page.click(f".hand button >> nth={place}")
        if play:
            page.wait_for_selector(".look.good")
            page.click("#play[aria-disabled=false]")
        else:
            page.click("#pass[aria-disabled=false]")
        if len(table_of(server).session.game.history) in range(16, 20):
            page.reload()

    assert play_out(page, server, act) > 3
    check_page(page, server)
    game = table_of(server).session.game
    assert page.locator(".scores dd").all_inner_texts() == [
        points(paid).replace("-", "\u2212") for paid in game.outcome.payoffs
    ]
    assert page.locator(".events li").count() >= len(game.history)
    page.click("#review")
    frame = page.frame_locator("iframe")
    frame.locator("#moves button").first.wait_for()
    assert frame.locator("#slider").get_attribute("max") == str(len(game.history))
    page.wait_for_selector("main[data-judged='true']")
    assert "judged all" in frame.locator("#notes").inner_text()
    frame.locator("#next").click()
    assert frame.locator("#slider").input_value() == "1"
    page.click(".looked summary")
    with page.expect_download() as saved:
        page.click("#save-page")
    assert saved.value.suggested_filename.endswith(".html")
    assert "judged all" in Path(saved.value.path()).read_text("utf-8")
    page.reload()
    frame.locator("#moves button").first.wait_for()
    frame.locator("#next").focus()
    page.keyboard.press("Escape")
    page.wait_for_selector("main[data-state=over]")
    version = table_of(server).version
    page.go_back()
    frame.locator("#moves button").nth(3).click()
    page.click("#from-here")
    assert wait(page, version) == "asked"
    again = max(server.lobby._tables.values(), key=lambda table: table.is_practice)
    assert again.session.game.history[:3] == game.history[:3]
    assert len(again.session.game.history) < len(game.history)
    page.goto(server.url)
    page.wait_for_selector(".tables li")
    labels = [text.split("\n")[0] for text in page.locator(".tables li").all_inner_texts()]
    assert labels == ["Big Two practice, no score", "Big Two"]
    page.goto(f"{server.url}#/table/{table_of(server).key}")
    page.wait_for_selector("main[data-state=over]")
    page.click("#next")
    assert wait(page, version) == "asked"
    assert "Deal 2" in page.inner_text(".scores h2")


def test_table__a_whole_game_by_keyboard(new_page: Any, server: Served) -> None:
    page = new_page(color_scheme="dark")
    sit_down(page, server, seed=SEED)
    wait(page)
    check_page(page, server)

    def act(play: Play, places: list[int]) -> None:
        page.keyboard.press("Home")
        pressed = "all => all.flatMap((one, i) => one.ariaPressed === 'true' ? [i] : [])"
        while len(places) > 1 and page.locator(".hand button").evaluate_all(pressed) != places:
            page.keyboard.press("Tab")
            page.wait_for_selector(".look.good")
        for step in range(places[0] + 1 if len(places) == 1 else 0):
            if step:
                page.keyboard.press("ArrowRight")
            if step in places:
                page.keyboard.press(" ")
        if play:
            page.wait_for_selector(".look.good")
        page.keyboard.press("Enter" if play else "p")

    assert play_out(page, server, act) > 3
    assert page.locator("main").get_attribute("data-state") == "over"
    assert table_of(server).session.seed == SEED
    assert page.text_content(".seed") == "seed 18446744073709551557"
    version = table_of(server).version
    page.keyboard.press("u")
    assert wait(page, version) == "asked"
    rank = page.locator(".hand button").first.get_attribute("data-card")[2:-1]
    page.keyboard.press({"10": "t"}.get(rank, rank))
    assert page.locator(".hand button[aria-pressed=true]").count() == 1


def test_table__refuses_a_seed_of_more_than_64_bits(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    page.locator("form details summary").click()
    for seed, refusal in ((str(2**64), "The largest seed is 18446744073709551615."), (str(2**64 - 1), "")):
        page.fill("#seed", seed)
        assert page.evaluate("() => document.querySelector('#seed').validationMessage") == refusal


def test_table__a_whole_game_by_touch_on_a_phone(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    sit_down(page, server, "dou_dizhu", opponents=2, lang="zh-Hans", seed=3)
    checked = set()

    def act(play: Play, places: list[int]) -> None:
        bidding = table_of(server).session.game.position.bidding
        if bidding not in checked:
            checked.add(bidding)
            check_page(page, server)
            assert page.locator(".hand").evaluate("(hand) => hand.getBoundingClientRect().bottom <= innerHeight")
        if bidding:
            page.tap("#pass" if play.is_pass else f"#{play.pattern}")
            return
        for place in places:
            page.locator(".hand button").nth(place).tap(position={"x": 8, "y": 12})
        if not play:
            page.tap("#pass")
            return
        page.wait_for_selector("#play[aria-disabled=false]")
        page.tap("#play")
        if page.locator(".reading").count():
            page.locator(".reading").first.tap()

    assert play_out(page, server, act) > 3
    assert checked == {True, False}
    check_page(page, server)


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
def test_table__mixes_no_languages(lang: str, new_page: Any, server: Served) -> None:
    page = new_page()
    sit_down(page, server, lang=lang)
    wait(page)
    page.click(".keys summary")
    page.click("details.menu summary")
    texts = [page.inner_text("body")]
    page.click("#rules")
    page.wait_for_selector("dialog h3")
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.goto(server.url)
    page.wait_for_selector(".tables li")
    texts.append(page.inner_text("body"))
    for text in texts:
        words = set(re.findall("[A-Za-z]{2,}", text)) - {"PASS", "PPO", "Enter", "Esc", "Tab", "Shift", "English", "UNO"}
        assert words == set(), text
    assert page.get_attribute("html", "lang") == lang


def test_table__two_tabs_of_one_table(new_page: Any, server: Served) -> None:
    page = new_page()
    sit_down(page, server)
    wait(page)
    other, deaf = page.context.new_page(), page.context.new_page()
    deaf.add_init_script("BroadcastChannel = class { postMessage() {} close() {} }")
    for tab in (other, deaf):
        tab.goto(page.url)
        wait(tab)
    for tab in (page, deaf):
        tab.keyboard.press("7")
        tab.wait_for_selector(".look.good")
    page.expected = ("409",)
    assert deaf.get_attribute("main", "data-version") == other.get_attribute("main", "data-version")
    page.click("#play")
    version = table_of(server).version
    other.wait_for_function("(version) => document.querySelector('main').dataset.version >= version", arg=version)
    assert other.locator("#message:not([hidden])").count() == 0
    deaf.click("#play")
    deaf.wait_for_selector("#message:not([hidden])")
    assert "has changed" in deaf.inner_text("#message")
    assert wait(deaf, version) in ("asked", "over")
    for tab in (page, other, deaf):  # before the server is gone: an opponent may be asked to move
        tab.close()


def test_table__asks_for_the_token(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path, token="secret-123") as server:
        page = new_page()
        page.expected = ("401", "403")
        page.goto(server.url)
        page.fill("#token", "wrong-wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("#message:not([hidden])")
        page.fill("#token", "secret-123")
        page.keyboard.press("Enter")
        page.wait_for_selector("#start")
        other = new_page()
        other.goto(f"{server.url}#token=secret-123")
        other.wait_for_selector("#start")
        assert "secret" not in other.url


def test_table__says_that_the_server_is_gone(new_page: Any, tmp_path: Path) -> None:
    page = new_page()
    page.expected = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
    with serving(tmp_path) as server:
        sit_down(page, server)
        wait(page)
    page.click("#pass")
    page.wait_for_selector("#message:not([hidden])")
    assert "cannot be reached" in page.inner_text("#message")


def test_coach__asks_before_a_blunder_or_gives_no_hints(new_page: Any, server: Served) -> None:
    page = new_page()
    sit_down(page, server, "big2", seed=2)
    wait(page)
    page.click("details.menu summary")
    page.select_option("#coach", "warn")
    session = table_of(server).session
    session.warning = lambda play, lang: f"{play.pattern} H[2]? The coach would not."
    session.adviser = "lowest"
    version = page.get_attribute("main", "data-version")
    page.keyboard.press("Escape")
    page.click("#hint[aria-disabled=false]")
    page.wait_for_selector("#play[aria-disabled=false]")
    page.click("#play")
    question = page.get_by_role("alertdialog", name="Coach")
    for key in ("Escape", "Enter", "Escape"):  # the first answer is not to play
        question.wait_for()
        assert question.locator("p").inner_text() == "single 2\u2665\ufe0e? The coach would not."
        assert question.locator(".heart").inner_text() == "2\u2665\ufe0e"
        assert page.evaluate("document.activeElement.textContent") == "Think again"
        page.keyboard.press(key)
        question.wait_for(state="detached")
        page.wait_for_selector("#play[aria-disabled=false]")
        assert page.get_attribute("main", "data-version") == version
        page.click("#play")
    question.get_by_role("button", name="Make this move").click()
    page.wait_for_function("(version) => document.querySelector('main').dataset.version !== version", arg=version)
    wait(page)  # nothing is asked of the server while it ends
    page.click("details.menu summary")
    page.select_option("#coach", "off")
    assert page.locator("#hint").count() == 0


def test_give_up__is_asked_on_the_page_and_forgotten_when_one_goes(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    arrive(page, server, "big2", 3, seed=7, moves=9)
    question = page.get_by_role("alertdialog", name="Give up this deal")
    for answer in ("Continue", None, "Give up this deal"):
        assert question.count() == 0
        assert "Deal 1" in page.inner_text(".scores h2")
        page.tap("#give-up")
        assert question.evaluate(
            "(one) => document.getElementById(one.getAttribute('aria-describedby')).textContent"
        ).startswith("Deal again?")
        check_page(page, server)
        if answer is None:
            page.evaluate("location.hash = '/'")
            page.wait_for_selector("#start")
            assert question.count() == 0
            page.go_back()
            wait(page)
        else:
            question.get_by_role("button", name=answer).tap()
    page.locator(".scores h2", has_text="Deal 2").wait_for()
    wait(page)


def test_give_up__of_a_deal_that_another_tab_has_ended__changes_nothing(new_page: Any, server: Served) -> None:
    page = new_page()
    arrive(page, server, "big2", 3, seed=7, moves=9)
    other = page.context.new_page()
    other.goto(page.url)
    wait(other)
    page.click("#give-up")
    other.click("#give-up")
    other.click("dialog [value=yes]")
    page.locator(".scores h2", has_text="Deal 2").wait_for()
    page.click("dialog [value=yes]")
    wait(other)
    page.wait_for_timeout(500)
    assert table_of(server).deal == 1
    for tab in (page, other):  # before the server is gone
        tab.close()
