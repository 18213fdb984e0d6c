"""Parts shared by all terminal tables: application, title, message line, clickable keys, dialogs and threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Any, ClassVar, Final, TypeVar, cast

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Event
from textual.events import Key as KeyPressed
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from big2_env.base.language import Language, Words, words
from big2_env.base.scene import RulesPage
from big2_env.drawing import Scene
from big2_env.tables.terminal.table_view import PLAIN, CardStyle, inline, seat_line, sentence
from big2_env.text.names import points

ROWS: Final = 24
"""Rows of a terminal with room for all parts; shorter ones get lower seats."""


class TextDialog(ModalScreen[str | None]):
    """Dialog with text. Escape closes it; further keys close it and are its result.

    Args:
        title: Heading.
        text: Text to show.
        close: Label of the key that closes the dialog.
        keys: Further keys with their labels.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,space", "close", show=False)]

    def __init__(self, title: str, text: Text, close: str, keys: dict[str, str] | None = None) -> None:
        super().__init__()
        self._title, self._close, self._keys = title, close, keys or {}
        # Held here, as a dialog that is left at once is resized when it has no children to find. Textual focuses it by itself.
        self._read = VerticalScroll(Static(text))

    def compose(self) -> ComposeResult:
        """Yield the heading, the text and the keys."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title.replace("[", "\\[")
            yield self._read
            for key, words in {**self._keys, "escape": self._close}.items():
                yield Choice(key, words)

    def on_resize(self) -> None:
        """Leave room for the keys below the text."""
        self._read.styles.max_height = max(3, self.app.size.height - 5 - len(self._keys))

    def on_key(self, event: Any) -> None:
        """Close with a further key as the result."""
        if event.key in self._keys:
            event.stop()
            self.dismiss(event.key)

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)


class Choice(Static):
    """Line of a dialog; a click on it has the same effect as its key.

    Args:
        key: Key, and result of the dialog.
        words: Label.
    """

    def __init__(self, key: str, words: str) -> None:
        name = {"escape": "Esc"}.get(key, key.upper())
        super().__init__(Text.assemble((f" {name} ", "reverse bold"), f" {words}"), classes="choice")
        self._key = key

    def on_click(self) -> None:
        """Close the dialog with the key as the result."""
        self.screen.dismiss(None if self._key == "escape" else self._key)


class PickDialog(ModalScreen[int | None]):
    """Dialog to pick one of several lines by arrows and Enter, by number or by click; Escape picks none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]

    def __init__(self, title: str, lines: Sequence[str | Text]) -> None:
        super().__init__()
        self._title, self._lines = title, lines

    def compose(self) -> ComposeResult:
        """Yield the heading and the lines."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title.replace("[", "\\[")
            yield OptionList(*(Option(Text.assemble(f"{number}  ", line)) for number, line in enumerate(self._lines, start=1)))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Close with the selected line."""
        self.dismiss(event.option_index)

    def on_key(self, event: Any) -> None:
        """Close with the line whose number was pressed."""
        if event.key.isdigit() and 1 <= int(event.key) <= len(self._lines):
            event.stop()
            self.dismiss(int(event.key) - 1)

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)


def title_line(title: str, facts: Iterable[str], tr: Words, *, seed: int | None, dealt: int | None = None) -> Text:
    """Return the title of a table: the game, the number of the deal and its seed (if known), and further facts."""
    deal = [] if dealt is None else [tr("tui.deal", number=dealt)]
    begun_by = [] if seed is None else [tr("tui.seed", seed=seed)]
    return Text(" · ".join([title, *deal, *begun_by, *facts]), no_wrap=True, overflow="ellipsis")


def your_line(scene: Scene, style: CardStyle, tr: Words) -> Text:
    """Return the person's own seat, and the seat to move."""
    seat = scene.seats[scene.viewer or 0]
    line = Text.assemble(f"{'▶ ' if seat.is_turn else ''}{seat.name} · ", seat_line(seat, tr))
    if seat.score:
        line.append(f" · {tr('tui.score', points=points(seat.score))}")
    status = sentence(f"   {scene.status}", style)
    status.stylize_before("not bold")
    line.append_text(status)
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def key_bar(keys: Iterable[tuple[str, str, str]]) -> Content:
    """Return clickable keys with their descriptions."""
    parts = [f"[@click=screen.{action}][reverse]{key}[/reverse] {name}[/]" for key, name, action in keys]
    return Content.from_markup("  ".join(parts))


