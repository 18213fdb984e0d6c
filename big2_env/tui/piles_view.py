"""Klondike's table: piles of cards with a cursor, drawn from a scene."""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from big2_env.show import Area, CardFace, Scene
from big2_env.tui.card_rows import ink, mark, rank

CELL: Final = 6
"""Columns of a card with its two marks."""
TOP_ROWS: Final = 3
"""Rows above the columns: labels, cards, a free one."""
ABOVE: Final = ("stock", "waste", "foundation_0", "foundation_1", "foundation_2", "foundation_3")
"""The places above the columns."""
COLUMN_OF: Final = dict(zip(ABOVE, (0, 1, 3, 4, 5, 6), strict=True))
"""Over which column each of them lies; the dealt cards take two."""
PILES: Final = tuple(f"pile_{number}" for number in range(1, 8))
BACK: Final = Style(dim=True)


class Spot(NamedTuple):
    """A place on the table where the cursor can be."""

    area: str
    """The key of the scene's area."""
    card: int = 0
    """The number of the card in it; of an empty area 0."""


class PilesView(Widget):
    """Stock, dealt cards and foundations above, the columns below."""

    class Clicked(Message):
        """A place was clicked."""

        def __init__(self, spot: Spot) -> None:
            super().__init__()
            self.spot = spot
            """Where."""

    def __init__(self) -> None:
        super().__init__()
        self.areas: dict[str, Area] = {}
        self.cursor = Spot("stock")
        """Where the cursor is."""
        self.taken: str = ""
        """The card that is taken, in notation; empty for none."""
        self.letters = False

    def show(self, scene: Scene, taken: str, letters: bool) -> None:
        """Show a scene of Klondike; the cursor stays where it can."""
        self.areas = {area.key: area for area in scene.areas}
        self.taken, self.letters = taken, letters
        self.cursor = self.nearest(self.cursor)
        self.refresh()

    def nearest(self, spot: Spot) -> Spot:
        """The place next to a place at which there is a card face up, or an empty area."""
        cards = self.areas[spot.area].cards if spot.area in self.areas else ()
        first = next((number for number, card in enumerate(cards) if not card.is_back), 0)
        return Spot(spot.area, max(first, min(spot.card, len(cards) - 1)))

    def card_at(self, spot: Spot) -> CardFace | None:
        """The card face up at a place, `None` where there is none."""
        cards = self.areas[spot.area].cards
        return cards[spot.card] if spot.card < len(cards) and not cards[spot.card].is_back else None

    def spot_of(self, card: str) -> Spot | None:
        """Where a card in notation lies face up."""
        places = (Spot(key, number) for key, area in self.areas.items() for number in range(len(area.cards)))
        return next((spot for spot in places if self.areas[spot.area].cards[spot.card].text == card), None)

    def move(self, right: int, down: int) -> None:
        """Move the cursor by a place."""
        area, card = self.cursor
        if area in PILES:
            self._move_in_piles(PILES.index(area), card, right, down)
        elif down > 0:
            self._to(PILES[COLUMN_OF[area] + (card if area == "waste" and card < 2 else 0)], 0)
        elif right:
            steps = [Spot("stock")]
            steps += [Spot("waste", number) for number in range(max(1, len(self.areas["waste"].cards)))]
            steps += [Spot(key) for key in ABOVE[2:]]
            at = steps.index(self.cursor) if self.cursor in steps else 0
            self.cursor = steps[(at + right) % len(steps)]
        self.refresh()

    def _move_in_piles(self, column: int, card: int, right: int, down: int) -> None:
        if right:
            self._to(PILES[(column + right) % len(PILES)], card)
        elif self.nearest(Spot(PILES[column], card + down)) != self.cursor:
            self._to(PILES[column], card + down)
        elif down < 0:
            above = next(key for key in reversed(ABOVE) if COLUMN_OF[key] <= column)
            self._to(above, max(0, len(self.areas[above].cards) - 1))

    def _to(self, area: str, card: int) -> None:
        self.cursor = self.nearest(Spot(area, card))

    # Drawing.

    def _width(self) -> int:
        """Columns from one column of cards to the next."""
        return max(CELL + 1, min(14, (self.size.width or self.app.size.width) // len(PILES)))

    def _hidden_rows(self, area: Area) -> int:
        """How many rows the cards that lie face down take: one each where there is room, else one in all."""
        down = sum(card.is_back for card in area.cards)
        room = (self.size.height or self.app.size.height) - TOP_ROWS - 1
        return down if len(area.cards) <= room else min(down, 1)

    def render(self) -> Text:
        """The rows."""
        width = self._width()
        lines = [Text(), Text()]
        for key in ABOVE:
            self._above(lines, self.areas[key], COLUMN_OF[key] * width)
        lines += [Text(), Text("".join(f" {number:<{width - 1}}" for number in range(1, len(PILES) + 1)), "dim")]
        columns = [self._column(self.areas[key]) for key in PILES]
        for row in range(max(map(len, columns))):
            line = Text()
            for column in columns:
                cell = column[row] if row < len(column) else Text()
                cell.pad_right(width - cell.cell_len)
                line.append_text(cell)
            lines.append(line)
        return Text("\n").join(lines)

    def _above(self, lines: list[Text], area: Area, left: int) -> None:
        """A place above the columns, with its label."""
        for line in lines:
            line.pad_right(max(0, left - line.cell_len))
        lines[0].append(f" {area.label}{f' {area.count}' if area.count else ''}", "dim")
        if area.key == "stock":
            lines[1].append_text(self._marked(Text("▒▒▒▒" if area.count else " -- ", BACK), Spot("stock")))
        elif area.cards:
            for number, card in enumerate(area.cards):
                lines[1].append_text(self._cell(card, Spot(area.key, number)))
        else:
            lines[1].append_text(self._marked(Text(" -- ", BACK), Spot(area.key)))

    def _column(self, area: Area) -> list[Text]:
        hidden, down = self._hidden_rows(area), sum(card.is_back for card in area.cards)
        cells = [Text(" ▒▒▒▒" if hidden == down else f" ▒▒×{down}", BACK) for _ in range(hidden)]
        cells += [self._cell(card, Spot(area.key, number)) for number, card in enumerate(area.cards) if not card.is_back]
        return cells or [self._marked(Text(" -- ", BACK), Spot(area.key))]

    def _cell(self, card: CardFace, spot: Spot) -> Text:
        return self._marked(Text(f"{rank(card) + mark(card, self.letters):^4}", ink(card)), spot, card.text == self.taken)

    def _marked(self, text: Text, spot: Spot, is_taken: bool = False) -> Text:
        """A place with what says that the cursor is there, `>8♦<`, or that the card is taken, `[8♦]`; both, `{8♦}`."""
        marks = ("{}" if is_taken else "><") if spot == self.cursor else ("[]" if is_taken else "  ")
        return Text.assemble((marks[0], "bold"), text, (marks[1], "bold"))

    # The mouse.

    def spot_at(self, x: int, y: int) -> Spot | None:
        """The place at a cell of the widget, `None` beside all."""
        column, inside = divmod(x, self._width())
        if y < 0 or x < 0 or column >= len(PILES):
            return None
        if y < TOP_ROWS:
            key = next(key for key in reversed(ABOVE) if COLUMN_OF[key] <= column)
            place = (x - COLUMN_OF[key] * self._width()) // CELL if key == "waste" else 0
            is_there = place < max(1, len(self.areas[key].cards)) if key == "waste" else inside < CELL
            return Spot(key, place) if is_there else None
        area = self.areas[PILES[column]]
        down = sum(card.is_back for card in area.cards)
        number = y - TOP_ROWS - 1 - self._hidden_rows(area) + down
        return self.nearest(Spot(area.key, number)) if inside < CELL else None

    def on_click(self, event: events.Click) -> None:
        """Say where."""
        spot = self.spot_at(event.x, event.y)
        if spot is not None:
            self.cursor = spot
            self.refresh()
            self.post_message(self.Clicked(spot))
