"""Keys that are pressed faster than the table draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from terminal_table import Driven, drive, session

from big2_env.base.language import Language
from big2_env.games.fishing.game import FishingGame
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.fishing_screen import FishingScreen
from big2_env.tables.terminal.klondike_screen import KlondikeScreen
from big2_env.tables.terminal.table_frame import TableFrame
from big2_env.tables.terminal.table_screen import TableScreen
from big2_env.tables.terminal.uno_screen import UnoScreen

TABLES: dict[str, Callable[[], TableFrame]] = {
    "big2": lambda: TableScreen(session(), Language.EN, 0.0),
    "uno": lambda: UnoScreen(
        SideSession(partial(UnoGame.deal, uno_rules("table", players=4)), seed=3, against="automatic"), Language.EN, 0.0
    ),
    "klondike": lambda: KlondikeScreen(SideSession(KlondikeGame.deal, seed=7), Language.EN),
    "fishing": lambda: FishingScreen(SideSession(FishingGame.usual, seed=7), Language.EN, 9.0),
}


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("keys", [("ctrl+q", "r", "y"), ("ctrl+q", "y")], ids="-".join)
def test_leaving__at_once(game: str, keys: tuple[str, ...]) -> None:
    async def steps(on: Driven) -> None:
        await on.press_at_once(*keys)
        assert on.app.return_code == 0

    drive(steps, TABLES[game]())


@pytest.mark.parametrize("game", TABLES)
def test_dialogs__opened_and_closed_at_once(game: str) -> None:
    async def steps(on: Driven) -> None:
        await on.press_at_once("r", "escape", "n", "escape", "r")
        assert len(on.app.screen_stack) == 3  # textual's own screen, the table, the list
        await on.press("down")
        assert type(on.app.focused).__name__ == "VerticalScroll"

    drive(steps, TABLES[game]())