def help_text(page: RulesPage, width: int, keys: str, tr: Words) -> Text:
    """Return the help page: keys, then the rules of a game.

    Args:
        page: Rules of the game.
        width: Maximum line length in columns.
        keys: Description of the keys.
        tr: Texts in one language.
    """
    rules = page.text(width).rstrip("\n")
    return Text.assemble((tr("tui.keys_title"), "bold"), "\n", tr(keys).strip("\n"), "\n\n", rules)


def end_text(scene: Scene, style: CardStyle, tr: Words) -> Text:
    """Return the payoff of each seat and the cards it has left."""
    text = Text()
    for seat in scene.seats:
        paid = points(seat.payoff or 0.0)
        text.append(f"{paid:>8}  {seat.name}", "bold" if (seat.payoff or 0) > 0 else "")
        text.append("".join(f" · {label}" for label in seat.labels))
        if seat.score is not None:
            text.append(f"   {tr('tui.score', points=points(seat.score))}", "dim")
        text.append("\n          ")
        text.append_text(inline(seat.hand, style) if seat.hand else Text(tr("tui.nothing_left"), "dim"))
        text.append("\n")
    return text


PAUSES = (0.0, 0.3, 0.6, 1.2, 2.5)
"""Available pauses in seconds after each move of an agent."""
Found = TypeVar("Found")
Key = tuple[str, str, str]
"""Key of a bar: name, description, action."""


