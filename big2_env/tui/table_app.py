"""The application: one table, in light or dark."""

from __future__ import annotations

from textual.app import App

from big2_env.language import Language
from big2_env.play import Sitting
from big2_env.tui.table_screen import TableScreen

DARK = "textual-dark"
LIGHT = "textual-light"


class TableApp(App[None]):
    """A person at a table of agents.

    Args:
        sitting: the person's place.
        lang: the language to begin with.
        pause: seconds after each act of an agent.
        dark: True for light text on a dark ground.
    """

    CSS_PATH = "table.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, sitting: Sitting, lang: Language, *, pause: float = 0.6, dark: bool = True) -> None:
        super().__init__()
        self.table = TableScreen(sitting, lang, pause)
        """The screen that everything happens on."""
        self.fault: Exception | None = None
        """What went wrong in an agent and ended the game."""
        self.theme = DARK if dark else LIGHT
        self.title = "big2"

    def on_mount(self) -> None:
        """Show the table."""
        self.push_screen(self.table)

    async def action_quit(self) -> None:
        """Leave; the table asks first where a game goes on."""
        self.table.action_leave()

    def turn_light(self) -> None:
        """Change between light and dark."""
        self.theme = LIGHT if self.theme == DARK else DARK
