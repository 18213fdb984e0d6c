"""Widgets for the other seats and the middle of the table, and cards as characters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal
from textual.widgets import Static

from big2_env.base.language import Words
from big2_env.drawing import CardFace, Scene, ShownMove, ShownSeat
from big2_env.drawing.terminal import SIGNS, coloured, face_text
from big2_env.text.events import seat_facts
from big2_env.text.names import points

COLOUR_LETTERS: Final = {"red": "R", "yellow": "Y", "green": "G", "blue": "B"}
"""Letters of UNO's colors."""
MARKS: Final = {**SIGNS, **COLOUR_LETTERS, "": "★"}
"""Symbols of the suits; jokers and wild cards have a star."""
LETTERS: Final = {**{suit: suit[0].upper() for suit in SIGNS}, **COLOUR_LETTERS, "": "*"}
"""Letters of the suits."""
STARRED: Final = ("LJ", "BJ", "wild", "+4", "W")
"""Ranks without a suit that have a star instead."""
SHORT_RANKS: Final = {"skip": "⊘", "reverse": "⇄", "wild": "W"}
"""Short form of ranks that are words, for the corner of a card."""
PAPER: Final = "#f6f3e8"
INKS: Final = {
    **{"club": "#16161a", "diamond": "#b3122a", "heart": "#b3122a", "spade": "#16161a", "": "#6d1f8a"},
    **{"red": "#b3122a", "yellow": "#7a4f00", "green": "#14602a", "blue": "#0b4fa8"},
}
"""Color of each suit, with a contrast of at least 5.5 to 1 on the card."""
FOUR_INKS: Final = {**INKS, "club": INKS["green"], "diamond": INKS["blue"]}
"""Color of each suit with green clubs and blue diamonds."""
EDGE: Final = Style(color="#5c5a52", bgcolor=PAPER)
CARD: Final = 5
"""Columns per card."""
STEP: Final = 3
"""Minimum visible columns of an overlapped card."""
ROWS: Final = 6
"""Lines of a row of cards: one for raised cards, four for the card, one for the cursor."""
CELL: Final = 6
"""Columns of a card in a line of cells."""


class CardStyle(NamedTuple):
    """Style in which a table draws cards."""

    letters: bool = False
    """True to show suits as letters."""
    four_colours: bool = False
    """True for green clubs and blue diamonds."""


PLAIN: Final = CardStyle()


def mark(face: CardFace, style: CardStyle = PLAIN) -> str:
    """Return the symbol or the letter of a card's suit."""
    if not face.suit and face.rank not in STARRED:
        return ""
    return (LETTERS if style.letters else MARKS).get(face.suit, "?")


def rank(face: CardFace) -> str:
    """Return the text in a card's corner, at most two characters."""
    return SHORT_RANKS.get(face.rank, face.rank[:2])


def ink(face: CardFace, style: CardStyle = PLAIN) -> Style:
    """Return the text style of a card's corner."""
    inks = FOUR_INKS if style.four_colours else INKS
    return Style(color=inks.get(face.suit, "black"), bgcolor=PAPER, bold=True)


def inline(faces: Iterable[CardFace], style: CardStyle = PLAIN) -> Text:
    """Return cards as one line: `8♦ 8♠`, or `D[8] S[8]` with letters."""
    return Text(" ").join(Text(face_text(face, notation=style.letters), ink(face, style)) for face in faces)


def hands_table(seats: Iterable[ShownSeat], style: CardStyle) -> Table:
    """Return the hands of some seats, one line each; hidden cards as blocks."""
    hands = Table.grid(padding=(0, 1))
    hands.add_column(no_wrap=True)
    hands.add_column(justify="right", no_wrap=True)
    hands.add_column(overflow="fold")
    for seat in seats:
        cards = Text("█" * seat.count, "dim") if seat.hand is None else inline(seat.hand, style)
        name = Text(f"{'▶' if seat.is_turn else ' '} {seat.name}", "bold" if seat.is_turn else "")
        hands.add_row(name, f"({seat.count})", cards)
    return hands