class TableFrame(Screen[None]):
    """Table with a title above the parts of a game, and below them a message line and two bars of keys.

    Subclasses define the parts, how they are drawn, and the effect of the keys.

    Args:
        scene: The game at the start, as the person sees it.
        lang: Language at the start.
        pause: Pause in seconds after each automatic move.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", show=False),
        Binding("h", "hint", show=False),
        Binding("r", "review", show=False),
        Binding("question_mark,f1", "help", show=False),
        Binding("l", "language", show=False),
        Binding("f", "letters", show=False),
        Binding("c", "colours", show=False),
        Binding("d", "light", show=False),
        Binding("s", "speed", show=False),
        Binding("n", "new_deal", show=False),
        Binding("ctrl+c", "leave", show=False, priority=True),
    ]
    KEYS_TEXT = "tui.keys"

    def __init__(self, scene: Scene, lang: Language, pause: float) -> None:
        super().__init__()
        self.shown_scene = scene
        """The game as last read."""
        self.tr = words(lang)
        self.pause = pause
        """Pause in seconds after each automatic move."""
        self.card_style = PLAIN
        """Style of drawn cards."""

    def compose(self) -> ComposeResult:
        """Yield the title, the parts of the game, the message line and the keys."""
        yield Static(id="title")
        yield from self.parts()
        yield Static(id="look")
        yield Static(id="acts", classes="bar")
        yield Static(id="keys", classes="bar")

    # What a game says of itself.

    def parts(self) -> Iterable[Widget]:
        """Yield the widgets between the title and the message line, from top to bottom."""
        raise NotImplementedError

    def title_text(self) -> Text:
        """Return the title."""
        raise NotImplementedError

    def draw_parts(self) -> None:
        """Draw the parts."""
        raise NotImplementedError

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        raise NotImplementedError

    def look_line(self) -> tuple[str, str]:
        """Return the default message and its kind: `good`, `bad` or empty."""
        raise NotImplementedError

    def read_table(self) -> None:
        """Read the state of the game and draw it."""
        raise NotImplementedError

    def review_lines(self) -> Iterable[str]:
        """Yield everything that has happened."""
        raise NotImplementedError

    def rules_page(self) -> RulesPage:
        """Return the rules of the game."""
        raise NotImplementedError

    @property
    def game_is_over(self) -> bool:
        """True if the game on screen is over."""
        return self.shown_scene.is_over

    @property
    def is_waiting(self) -> bool:
        """True while a thread uses the game, which must not be touched then."""
        return False

    def waited_for(self) -> str:
        """Return the message for a person who has to wait."""
        return ""

    def deal_again(self) -> None:
        """Begin the next deal."""
        raise NotImplementedError

    # Drawing.

    def on_resize(self) -> None:
        """Fit the table to the new size."""
        self.set_class(self.size.height < ROWS, "short")
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Draw the state that was last read."""
        self.query_one("#title", Static).update(self.title_text())
        self.draw_parts()
        self.query_one("#acts", Static).update(key_bar(self.act_keys()))
        self.query_one("#keys", Static).update(key_bar(self.view_keys()))
        self.draw_look()

    def view_keys(self) -> list[Key]:
        """Return the keys available at any time."""
        pairs = (("R", "review"), ("?", "help"), ("L", "language"), ("D", "light"), ("S", "speed"), ("N", "new_deal"))
        return [(key, self.tr(f"tui.{action}"), action) for key, action in (*pairs, ("^Q", "leave"))]

    def draw_look(self) -> None:
        """Show `look_line`."""
        self.tell(*self.look_line())

    def tell(self, text: str, kind: str = "") -> None:
        """Show a message above the keys, with its kind: `good`, `bad` or empty."""
        line = self.query_one("#look", Static)
        line.set_class(kind == "good", "good")
        line.set_class(kind == "bad", "bad")
        sign = {"good": "✓ ", "bad": "✗ "}.get(kind, "")
        message = sentence(sign + text, self.card_style)
        message.overflow = "ellipsis"
        line.update(message)

    # What comes up over the table.

    def read_text(self, title: str, text: Text) -> None:
        """Show a text in a dialog."""
        self.app.push_screen(TextDialog(title, sentence(text, self.card_style), self.tr("tui.close")))

    def ask_yes(self, title: str, text: str, act: Callable[[], Any]) -> None:
        """Ask for confirmation, and call `act` if the person confirms."""
        asked = TextDialog(title, sentence(text, self.card_style), self.tr("tui.no"), {"y": self.tr("tui.yes")})
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
        """Deal again. An unfinished game is abandoned only after a confirmation."""
        if self.is_waiting:
            self.tell(self.waited_for())
        elif self.game_is_over:
            self.deal_again()
        else:
            self.ask_yes(self.tr("tui.new_title"), self.tr("tui.new_text"), self.deal_again)

    def action_leave(self) -> None:
        """Leave; ask for confirmation during a game with a `leave_text`."""
        text = self.leave_text()
        if text is None or self.game_is_over or self.app.screen is not self:
            self.app.exit()
        else:
            self.ask_yes(self.tr("tui.leave_title"), text, self.app.exit)

    def leave_text(self) -> str | None:
        """Return the text that explains what happens to the game when the person leaves; `None` if no progress is lost."""
        return None

    # Slow work.

    def in_thread(self, act: Callable[[], Found], done: Callable[[Found | None, Exception | None], None]) -> None:
        """Call a slow function in a daemon thread, then a callback in the application's thread.

        Args:
            act: Slow function.
            done: Callback with the result and the exception; one of the two is `None`.
        """
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
        """Leave because of an error, which is raised after the terminal has been restored."""
        cast("TableApp", self.app).fault = fault
        self.app.exit()

    # How the table looks.

    def action_language(self) -> None:
        """Switch to the next language."""
        if not self.is_waiting:
            every = list(Language)
            self.tr = words(every[(every.index(self.tr.language) + 1) % len(every)])
            self.read_table()

    def action_letters(self) -> None:
        """Switch between symbols and letters for suits."""
        self.card_style = self.card_style._replace(letters=not self.card_style.letters)
        self.draw()

    def action_colours(self) -> None:
        """Switch between two and four colors of suits."""
        self.card_style = self.card_style._replace(four_colours=not self.card_style.four_colours)
        self.draw()

    def action_light(self) -> None:
        """Switch between light and dark."""
        self.app.theme = LIGHT if self.app.theme == DARK else DARK

    def action_speed(self) -> None:
        """Switch to the next pause between the moves of agents."""
        self.pause = next((pause for pause in PAUSES if pause > self.pause), PAUSES[0])
        self.tell(self.tr("tui.pause", seconds=points(self.pause, signed=False)))


DARK = "textual-dark"
LIGHT = "textual-light"


class TableApp(App[None]):
    """Application with one table.

    Args:
        table: Table of a game.
        dark: True for light text on a dark background.
    """

    CSS_PATH = "table.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, table: TableFrame, *, dark: bool = True) -> None:
        super().__init__()
        self.table = table
        """The only screen."""
        self.fault: Exception | None = None
        """Error of an agent that ended the game."""
        self.theme = DARK if dark else LIGHT
        self.title = "big2"

    def on_mount(self) -> None:
        """Show the table."""
        self.push_screen(self.table)

    async def on_event(self, event: Event) -> None:
        """Read the letters that Caps Lock makes capitals as the keys that they are on."""
        if isinstance(event, KeyPressed) and not event.is_forwarded and len(event.key) == 1 and event.key.isupper():
            event = KeyPressed(event.key.lower(), event.key.lower())
        await super().on_event(event)

    async def action_quit(self) -> None:
        """Leave; the table asks for confirmation during a game."""
        self.table.action_leave()
