"""Tables in small terminals: all keys are on the screen, in every language."""

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
from big2_env.tables.puzzles import shipped
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.fishing_screen import FishingScreen
from big2_env.tables.terminal.klondike_screen import KlondikeScreen
from big2_env.tables.terminal.puzzle_screen import PuzzleScreen
from big2_env.tables.terminal.table_frame import TableFrame
from big2_env.tables.terminal.table_screen import TableScreen
from big2_env.tables.terminal.uno_screen import UnoScreen

TABLES: dict[str, Callable[[Language], TableFrame]] = {
    "big2": lambda lang: TableScreen(session(), lang, 0.0),
    "dou_dizhu": lambda lang: TableScreen(session("dou_dizhu"), lang, 0.0),
    "puzzle": lambda lang: PuzzleScreen(shipped.puzzles_of("big2"), lang, 0.0),
    "uno": lambda lang: UnoScreen(
        SideSession(partial(UnoGame.deal, uno_rules("table", players=4)), seed=3, against="automatic"), lang, 0.0
    ),
    "klondike": lambda lang: KlondikeScreen(SideSession(KlondikeGame.deal, seed=7), lang),
    "fishing": lambda lang: FishingScreen(SideSession(FishingGame.usual, seed=7), lang, 9.0),
}


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("game", TABLES)
def test_small_terminal__shows_all_keys(game: str, lang: Language) -> None:
    async def steps(on: Driven) -> None:
        for size in ((80, 24), (60, 20), (80, 20)):
            await on.resize(*size)
            shown = "".join(on.text.split())
            for key, name, _ in (*on.table.act_keys(), *on.table.view_keys()):
                assert "".join(f"{key}{name}".split()) in shown, (size, key, on.text)

    drive(steps, TABLES[game](lang), lang=lang)
