"""Table with seats around a middle and the person's hand below, shared by the climbing games and UNO."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.tables.session.session import OwnSession
from big2_env.tables.terminal.hand_view import HandView
from big2_env.tables.terminal.table_frame import Found, Key, TableFrame, TextDialog, end_text, title_line, your_line
from big2_env.tables.terminal.table_view import MiddleView, SeatsView
from big2_env.text.names import agent_words

AT_ONCE = 0.1
"""Maximum seconds between two updates of the screen when no pause is set."""
THINKS = 1.0
"""Seconds after which a message shows that an agent is thinking."""
EVENTS = 30
"""Number of events kept for the middle of the table."""
ALL = 10_000
"""Number larger than the events of any game."""


class SessionTable(TableFrame):
    """Table of a session, which may be asked for advice in a thread, with a dialog at the end of a deal.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move of an agent.
    """

    SHOWS_LATE_ADVICE: ClassVar = False
    """True to show advice even if the game has changed while it was computed."""

    def __init__(self, session: OwnSession, lang: Language, pause: float) -> None:
        super().__init__(session.scene(lang), lang, pause)
        self.session = session
        """The person's session."""
        self._advising = False
        self._since = 0.0
        self._moved: set[str] = set()
        """Agents that have moved or given advice in this process."""

    def on_mount(self) -> None:
        """Start the game."""
        self.set_interval(1.0, self._tick)
        self.read_table()

    @property
    def is_at_rest(self) -> bool:
        """True if no thread works for this table."""
        return not self._advising

    def read_table(self) -> None:
        """Read the state of the session and draw it."""
        self.shown_scene = self.session.scene(self.tr.language, last=EVENTS)
        self.draw()

    def _tick(self) -> None:
        """Update the waiting message, once per second."""
        if not self.is_at_rest and monotonic() - self._since >= THINKS:
            self.draw_look()

    @property
    def adviser(self) -> str:
        """Name of the agent that gives advice; empty if the game itself does."""
        return ""

    def may_ask(self) -> bool:
        """Return True if advice can be given now; otherwise show a message that says why not."""
        return True

    def advise(self, ask: Callable[[], Found], show: Callable[[Found], None]) -> None:
        """Ask for advice in a thread. If the game has changed meanwhile, only `SHOWS_LATE_ADVICE` shows the answer.

        Args:
            ask: Function that computes the advice.
            show: Function that displays it.
        """
        if self._advising or not self.may_ask():
            return
        self._advising, self._since = True, monotonic()
        asked_at = self.session.dealt, self.shown_scene.ply

        def done(found: Any, fault: Exception | None) -> None:
            self._advising = False
            self._moved.add(self.adviser)
            self.draw_look()
            if isinstance(fault, ConfigError):
                self.tell(str(fault), "bad")
            elif fault is not None:
                self.end_with(fault)
            elif self.SHOWS_LATE_ADVICE or (self.session.dealt, self.shown_scene.ply) == asked_at:
                show(found)

        self.in_thread(ask, done)

    def deal_again(self) -> None:
        """Begin the next deal."""
        self.session.next_deal()
        self.read_table()

    def review_lines(self) -> Iterable[str]:
        """Yield everything that has happened in the deal."""
        return self.session.scene(self.tr.language, last=ALL).events

    def action_undo(self) -> None:
        """Undo the person's last choice."""
        if self.is_waiting:
            self.tell(self.waited_for())
        elif self.session.undo():
            self.read_table()
        else:
            self.tell(self.tr("tui.nothing_to_undo"))

    def end_words(self) -> tuple[str, Text]:
        """Return the title and the text of the dialog at the end of a deal: all hands and the payoffs."""
        title = self.tr("tui.over_status", status=self.shown_scene.status)
        return title, end_text(self.shown_scene, self.card_style, self.tr)

    def end_acts(self) -> dict[str, tuple[str, Callable[[], Any]]]:
        """Return the keys of the dialog at the end of a deal, with their descriptions and effects."""
        tr = self.tr
        return {
            "n": (tr("tui.new_deal"), self.deal_again),
            "r": (tr("tui.review"), self.action_review),
            "u": (tr("tui.undo"), self.action_undo),
            "q": (tr("tui.leave"), self.app.exit),
        }

    def _show_end(self) -> None:
        """Show the dialog at the end of a deal."""
        title, text = self.end_words()
        keys = {key: name for key, (name, _) in self.end_acts().items()}
        self.app.push_screen(TextDialog(title, text, self.tr("tui.close"), keys), self._after_end)

    def _after_end(self, key: str | None) -> None:
        keys = self.end_acts()
        if key in keys:
            keys[key][1]()


