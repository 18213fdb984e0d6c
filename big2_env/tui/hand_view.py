"""The person's hand: cards that are chosen by mouse and keys."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from big2_env.show import CardFace
from big2_env.tui.table_view import CARD, CELL, ROWS, STEP, card_rows, cell_rows, rank, step_of, width_of

SPARE_ROWS = 13
"""Rows of the screen that the rest of the table needs beside the hand."""


class HandView(Widget):
    """The hand, with the cards that are chosen raised."""

    class Chosen(Message):
        """The choice has changed."""

    def __init__(self) -> None:
        super().__init__()
        self.faces: tuple[CardFace, ...] = ()
        self.letters = False
        """True if suits are letters."""
        self.chosen: set[int] = set()
        """The places of the chosen cards."""
        self.cursor = 0

    def show(self, faces: Sequence[CardFace], letters: bool) -> None:
        """Show a hand; where it is another one than before, nothing is chosen."""
        if tuple(faces) != self.faces:
            self.faces, self.chosen = tuple(faces), set()
            self.cursor = min(self.cursor, max(0, len(faces) - 1))
        self.letters = letters
        self.fit()

    def fit(self) -> None:
        """Take as many rows as the hand needs at the present size of the screen."""
        self.styles.height = max(1, len(self._rows()))
        self.refresh()

    def _per_row(self) -> int:
        """Cards in a row of drawn cards; 0 where there is no room to draw them."""
        width, height = self.app.size.width - 2, self.app.size.height
        each = max(1, (width - CARD) // STEP + 1)
        rows = -(-len(self.faces) // each)
        if rows * ROWS > height - SPARE_ROWS or width_of(1) > width:
            return 0
        return -(-len(self.faces) // max(1, rows))

    def _step(self, each: int) -> int:
        """Columns from card to card where a row has so many."""
        return step_of(each, self.app.size.width - 4)

    def _rows(self) -> list[Text]:
        each = self._per_row()
        if not each:
            return cell_rows(self.faces, self.app.size.width - 2, self.chosen, self.cursor, self.letters)
        found = []
        for start in range(0, len(self.faces), each):
            raised = {place - start for place in self.chosen}
            cursor = self.cursor - start if start <= self.cursor < start + each else None
            found += card_rows(self.faces[start : start + each], raised, cursor, self.letters, self._step(each))
        return found

    def render(self) -> Text:
        """The rows of cards."""
        return Text("\n").join(self._rows())

    def place_at(self, x: int, y: int) -> int | None:
        """The place of the card at a cell of the widget, `None` beside the cards."""
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
        """Choose the card under the mouse, or no longer."""
        place = self.place_at(event.x, event.y)
        if place is not None:
            self.cursor = place
            self.toggle()

    def move(self, by: int) -> None:
        """Move the cursor; it goes round at the ends."""
        if self.faces:
            self.cursor = (self.cursor + by) % len(self.faces)
            self.refresh()

    def toggle(self, chosen: bool | None = None) -> None:
        """Choose the card at the cursor or no longer; by default whichever it is not."""
        if self.faces:
            choose = self.cursor not in self.chosen if chosen is None else chosen
            self.choose(self.chosen | {self.cursor} if choose else self.chosen - {self.cursor})

    def choose(self, places: set[int]) -> None:
        """Choose these cards and no others."""
        self.chosen = {place for place in places if place < len(self.faces)}
        self.refresh()
        self.post_message(self.Chosen())

    def choose_rank(self, ranks: Sequence[str]) -> bool:
        """Choose one more card of these ranks; none of them once all were chosen. False if the hand has none."""
        places = [place for place, face in enumerate(self.faces) if rank(face) in ranks]
        if not places:
            return False
        free = [place for place in places if place not in self.chosen]
        self.cursor = free[0] if free else places[0]
        self.choose(self.chosen | {free[0]} if free else self.chosen - set(places))
        return True
