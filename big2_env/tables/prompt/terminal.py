"""The prompt's terminal: typed lines, and scenes as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from big2_env.base.language import Words
from big2_env.cli._options import is_at_terminal
from big2_env.drawing import CardFace, Scene, ShownSeat
from big2_env.drawing.terminal import QUIET, STYLES, Styles, cards_text, coloured, face_text
from big2_env.tables import terminal as tui
from big2_env.text.events import seat_facts
from big2_env.text.marked import plain
from big2_env.text.names import points


def hand_lines(
    hand: Sequence[CardFace], width: int, signs: bool, indices_too: bool = True, styles: Styles = STYLES
) -> list[Text]:
    """Return a hand as lines that break between cards, by default with indices above the cards.

    Args:
        hand: Cards from low to high.
        width: Columns of the terminal.
        signs: True for suits as symbols.
        indices_too: False to leave out the indices.
        styles: Text style of a card by suit.
    """
    found: list[Text] = []
    indices, cards, used = Text(), Text(), 0
    for index, face in enumerate(hand):
        shown = face_text(face, notation=not signs)
        cell = max(len(shown), len(str(index)) if indices_too else 0) + 1
        if used and used + cell > width:
            found += [indices, cards] if indices_too else [cards]
            indices, cards, used = Text(), Text(), 0
        indices.append(f"{index:<{cell}}", QUIET)
        cards.append(f"{shown:<{cell}}", styles.get(face.suit, styles[""]))
        used += cell
    found += [indices, cards] if indices_too else [cards]
    for line in found:
        line.rstrip()
    return found


def table_lines(scene: Scene, tr: Words, signs: bool, styles: Styles = STYLES) -> list[Text]:
    """Return the seats, the cards on the table, and the state of the game as lines.

    Args:
        scene: Scene to show.
        tr: Texts of the language.
        signs: True for suits as symbols.
        styles: Text style of a card by suit.
    """
    seats = Text(", ", QUIET).join(Text(_seat(seat, tr), "bold" if seat.is_turn else QUIET) for seat in scene.seats)
    areas = (f"{area.label}: {' '.join(card.text for card in area.cards) or area.count}" for area in scene.areas if area.count)
    facts = "; ".join([*scene.facts, *areas])
    lines = [facts, scene.status] if facts else [scene.status]
    return [Text(), seats, *(coloured(line, signs=signs, styles=styles) for line in lines)]


def _seat(seat: ShownSeat, tr: Words) -> str:
    score = [tr("tui.score", points=points(seat.score))] if seat.score else []
    return f"{seat.name} {' · '.join([*seat_facts(seat, tr), *score])}"


def end_lines(scene: Scene, signs: bool, styles: Styles = STYLES) -> list[Text]:
    """Return a line per seat with its payoff and remaining cards, after the end of a game."""
    width = max(cell_len(seat.name) for seat in scene.seats)
    return [
        Text.assemble(
            f"  {set_cell_size(seat.name, width)}  {points(seat.payoff or 0.0):>6}  ",
            cards_text(seat.hand or (), notation=not signs, styles=styles),
        )
        for seat in scene.seats
    ]


MAX_LINE: Final = 1000
"""Most characters that are read of a line."""
COMMANDS: Final = {
    **dict.fromkeys(("q", "quit", "exit", "離開", "离开"), "quit"),
    **dict.fromkeys(("h", "hint", "提示"), "hint"),
    **dict.fromkeys(("v", "values", "評估", "评估"), "values"),
    **dict.fromkeys(("u", "undo", "悔牌", "復原", "复原"), "undo"),
    **dict.fromkeys(("r", "review", "復盤", "复盘", "回顧", "回顾"), "review"),
    **dict.fromkeys(("state", "狀態", "状态"), "state"),
    **dict.fromkeys(("?", "help", "說明", "说明"), "help"),
    **dict.fromkeys(("points", "點數", "点数"), "points"),
    **dict.fromkeys(("indices", "序號", "序号"), "indices"),
}
"""Commands that are not moves, by the words that name them."""
CARDS_TOO: Final = ("h", "q")
"""Commands that are cards if numbers are ranks: the lowest heart, a queen."""


class TypedLines:
    """Lines from a terminal, with arrow keys and history, or from a pipe."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self.is_terminal = lines.isatty()
        """True if a person types."""
        if self.is_terminal:
            import readline  # noqa: F401  # arrow keys and history for `input`

    def read(self) -> str | None:
        """Return a line in usual forms of letters, a long one cut to `MAX_LINE` characters; `None` at the end of the input."""
        if self.is_terminal:
            try:
                line = input("> ")
            except EOFError:
                print()
                return None
        else:
            print("> ", end="", flush=True)
            line = rest = self._lines.readline(MAX_LINE)
            while len(rest) == MAX_LINE and not rest.endswith("\n"):
                rest = self._lines.readline(MAX_LINE)
            if not line:
                print()
                return None
        return line if len(line) >= MAX_LINE else plain(line)


def has_table(plain: bool) -> bool:
    """Return whether a card table can be shown and is wanted.

    Args:
        plain: True to use the prompt even if a table can be shown.
    """
    return not plain and is_at_terminal() and tui.is_installed()
