"""The application: one table, in light or dark."""

from __future__ import annotations

from textual.app import App

from big2_env.tui.table_frame import TableFrame

DARK = "textual-dark"
LIGHT = "textual-light"


class TableApp(App[None]):
    """A person at a table.

    Args:
        table: the table of a game.
        dark: True for light text on a dark ground.
    """

    CSS_PATH = "table.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, table: TableFrame, *, dark: bool = True) -> None:
        super().__init__()
        self.table = table
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
