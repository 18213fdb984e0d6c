"""The table in the terminal, driven by a test."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import textual._wait
import textual.screen
from textual.events import Key

from big2_env.base.language import Language
from big2_env.climbing.rulesets import ruleset
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.terminal.card_table import CardTable
from big2_env.tables.terminal.table_frame import TableApp, TableFrame
from big2_env.tables.terminal.table_screen import TableScreen

FRAME = 1 / 500
"""Seconds in which Textual draws what has changed; by default 17 ms."""
# Textual looks whether the process has come to rest after 20 ms, three times a key: nearly all that these tests would do.
textual._wait.SLEEP_GRANULARITY, textual._wait.SLEEP_IDLE = 0.004, 0.0004
textual.screen.UPDATE_PERIOD = FRAME  # type: ignore[misc]


def session(game: str = "big2", agent: str = "lowest", seed: int = 3, **options: Any) -> TableSession:
    """A person in seat 0 of a table of agents that compile nothing."""
    rules = ruleset(game)
    return TableSession(rules, [agent] * (rules.default_players - 1), seed=seed, adviser="lowest", **options)


GOLDEN = Path(__file__).parent.parent / "data" / "screens"


class Driven:
    """A running application."""

    def __init__(self, app: TableApp, pilot: Any) -> None:
        self.app = app
        self.pilot = pilot
        self.table: Any = app.table

    async def settle(self) -> None:
        """Wait until the person is asked, the deal is over, or something lies over the table, and all is drawn."""
        table = self.table
        for _ in range(2000):
            await self.pilot.pause()
            if not self.app.is_running or self.app.fault is not None:
                return
            waits = not isinstance(table, CardTable) or table.session.is_asked or table.session.is_over
            if table.is_at_rest and (waits or self.app.screen is not table):
                break
            await asyncio.sleep(0.002)
        else:
            raise AssertionError("the table does not come to rest")
        await asyncio.sleep(2 * FRAME)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys one after another, and let the agents act after each."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def press_at_once(self, *keys: str) -> None:
        """Press keys faster than the application answers."""
        for key in keys:
            self.app.post_message(Key(key, key if len(key) == 1 else None))
        await self.settle()

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(width, height)
        await self.settle()

    @property
    def text(self) -> str:
        """What stands on the screen, line by line."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    @property
    def told(self) -> str:
        """The line below the hand."""
        return str(self.table.query_one("#look").render())


def golden_screen(on: Driven, name: str) -> None:
    """Compare the screen with a golden file, or write it where `BIG2_WRITE_SCREENS` is set."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("BIG2_WRITE_SCREENS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(on.text + "\n", encoding="utf-8")
    assert on.text + "\n" == path.read_text(encoding="utf-8")
    assert on.text.count("\n") == on.app.size.height - 1


def drive(
    steps: Callable[[Driven], Awaitable[None]],
    table: TableSession | TableFrame | None = None,
    size: tuple[int, int] = (80, 24),
    lang: Language = Language.EN,
    dark: bool = True,
) -> None:
    """Run the application without a terminal and go through some steps."""

    async def run() -> None:
        screen = table if isinstance(table, TableFrame) else TableScreen(table or session(), lang, 0.0)
        app = TableApp(screen, dark=dark)
        async with app.run_test(size=size) as pilot:
            driven = Driven(app, pilot)
            await driven.settle()
            await steps(driven)
        if app.fault is not None:
            raise app.fault

    with ThreadPoolExecutor(1) as elsewhere:  # a browser's tests may leave an event loop running in this thread
        elsewhere.submit(asyncio.run, run()).result()
