"""What every table in the terminal has: the application, a title, a line that answers, clickable keys, dialogs, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Any, ClassVar, TypeVar, cast

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from big2_env.language import Language, Words, words
from big2_env.scene import RulesPage
from big2_env.show import Scene
from big2_env.show.terminal import text_with_signs, with_signs
from big2_env.text.names import points
from big2_env.tui.table_view import inline, seat_line


class TextDialog(ModalScreen[str | None]):
    """A text to read. Escape closes it; further keys close it and are its answer.

    Args:
        title: the heading.
        text: what is to be read.
        close: the words for closing.
        keys: further keys, each with its words.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,space", "close", show=False)]

    def __init__(self, title: str, text: Text, close: str, keys: dict[str, str] | None = None) -> None:
        super().__init__()
        self._title, self._close, self._keys = title, close, keys or {}
        # Held here, as a dialog that is left at once is resized when it has no children to find. Textual focuses it by itself.
        self._read = VerticalScroll(Static(text))

    def compose(self) -> ComposeResult:
        """The heading, the text, the keys."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title.replace("[", "\\[")
            yield self._read
            for key, words in {**self._keys, "escape": self._close}.items():
                yield Choice(key, words)

    def on_resize(self) -> None:
        """Leave room for the keys below the text."""
        self._read.styles.max_height = max(3, self.app.size.height - 5 - len(self._keys))

    def on_key(self, event: Any) -> None:
        """A further key is the answer."""
        if event.key.lower() in self._keys:
            event.stop()
            self.dismiss(event.key.lower())

    def action_close(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Choice(Static):
    """A line of a dialog that can be clicked as its key can be pressed."""

    def __init__(self, key: str, words: str) -> None:
        name = {"escape": "Esc"}.get(key, key.upper())
        super().__init__(Text.assemble((f" {name} ", "reverse bold"), f" {words}"), classes="choice")
        self._key = key

    def on_click(self) -> None:
        """Answer with the key."""
        self.screen.dismiss(None if self._key == "escape" else self._key)


class PickDialog(ModalScreen[int | None]):
    """One of several lines to choose: arrows and Enter, the number, or a click; Escape chooses none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title, self._lines = title, lines

    def compose(self) -> ComposeResult:
        """The heading and the lines."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title.replace("[", "\\[")
            yield OptionList(*(Option(Text(f"{number}  {line}")) for number, line in enumerate(self._lines, start=1)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """The line that was chosen."""
        self.dismiss(event.option_index)

    def on_key(self, event: Any) -> None:
        """The line with the number that was pressed."""
        if event.key.isdigit() and 1 <= int(event.key) <= len(self._lines):
            event.stop()
            self.dismiss(int(event.key) - 1)

    def action_close(self) -> None:
        """Choose none."""
        self.dismiss(None)


def title_line(title: str, facts: Iterable[str], tr: Words, *, seed: int | None, dealt: int | None = None) -> Text:
    """The game, the number of the deal and its seed where it has them, further facts."""
    deal = [] if dealt is None else [tr("tui.deal", number=dealt)]
    begun_by = [] if seed is None else [tr("tui.seed", seed=seed)]
    return Text(" · ".join([title, *deal, *begun_by, *facts]), no_wrap=True, overflow="ellipsis")


def your_line(scene: Scene, letters: bool, tr: Words) -> Text:
    """The person's own seat, and who is to move."""
    seat = scene.seats[scene.viewer or 0]
    line = Text.assemble(f"{'▶ ' if seat.is_turn else ''}{seat.name} · ", seat_line(seat, tr))
    if seat.score:
        line.append(f" · {tr('tui.score', points=points(seat.score))}")
    line.append(f"   {scene.status if letters else with_signs(scene.status)}", "not bold")
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def key_bar(keys: Iterable[tuple[str, str, str]]) -> Content:
    """Keys with what they do; each can be clicked."""
    parts = [f"[@click=screen.{action}][reverse]{key}[/reverse] {name}[/]" for key, name, action in keys]
    return Content.from_markup("  ".join(parts))


