"""The screen on which a person plays."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from big2_env.climbing.play import Play
from big2_env.climbing.slots import slots_of
from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.play import Look, Sitting, look
from big2_env.play.advice_text import hint_line, values_text
from big2_env.play.chances import beaten_chances
from big2_env.show.faces import pattern_name
from big2_env.show.numbers import points
from big2_env.show.texts import play_text
from big2_env.tui.card_rows import shown_cards, with_signs
from big2_env.tui.dialogs import PickDialog, TextDialog
from big2_env.tui.hand_view import HandView
from big2_env.tui.screen_texts import end_text, help_text, key_bar, title_line, your_line
from big2_env.tui.table_view import MiddleView, SeatsView

if TYPE_CHECKING:
    from big2_env.tui.table_app import TableApp

RANK_KEYS = {"0": ("10",), "t": ("10",), "1": ("A",), "a": ("A",), "j": ("J",), "q": ("Q",), "k": ("K",), "b": ("BJ", "LJ")} | {
    str(number): (str(number),) for number in range(2, 10)
}
"""By key: the ranks of the cards that it chooses."""
PAUSES = (0.0, 0.3, 0.6, 1.2, 2.5)
"""Seconds after each act of an agent, from which the person chooses."""
VALUES = 8
"""How many acts the list of values has."""
THINKS = 1.0
"""Seconds after which an agent's thinking is spoken of."""


