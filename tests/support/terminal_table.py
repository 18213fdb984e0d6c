"""The table in the terminal, driven by a test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from big2_env.climbing.rulesets import ruleset
from big2_env.language import Language
from big2_env.play import Sitting
from big2_env.tui.table_app import TableApp
from big2_env.tui.table_screen import TableScreen


def sitting(game: str = "big2", agent: str = "first", seed: int = 3, **options: Any) -> Sitting:
    """A person in seat 0 of a table of agents that compile nothing."""
    rules = ruleset(game)
    return Sitting(rules, [agent] * (rules.default_players - 1), seed=seed, adviser="first", **options)


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
            is_still = table.is_at_rest
            if is_still and (table.sitting.is_asked or self.app.screen is not table or table.sitting.is_over):
                break
            await asyncio.sleep(0.002)
        else:
            raise AssertionError("the table does not come to rest")

    async def press(self, *keys: str) -> None:
        """Press keys one after another, and let the agents act then."""
        await self.pilot.press(*keys)
        await self.settle()

    @property
    def text(self) -> str:
        """What stands on the screen, line by line."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    @property
    def told(self) -> str:
        """The line below the hand."""
        return str(self.table.query_one("#look").render())


def drive(
    steps: Callable[[Driven], Awaitable[None]],
    table: Sitting | None = None,
    size: tuple[int, int] = (80, 24),
    lang: Language = Language.EN,
    dark: bool = True,
) -> None:
    """Run the application without a terminal and go through some steps."""

    async def run() -> None:
        app = TableApp(TableScreen(table or sitting(), lang, 0.0), dark=dark)
        async with app.run_test(size=size) as pilot:
            driven = Driven(app, pilot)
            await driven.settle()
            await steps(driven)
        if app.fault is not None:
            raise app.fault

    with ThreadPoolExecutor(1) as elsewhere:  # a browser's tests may leave an event loop running in this thread
        elsewhere.submit(asyncio.run, run()).result()