def help_text(page: RulesPage, width: int, keys: str, tr: Words) -> Text:
    """The keys, which the text `keys` explains, then the rules of a game in lines of at most `width` columns."""
    rules = page.text(width).rstrip("\n")
    return Text.assemble((tr("tui.keys_title"), "bold"), "\n", tr(keys).strip("\n"), "\n\n", rules)


def end_text(scene: Scene, letters: bool, tr: Words) -> Text:
    """What each seat was paid and has left."""
    text = Text()
    for seat in scene.seats:
        paid = points(seat.payoff or 0.0)
        text.append(f"{paid:>8}  {seat.name}", "bold" if (seat.payoff or 0) > 0 else "")
        text.append("".join(f" · {label}" for label in seat.labels))
        if seat.score is not None:
            text.append(f"   {tr('tui.score', points=points(seat.score))}", "dim")
        text.append("\n          ")
        text.append_text(inline(seat.hand, letters) if seat.hand else Text(tr("tui.nothing_left"), "dim"))
        text.append("\n")
    return text


PAUSES = (0.0, 0.3, 0.6, 1.2, 2.5)
"""Seconds after each act of an agent, from which the person chooses."""
Found = TypeVar("Found")
Key = tuple[str, str, str]
"""A key of a bar: its name, what it does in words, the action."""


