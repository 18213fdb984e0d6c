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

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from big2_env.base.language import Language

PAUSE: Final = 0.6
"""Default pause in seconds after each move of an agent."""
SCREENS: Final = {
    "climbing_table": ("table_screen", "TableScreen"),
    "climbing_watch": ("watch_screen", "WatchScreen"),
    "climbing_puzzles": ("puzzle_screen", "PuzzleScreen"),
    "side": ("side_screen", "SideScreen"),
    "uno": ("uno_screen", "UnoScreen"),
    "klondike": ("klondike_screen", "KlondikeScreen"),
    "fishing_watch": ("fishing_screen", "FishingScreen"),
}
"""Tables: module and class. A side game without a table of its own has `"side"`."""


def is_installed() -> bool:
    """Return True if Textual is installed."""
    return find_spec("textual") is not None


def show(screen: str, *given: Any, lang: Language, letters: bool = False, four_colours: bool = False, **options: Any) -> None:
    """Show a table until the person leaves.

    Args:
        screen: A key of `SCREENS`, or the name of a side game.
        *given: First arguments of its class, such as the person's session.
        lang: Language at the start.
        letters: True to show suits as letters.
        four_colours: True for green clubs and blue diamonds.
        **options: Further arguments of the class.

    Raises:
        ImportError: Textual is not installed; the message names the extra.
        ConfigError: An agent returned an illegal move.
    """
    if not is_installed():
        raise ImportError("the table in the terminal needs textual: pip install 'big2_env[tui]'")
    from big2_env.tables.terminal.background import is_light
    from big2_env.tables.terminal.table_frame import TableApp
    from big2_env.tables.terminal.table_view import CardStyle

    module, name = SCREENS.get(screen, SCREENS["side"])
    table = getattr(import_module(f"big2_env.tables.terminal.{module}"), name)(*given, lang, PAUSE, **options)
    table.card_style = CardStyle(letters, four_colours)
    app = TableApp(table, dark=not is_light())
    app.run()
    if app.fault is not None:
        raise app.fault
