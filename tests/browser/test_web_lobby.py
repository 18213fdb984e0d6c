"""The first page of the browser's table: what one wants is there at once, by mouse, by touch and by keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator
from test_web_table import CONTRAST, UNNAMED, WIDER
from web_visitor import Served, Visitor, serving

from big2_env.base.language import Language
from big2_env.base.side_games import side_games
from big2_env.climbing.rulesets import available_rulesets
from big2_env.tables.browser.start_page import start_page
from big2_env.tables.browser.variants import TILES

SIZES = [(360, 740), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)]
PARTS = ".rail, .picture, .choice, .character, .own-tables > *, .opponents-head"
OVERLAPPING = """(parts) => {
  const seen = [...document.querySelectorAll(parts)].filter((e) => e.checkVisibility());
  const all = seen.map((e) => [e.className, e.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return all.flatMap(([one, a], i) => all.slice(i + 1).filter(([, b]) => meet(a, b)).map(([two]) => `${one} ${two}`));
}"""
CUT = """() => [...document.querySelectorAll('.lobby .title, .lobby .line, .lobby .soft, .lobby button, .lobby .button')]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').map((e) => e.textContent)"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def tables(server: Served) -> list[Any]:
    return [table.session for table in server.lobby._tables.values()]


def come_back(page: Any, server: Served, game: str, opponents: list[str]) -> None:
    """Have the page's visitor sit at a table already."""
    visitor = Visitor(server)
    visitor.sit_down(game, opponents)
    visitor.close()
    page.context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in visitor.cookies.items()])


@pytest.mark.parametrize("lang", ["en", "zh-Hans"])
@pytest.mark.parametrize(("scheme", "is_new"), [("light", True), ("dark", False)])
def test_lobby__shows_play_without_scrolling_at_every_size(
    lang: str, scheme: str, is_new: bool, new_page: Any, server: Served
) -> None:
    page = new_page(color_scheme=scheme)
    page.add_init_script(f"localStorage.setItem('big2', {json.dumps(json.dumps({'lang': lang}))})")
    if not is_new:
        come_back(page, server, "dou_dizhu_x", ["learned", "heuristic"])
    page.goto(server.url)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        page.wait_for_selector("#start")
        for size in ("100%", "200%"):
            page.evaluate("(size) => document.documentElement.style.fontSize = size", size)
            start = page.locator("#start").bounding_box()
            assert start["y"] + start["height"] <= height, (width, size)
            assert page.evaluate(WIDER) <= 0, (width, size)
            assert page.evaluate(OVERLAPPING, PARTS) == [], (width, size)
            assert page.evaluate(CUT) == [], (width, size)
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    assert start["x"] >= 0


def test_lobby__loads_no_file_twice_and_asks_each_question_once(new_page: Any, server: Served) -> None:
    page = new_page()
    for _ in range(2):
        page.goto("about:blank")
        page.goto(server.url)
        page.wait_for_selector("#start")
        page.wait_for_selector("#symbols svg", state="attached")
    fetched = page.evaluate(
        "performance.getEntriesByType('resource').map((one) => [one.name.replace(/[?].*/, ''), one.transferSize])"
    )
    assert sorted(name.partition("/api/")[2] for name, _ in fetched if "/api/" in name) == ["lobby", "shared", "words"]
    assert [name for name, size in fetched if size and "/api/" not in name] == []


def test_lobby__comes_back_by_itself_with_the_network(new_page: Any, server: Served) -> None:
    page = new_page()
    page.expected = ("ERR_INTERNET_DISCONNECTED",)
    page.goto(server.url)
    page.wait_for_selector("#start")
    page.context.set_offline(True)
    page.click("#puzzles")
    assert "Check the network" in page.inner_text("section[role=alert]")
    page.context.set_offline(False)
    page.wait_for_selector("#puzzle-game")


