"""Side games in a real Chromium: whole games by mouse, touch and keyboard, on a phone and on a desktop."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from test_web_table import CONTRAST, UNNAMED, WIDER
from web_visitor import Served, serving

from big2_env.base.language import Language
from big2_env.games.klondike.solver import solve
from big2_env.tables.browser.side_table import SideTable


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def table_of(server: Served) -> SideTable:
    [table] = server.lobby._tables.values()
    found: Any = table
    assert isinstance(found, SideTable)
    return found


def begin(page: Page, server: Served, game: str, seed: int, lang: str = "en", coach: str = "hints") -> None:
    """Begin a game as a person does, on the first page; others move at once."""
    kept = json.dumps({"lang": lang, "pace": "at_once", "coach": coach, "setup": {"game": "big2"}})
    page.add_init_script(f"localStorage.getItem('big2') ?? localStorage.setItem('big2', {json.dumps(kept)})")
    page.goto(server.url)
    page.locator("form details summary").click()
    page.check(f"input[name=game][value={game}]")
    if (quick := page.locator("input[name=opponent][value=automatic]")).count():
        quick.check()
    page.fill("#seed", str(seed))
    page.click("#start")
    page.wait_for_url("**/side/*")


def wait(page: Page, version: str | None = None) -> str:
    """Wait until the person is asked, watches, or the game is over, in a later state than `version`."""
    page.wait_for_function(
        """(version) => { const { state, version: now } = document.querySelector('main').dataset;
        return ['asked', 'watching', 'over'].includes(state) && now !== version; }""",
        arg=version,
    )
    return page.get_attribute("main", "data-state") or ""


def check_page(page: Page) -> None:
    """Nothing is without a name, too pale, or too wide."""
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(WIDER) <= 0


def hand(page: Page) -> list[str]:
    found: list[str] = page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)")
    return found


@pytest.mark.parametrize(("phone", "lang"), [(True, "en"), (False, "zh-Hans")])
def test_uno__a_whole_game(new_page: Any, server: Served, phone: bool, lang: str) -> None:
    """By touch on a phone, by keyboard on a desktop; reloaded in the middle."""
    page, rng, version, turns = new_page(phone=phone), random.Random(2), None, 0
    begin(page, server, "uno", 11, lang)
    while wait(page, version) == "asked":
        version, turns = page.get_attribute("main", "data-version"), turns + 1
        game = table_of(server).game
        held = table_of(server).session.scene(Language.EN).seats[0].hand
        assert hand(page) == [card.text for card in held or ()]
        if turns == 3:
            check_page(page)
            page.click("#hint")
            page.wait_for_selector(".advice p")
            page.reload()
            assert wait(page) == "asked"
            assert page.get_attribute("main", "data-version") == version
        text = rng.choice([game.move_text(move) for move in game.legal_moves()])
        name, _, colour = text.partition(" ")
        if name in ("draw", "keep"):
            page.tap("#pile") if phone and name == "draw" else page.keyboard.press("d")
            continue
        if phone:
            if not page.locator(f".hand button[aria-pressed=true][data-card='{name}']").count():
                page.locator(f".hand button[data-card='{name}']").first.tap(position={"x": 8, "y": 20})
            page.tap("#play[aria-disabled=false]")
        else:
            while not page.locator(f".hand button[aria-pressed=true][data-card='{name}']").count():
                page.keyboard.press("f")
            page.keyboard.press("Enter")
        if colour:
            number = "RYBG".index(colour) + 1
            page.tap(f"#colour-{number}") if phone else page.keyboard.press(str(number))
    assert turns > 3
    check_page(page)
    assert page.locator(".result tbody tr").count() == 4
    page.click("#review")
    page.wait_for_selector("main[data-state=review]")
    moves = page.frame_locator("iframe").locator("#moves")
    if phone:  # collapsed
        moves.locator("xpath=ancestor-or-self::details/summary").click()
    moves.locator("button").first.wait_for()
    assert page.locator("#from-here").count() == 0
    page.click("#leave")
    assert wait(page) == "over"
    version = page.get_attribute("main", "data-version")
    page.click("#next")
    assert wait(page, version) == "asked"
    assert table_of(server).deal == 1


def drag(page: Page, card: str, place: str) -> None:
    """Drag a card to the last card of a place."""
    box = page.locator(f"[data-card='{card}']").bounding_box()
    to = page.locator(f"[data-spot={place}]").last.bounding_box()
    assert box
    assert to
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(to["x"] + 12, to["y"] + 24, steps=3)
    page.mouse.move(to["x"] + 9, to["y"] + 12)
    page.mouse.up()


@pytest.mark.parametrize(("width", "lang"), [pytest.param(360, "zh-Hant", marks=pytest.mark.release), (1280, "en")])
def test_klondike__a_whole_game(new_page: Any, server: Served, width: int, lang: str) -> None:
    """By touch and by dragging on phones, by keyboard on a desktop; its moves are those of the solver."""
    page, is_keyboard = new_page(phone=width < 500), width > 500
    page.set_viewport_size({"width": width, "height": 800 if is_keyboard else 740})
    begin(page, server, "klondike", 28, lang, coach="hints" if width == 360 else "off")
    assert wait(page) == "asked"
    moves = solve(table_of(server).game.state, max_positions=1_000, plain_positions=10**6).moves  # type: ignore[attr-defined]
    assert moves
    if width == 360:
        page.wait_for_selector("main[data-chance=final]")
        counts = [int(number) for number in re.findall(r"\d+", page.inner_text(".chance"))]
        assert counts[0] == 100 > counts[1] > 60
    dragged = 0
    for number, move in enumerate(moves):
        version = page.get_attribute("main", "data-version")
        game = table_of(server).game
        text = game.move_text(move)
        card, _, to = text.partition(">")
        if number == 60:
            check_page(page)
            page.set_viewport_size({"width": width + 30, "height": 844})
            page.click("#undo")
            wait(page, version)
            version = page.get_attribute("main", "data-version")
            assert len(table_of(server).game.history) == number - 1
            last, _, place = game.move_text(moves[number - 1]).partition(">")
            make(page, last, place, is_keyboard)
            wait(page, version)
            version = page.get_attribute("main", "data-version")
        place = f"foundation_{'CDHS'.index(card[-1])}" if to == "F" else f"pile_{to}"
        if to and not is_keyboard and number % 2:
            drag(page, card, place)
            dragged += 1
        else:
            make(page, card, to, is_keyboard)
        wait(page, version)
        assert page.evaluate(WIDER) <= 0
    assert is_keyboard or dragged > 10
    page.wait_for_selector("main[data-finished]")
    assert page.get_attribute("main", "data-state") == "over"
    assert page.locator("[data-spot^=foundation] svg").count() == 4
    check_page(page)


@pytest.mark.parametrize(
    ("lang", "column", "deal"), [("en", "column", "Draw"), ("zh-Hant", "牌列", "翻牌"), ("zh-Hans", "牌列", "翻牌")]
)
def test_klondike__names_the_column_of_every_card(lang: str, column: str, deal: str, new_page: Any, server: Served) -> None:
    page = new_page()
    begin(page, server, "klondike", 28, lang)
    wait(page)
    names = page.locator("[data-spot^=pile_][data-card]").evaluate_all("(all) => all.map((one) => one.ariaLabel)")
    assert [name.split(", ")[1] for name in names] == [f"{column} {number}" for number in range(1, 8)]
    assert page.inner_text("#deal") == deal
    page.close()


def make(page: Page, card: str, to: str, is_keyboard: bool) -> None:
    """Make a move by keys, or by taps: a second tap on a card moves it where it fits first, else a tap on the place does.

    The page itself clicks twice, since 400 ms may pass between real taps on a busy machine.
    """
    if not to:
        page.keyboard.press("d") if is_keyboard else page.tap("[data-spot=stock]", position={"x": 15, "y": 15})
    elif is_keyboard:
        page.focus(f"[data-card='{card}']")
        page.keyboard.press("0" if to == "F" else to)
    else:
        spot = page.locator(f"[data-card='{card}']")
        if to == "F":
            spot.evaluate("card => [card, card].forEach(one => one.click())")
        else:
            spot.tap(position={"x": 8, "y": 8})
            page.locator(f"[data-spot=pile_{to}]").last.tap(position={"x": 8, "y": 8})


@pytest.mark.parametrize(("phone", "lang"), [(True, "zh-Hans"), (False, "en")])
def test_fishing__a_whole_game_with_a_guess(new_page: Any, server: Served, phone: bool, lang: str) -> None:
    """By touch on a phone, by keyboard on a desktop; the second deal is watched without a guess."""
    page = new_page(phone=phone)
    begin(page, server, "fishing", 7, lang)
    assert wait(page) == "watching"
    version = page.get_attribute("main", "data-version")
    page.tap("#guess-1") if phone else page.keyboard.press("1")
    wait(page, version)
    assert page.locator(".anglers li").first.locator(".now").count() == 1
    version = page.get_attribute("main", "data-version")
    page.tap("#step") if phone else page.keyboard.press("ArrowRight")
    wait(page, version)
    assert page.locator(".pond .card").count() == 1
    check_page(page)
    page.select_option("#speed", "10")
    page.locator("#speed").blur()
    page.tap("#go") if phone else page.keyboard.press(" ")
    page.wait_for_function("() => Number(document.querySelector('main').dataset.version) > 8")
    page.tap("#go") if phone else page.keyboard.press(" ")
    page.wait_for_function("() => document.querySelector('#step[aria-disabled=false]') || document.querySelector('#next')")
    page.wait_for_load_state("networkidle")
    version = page.get_attribute("main", "data-version")
    page.reload()
    if wait(page) == "watching":
        assert int(page.get_attribute("main", "data-version")) >= int(version)  # a step may have been under way at the pause
        page.tap("#end") if phone else page.keyboard.press("e")
        page.wait_for_selector("main[data-state=over]")
    table = table_of(server)
    won = table.game.payoffs() == (1.0, -1.0)
    assert (table.guesses.made, table.guesses.right) == (1, int(won))
    assert page.locator(".look.good" if won else ".look.bad").count() == 1
    check_page(page)
    version = page.get_attribute("main", "data-version")
    page.click("#next")
    assert wait(page, version) == "watching"
    version = page.get_attribute("main", "data-version")
    page.click("#end")
    assert wait(page, version) == "over"
    assert table_of(server).guesses.made == 1