class TableFrame(Screen[None]):
    """A table: its parts between a title above and three lines below, the one that answers and two bars of keys.

    A table of one game says what its parts are, how they are drawn, and what its keys do.

    Args:
        lang: the language to begin with.
        pause: seconds after each act that nobody at the keyboard makes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", show=False),
        Binding("h", "hint", show=False),
        Binding("r", "review", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("l", "language", show=False),
        Binding("f", "letters", show=False),
        Binding("d", "light", show=False),
        Binding("s", "speed", show=False),
        Binding("n", "new_deal", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]
    KEYS_TEXT = "tui.keys"

    def __init__(self, lang: Language, pause: float) -> None:
        super().__init__()
        self.tr = words(lang)
        self.pause = pause
        """Seconds after each act that nobody at the keyboard makes."""
        self.letters = False
        """True if suits are letters."""

    def compose(self) -> ComposeResult:
        """The title, the parts of the game, the line that answers, the keys."""
        yield Static(id="title")
        yield from self.parts()
        yield Static(id="look")
        yield Static(id="acts", classes="bar")
        yield Static(id="keys", classes="bar")

    @property
    def table_app(self) -> TableApp:
        """The application."""
        return cast("TableApp", self.app)

    # What a game says of itself.

    def parts(self) -> Iterable[Widget]:
        """The widgets between the title and the line that answers, from above."""
        raise NotImplementedError

    def title_text(self) -> Text:
        """The line on top."""
        raise NotImplementedError

    def draw_parts(self) -> None:
        """Draw the parts."""
        raise NotImplementedError

    def act_keys(self) -> list[Key]:
        """What can be done now."""
        raise NotImplementedError

    def look_line(self) -> tuple[str, str]:
        """What the line says while nothing else is told, and its kind: `good`, `bad`, or neither."""
        raise NotImplementedError

    def read_table(self) -> None:
        """Take the state of the game anew and draw it."""
        raise NotImplementedError

    def review_lines(self) -> Iterable[str]:
        """Everything that has happened."""
        raise NotImplementedError

    def rules_page(self) -> RulesPage:
        """The rules of the game."""
        raise NotImplementedError

    @property
    def game_is_over(self) -> bool:
        """True if the game that is shown is over."""
        raise NotImplementedError

    @property
    def is_waiting(self) -> bool:
        """True while a thread has the game: then nothing here may touch it."""
        return False

    def waited_for(self) -> str:
        """What is told to a person who has to wait."""
        return ""

    def deal_again(self) -> None:
        """Begin the next deal."""
        raise NotImplementedError

    # Drawing.

    def on_resize(self) -> None:
        """Fit the new size."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Draw what was read last."""
        self.query_one("#title", Static).update(self.title_text())
        self.draw_parts()
        self.query_one("#acts", Static).update(key_bar(self.act_keys()))
        self.query_one("#keys", Static).update(key_bar(self.view_keys()))
        self.draw_look()

    def view_keys(self) -> list[Key]:
        """What can be done at any time."""
        pairs = (("R", "review"), ("?", "help"), ("L", "language"), ("D", "light"), ("S", "speed"), ("N", "new_deal"))
        return [(key, self.tr(f"tui.{action}"), action) for key, action in (*pairs, ("^Q", "leave"))]

    def draw_look(self) -> None:
        """Show `look_line`."""
        self.tell(*self.look_line())

    def tell(self, text: str, kind: str = "") -> None:
        """Show a line above the keys: `good`, `bad`, or neither."""
        line = self.query_one("#look", Static)
        line.set_class(kind == "good", "good")
        line.set_class(kind == "bad", "bad")
        sign = {"good": "✓ ", "bad": "✗ "}.get(kind, "")
        line.update(Text(self.shown(sign + text), overflow="ellipsis"))

    def shown(self, text: str) -> str:
        """A sentence with its cards as this table draws them."""
        return text if self.letters else with_signs(text)

    # What comes up over the table.

    def read_text(self, title: str, text: Text) -> None:
        """Show a text to read."""
        shown = text if self.letters else text_with_signs(text)
        self.app.push_screen(TextDialog(title, shown, self.tr("tui.close")))

    def ask_yes(self, title: str, text: str, act: Callable[[], Any]) -> None:
        """Do something once the person says yes."""
        asked = TextDialog(title, Text(text), self.tr("tui.no"), {"y": self.tr("tui.yes")})
        self.app.push_screen(asked, lambda key: act() if key == "y" else None)

    def action_review(self) -> None:
        """List everything that has happened in the deal."""
        if not self.is_waiting:
            self.read_text(self.tr("tui.review_title"), Text("\n".join(self.review_lines())))

    def action_help(self) -> None:
        """Show the keys and the rules of the game."""
        page, width = self.rules_page(), min(90, self.app.size.width * 9 // 10 - 6)
        self.read_text(page.title, help_text(page, width, self.KEYS_TEXT, self.tr))

    def action_new_deal(self) -> None:
        """Deal again; a game that goes on is given up only when the person says so twice."""
        if self.is_waiting:
            self.tell(self.waited_for())
        elif self.game_is_over:
            self.deal_again()
        else:
            self.ask_yes(self.tr("tui.new_title"), self.tr("tui.new_text"), self.deal_again)

    def action_leave(self) -> None:
        """Leave; where a game goes on, ask first."""
        if self.game_is_over or self.app.screen is not self:
            self.app.exit()
        else:
            self.ask_yes(self.tr("tui.leave_title"), self.leave_text(), self.app.exit)

    def leave_text(self) -> str:
        """What becomes of the game when the person leaves."""
        return ""

    # Slow work.

    def in_thread(self, act: Callable[[], Found], done: Callable[[Found | None, Exception | None], None]) -> None:
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

    def end_with(self, fault: Exception) -> None:
        """Leave because of a fault, which is raised once the terminal is as it was."""
        self.table_app.fault = fault
        self.app.exit()

    # How the table looks.

    def action_language(self) -> None:
        """Take the next language."""
        if not self.is_waiting:
            every = list(Language)
            self.tr = words(every[(every.index(self.tr.language) + 1) % len(every)])
            self.read_table()

    def action_letters(self) -> None:
        """Show suits as signs or as letters."""
        self.letters = not self.letters
        self.draw()

    def action_light(self) -> None:
        """Change between light and dark."""
        self.table_app.turn_light()

    def action_speed(self) -> None:
        """Take the next pause between the acts of agents."""
        self.pause = next((pause for pause in PAUSES if pause > self.pause), PAUSES[0])
        self.tell(self.tr("tui.pause", seconds=points(self.pause, signed=False)))


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
