"""Puzzles in a real Chromium: one is solved, one goes wrong and is refuted, and the solution is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_web_table import CONTRAST, UNNAMED, WIDER
from web_visitor import serving

from big2_env.tables.puzzles import shipped
from big2_env.tables.puzzles.puzzle import Puzzle
from big2_env.tables.session.puzzling import Puzzling


def winning(puzzle: Puzzle, page: Any) -> list[str] | None:
    """Return the cards of the solver's move where the page is, none for a pass; `None` unless it waits for the person."""
    if page.evaluate("document.querySelector('main').dataset.state") != "asked":
        return None
    session = Puzzling(puzzle)
    plies = int(page.evaluate("document.querySelector('main').dataset.version"))
    while len(session.game.history) < plies:
        session.game.push(session.solver.answer(session.game))
    return [str(card) for card in session.ruleset.order.sort(session.solver.answer(session.game).mask)]


def check(page: Any) -> None:
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    page.wait_for_function(f"async () => await ({WIDER})() <= 0")  # cards on their way may reach beyond the window for a moment


def wait(page: Any, *states: str) -> str:
    page.wait_for_function(
        "states => states.includes(document.querySelector('main').dataset.state)", arg=list(states), timeout=60_000
    )
    found: str = page.evaluate("document.querySelector('main').dataset.state")
    return found


def play(page: Any, cards: list[str]) -> None:
    version = page.evaluate("document.querySelector('main').dataset.version")
    for card in cards:
        page.locator(f'.hand [data-card="{card}"]').click()
    page.locator("#play" if cards else "#pass").click()
    page.wait_for_function("before => document.querySelector('main').dataset.version !== before", arg=version)


def ply(page: Any) -> int:
    return int(page.get_attribute("main", "data-version"))


def until(page: Any, number: int) -> None:
    """Wait until so many moves are made."""
    page.wait_for_function(
        "number => document.querySelector('main').dataset.version === String(number)", arg=number, timeout=60_000
    )


def step(page: Any, name: str, number: int) -> None:
    """Press a button of the line, and wait until so many moves are made."""
    page.click(f"#step-{name}[aria-disabled=false]")
    until(page, number)


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desktop"])
def test_puzzle__is_solved_and_marked(phone: bool, new_page: Any, tmp_path: Path) -> None:
    puzzle = shipped.puzzles_of("big2")[0]
    with serving(tmp_path) as server:
        page = new_page(phone=phone)
        page.goto(server.url + "?lang=en")
        page.evaluate("localStorage.setItem('big2', JSON.stringify({ pace: 'at_once', lang: 'en' }))")
        page.reload()
        page.locator("#puzzles").click()
        wait(page, "puzzles")
        check(page)
        page.locator(f'a[href="#/puzzles/{puzzle.key}"]').click()
        wait(page, "asked")
        other = page.context.new_page()  # another tab keeps things meanwhile
        other.goto(server.url)
        other.evaluate("localStorage.setItem('big2', JSON.stringify({ lang: 'en', name: 'Ann', solved: ['other'] }))")
        other.close()
        while wait(page, "asked", "solved") == "asked":
            check(page)
            cards = winning(puzzle, page)
            assert cards is not None
            play(page, cards)
        assert page.text_content("#status") == "Solved!"
        check(page)
        page.locator("#all-puzzles").click()
        wait(page, "puzzles")
        page.reload()
        kept = page.evaluate("JSON.parse(localStorage.getItem('big2'))")
        assert (kept["name"], kept["solved"]) == ("Ann", ["other", puzzle.key])
        wait(page, "puzzles")
        assert page.locator(".tile.done").count() == 1
        check(page)


def test_puzzle__error_is_refuted_and_taken_back(new_page: Any, tmp_path: Path) -> None:
    puzzle = next(one for one in shipped.puzzles_of("big2") if "pass" not in one.winning and not Puzzling(one).legal.can_pass)
    session = Puzzling(puzzle)
    won = {session.ruleset.play(text.split(" ", 1)[1]).mask for text in puzzle.winning}
    losing = next(play for play in session.legal if play.mask not in won)
    with serving(tmp_path) as server:
        page = new_page()
        page.goto(f"{server.url}#/puzzles/{puzzle.key}")
        page.evaluate("localStorage.setItem('big2', JSON.stringify({ pace: 'at_once', lang: 'en' }))")
        page.reload()
        wait(page, "asked")
        play(page, [str(card) for card in session.ruleset.order.sort(losing.mask)])
        wait(page, "lost")
        said = page.text_content("#status")
        assert said.startswith("After ")
        assert said.endswith("See how, step by step.")
        assert ply(page) == 1  # until the person steps on
        check(page)
        step(page, "next", 2)
        step(page, "next", 3)
        step(page, "back", 2)
        page.keyboard.press("ArrowRight")
        until(page, 3)
        page.keyboard.press("Home")
        until(page, 1)
        assert page.locator("#step-back").get_attribute("aria-disabled") == "true"
        page.click("#step-last")
        page.wait_for_selector("#step-next[aria-disabled=true]", timeout=60_000)
        end = ply(page)
        step(page, "first", 1)
        page.click("#step-run")
        page.wait_for_function("() => Number(document.querySelector('main').dataset.version) >= 3")  # by itself
        page.click("#step-run[aria-pressed=true]")
        page.wait_for_selector("#step-run[aria-pressed=false]")
        page.keyboard.press("End")
        until(page, end)
        assert page.text_content("#status") == said
        check(page)
        page.locator("#again").click()
        wait(page, "asked")
        assert page.evaluate("document.querySelector('main').dataset.version") == "0"
        page.locator("#solution").click()
        wait(page, "shown")
        assert page.text_content("#status") == f"The solution: you win in {puzzle.moves} plays."
        step(page, "next", 1)
        page.keyboard.press("End")
        page.wait_for_selector("#step-next[aria-disabled=true]", timeout=60_000)
        check(page)
        page.set_viewport_size({"width": 844, "height": 390})
        check(page)
        page.keyboard.press("n")
        page.wait_for_function("before => !location.hash.endsWith(before)", arg=puzzle.key)
        wait(page, "asked")
        page.locator("header a.button").click()
        page.wait_for_selector("#start")
        assert page.evaluate("JSON.parse(localStorage.getItem('big2')).solved ?? null") is None


def test_puzzle__that_does_not_exist_is_refused(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page()
        page.expected = ("404",)
        page.goto(f"{server.url}?lang=en#/puzzles/big2-999999999")
        page.wait_for_selector("[role=alert] >> text=This puzzle does not exist")
        page.locator("#to-lobby").click()
        page.wait_for_selector("#start")