_STYLES: Final = {
    four: {suit: Style(color=colour, bgcolor=PAPER, bold=True) for suit, colour in inks.items()}
    for four, inks in ((False, INKS), (True, FOUR_INKS))
}


def sentence(text: str | Text, style: CardStyle = PLAIN) -> Text:
    """Return a sentence with its cards drawn as `inline` draws them.

    Args:
        text: The sentence, with cards in notation.
        style: Style of the cards.

    >>> sentence("Greedy 1: pair D[8] S[8]").plain
    'Greedy 1: pair 8♦ 8♠'
    """
    return coloured(text, signs=not style.letters, styles=_STYLES[style.four_colours])


def width_of(count: int, step: int = STEP) -> int:
    """Return the width in columns of a row of cards that begin `step` columns apart."""
    return step * (count - 1) + CARD if count else 0


def step_of(count: int, width: int) -> int:
    """Return the distance between cards that fits their row into a width, from `STEP` to `CARD` columns."""
    return max(STEP, min(CARD, (width - CARD) // max(1, count - 1)))


def card_rows(
    faces: Sequence[CardFace],
    raised: Collection[int] = (),
    cursor: int | None = None,
    step: int = STEP,
    style: CardStyle = PLAIN,
) -> list[Text]:
    """Return cards as `ROWS` lines of equal width.

    Args:
        faces: The cards.
        raised: Indices of cards to draw one line higher.
        cursor: Index of the card with the cursor.
        step: Distance between cards in columns.
        style: Style of the cards.

    >>> from big2_env.text.names import faces
    >>> from big2_env import BIG2
    >>> from big2_env.base.language import Language, words
    >>> cards = faces(BIG2, BIG2.play("C[10] D[10]").mask, words(Language.EN))
    >>> for row in card_rows(cards, raised=[1], cursor=0):
    ...     print("|" + row.plain + "|")
    |   ╭───╮|
    |╭──│10 │|
    |│10│♦  │|
    |│♣ ╰───╯|
    |╰───╯   |
    | ▲      |
    """
    count = len(faces)
    grid = [[(" ", Style.null())] * width_of(count, step) for _ in range(ROWS)]
    for place, face in enumerate(faces):
        top = 0 if place in raised else 1
        left = step * place
        corner, suit = list(f"{rank(face):<3}"), list(f"{mark(face, style):<3}")
        for row, (inner, shade) in enumerate(
            [(list("╭───╮"), EDGE), (corner, ink(face, style)), (suit, ink(face, style)), (list("╰───╯"), EDGE)]
        ):
            line = [(char, shade) for char in inner]
            grid[top + row][left : left + CARD] = line if len(line) == CARD else [("│", EDGE), *line, ("│", EDGE)]
    if cursor is not None and cursor < count:
        grid[ROWS - 1][step * cursor + 1] = ("▲", Style(bold=True))
    return [Text.assemble(*((char, style) for char, style in line)) for line in grid]


def cell_rows(
    faces: Sequence[CardFace], width: int, raised: Collection[int] = (), cursor: int | None = None, style: CardStyle = PLAIN
) -> list[Text]:
    """Return cards as lines of cells, for small screens: `[8♦]` is selected, `>8♦<` has the cursor, `{8♦}` both.

    Args:
        faces: The cards.
        width: Width of a line in columns.
        raised: Indices of the selected cards.
        cursor: Index of the card with the cursor.
        style: Style of the cards.
    """
    found: list[Text] = []
    each = max(1, width // CELL)
    for start in range(0, len(faces), each):
        line = Text()
        for place, face in enumerate(faces[start : start + each], start=start):
            marks = ("{}" if place in raised else "><") if place == cursor else ("[]" if place in raised else "  ")
            corner = f"{rank(face)}{mark(face, style)}"
            line.append(marks[0], Style(bold=True))
            line.append(corner, ink(face, style))
            line.append(marks[1] + " " * (CELL - 2 - len(corner)), Style(bold=True))
        found.append(line)
    return found


MOST_IN_A_ROW = 5
"""Maximum number of seats side by side."""
SEAT_ROWS = 5
"""Lines of a seat, including its border."""


def seat_line(seat: ShownSeat, tr: Words) -> Text:
    """Return a seat's number of cards and further facts as one line."""
    count, *labels = seat_facts(seat, tr)
    return Text(" · ").join([Text(count, "bold" if seat.count <= 2 else ""), *map(Text, labels)])


def move_lines(move: ShownMove | None, style: CardStyle) -> Text:
    """Return a seat's last move: the word, and its cards below."""
    if move is None:
        return Text("")
    return Text.assemble((move.words, "dim" if move.kind == "pass" else "bold"), "\n", inline(move.cards, style))


class SeatsView(Grid):
    """Box for each of the other seats, in playing order."""

    def show(self, scene: Scene, style: CardStyle, tr: Words) -> None:
        """Show all seats of a scene except the viewer's."""
        number = len(scene.seats)
        first, least = (0, 0) if scene.viewer is None else (scene.viewer, 1)
        others = [scene.seats[(first + distance) % number] for distance in range(least, number)]
        boxes = list(self.query(Static))
        if len(boxes) != len(others):
            self.remove_children()
            boxes = [Static(classes="seat") for _ in others]
            self.mount(*boxes)
        columns = len(others) if len(others) <= MOST_IN_A_ROW else -(-len(others) // 2)
        self.styles.grid_size_columns = columns
        rows = SEAT_ROWS - 2 * self.screen.has_class("short")  # without the last move, which the middle shows
        self.styles.height = rows * -(-len(others) // columns)
        for seat, box in zip(others, boxes, strict=True):
            box.border_title = f"{'▶ ' if seat.is_turn else ''}{seat.name}".replace("[", "\\[")
            box.border_subtitle = points(seat.score) if seat.score else ""
            box.set_class(seat.is_turn, "turn")
            lines = Text.assemble(seat_line(seat, tr), "\n", move_lines(seat.act, style))
            lines.no_wrap, lines.overflow = True, "ellipsis"
            box.update(lines)


class MiddleView(Horizontal):
    """Play to beat, and recent events."""

    def compose(self) -> ComposeResult:
        """Yield the two halves."""
        yield Static(id="top")
        yield Static(id="events")

    def show(self, scene: Scene, style: CardStyle, tr: Words) -> None:
        """Show the middle of the table."""
        width, height = self.size.width or self.app.size.width - 2, self.size.height or 8
        half = max(width * 3 // 5, 20)
        lines: list[Text] = []

        def lay(cards: Sequence[CardFace]) -> None:
            fits = width_of(len(cards)) < half and height >= ROWS
            lines.extend(card_rows(cards, style=style)[1:-1] if fits else [inline(cards, style)])

        if (move := scene.top) is not None:
            lines.append(Text(tr("tui.to_beat", words=move.words, name=scene.seats[move.seat].name), "bold"))
            lay(move.cards)
        for area in scene.areas:
            if area.place == "centre" and area.cards:
                lines.append(Text(f"{area.label} ({area.count})", "bold"))
                lay(area.cards)
        lines += _areas(scene, style)
        self.query_one("#top", Static).update(Text("\n").join(lines))
        shown = Text("\n").join(sentence(line, style) for line in scene.events[-height:])
        shown.no_wrap, shown.overflow = True, "ellipsis"
        self.query_one("#events", Static).update(shown)


def _areas(scene: Scene, style: CardStyle) -> Sequence[Text]:
    """Return piles and cards next to the play, one line each."""
    return [
        Text.assemble(f"{area.label}: ", inline(area.cards, style) if area.cards else str(area.count))
        for area in scene.areas
        if area.count and not (area.place == "centre" and area.cards)
    ]