class TableScreen(Screen[None]):
    """A table: the other seats above, the middle, the person's hand below.

    Args:
        sitting: the person's place.
        lang: the language to begin with.
        pause: seconds after each act of an agent.
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
        Binding("y", "call(1)", show=False),
        Binding("h", "hint", show=False),
        Binding("v", "values", show=False),
        Binding("u", "undo", show=False),
        Binding("r", "review", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("l", "language", show=False),
        Binding("f", "letters", show=False),
        Binding("d", "light", show=False),
        Binding("s", "speed", show=False),
        Binding("n", "new_deal", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]

    def __init__(self, sitting: Sitting, lang: Language, pause: float) -> None:
        super().__init__()
        self.sitting = sitting
        """The person's place."""
        self.say = words(lang)
        """The words."""
        self.pause = pause
        """Seconds after each act of an agent."""
        self.letters = False
        """True if suits are letters."""
        self._busy = False
        """True while a thread has the sitting: then nothing here may touch it."""
        self._advising = False
        self._since = 0.0
        self._moved: set[str] = set()
        """The agents that have made an act in this process."""
        self._scene = sitting.scene(lang)
        self._legal = sitting.view.legal_plays()
        self._listed: list[Play] = []
        self._at = -1

    def compose(self) -> ComposeResult:
        """The parts of the table, from above."""
        yield Static(id="title")
        yield SeatsView()
        yield MiddleView()
        yield Static(id="me")
        yield HandView()
        yield Static(id="look")
        yield Static(id="acts", classes="bar")
        yield Static(id="keys", classes="bar")

    @property
    def hand(self) -> HandView:
        """The person's hand."""
        return self.query_one(HandView)

    @property
    def _app(self) -> TableApp:
        return cast("TableApp", self.app)

    def on_mount(self) -> None:
        """Begin."""
        self.set_interval(1.0, self._tick)
        self._read()
        self.call_after_refresh(self._go_on)

    def on_resize(self) -> None:
        """Fit the new size."""
        self.hand.fit()
        self.call_after_refresh(self._draw)

    # What the sitting says, and how it goes on.

    def _read(self) -> None:
        """Take the table's state from the sitting and draw it."""
        sitting = self.sitting
        self._scene = sitting.scene(self.say.language, last=60)
        self._legal = sitting.legal
        self._listed, self._at = [], -1
        seat = self._scene.seats[sitting.seat]
        self.hand.show(seat.hand or (), self.letters)
        self._draw()

    def _draw(self) -> None:
        """Draw what was read last."""
        scene, say = self._scene, self.say
        self.query_one("#title", Static).update(title_line(scene, self.sitting, say))
        self.query_one(SeatsView).show(scene, self.letters, say)
        self.query_one(MiddleView).show(scene, self.letters, say)
        self.query_one("#me", Static).update(your_line(scene, self.letters, say))
        calls = [pattern_name(self._legal.ruleset, call.pattern, say) for call in self._legal.calls] if self.is_asked else []
        self.query_one("#acts", Static).update(key_bar(self._acts(calls)))
        self.query_one("#keys", Static).update(key_bar(self._keys()))
        self._draw_look()

    def _acts(self, calls: list[str]) -> list[tuple[str, str, str]]:
        """What can be done now: key, words, action."""
        say = self.say
        if self._scene.is_over:
            return [("N", say("tui.new_deal"), "new_deal"), ("U", say("tui.undo"), "undo"), ("R", say("tui.review"), "review")]
        acts = [(str(number), name, f"call({number})") for number, name in enumerate(calls, start=1)]
        acts = acts or [("Enter", say("tui.play"), "play"), ("Tab", say("tui.next_play"), "next_play(1)")]
        acts.append(("P", say("auction.decline") if calls else say("cards.pass"), "pass"))
        acts += [("H", say("tui.hint"), "hint"), ("V", say("tui.values"), "values"), ("U", say("tui.undo"), "undo")]
        return acts

    def _keys(self) -> list[tuple[str, str, str]]:
        say = self.say
        pairs = (("R", "review"), ("?", "help"), ("L", "language"), ("D", "light"), ("S", "speed"), ("N", "new_deal"))
        return [(key, say(f"tui.{action}"), action) for key, action in (*pairs, ("^Q", "leave"))]

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person."""
        return not self._busy and self.sitting.is_asked

    def _go_on(self) -> None:
        """Let the next agent act, in a thread of its own; stop where the person is asked or the game is over."""
        if self._busy or self.sitting.is_asked or not self.is_running:
            return
        if self.sitting.is_over:
            self._show_end()
            return
        self._busy, self._since = True, monotonic()
        self._in_thread(self.sitting.advance, self._advanced)

    def _advanced(self, result: object, fault: Exception | None) -> None:
        """An agent has acted."""
        self._busy = False
        if fault is not None:
            self._app.fault = fault
            self.app.exit()
            return
        self._moved.add(self._turn_name())
        self._read()
        if self.pause and not self.sitting.is_asked:
            self.set_timer(self.pause, self._go_on)
        else:
            self.call_after_refresh(self._go_on)

    def _in_thread(self, act: Callable[[], Any], done: Callable[[Any, Exception | None], None]) -> None:
        """Do something slow in a thread that does not hold up the end of the process; then `done` in the application's."""
        app = self.app

        def run() -> None:
            found, fault = None, None
            try:
                found = act()
            except Exception as error:  # told to the person, or raised when the application has ended
                fault = error
            if app.is_running:
                app.call_from_thread(done, found, fault)

        Thread(target=run, daemon=True).start()

    def _turn_name(self) -> str:
        """Who is to move in the scene that is shown."""
        turn = self._scene.turn
        return "" if turn is None else self._scene.seats[turn].name

    def _tick(self) -> None:
        """Once a second: say what is waited for."""
        if (self._busy or self._advising) and monotonic() - self._since >= THINKS:
            self._draw_look()

    # The line below the hand.

    def chosen_cards(self) -> int:
        """The chosen cards, as a mask."""
        cards = self._legal.ruleset.order.sort(self._legal.hand)
        return sum(1 << card for place, card in enumerate(cards) if place in self.hand.chosen)

    def on_hand_view_chosen(self) -> None:
        """Say what the chosen cards are."""
        self._draw_look()

    def tell(self, text: str, kind: str = "") -> None:
        """Show a line below the hand: `good`, `bad`, or neither."""
        line = self.query_one("#look", Static)
        line.set_class(kind == "good", "good")
        line.set_class(kind == "bad", "bad")
        sign = {"good": "✓ ", "bad": "✗ "}.get(kind, "")
        line.update(Text(shown_cards(sign + text, self.letters), overflow="ellipsis"))

    def _draw_look(self) -> None:
        """What the chosen cards are; else what is waited for."""
        say = self.say
        seconds = int(monotonic() - self._since)
        if (self._busy or self._advising) and seconds >= THINKS:
            name = self.sitting.adviser if self._advising else self._turn_name()
            key = "tui.thinking" if name in self._moved else "tui.compiling"
            self.tell(say(key, name=name, seconds=seconds))
        elif self.hand.chosen and not self._scene.is_over:
            found = look(self._legal, self.chosen_cards(), say)
            if not found.is_legal:
                self.tell(found.words, "bad")
            elif not self.is_asked:
                self.tell(say("tui.would_cover", play=found.words))
            else:
                self.tell(say("tui.readings", plays=found.words) if len(found.plays) > 1 else self._covers(found), "good")
        elif self.is_asked:
            problem = getattr(self.sitting.keep, "problem", None)
            if problem is not None:
                self.tell(say("tui.not_kept", problem=problem), "bad")
            else:
                self.tell(say("tui.choose_call" if self._legal.calls else "tui.choose"))
        else:
            self.tell(self._scene.status)

    def _covers(self, found: Look) -> str:
        return self.say("tui.covers", play=found.words)

    # Choosing and playing.

    def on_key(self, event: Any) -> None:
        """Ranks choose cards; in an auction, numbers say what stands beside them."""
        key = event.character or ""
        if self.is_asked and self._legal.calls and key.isdigit():
            event.stop()
            self.action_call(int(key))
        elif key.lower() in RANK_KEYS and not self._scene.is_over:
            event.stop()
            ranks = RANK_KEYS[key.lower()]
            if not self.hand.choose_rank(ranks):
                self.tell(self.say("tui.no_rank_leave" if key.lower() == "q" else "tui.no_rank", rank=ranks[0]), "bad")

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.hand.move(by)

    def action_raise(self, chosen: bool) -> None:
        """Choose the card at the cursor, or no longer."""
        self.hand.toggle(chosen)

    def action_choose(self) -> None:
        """Choose the card at the cursor, or no longer."""
        self.hand.toggle()

    def action_clear(self) -> None:
        """Choose no cards."""
        self.hand.choose(set())

    def action_next_play(self, by: int) -> None:
        """Choose the cards of the next legal play."""
        if not self._may_act() or self._legal.calls:
            return
        self._listed = self._listed or [play for play in self._legal if play]
        if self._listed:
            self._at = (self._at + by) % len(self._listed) if self._at >= 0 else (0 if by > 0 else len(self._listed) - 1)
            self._choose(self._listed[self._at])
        else:
            self.tell(look(self._legal, 0, self.say).words)

    def _choose(self, play: Play) -> None:
        places = set(slots_of(self._legal.ruleset, self._legal.hand, play.mask))
        self.hand.cursor = min(places, default=self.hand.cursor)
        self.hand.choose(places)

    def _may_act(self) -> bool:
        """True if the person is asked; else the line says who is waited for."""
        if self.is_asked:
            return True
        self.tell(self._scene.status if self._scene.is_over else self.say("tui.wait", name=self._turn_name()))
        return False

    def action_play(self) -> None:
        """Play the chosen cards."""
        if self._scene.is_over:
            self.action_new_deal()
        elif not self._may_act():
            pass
        elif not self.hand.chosen:
            self.tell(self.say("tui.choose_call" if self._legal.calls else "tui.choose"))
        else:
            found = look(self._legal, self.chosen_cards(), self.say)
            if not found.is_legal:
                self.tell(found.words, "bad")
            elif len(found.plays) == 1:
                self._do(found.plays[0])
            else:
                lines = [shown_cards(play_text(self._legal.ruleset, play, self.say), self.letters) for play in found.plays]
                asked = PickDialog(self.say("tui.which"), lines)
                self.app.push_screen(asked, lambda at: None if at is None else self._do(found.plays[at]))

    def action_pass(self) -> None:
        """Pass, or say no."""
        if self._may_act():
            found = look(self._legal, 0, self.say)
            if found.is_legal:
                self._do(found.plays[0])
            else:
                self.tell(found.words, "bad")

    def action_call(self, number: int) -> None:
        """Say the call of that number, from 1."""
        if self._may_act() and 1 <= number <= len(self._legal.calls):
            self._do(self._legal.calls[number - 1])

    def _do(self, play: Play) -> None:
        self.sitting.play(play)
        self._read()
        self._go_on()

    def action_undo(self) -> None:
        """Take back the person's last choice."""
        if self._busy:
            self.tell(self.say("tui.wait", name=self._turn_name()))
        elif self.sitting.undo():
            self._read()
        else:
            self.tell(self.say("tui.nothing_to_undo"))

    def action_new_deal(self) -> None:
        """Deal again; a game that goes on is given up only when the person says so twice."""
        if self._busy:
            self.tell(self.say("tui.wait", name=self._turn_name()))
        elif self.sitting.is_over:
            self._deal()
        else:
            keys = {"y": self.say("tui.yes")}
            asked = TextDialog(self.say("tui.new_title"), Text(self.say("tui.new_text")), self.say("tui.no"), keys)
            self.app.push_screen(asked, lambda key: self._deal() if key == "y" else None)

    def _deal(self) -> None:
        self.sitting.next_deal()
        self._read()
        self._go_on()

    # What comes up over the table.

    def action_hint(self) -> None:
        """Choose what the adviser would play, and say why."""
        self._ask(self._show_hint)

    def action_values(self) -> None:
        """List the best acts with their values."""
        self._ask(self._show_values)

    def _ask(self, show: Callable[[list[Any], list[float]], None]) -> None:
        """Ask the adviser, in a thread of its own; the answer is dropped where the game has gone on meanwhile."""
        if self._advising or not self._may_act():
            return
        self._advising, self._since = True, monotonic()
        sitting, view = self.sitting, self.sitting.view

        def ask() -> tuple[list[Any], list[float]]:
            advice = sitting.advise()[:VALUES]
            return advice, beaten_chances(view, [one.play for one in advice], samples=100)

        def done(found: tuple[list[Any], list[float]] | None, fault: Exception | None) -> None:
            self._advising = False
            self._moved.add(sitting.adviser)
            if isinstance(fault, ConfigError):
                self.tell(str(fault), "bad")
            elif fault is not None:
                self._app.fault = fault
                self.app.exit()
            elif found is not None and sitting.view.history == view.history:
                show(*found)

        self._in_thread(ask, done)

    def _show_hint(self, advice: list[Any], beaten: list[float]) -> None:
        self._choose(advice[0].play)
        line = hint_line(self._legal.ruleset, advice, beaten, self.say)
        self.call_after_refresh(self.tell, line)

    def _show_values(self, advice: list[Any], beaten: list[float]) -> None:
        title = self.say("hint.values_title", name=self.sitting.adviser)
        self._read_text(title, values_text(self._legal.ruleset, advice, beaten, self.say))

    def _read_text(self, title: str, text: Text) -> None:
        shown = text if self.letters else with_signs(text)
        self.app.push_screen(TextDialog(title, shown, self.say("tui.close")))

    def action_review(self) -> None:
        """List everything that has happened in the deal."""
        if not self._busy:
            lines = self.sitting.scene(self.say.language, last=10_000).events
            self._read_text(self.say("tui.review_title"), Text("\n".join(lines)))

    def action_help(self) -> None:
        """Show the keys and the rules of the game."""
        self._read_text(self._scene.title, help_text(self._legal.ruleset, min(90, self.app.size.width * 9 // 10 - 6), self.say))

    def _show_end(self) -> None:
        """All hands and what the game paid."""
        say = self.say
        keys = {"n": say("tui.new_deal"), "r": say("tui.review"), "u": say("tui.undo"), "q": say("tui.leave")}
        title = f"{say('tui.over_title')}: {self._scene.status.partition(' (')[0]}"
        self.app.push_screen(
            TextDialog(title, end_text(self._scene, self.letters, say), say("tui.close"), keys), self._after_end
        )

    def _after_end(self, key: str | None) -> None:
        act = {"n": self._deal, "r": self.action_review, "u": self.action_undo, "q": self.app.exit}.get(key or "")
        if act is not None:
            act()

    # How the table looks.

    def action_language(self) -> None:
        """Take the next language."""
        if not self._busy:
            every = list(Language)
            self.say = words(every[(every.index(self.say.language) + 1) % len(every)])
            self._read()

    def action_letters(self) -> None:
        """Show suits as signs or as letters."""
        self.letters = not self.letters
        self.hand.show(self.hand.faces, self.letters)
        self._draw()

    def action_light(self) -> None:
        """Change between light and dark."""
        self._app.turn_light()

    def action_speed(self) -> None:
        """Take the next pause between the acts of agents."""
        self.pause = next((pause for pause in PAUSES if pause > self.pause), PAUSES[0])
        self.tell(self.say("tui.pause", seconds=points(self.pause, signed=False)))

    def action_leave(self) -> None:
        """Leave; where a game goes on, ask first."""
        if self.sitting_is_over() or self.app.screen is not self:
            self.app.exit()
            return
        keys = {"y": self.say("tui.yes")}
        asked = TextDialog(self.say("tui.leave_title"), Text(self.say("tui.leave_text")), self.say("tui.no"), keys)
        self.app.push_screen(asked, lambda key: self.app.exit() if key == "y" else None)

    def sitting_is_over(self) -> bool:
        """True if the deal that is shown is over."""
        return self._scene.is_over