def test_lobby__every_game_is_reached_by_arrow_keys(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    page.wait_for_selector("#start")
    page.focus("input[name=game]:checked")
    found = []
    games = [name for tile in TILES.values() for name in tile["games"]]
    for _ in games:
        found.append(page.evaluate("document.activeElement.value"))
        assert page.inner_text(".rail .title") == page.get_attribute("input[name=game]:checked", "aria-label")
        page.keyboard.press("ArrowRight")
    assert found == games
    assert {*available_rulesets(), *(entry.name for entry in side_games())} - {*found} == {"fishing"}
    page.keyboard.press("Tab")  # past the games
    for name in ("watch", "players"):
        assert page.evaluate("document.activeElement.id || document.activeElement.name") == name
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "opponent"


def test_lobby__begins_the_chosen_game_and_then_the_same_in_one_tap(new_page: Any, server: Served) -> None:
    page = new_page(phone=True)
    page.goto(server.url)
    assert page.inner_text("#start") == "Play"
    page.check("input[name=game][value=tien_len]")
    page.check("input[name=opponent][value=lowest]")
    assert page.inner_text(".rail .setup").split("\n") == ["Tien Len", "against 3 × Thrifty"]
    page.tap("#start")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    page.goto(server.url)
    page.wait_for_selector(".tables li")
    assert page.inner_text("#start") == "Play again"
    page.tap("#resume")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    assert len(tables(server)) == 1
    page.goto(server.url)
    page.tap("#start")
    page.wait_for_url("**/table/*")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    assert [(one.ruleset.name, one.opponents) for one in tables(server)] == [("tien_len", ("lowest",) * 3)] * 2
    page.close()


def test_lobby__knows_the_last_game_from_the_visitors_tables(new_page: Any, server: Served) -> None:
    page = new_page()
    come_back(page, server, "pao_de_kuai", ["greedy", "lowest"])
    page.goto(server.url)
    page.wait_for_selector("#start")
    assert page.inner_text("#start") == "Play again"
    assert page.inner_text(".rail .setup").split("\n") == ["Pao De Kuai", "against Greedy, Thrifty"]
    assert page.locator("input[name=opponent]:checked").count() == 0
    page.locator("form details summary").click()
    page.select_option("#opponent0", "lowest")
    assert page.locator("input[name=opponent]:checked").get_attribute("value") == "lowest"
    assert page.inner_text("#start") == "Play"


def test_lobby__shows_the_win_rates_of_the_chosen_game(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    agents = start_page(Language.EN, [], "heuristic")["agents"]
    for game in ("hong_kong", "dou_dizhu"):
        page.check(f"input[name=game][value={game}]")
        shares = {agent["name"]: agent["games"][game] for agent in agents if game in agent["games"]}
        names = page.locator("input[name=opponent]").evaluate_all("(all) => all.map((one) => one.value)")
        assert sorted(names) == sorted({*shares} - {"ppo"})
        rates = [f"{shares[name]:.0%}" if shares[name] is not None else "" for name in names]
        assert [text.split("\n")[0] for text in page.locator(".character .rate").all_inner_texts()] == rates
        assert all(box["width"] > 20 for box in map(Locator.bounding_box, page.locator(".rate .soft", has_text="won").all()))
        rated = [share for name in names if (share := shares[name]) is not None]
        assert rated == sorted(rated, reverse=True)
    for game in ("hong_kong", "big2"):  # offered with the first of its kind
        page.check(f"input[name=game][value={game}]")
    page.click("form details summary")
    for seat in range(3):
        page.select_option(f"#opponent{seat}", "ppo")
    page.check("input[name=game][value=tien_len]")  # which it does not play
    assert page.inner_text(".rail .line") == "against 3 × Veteran"


def test_lobby__changes_the_number_of_players(new_page: Any, server: Served) -> None:
    page = new_page()
    page.goto(server.url)
    page.select_option("#players", "2")
    assert page.inner_text(".rail .line") == "against Veteran"
    page.click("#start")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    [session] = tables(server)
    assert len(session.names) == 2
    page.close()


@pytest.mark.parametrize(
    ("lang", "locale", "game", "count"),
    [
        ("en", "en-US", "hong_kong", 6),
        ("zh-Hant", "zh-TW", "taiwan", 6),
        ("zh-Hant", "zh-HK", "chu_da_di", 6),
        ("zh-Hans", "zh-CN", "dou_dizhu", 3),
    ],
)
def test_lobby__begins_with_the_game_of_the_persons_language(
    lang: str, locale: str, game: str, count: int, new_page: Any, server: Served
) -> None:
    page = new_page(locale=locale)
    page.goto(f"{server.url}?lang={lang}")
    page.wait_for_selector("#start")
    assert page.locator(".picture").count() == 7
    assert page.locator(".picture").first.locator("input:visible").count() == count
    assert page.locator("input[name=game]:checked").get_attribute("value") == game
    page.click("#start")
    page.wait_for_selector("main[data-state=asked], main[data-state=waiting]")
    [session] = tables(server)
    assert session.ruleset.name == game
    page.close()
