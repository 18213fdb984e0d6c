"""What the first page opens with, in a real Chromium: the puzzle and the deals of the day, and own marked decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import test_web_puzzles as puzzle_page
from test_deal_page import on, play_out
from test_web_table import CONTRAST, UNNAMED, WIDER
from web_visitor import JudgedAtOnce, serving

from big2_env.climbing.game import Game
from big2_env.drawing.replay_page import NamedMove, Replay, Verdict
from big2_env.tables.puzzles import shipped

DAY = "2026-11-24"
SETUP = """() => localStorage.setItem("big2", JSON.stringify(
  { lang: "en", pace: "at_once", setup: { game: "big2", players: 2, opponents: ["lowest"] } }))"""


class Marks(JudgedAtOnce):
    """A review that marks all decisions of the person but the first."""

    def __init__(self, game: Game, seat: int, _: Sequence[str | None]) -> None:
        super().__init__()
        self._plies = [ply for ply, move in enumerate(game.history) if move.seat == seat][1:]

    def judged(self, shown: Replay, *_: Any) -> Replay:
        costs = tuple(NamedMove(ply, f"Move {ply + 1}: S[2] instead of passing") for ply in self._plies)
        return replace(shown, verdict=Verdict("Costly.", costs=costs))


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desktop"])
def test_today__asks_for_own_marked_decisions_again(
    phone: bool, new_page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda name, *given: Marks(*given))
    with serving(tmp_path) as server:
        page = on(new_page(phone=phone, reduced_motion="reduce"), DAY)
        page.goto(server.url)
        page.evaluate(SETUP)
        page.reload()
        page.wait_for_selector("#start")
        assert page.locator("[data-kind=decision]").count() == 0
        page.click("#start")
        for _ in range(2):  # of two deals
            page.wait_for_selector("main[data-state=asked]")
            play_out(page)
            page.wait_for_function("() => JSON.parse(localStorage.getItem('big2/decisions'))?.length")
            page.click("#next")
            page.wait_for_selector("main:not([data-state=over])")
        kept = page.evaluate("JSON.parse(localStorage.getItem('big2/decisions'))")
        page.goto(server.url)
        cards = page.locator("[data-kind=decision]")
        cards.first.wait_for()
        assert cards.count() == min(3, len(kept))
        assert "S[2]" not in page.inner_text(".today")  # no answer before the question
        assert page.evaluate(WIDER) <= 0
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate(UNNAMED) == []
        before = cards.count()
        cards.first.click()
        page.wait_for_selector("main[data-state=asked]")
        assert page.locator(".moments").inner_text() == ""
        page.locator(".hand button").last.click()
        page.keyboard.press("Enter")
        page.locator(".moments", has_text=f"Last time · Move {kept[0]['ply'] + 1}: 2♠").wait_for()
        play_out(page)
        page.goto(server.url)
        page.locator(".today-card").first.wait_for()
        assert cards.count() == min(3, len(kept) - 1) >= before - 1  # practice marks nothing


def test_today__has_a_puzzle_that_stays_solved(new_page: Any, tmp_path: Path) -> None:
    puzzle = shipped.puzzle(f"big2-{DAY}")
    with serving(tmp_path) as server:
        page = on(new_page(), DAY)
        page.goto(server.url)
        page.evaluate(SETUP)
        page.reload()
        page.locator("[data-kind=puzzle]", has_text="Find the forced win").click()
        while puzzle_page.wait(page, "asked", "solved") == "asked":
            cards = puzzle_page.winning(puzzle, page)
            assert cards is not None
            puzzle_page.play(page, cards)
        page.goto(server.url)
        page.locator("[data-kind=puzzle]", has_text="solved").wait_for()
        page.click("#puzzles")
        page.locator(".tile.done").wait_for()
        assert page.locator(".tile.done").get_attribute("href") == f"#/puzzles/{puzzle.key}"
