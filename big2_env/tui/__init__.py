"""The card table in a terminal: a Textual application (extra `tui`).

What is drawn comes from scenes, which hold what the person may know and no more. Each game has a table of its own, put together
from the same parts.

| module | what it has |
| --- | --- |
| `table_frame` | the application; what every table has: title, answers, keys, dialogs, languages, light and dark |
| `card_table` | seats around a middle, a hand below, agents in a thread |
| `table_screen` | the table of the climbing games |
| `side_screen`, `uno_screen` | the table of any side game; UNO's |
| `klondike_screen` | Klondike's table, its piles with a cursor |
| `fishing_screen` | the fishing game, to watch |
| `table_view`, `hand_view` | seats and middle, cards as characters; the hand |
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from big2_env.language import Language

if TYPE_CHECKING:
    from big2_env.games.fishing.game import FishingGame
    from big2_env.play import Sitting
    from big2_env.play.side_sitting import SideSitting
    from big2_env.tui.table_frame import TableFrame

PAUSE = 0.6
"""Seconds after each act of an agent, until the person chooses another pause."""


SIDE_TABLES: Final = {"uno": ("uno_screen", "UnoScreen"), "klondike": ("klondike_screen", "KlondikeScreen")}
"""The side games with tables of their own: module and class."""


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


def run_side(sitting: SideSitting[Any], lang: Language, *, letters: bool = False) -> None:
    """Play a side game at its table until the person leaves. Arguments and errors as `run`."""
    _check_installed()
    module, name = SIDE_TABLES.get(sitting.game.name, ("side_screen", "SideScreen"))
    _run(getattr(import_module(f"big2_env.tui.{module}"), name)(sitting, lang, PAUSE), letters)


def watch_fishing(game: FishingGame, seed: int | None, lang: Language, *, counts_seeds: bool = True) -> None:
    """Watch a fishing game, and the deals after it, until the person leaves.

    Args:
        game: The game.
        seed: The deal's seed, `None` for hands that were given: then another deal is the same one again.
        lang: The language to begin with.
        counts_seeds: True if the next deal's seed is one higher; else it is drawn.

    Raises:
        ImportError: as `run`.
    """
    _check_installed()
    from big2_env.tui.fishing_screen import FishingScreen

    _run(FishingScreen(game, seed, lang, PAUSE, counts_seeds=counts_seeds))


def _check_installed() -> None:
    if not is_installed():
        raise ImportError("the table in the terminal needs textual: pip install 'big2_env[tui]'")


def _run(table: TableFrame, letters: bool = False) -> None:
    from big2_env.tui.table_frame import TableApp

    table.letters = letters
    app = TableApp(table)
    app.run()
    if app.fault is not None:
        raise app.fault