class AgentTable(SessionTable):
    """Table at which agents move one at a time in a thread."""

    def __init__(self, session: OwnSession, lang: Language, pause: float) -> None:
        super().__init__(session, lang, pause)
        self._busy = False
        self._timer: Timer | None = None
        """Timer of the next move."""

    def on_mount(self) -> None:
        """Let the agents move. Textual also calls the handler of `SessionTable`."""
        self.call_after_refresh(self.go_on)

    # What a game says of itself.

    def said_on_turn(self) -> tuple[str, str]:
        """Return the message and its kind for the person's turn."""
        raise NotImplementedError

    @property
    def is_in_haste(self) -> bool:
        """True if agents move without pauses."""
        return not self.pause

    # The state, and how the game goes on.

    @property
    def is_waiting(self) -> bool:
        """True while a thread uses the session."""
        return self._busy

    @property
    def is_at_rest(self) -> bool:
        """True if no thread works for this table."""
        return not self._busy and not self._advising

    def title_text(self) -> Text:
        """Return the title: game, deal and further facts."""
        scene, session = self.shown_scene, self.session
        return title_line(scene.title, scene.facts, self.tr, seed=session.shown_seed, dealt=session.dealt)

    def end_keys(self) -> list[Key]:
        """Return the keys available after the end of a deal."""
        tr = self.tr
        return [("N", tr("tui.new_deal"), "new_deal"), ("U", tr("tui.undo"), "undo"), ("R", tr("tui.review"), "review")]

    def look_line(self) -> tuple[str, str]:
        """Return the status message: a slow agent's name, or the person's options."""
        seconds = int(monotonic() - self._since)
        if not self.is_at_rest and seconds >= THINKS:
            name = self.adviser if self._advising else self.turn_name()
            key = "tui.thinking" if name in self._moved else "tui.compiling"
            shown = agent_words(name, self.tr) if self._advising else name
            return self.tr(key, name=shown, seconds=seconds), ""
        return self.said_on_turn()

    def go_on(self) -> None:
        """Let the next agent move in a thread; stop when the person is asked or the game is over."""
        if self._busy or self.session.is_asked or not self.is_running:
            return
        if self.session.is_over:
            self._show_end()
            return
        if self._timer is not None:
            self._timer.stop()
        self._busy, self._since = True, monotonic()
        self.in_thread(self._advance, self._advanced)

    def _advance(self) -> set[int]:
        """Let the next agent move, and without a pause also the following ones. Return the seats that moved."""
        moved: set[int] = set()
        begin = monotonic()
        while not moved or (self.is_in_haste and monotonic() - begin < AT_ONCE):
            if self.session.is_over or self.session.is_asked:
                break
            moved.add(self.session.turn)
            self.session.advance()
        return moved

    def _advanced(self, moved: set[int] | None, fault: Exception | None) -> None:
        """Update the table after agents have moved."""
        self._busy = False
        if fault is not None:
            self.end_with(fault)
            return
        self._moved |= {self.shown_scene.seats[seat].name for seat in moved or ()}
        self.read_table()
        if self.pause and not self.session.is_asked:
            self._timer = self.set_timer(self.pause, self.go_on)
        else:
            self.call_after_refresh(self.go_on)

    def turn_name(self) -> str:
        """Return the name of the seat to move in the current scene."""
        turn = self.shown_scene.turn
        return "" if turn is None else self.shown_scene.seats[turn].name

    def waited_for(self) -> str:
        """Return the message with the seat to move."""
        return self.tr("tui.wait", name=self.turn_name())

    def acted(self) -> None:
        """Show the person's move and let the other seats continue."""
        self.read_table()
        self.go_on()

    def deal_again(self) -> None:
        """Begin the next deal."""
        super().deal_again()
        self.go_on()


class CardTable(AgentTable):
    """Table with the other seats on top, the middle, and the person's hand.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move of an agent.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", show=False),
        Binding("right", "move(1)", show=False),
        Binding("up", "raise(True)", show=False),
        Binding("down", "raise(False)", show=False),
        Binding("space", "choose", show=False),
        Binding("enter", "play", show=False),
        Binding("escape", "clear", show=False),
        Binding("tab", "next_play(1)", show=False),
        Binding("shift+tab", "next_play(-1)", show=False),
        Binding("p,minus", "pass", show=False),
    ]

    def parts(self) -> Iterable[Widget]:
        """Yield the other seats, the middle, and the person's line and hand."""
        return SeatsView(), MiddleView(), Static(id="me"), HandView()

    @property
    def hand(self) -> HandView:
        """Widget of the person's hand."""
        return self.query_one(HandView)

    def on_resize(self) -> None:
        """Fit the hand to the new size before everything is redrawn."""
        self.hand.fit()

    def draw_parts(self) -> None:
        """Draw the seats, the middle and the hand."""
        scene, tr = self.shown_scene, self.tr
        self.query_one(SeatsView).show(scene, self.card_style, tr)
        self.query_one(MiddleView).show(scene, self.card_style, tr)
        self.query_one("#me", Static).update(your_line(scene, self.card_style, tr))
        self.hand.show(scene.seats[self.session.seat].hand or (), self.card_style)

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person."""
        return not self._busy and self.session.is_asked

    def may_ask(self) -> bool:
        """Return True if the person is asked."""
        return self.may_act()

    def may_act(self) -> bool:
        """Return True if the person is asked; otherwise show a message that names the seat to move."""
        if self.is_asked:
            return True
        self.tell(self.shown_scene.status if self.game_is_over else self.waited_for())
        return False

    # Keys.

    def on_hand_view_chosen(self) -> None:
        """Show the meaning of the selected cards."""
        self.draw_look()

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.hand.move(by)

    def action_raise(self, chosen: bool) -> None:
        """Select or deselect the card at the cursor."""
        self.hand.toggle(chosen)

    def action_choose(self) -> None:
        """Toggle the card at the cursor."""
        self.hand.toggle()

    def action_clear(self) -> None:
        """Deselect all cards."""
        self.hand.choose(set())
