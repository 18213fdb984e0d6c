"""The pages of `big2 site` in a real Chromium, from a host that only serves files: whole games, reloading, the review."""

from __future__ import annotations

import json
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import test_web_puzzles as puzzle_page
from playwright.sync_api import Page
from test_web_table import WIDER

import big2_env
from big2_env.base.errors import ConfigError
from big2_env.base.side_games import side_games
from big2_env.climbing.rulesets import available_rulesets
from big2_env.tables.puzzles import shipped
from big2_env.tables.session.puzzling import Puzzling
from big2_env.tables.site import runtime
from big2_env.tables.site.build import build

pytestmark = pytest.mark.long
LOADING = 120_000
"""Milliseconds that Python may take to start on a machine that does much else."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing: a test says what is wrong."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pyodide, from the user's cache, or from the registry for this session."""
    kept = runtime.kept_archive()
    if not kept.exists():
        kept = tmp_path_factory.mktemp("pyodide") / kept.name
        try:
            runtime.download(kept)
        except ConfigError as error:
            pytest.skip(str(error))
    runtime.check(kept, kept)
    return kept


@contextmanager
def hosted(root: Path) -> Iterator[str]:
    """Serve the files of a folder at any port that is free."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def root(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a host, with the pages in a folder below."""
    root = tmp_path_factory.mktemp("host")
    build(root / "some" / "where", archive, big2_env.__version__, days=2, first=date(2026, 11, 24))
    return root


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[str]:
    """The address of pages that lie in a folder of their host."""
    with hosted(root) as host:
        yield f"{host}some/where/"


def sit_down(page: Page, site: str, game: str, opponent: str = "lowest") -> None:
    """Begin a game as a person does who reads the first page; opponents move at once."""
    page.set_default_timeout(30_000)
    page.goto(site)
    page.wait_for_selector("#loading progress", timeout=LOADING)
    page.wait_for_selector("#start", timeout=LOADING)
    assert page.locator("input[name=game]").count() == len(available_rulesets()) + len(side_games())
    page.check(f"input[name=game][value={game}]")
    page.check(f"input[name=opponent][value={opponent}]")
    page.click("details.menu summary")
    page.select_option("#pace", "at_once")
    page.keyboard.press("Escape")
    page.locator("form details summary").click()
    page.fill("#seed", "7")
    page.click("#start")


def wait(page: Page, version: str | None) -> str:
    """Wait until the person is asked or the game is over, in a later state than `version`."""
    page.wait_for_function(
        """(version) => { const { state, version: now } = document.querySelector('main').dataset;
        return ['asked', 'over'].includes(state) && now !== version; }""",
        arg=version,
        timeout=LOADING,
    )
    return page.get_attribute("main", "data-state") or ""


def test_site__a_whole_game_by_mouse_reloaded_in_the_middle_and_reviewed(new_page: Any, site: str) -> None:
    page = new_page(locale="zh-TW")
    sit_down(page, site, "big2")
    version, turns = None, 0
    while wait(page, version) == "asked":
        version = page.get_attribute("main", "data-version")
        turns += 1
        if turns == 2:
            hand = page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)")
            page.reload()
            assert wait(page, None) == "asked"
            assert page.get_attribute("main", "data-version") == version
            assert page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)") == hand
        page.click("#hint[aria-disabled=false]")
        page.wait_for_selector(".advice li")
        if not page.locator(".hand button[aria-pressed=true]").count():
            page.click("#pass[aria-disabled=false]")
            continue
        chosen = page.locator(".hand button[aria-pressed=true]").evaluate_all("(all) => all.map((one) => one.dataset.card)")
        page.click("#clear")
        for card in chosen:
            page.click(f".hand button[data-card='{card}']")
        page.wait_for_selector(".look.good")
        page.click("#play[aria-disabled=false]")
    assert turns > 2
    assert page.get_attribute("html", "lang") == "zh-Hant"
    page.click("#review")
    frame = page.frame_locator("iframe")
    frame.locator("#moves button").first.wait_for()
    page.wait_for_selector("main[data-judged=true]", timeout=LOADING)
    assert frame.locator("#legend li").count() == 0  # no values, so no curves, without compiled code
    assert frame.locator("#table tbody tr").count() == 1  # the person's own decisions
    assert "編譯" in frame.locator("#notes").inner_text()
    page.click("#leave")
    page.wait_for_selector("main[data-state=over]")
    page.click(".more summary")
    with page.expect_download() as saved:
        page.click(".more a[role=button]")
    assert saved.value.suggested_filename.endswith(".jsonl")
    page.click("header a.home")
    page.wait_for_selector(".tables li")


