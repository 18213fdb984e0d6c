"""Viewer for the climbing games of agents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from big2_env.base.language import Language
from big2_env.base.scene import RulesPage
from big2_env.tables.session.advice_text import values_text
from big2_env.tables.session.watching import Watching
from big2_env.tables.terminal.card_table import AgentTable
from big2_env.tables.terminal.table_frame import PAUSES, Key
from big2_env.tables.terminal.table_screen import VALUES
from big2_env.tables.terminal.table_view import MiddleView, SeatsView, hands_table
from big2_env.text.names import agent_words, points
from big2_env.text.rules import rules_page


class WatchScreen(AgentTable):
    """Table with all seats on top, the middle, and the hands below: all of them, or one seat's.

    Args:
        watching: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "go", show=False),
        Binding("right,enter", "step", show=False),
        Binding("left", "undo", show=False),
        Binding("plus,equals_sign", "pace(-1)", show=False),
        Binding("minus", "pace(1)", show=False),
        Binding("o", "open", show=False),
        Binding("tab", "seat(1)", show=False),
        Binding("shift+tab", "seat(-1)", show=False),
        Binding("v", "values", show=False),
    ]
    KEYS_TEXT = "tui.watch_keys"
    SHOWS_LATE_ADVICE = True

    def __init__(self, watching: Watching, lang: Language, pause: float) -> None:
        super().__init__(watching, lang, pause)
        self.watching = watching
        """The person's session."""
        self.is_running_on = True
        """True while moves follow automatically."""
        self._is_stepping = False
        self._then: Callable[[], Any] | None = None
        """Function to call when no agent is thinking any more."""

    def parts(self) -> Iterable[Widget]:
        """Yield the seats, the middle and the hands."""
        return SeatsView(), MiddleView(), Static(id="every_hand")

    @property
    def adviser(self) -> str:
        """Name of the agent that gives values."""
        return self.watching.adviser

    @property
    def is_waiting(self) -> bool:
        """False, because everything that is shown comes from a snapshot of the game."""
        return False

    @property
    def is_in_haste(self) -> bool:
        """True if agents move without pauses."""
        return self.is_running_on and not self.pause

    def draw_parts(self) -> None:
        """Draw the seats, the middle and the hands."""
        scene, tr = self.shown_scene, self.tr
        self.query_one(SeatsView).show(replace(scene, viewer=None), self.card_style, tr)
        self.query_one(MiddleView).show(scene, self.card_style, tr)
        self.query_one("#every_hand", Static).update(hands_table(scene.seats, self.card_style))

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        tr = self.tr
        return [
            ("Space", tr("side_play.go"), "go"),
            ("→", tr("tui.watch_step"), "step"),
            ("←", tr("side_play.back"), "undo"),
            ("O", tr("tui.watch_all"), "open"),
            ("Tab", tr("tui.watch_seat"), "seat(1)"),
            ("V", tr("tui.values"), "values"),
        ]

    def said_on_turn(self) -> tuple[str, str]:
        """Return the state of the game, the hands that are shown, and the pace."""
        status, seat = self.shown_scene.status, self.watching.watched
        if self.game_is_over:
            return status, ""
        seen = self.tr("tui.watch_all") if seat is None else self.tr("tui.watch_one", name=self.shown_scene.seats[seat].name)
        if not self.is_running_on:
            return self.tr("tui.watch_stopped", status=status, seen=seen), ""
        return self.tr("tui.watch_running", status=status, seen=seen, seconds=points(self.pause, signed=False)), ""

    def rules_page(self) -> RulesPage:
        """Return the rules of the game."""
        return rules_page(self.watching.ruleset, self.tr.language)

    # How the game goes on.

    def go_on(self) -> None:
        """Let the next agent move in a thread, unless the game is paused."""
        if self.is_running_on or self._is_stepping:
            self._is_stepping = False
            super().go_on()

    def _advanced(self, moved: set[int] | None, fault: Exception | None) -> None:
        super()._advanced(moved, fault)
        then, self._then = self._then, None
        if then is not None and fault is None:
            then()

    def _when_free(self, act: Callable[[], Any]) -> None:
        """Call a function that changes the game, when the agent that is thinking has moved."""
        if self._busy:
            self._then = act
            self.tell(self.waited_for())
        else:
            act()

    def action_go(self) -> None:
        """Pause or continue."""
        if not self.game_is_over:
            self.is_running_on = not self.is_running_on
            self.draw_look()
            self.go_on()

    def action_step(self) -> None:
        """Pause, or make one move of a paused game."""
        if self.game_is_over:
            return
        self.is_running_on, self._is_stepping = False, not self._busy
        self.draw_look()
        self.go_on()

    def action_pace(self, by: int) -> None:
        """Switch to a shorter or longer pause."""
        at = PAUSES.index(self.pause) if self.pause in PAUSES else 0
        self.pause = PAUSES[min(max(at + by, 0), len(PAUSES) - 1)]
        self.draw_look()

    def action_undo(self) -> None:
        """Pause, and take back the last move."""
        self.is_running_on = False
        self._when_free(self._take_back)

    def _take_back(self) -> None:
        if self.watching.undo():
            self.read_table()
        else:
            self.tell(self.tr("tui.watch_first"))

    def deal_again(self) -> None:
        """Begin the next deal."""
        self.is_running_on = True
        super().deal_again()

    def action_new_deal(self) -> None:
        """Deal again without asking."""
        self._when_free(self.deal_again)

    def action_hint(self) -> None:
        """Show the values of the moves."""
        self.action_values()

    # What is shown.

    def action_open(self) -> None:
        """Show all hands."""
        self._look_from(None)

    def action_seat(self, by: int) -> None:
        """Show the hand of the next seat; after the last one, all hands."""
        number, seat = len(self.watching.names), self.watching.watched
        place = (-1 if seat is None else seat) + 1 + by
        self._look_from(None if place % (number + 1) == 0 else place % (number + 1) - 1)

    def _look_from(self, seat: int | None) -> None:
        self.watching.look_from(seat)
        self.read_table()

    def may_ask(self) -> bool:
        """Return True if the hand of the seat to move is shown."""
        if self.game_is_over:
            self.tell(self.shown_scene.status)
        elif not self.watching.view.is_on_turn:
            self.tell(self.tr("tui.watch_not_seen", name=self.turn_name()))
        else:
            return True
        return False

    def action_values(self) -> None:
        """Pause, and list the best moves of the seat to move with their numbers."""
        self.is_running_on = False
        view, tr = self.watching.view, self.tr
        name = self.watching.names_in(tr.language)[view.seat]
        title = tr("tui.watch_values", name=name, adviser=agent_words(self.adviser, tr))
        advise = self.watching.advise_at
        self.advise(lambda: values_text(view, advise(view)[:VALUES], tr), lambda text: self.read_text(title, text))
