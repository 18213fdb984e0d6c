"""Table for any side game with several seats; the person selects one of the legal moves."""

from __future__ import annotations

from typing import Any

from big2_env.base.language import Language
from big2_env.base.scene import RulesPage
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.card_table import CardTable, SessionTable
from big2_env.tables.terminal.table_frame import Key


class SideTable(SessionTable):
    """Table of a side game."""

    session: SideSession[Any]

    @property
    def game(self) -> Any:
        """Game on the table."""
        return self.session.game

    def rules_page(self) -> RulesPage:
        """Return the rules of the game."""
        page: RulesPage = self.game.rules_page(self.tr.language)
        return page

    def leave_text(self) -> str | None:
        """Return the text that explains what happens to the game when the person leaves."""
        kept = self.session.keep is not None or self.session.ended is not None
        return self.tr("side_play.kept" if kept else "side_play.nobody_keeps")


class SideScreen(SideTable, CardTable):
    """Table at which Tab goes through the legal moves and Enter makes one.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move of a computer player.
    """

    KEYS_TEXT = "side_play.keys"

    def __init__(self, session: SideSession[Any], lang: Language, pause: float) -> None:
        super().__init__(session, lang, pause)
        self.view = session.view
        """The person's view, as last read."""
        self._at = -1
        """Index of the selected legal move; -1 for none."""

    def read_table(self) -> None:
        """Read the state of the session and draw it."""
        self.view, self._at = self.session.view, -1
        super().read_table()

    @property
    def adviser(self) -> str:
        """Name of the player that gives hints."""
        return self.tr("side_play.automatic")

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        if self.game_is_over:
            return self.end_keys()
        pairs = (("Enter", "play", "play"), ("Tab", "next_play", "next_play(1)"), ("H", "hint", "hint"), ("U", "undo", "undo"))
        return [(key, self.tr(f"tui.{words}"), action) for key, words, action in pairs]

    def said_on_turn(self) -> tuple[str, str]:
        """Return the message for the person's turn: the selected move, or the number of legal moves."""
        if not self.is_asked:
            return self.shown_scene.status, ""
        if self._at >= 0:
            return self.tr("side_play.fits", card=self.game.move_text(self.view.moves[self._at])), "good"
        return self.tr("side_tables.your_move", count=len(self.view.moves)), ""

    def action_next_play(self, by: int) -> None:
        """Select the next legal move."""
        if self.may_act():
            count = len(self.view.moves)
            self._at = (self._at + by) % count if self._at >= 0 else (0 if by > 0 else count - 1)
            self.draw_look()

    def action_play(self) -> None:
        """Make the selected move, or the only legal one."""
        if self.game_is_over:
            self.action_new_deal()
        elif self.may_act():
            if len(self.view.moves) == 1:
                self._at = 0
            if self._at < 0:
                self.draw_look()
            else:
                self.make(self.view.moves[self._at])

    def make(self, move: int) -> None:
        """Make a move of the person."""
        self.hand.choose(set())
        self.session.play(move)
        self.acted()

    def action_hint(self) -> None:
        """Show the move of the game's adviser."""
        if self.may_act():
            self.tell(self.game.hint_text(self.session.seat, self.tr))
