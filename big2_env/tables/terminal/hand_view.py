"""Widget for the person's hand, with cards selected by mouse and keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from big2_env.drawing import CardFace
from big2_env.tables.terminal.table_view import (
    CARD,
    CELL,
    PLAIN,
    ROWS,
    STEP,
    CardStyle,
    card_rows,
    cell_rows,
    rank,
    step_of,
    width_of,
)

SPARE_ROWS = 13
"""Screen rows that the rest of the table needs."""


class HandView(Widget):
    """Hand of cards; selected cards are raised."""

    class Chosen(Message):
        """Message: the selection has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.faces: tuple[CardFace, ...] = ()
        self.card_style = PLAIN
        self.chosen: set[int] = set()
        """Indices of the selected cards."""
        self.cursor = 0

    def show(self, faces: Sequence[CardFace], style: CardStyle) -> None:
        """Show a hand. A different hand clears the selection."""
        if tuple(faces) != self.faces:
            self.faces, self.chosen = tuple(faces), set()
            self.cursor = min(self.cursor, max(0, len(faces) - 1))
        self.card_style = style
        self.fit()

    def fit(self) -> None:
        """Set the height to the rows that the hand needs at the current screen size."""
        self.styles.height = max(1, len(self._rows()))
        self.refresh()

    def _per_row(self) -> int:
        """Return the number of drawn cards per row; 0 if there is not enough room to draw cards."""
        width, height = self.app.size.width - 2, self.app.size.height
        each = max(1, (width - CARD) // STEP + 1)
        rows = -(-len(self.faces) // each)
        if rows * ROWS > height - SPARE_ROWS or width_of(1) > width:
            return 0
        return -(-len(self.faces) // max(1, rows))

    def _step(self, each: int) -> int:
        """Return the distance in columns between neighboring cards in a row."""
        return step_of(each, self.app.size.width - 4)

    def _rows(self) -> list[Text]:
        each = self._per_row()
        if not each:
            return cell_rows(self.faces, self.app.size.width - 2, self.chosen, self.cursor, self.card_style)
        found = []
        for start in range(0, len(self.faces), each):
            raised = {place - start for place in self.chosen}
            cursor = self.cursor - start if start <= self.cursor < start + each else None
            found += card_rows(self.faces[start : start + each], raised, cursor, self._step(each), self.card_style)
        return found

    def render(self) -> Text:
        """Return the rows of cards."""
        return Text("\n").join(self._rows())

    def place_at(self, x: int, y: int) -> int | None:
        """Return the index of the card at a cell of the widget; `None` outside the cards."""
        each = self._per_row()
        if not each:
            place = y * max(1, (self.app.size.width - 2) // CELL) + x // CELL
            return place if 0 <= x < self.app.size.width - 2 and place < len(self.faces) else None
        start = y // ROWS * each
        count = min(each, len(self.faces) - start)
        step = self._step(each)
        if count <= 0 or not 0 <= x < width_of(count, step):
            return None
        return start + min(x // step, count - 1)

    def on_click(self, event: events.Click) -> None:
        """Toggle the card under the mouse."""
        place = self.place_at(event.x, event.y)
        if place is not None:
            self.cursor = place
            self.toggle()

    def move(self, by: int) -> None:
        """Move the cursor, wrapping around at both ends."""
        if self.faces:
            self.cursor = (self.cursor + by) % len(self.faces)
            self.refresh()

    def toggle(self, chosen: bool | None = None) -> None:
        """Select or deselect the card at the cursor; by default toggle it."""
        if self.faces:
            choose = self.cursor not in self.chosen if chosen is None else chosen
            self.choose(self.chosen | {self.cursor} if choose else self.chosen - {self.cursor})

    def choose(self, places: set[int]) -> None:
        """Select exactly these cards."""
        self.chosen = {place for place in places if place < len(self.faces)}
        self.refresh()
        self.post_message(self.Chosen())

    def choose_rank(self, ranks: Sequence[str]) -> bool:
        """Select one more card of these ranks, or deselect them if all were selected. Return False if the hand has none."""
        places = [place for place, face in enumerate(self.faces) if rank(face) in ranks]
        if not places:
            return False
        free = [place for place in places if place not in self.chosen]
        self.cursor = free[0] if free else places[0]
        self.choose(self.chosen | {free[0]} if free else self.chosen - set(places))
        return True
