"""Deals by link in two browsers: the same on a day, another on another; the comparison, lines to share, and the streak."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from web_visitor import Served, serving

from big2_env.tables.session import deals
from big2_env.tables.session.deals import Result
from big2_env.tables.session.par import Par

LOADING = 60_000
DAYS = ("2026-11-24", "2026-11-25")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server whose agents play deals at once, and at a table from the shortest list."""
    results = iter(range(1, 100))
    monkeypatch.setattr(
        deals.Comparison, "step", lambda self: self.results.setdefault(self._next(), Result(1.0, next(results)))
    )
    monkeypatch.setattr(deals, "_KEPT", {})
    monkeypatch.setattr(deals, "_SEATS", {})
    monkeypatch.setattr(deals.NamedDeal, "opponents", ["lowest"] * 3)
    with serving(tmp_path) as served:
        yield served


def on(page: Page, day: str) -> Page:
    """The page, on a day."""
    page.clock.set_fixed_time(datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC))
    page.add_init_script(
        'localStorage.getItem(\'big2\') ?? localStorage.setItem(\'big2\', \'{"lang": "en", "pace": "at_once"}\')'
    )
    return page


def hand(page: Page) -> list[str]:
    """The person's cards at a new table."""
    page.click("#start")
    page.wait_for_url("**/table/*")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    return page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)")


def play_out(page: Page) -> None:
    """Pass where one can, else play the lowest card."""
    while True:
        page.wait_for_selector("main[data-state=asked], main[data-state=over]")
        if page.get_attribute("main", "data-state") == "over":
            return
        version = page.get_attribute("main", "data-version")
        if page.get_attribute("#pass", "aria-disabled") == "false":
            page.click("#pass")
        else:
            page.locator(".hand button").first.click()
            page.click("#play[aria-disabled=false]")
        page.wait_for_function("(version) => document.querySelector('main').dataset.version !== version", arg=version)


def test_deal__is_the_same_in_two_browsers_and_another_on_another_day(new_page: Any, server: Served) -> None:
    hands = []
    for page in (new_page(), new_page(phone=True)):
        for day in DAYS:
            on(page, day).goto(f"{server.url}#/deal/big2/{day}")
            page.wait_for_selector(".deal")
            hands.append(hand(page))
            page.wait_for_selector("main[data-state=asked]")  # no opponent moves any more
    assert hands[:2] == hands[2:]
    assert hands[0] != hands[1]
    assert [len(each) for each in hands] == [13] * 4


def test_deal__from_the_lobby_to_the_text_to_share(new_page: Any, server: Served) -> None:
    page = on(new_page(), DAYS[0])
    page.goto(server.url)
    page.wait_for_selector(".today-card")
    kinds = page.locator(".today-card").evaluate_all("(all) => all.map((one) => one.dataset.kind)")
    assert kinds == ["puzzle", "deal", "deal"]
    page.click("a[href*='deal/big2/']")
    page.wait_for_selector(".deal #start")
    assert "Please be honest" in page.inner_text(".deal")
    page.click("#rules")
    assert page.inner_text("dialog h2") == "Big Two"
    page.keyboard.press("Escape")
    hand(page)
    page.wait_for_selector("main[data-state=asked]")
    page.goto(f"{server.url}#/deal/big2/{DAYS[0]}")
    page.click("#go-on")  # it is not over yet
    play_out(page)
    page.click("#compare")
    page.wait_for_selector("main[data-compared]")
    rows = page.locator(".deal tbody th").all_inner_texts()
    assert rows == ["You", "Sage", "Veteran", "Greedy", "Thrifty", "Lucky"]
    lines = page.inner_text(".share").split("\n")
    assert lines[0] == f"Big Two · deal of the day {DAYS[0]}"
    assert lines[2:] == ["no hints, no undo", f"{server.url}#/deal/big2/{DAYS[0]}"]
    assert page.inner_text(".streak") == "Days in a row: 1"
    page.click("#copy")
    page.wait_for_function(
        "() => document.getElementById('copy').textContent === 'Copied' || !document.getElementById('message').hidden"
    )
    page.goto(server.url)
    assert "Played today · Days in a row: 1" in page.inner_text("a[href*='deal/big2/']").replace("✓ ", "")
    on(page, DAYS[1]).reload()
    page.wait_for_selector(".today-card")
    assert "The same hand for everyone · Days in a row: 1" in page.inner_text("a[href*='deal/big2/']")
    on(page, "2026-11-26").reload()
    page.wait_for_selector(".today-card")
    assert "Days in a row" not in page.inner_text("a[href*='deal/big2/']")