def test_site__the_learned_player_is_fetched_when_it_is_chosen_and_plays(new_page: Any, site: str) -> None:
    page = new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    sit_down(page, site, "pao_de_kuai", "learned")
    version = None
    for _ in range(3):
        if wait(page, version) == "over":
            break
        version = page.get_attribute("main", "data-version")
        page.click("#hint[aria-disabled=false]")
        page.wait_for_selector(".advice li")
        page.click("#play[aria-disabled=false]" if page.locator(".hand button[aria-pressed=true]").count() else "#pass")
    assert version is not None
    assert [url.removeprefix(site) for url in fetched if url.endswith(".npz")] == ["data/big2_agents/models/pao_de_kuai.npz"]


def test_site__the_coach_is_fetched_with_the_first_hint(new_page: Any, site: str) -> None:
    page = new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    sit_down(page, site, "pao_de_kuai")
    assert wait(page, None) == "asked"
    assert not [url for url in fetched if url.endswith(".npz")]
    page.click("#hint[aria-disabled=false]")
    page.wait_for_selector(".advice li", timeout=LOADING)
    assert "Sage would play" in page.inner_text(".advice h2")
    page.click(".advice .numbers summary")
    assert "of the time" in page.inner_text(".advice .numbers")
    assert [url.removeprefix(site) for url in fetched if url.endswith(".npz")] == ["data/big2_agents/models/pao_de_kuai.npz"]


def test_site__a_game_of_dou_dizhu_by_touch_on_a_phone(new_page: Any, site: str) -> None:
    page = new_page(phone=True, locale="zh-Hans-HK")
    sit_down(page, site, "dou_dizhu")
    version = None
    while wait(page, version) == "asked":
        version = page.get_attribute("main", "data-version")
        assert page.evaluate(WIDER) <= 0
        if page.locator("#call, #rob").count():
            page.locator("#call, #rob").first.tap()
            continue
        page.tap("#hint[aria-disabled=false]")
        page.wait_for_selector(".advice li")
        if page.locator(".hand button[aria-pressed=true]").count():
            page.wait_for_selector("#play[aria-disabled=false]")
            page.tap("#play")
            if page.locator(".reading").count():
                page.locator(".reading").first.tap()
        else:
            page.tap("#pass[aria-disabled=false]")
    assert page.locator(".scores dd").count() == 3


def test_site__opens_and_plays_without_a_network_the_second_time(new_page: Any, root: Path) -> None:
    page = new_page()

    def hint() -> None:
        assert wait(page, None) == "asked"
        page.click("#hint[aria-disabled=false]")
        page.wait_for_selector(".advice li", timeout=LOADING)

    with hosted(root) as host:
        sit_down(page, f"{host}some/where/", "pao_de_kuai")
        page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        page.wait_for_function("() => navigator.serviceWorker.controller", timeout=LOADING)
        hint()  # the coach's weights are fetched, and kept
        cdp = page.context.new_cdp_session(page)
        assert cdp.send("Page.getAppManifest")["errors"] == []
        errors = cdp.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert {error["errorId"] for error in errors} <= {"in-incognito"}  # contexts of tests are
    page.reload()
    hint()
    page.goto(page.url.partition("#")[0])
    page.wait_for_selector("#start", timeout=LOADING)


def test_site__says_that_the_cdn_does_not_answer(new_page: Any, tmp_path: Path) -> None:
    build(tmp_path, None, big2_env.__version__)
    settings = tmp_path / "page" / "site.js"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cdn = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        text = settings.read_text("utf-8").replace(runtime.CDN, cdn)
        settings.write_text(re.sub("STALL_SECONDS = [0-9]+", "STALL_SECONDS = 1", text), "utf-8")
        page = new_page()
        with hosted(tmp_path) as host:
            page.goto(host)
            page.wait_for_selector("[role=alert] .buttons", timeout=LOADING)
            assert "cdn.jsdelivr.net" in page.inner_text("main [role=alert] p")


