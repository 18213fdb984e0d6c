"""Card tables in the terminal, as a Textual application (extra `tui`).

Tables draw scenes, which contain only what the person may see. Every game has its own table, built from shared parts.

| module | contents |
| --- | --- |
| `table_frame` | the application, and features of all tables: title, messages, keys, dialogs, languages, dark mode |
| `card_table` | seats around a middle, a hand below, agents in a thread |
| `table_screen` | table of the climbing games |
| `watch_screen` | viewer for the climbing games of agents |
| `puzzle_screen` | a puzzle with all hands open, and the following ones |
| `side_screen`, `uno_screen` | table for any side game; table of UNO |
| `klondike_screen` | table of Klondike, with a cursor on its piles |
| `fishing_screen` | viewer for the fishing game |
| `table_view`, `hand_view` | widgets: seats, middle and cards; the hand |
| `background` | brightness of the terminal's background |
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from big2_env.base.language import Language

if TYPE_CHECKING:
    from big2_env.games.fishing.game import FishingGame
    from big2_env.tables.puzzles import Puzzle
    from big2_env.tables.session import TableSession
    from big2_env.tables.session.side_session import SideSession
    from big2_env.tables.session.watching import Watching
    from big2_env.tables.terminal.table_frame import TableFrame

PAUSE = 0.6
"""Default pause in seconds after each move of an agent."""


SIDE_TABLES: Final = {"uno": ("uno_screen", "UnoScreen"), "klondike": ("klondike_screen", "KlondikeScreen")}
"""Side games with their own tables: module and class."""


def is_installed() -> bool:
    """Return True if Textual is installed."""
    return find_spec("textual") is not None


def run(session: TableSession, lang: Language, *, letters: bool = False, four_colours: bool = False) -> None:
    """Play a climbing game at the table until the person leaves.

    Args:
        session: The person's session.
        lang: Language at the start.
        letters: True to show suits as letters.
        four_colours: True for green clubs and blue diamonds.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: An agent returned an illegal move.
    """
    _check_installed()
    from big2_env.tables.terminal.table_screen import TableScreen

    _run(TableScreen(session, lang, PAUSE), letters, four_colours)


def watch(watching: Watching, lang: Language, *, letters: bool = False, four_colours: bool = False) -> None:
    """Show a climbing game of agents, and further deals, until the person leaves.

    Args:
        watching: The table.
        lang: Language at the start.
        letters: True to show suits as letters.
        four_colours: True for green clubs and blue diamonds.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: An agent returned an illegal move.
    """
    _check_installed()
    from big2_env.tables.terminal.watch_screen import WatchScreen

    _run(WatchScreen(watching, lang, PAUSE), letters, four_colours)


def puzzles(puzzles: Sequence[Puzzle], lang: Language, *, letters: bool = False, four_colours: bool = False) -> None:
    """Show puzzles, one after another, until the person leaves.

    Args:
        puzzles: Puzzles in the order in which they are shown.
        lang: Language at the start.
        letters: True to show suits as letters.
        four_colours: True for green clubs and blue diamonds.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
    """
    _check_installed()
    from big2_env.tables.terminal.puzzle_screen import PuzzleScreen

    _run(PuzzleScreen(puzzles, lang, PAUSE), letters, four_colours)


def run_side(session: SideSession[Any], lang: Language, *, letters: bool = False) -> None:
    """Play a side game at its table until the person leaves.

    Args:
        session: The person's session.
        lang: Language at the start.
        letters: True to show suits as letters.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: A computer player returned an illegal move.
    """
    _check_installed()
    module, name = SIDE_TABLES.get(session.game.name, ("side_screen", "SideScreen"))
    _run(getattr(import_module(f"big2_env.tables.terminal.{module}"), name)(session, lang, PAUSE), letters)


def watch_fishing(game: FishingGame, seed: int | None, lang: Language, *, counts_seeds: bool = True) -> None:
    """Show a fishing game, and further deals, until the person leaves.

    Args:
        game: The game.
        seed: Seed of the deal; `None` for given hands, which further deals repeat.
        lang: Language at the start.
        counts_seeds: True to add one to the seed for each further deal, False for random seeds.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
    """
    _check_installed()
    from big2_env.tables.terminal.fishing_screen import FishingScreen

    _run(FishingScreen(game, seed, lang, PAUSE, counts_seeds=counts_seeds))


def _check_installed() -> None:
    if not is_installed():
        raise ImportError("the table in the terminal needs textual: pip install 'big2_env[tui]'")


def _run(table: TableFrame, letters: bool = False, four_colours: bool = False) -> None:
    from big2_env.tables.terminal.background import is_light
    from big2_env.tables.terminal.table_frame import TableApp
    from big2_env.tables.terminal.table_view import CardStyle

    table.card_style = CardStyle(letters, four_colours)
    app = TableApp(table, dark=not is_light())
    app.run()
    if app.fault is not None:
        raise app.fault