def test_deal__of_a_seed_has_no_streak_and_a_wrong_name_is_refused(new_page: Any, server: Served) -> None:
    page = on(new_page(), DAYS[0])
    page.goto(f"{server.url}#/deal/big2/7")
    page.wait_for_selector(".deal")
    assert "Deal 7" in page.inner_text(".deal-name")
    hand(page)
    play_out(page)
    page.click("#compare")
    page.wait_for_selector("main[data-compared]")
    assert page.locator(".streak").count() == 0
    assert page.locator(".par, #day-before").count() == 0
    page.expected = ("404",)
    page.goto(f"{server.url}#/deal/big2/2026-02-30")
    page.wait_for_selector("[role=alert]:has-text('expected a date of the calendar')")


def test_deal__has_a_par_and_days_before(new_page: Any, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    par = Par(3.0, ((-9.0, 0, 50), (9.0, 0, 150)))
    monkeypatch.setattr(deals, "can_play_through", lambda _: True)
    step = deals.Comparison.step
    monkeypatch.setattr(deals.Comparison, "step", lambda self: step(self) if self._next() else setattr(self, "par", par))
    page = on(new_page(phone=True), DAYS[1])
    page.goto(f"{server.url}#/deal/big2/2026-12-01")
    page.click("#day-before")
    page.wait_for_url("**/2026-11-30")
    page.goto(f"{server.url}#/deal/big2/{DAYS[0]}")
    page.wait_for_selector(".deal")
    hand(page)
    play_out(page)
    page.click("#compare")
    page.wait_for_selector("main[data-compared]")
    assert page.inner_text(".par").startswith("Your result is better than 25% of 200 games that Sage")
    assert page.inner_text(".share").split("\n")[1].endswith(" · better than 25%")


def test_deal__keys_lead_to_the_comparison_and_a_second_attempt_is_called_so(new_page: Any, server: Served) -> None:
    page = on(new_page(), DAYS[0])
    page.goto(f"{server.url}#/deal/big2/{DAYS[1]}")  # of tomorrow
    page.wait_for_selector(".deal")
    hand(page)
    assert page.locator("#give-up").count() == 0
    assert page.locator(".keys #keys_next").count() == 0
    play_out(page)
    table = page.url
    for key, attempt in (("n", ""), ("Enter", " · attempt 2")):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(key)
        page.wait_for_selector("main[data-compared]")
        third = page.inner_text(".share").split("\n")[2]
        assert third == f"no hints, no undo{attempt}"
        if not attempt:
            hand(page)
            play_out(page)
    page.goto(table)
    page.click("#compare")
    page.wait_for_selector("main[data-compared]")
    assert page.inner_text(".share").split("\n")[2] == "no hints, no undo"  # the first attempt stays what it was
    page.goto(server.url)
    page.wait_for_selector(".today-card")
    on(page, DAYS[1])
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("a[href='#/deal/big2/2026-11-25']")
    assert "Played today · Days in a row: 1" in page.inner_text("a[href*='deal/big2/']").replace("✓ ", "")


ATTEMPTS = """async (tables) => {
  const { attemptOf, beginDeal, keepDeal } = await import("/page/deals.js");
  const linked = { game: "big2", name: "7" };
  const begin = (table) => beginDeal(table, { linked, scene: { is_over: false } });
  tables.forEach(begin);
  keepDeal(tables[1], { linked, scene: { is_over: true } });
  return tables.map((table) => attemptOf(table, linked));
}"""


def test_attempts__are_counted_in_the_order_of_their_tables(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    page.wait_for_selector("#start")
    assert page.evaluate(ATTEMPTS, ["A", "B", "C"]) == [1, 2, 3]
    assert page.evaluate(ATTEMPTS, [f"T{number}" for number in range(60)])[-50:] == list(range(14, 64))