def test_site__uses_no_file_of_python_that_was_changed(new_page: Any, root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "some" / "where", tmp_path / "site")
    file = tmp_path / "site" / "pyodide" / "pyodide.asm.mjs"
    file.write_bytes(file.read_bytes() + b"\n")
    page = new_page()
    page.expected = ("integrity",)
    with hosted(tmp_path / "site") as host:
        page.goto(host)
        page.wait_for_selector("[role=alert] .buttons", timeout=LOADING)


def test_site__a_deal_of_the_day_is_the_same_in_two_browsers_and_compared(new_page: Any, site: str, root: Path) -> None:
    days, hands = ("2026-11-24", "2026-11-25"), []
    for page in (new_page(locale="en-US"), new_page(locale="zh-CN", phone=True)):
        page.set_default_timeout(30_000)
        page.add_init_script("localStorage.getItem('big2') ?? localStorage.setItem('big2', '{\"pace\": \"at_once\"}')")
        for day in reversed(days):
            page.goto(f"{site}#/deal/big2/{day}")
            page.wait_for_selector(".deal #start", timeout=LOADING)
            page.click("#start")
            page.wait_for_selector(".hand button")
            hands.append(page.locator(".hand button").evaluate_all("(all) => all.map((one) => one.dataset.card)"))
    assert hands[:2] == hands[2:]
    assert hands[0] != hands[1]
    version = None
    while wait(page, version) == "asked":
        version = page.get_attribute("main", "data-version")
        if page.get_attribute("#pass", "aria-disabled") == "false":
            page.click("#pass")
        else:
            page.locator(".hand button").first.click()
            page.click("#play[aria-disabled=false]")
    page.click("#compare")
    page.wait_for_selector("main[data-compared]", timeout=LOADING)
    recorded = json.loads((root / "some" / "where" / "data" / "deals" / "big2.json").read_text("utf-8"))
    left = [left for _, left in recorded["days"][days[0]]["row"][:-1]]
    assert " 200 " in page.inner_text(".par")
    assert page.locator(".deal tbody tr td:nth-child(2)").all_inner_texts()[1:] == [str(one) for one in left]
    assert page.inner_text(".share").split("\n")[3] == f"{site}#/deal/big2/{days[0]}"


def test_site__a_puzzle_is_refuted_and_then_solved(new_page: Any, site: str) -> None:
    puzzle = next(
        one for one in shipped.puzzles_of("dou_dizhu") if "pass" not in one.winning and not Puzzling(one).legal.can_pass
    )
    session = Puzzling(puzzle)
    won = {session.ruleset.play(text.split(" ", 1)[1]).mask for text in puzzle.winning}
    losing = next(play for play in session.legal if play.mask not in won)
    page = new_page(locale="en-US")
    page.set_default_timeout(60_000)
    page.add_init_script("localStorage.getItem('big2') ?? localStorage.setItem('big2', '{\"pace\": \"at_once\"}')")
    page.goto(site)
    page.locator('.today-card[href^="#/puzzles/"]').wait_for(timeout=LOADING)
    page.click("#puzzles")
    page.wait_for_selector("#puzzle-game", timeout=LOADING)
    page.select_option("#puzzle-game", "dou_dizhu")
    page.click(f'a[href="#/puzzles/{puzzle.key}"]')
    puzzle_page.wait(page, "asked")
    puzzle_page.play(page, [str(card) for card in session.ruleset.order.sort(losing.mask)])
    puzzle_page.wait(page, "lost")
    assert " wins. " in page.inner_text("#status")
    page.click("#again")
    while puzzle_page.wait(page, "asked", "solved") == "asked":
        cards = puzzle_page.winning(puzzle, page)
        assert cards is not None
        puzzle_page.play(page, cards)
    assert page.inner_text("#status") == "Solved!"
    page.click("#all-puzzles")
    page.wait_for_selector(".tile.done")
