"""The card table in a terminal: a Textual application (extra `tui`).

What is drawn comes from scenes, which hold what the person may know and no more. Each game has a table of its own, put together
from the same parts.

| module | what it has |
| --- | --- |
| `table_app` | the application around a table |
| `table_frame` | what every table has: title, answers, keys, dialogs, languages, light and dark |
| `card_table` | seats around a middle, a hand below, agents in a thread |
| `table_screen`, `uno_screen` | the tables of the climbing games and of UNO |
| `klondike_screen`, `piles_view` | Klondike's table; its piles, with a cursor |
| `fishing_screen` | the fishing game, to watch |
| `table_view`, `hand_view`, `card_rows` | seats and middle; the hand; cards as characters |
| `screen_texts`, `dialogs` | lines and texts of the table; what comes up over it |
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from big2_env.language import Language

if TYPE_CHECKING:
    from big2_env.games.fishing.game import FishingGame
    from big2_env.games.klondike.game import KlondikeGame
    from big2_env.games.uno.sitting import UnoSitting
    from big2_env.play import Sitting
    from big2_env.tui.klondike_screen import KlondikeScreen
    from big2_env.tui.table_frame import TableFrame

PAUSE = 0.6
"""Seconds after each act of an agent, until the person chooses another pause."""


def is_installed() -> bool:
    """True if Textual is installed."""
    return find_spec("textual") is not None


def run(sitting: Sitting, lang: Language, *, letters: bool = False) -> None:
    """Play a climbing game at the table until the person leaves.

    Args:
        sitting: the person's place.
        lang: the language to begin with.
        counts_seeds: True if the next deal's seed is one higher; else it is drawn, and shown when the deal is over.
        letters: True if suits are letters.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: an agent gave what is no legal act.
    """
    _check_installed()
    from big2_env.tui.table_screen import TableScreen

    _run(TableScreen(sitting, lang, PAUSE), letters)


def run_uno(sitting: UnoSitting, lang: Language) -> None:
    """Play UNO at the table until the person leaves. Raises as `run`."""
    _check_installed()
    from big2_env.tui.uno_screen import UnoScreen

    _run(UnoScreen(sitting, lang, PAUSE))


def run_klondike(
    game: KlondikeGame,
    seed: int | None,
    lang: Language,
    *,
    counts_seeds: bool = True,
    letters: bool = False,
    keep: Callable[[KlondikeGame, int | None], None] | None = None,
    changed: Callable[[KlondikeGame, int | None], None] | None = None,
) -> KlondikeScreen:
    """Play Klondike at the table until the person leaves; returns the table as it stands then, with its game and seed.

    Args:
        game: the game.
        seed: the deal's seed, `None` for a deck that was given: then there is no next deal.
        lang: the language to begin with.
        counts_seeds: True if the next deal's seed is one higher; else it is drawn, and shown when the deal is over.
        letters: True if suits are letters.
        keep: what is called with every game that is left for another deal, and its seed.
        changed: what is called with the game and its seed after every act and undo.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
    """
    _check_installed()
    from big2_env.tui.klondike_screen import KlondikeScreen

    table = KlondikeScreen(game, seed, lang, keep, changed, counts_seeds=counts_seeds)
    _run(table, letters)
    return table


def watch_fishing(game: FishingGame, seed: int | None, lang: Language, *, counts_seeds: bool = True) -> None:
    """Watch a fishing game, and the deals after it, until the person leaves. Arguments and errors as `run_klondike`."""
    _check_installed()
    from big2_env.tui.fishing_screen import FishingScreen

    _run(FishingScreen(game, seed, lang, PAUSE, counts_seeds=counts_seeds))


def _check_installed() -> None:
    if not is_installed():
        raise ImportError("the table in the terminal needs textual: pip install 'big2_env[tui]'")


def _run(table: TableFrame, letters: bool = False) -> None:
    from big2_env.tui.table_app import TableApp

    table.letters = letters
    app = TableApp(table)
    app.run()
    if app.fault is not None:
        raise app.fault
