"""Pictures of the browser's table for people to look at, chosen so that every pair of settings occurs.

PYTHONPATH=tests/support python -m pairwise_screens FOLDER
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright
from web_visitor import JudgedAtOnce, Served, Visitor, serving

from big2_env.tables.session import reviewer
from big2_env.tables.session.reviewer import reviewing

GAMES: Final = {13: ("big2", 3, 7), 20: ("dou_dizhu", 2, 3), 33: ("dou_dizhu_4p", 3, 2)}
"""Game, number of opponents and seed by the number of cards in a hand."""
SETTINGS: Final = {
    "size": ((360, 740), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)),
    "cards": tuple(GAMES),
    "state": ("auction", "hint", "result", "review", "lobby", "games"),
    "scheme": ("light", "dark"),
    "lang": ("en", "zh-Hant"),
}


LEAST: Final = 40
"""Least number of pictures."""


def beating(settings: dict[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Combinations in which every pair of values of two settings occurs, found greedily; rare pairs of values come first."""

    def pairs(one: tuple[Any, ...]) -> set[tuple[Any, ...]]:
        return set(combinations(zip(settings, one, strict=True), 2))

    every = list(product(*settings.values()))
    left = set().union(*map(pairs, every))
    seen: Counter[tuple[Any, ...]] = Counter()
    found = []
    while left or len(found) < LEAST:
        best = max(every, key=lambda one: (len(pairs(one) & left), -sum(seen[pair] for pair in pairs(one))))
        found.append(dict(zip(settings, best, strict=True)))
        left -= pairs(best)
        seen.update(pairs(best))
    return found


def bring(visitor: Visitor, state: str, rng: random.Random) -> None:
    """Play until a table is in a state: calling high in an auction, and else by chance."""
    while not visitor.state["scene"]["is_over"]:
        now = visitor.state
        if now["asked"] and (state == "auction" or (state == "hint" and not now["bidding"])):
            return
        if now["asked"] and now["bidding"] and now["calls"]:
            visitor.act("say", word=now["calls"][-1]["word"])
        else:
            visitor.move(rng)


def take(browser: Browser, server: Served, folder: Path, number: int, one: dict[str, Any]) -> None:
    """Take one picture."""
    game, opponents, seed = GAMES[one["cards"]]
    visitor = Visitor(server)
    visitor.sit_down(game, opponents, seed)
    bring(visitor, one["state"], random.Random(4))
    width, height = one["size"]
    options = {"color_scheme": one["scheme"], "reduced_motion": "reduce", "viewport": {"width": width, "height": height}}
    context = browser.new_context(**options)
    context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in visitor.cookies.items()])
    page = context.new_page()
    kept = json.dumps(json.dumps({"lang": one["lang"], "setup": {"game": game, "opponents": ["lowest"] * opponents}}))
    page.add_init_script(f"localStorage.setItem('big2', {kept})")
    table = f"#/table/{visitor.state['table']}"
    address = {"lobby": "", "games": "#/games", "review": f"{table}/review"}.get(one["state"], table)
    judge = JudgedAtOnce if one["state"] == "result" else lambda _, game, seat: reviewing("plain", game, seat)
    reviewer.reviewing = judge  # type: ignore[assignment]
    page.goto(f"{server.url}{address}")
    match one["state"]:
        case "lobby":
            page.wait_for_selector("#start")
        case "games":
            page.wait_for_selector("main[data-state=games]")
        case "review":
            page.frame_locator("iframe").locator("#sentence:visible").wait_for(timeout=60_000)
        case "result":
            page.locator(".moments a").nth(1).wait_for()
        case state:
            page.wait_for_selector("main[data-state=asked]")
            if state == "hint":
                page.click("#hint[aria-disabled=false]")
                page.wait_for_selector(".advice li", timeout=60_000)
    page.wait_for_timeout(200)
    name = f"{number:02} {width}x{height} {one['cards']} {one['state']} {one['scheme']} {one['lang']}"
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    print(name, f"{wide} too wide" if wide > 0 else "", flush=True)
    page.screenshot(path=folder / f"{name.replace(' ', '_')}.png")
    context.close()
    visitor.close()


def main(folder: Path) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for number, one in enumerate(beating(SETTINGS)):
            take(browser, server, folder, number, one)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
