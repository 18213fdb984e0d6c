"""What comes up over the table: texts to read, and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option


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
