"""The other seats, and the middle of the table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Grid, Horizontal
from textual.widgets import Static

from big2_env.language import Words
from big2_env.show import CardFace, Scene, ShownAct, ShownSeat
from big2_env.show.card_text import with_signs
from big2_env.text.events import seat_facts
from big2_env.text.names import points
from big2_env.tui.card_rows import ROWS, card_rows, inline, width_of

MOST_IN_A_ROW = 5
"""Most seats side by side."""
SEAT_ROWS = 5
"""Rows of a seat, its border included."""


def seat_line(seat: ShownSeat, tr: Words) -> Text:
    """How many cards a seat has, and what else holds for it, in a line."""
    count, *labels = seat_facts(seat, tr)
    return Text(" · ").join([Text(count, "bold" if seat.count <= 2 else ""), *map(Text, labels)])


def act_lines(act: ShownAct | None, letters: bool) -> Text:
    """What a seat did: the word, and its cards below."""
    if act is None:
        return Text("")
    return Text.assemble((act.words, "dim" if act.kind == "pass" else "bold"), "\n", inline(act.cards, letters))


class SeatsView(Grid):
    """A box for each of the other seats, in the order of play."""

    def show(self, scene: Scene, letters: bool, tr: Words) -> None:
        """Show the seats of a scene but the viewer's own."""
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
        self.styles.height = SEAT_ROWS * -(-len(others) // columns)
        for seat, box in zip(others, boxes, strict=True):
            box.border_title = f"{'▶ ' if seat.is_turn else ''}{seat.name}".replace("[", "\\[")
            box.border_subtitle = points(seat.score) if seat.score else ""
            box.set_class(seat.is_turn, "turn")
            lines = Text.assemble(seat_line(seat, tr), "\n", act_lines(seat.act, letters))
            lines.no_wrap, lines.overflow = True, "ellipsis"
            box.update(lines)


class MiddleView(Horizontal):
    """The play that has to be beaten, and what happened last."""

    def compose(self) -> ComposeResult:
        """The two halves."""
        yield Static(id="top")
        yield Static(id="events")

    def show(self, scene: Scene, letters: bool, tr: Words) -> None:
        """Show the middle of the table."""
        width, height = self.size.width or self.app.size.width - 2, self.size.height or 8
        half = max(width * 3 // 5, 20)
        lines: list[Text] = []

        def lay(cards: Sequence[CardFace]) -> None:
            fits = width_of(len(cards)) < half and height >= ROWS
            lines.extend(card_rows(cards, letters=letters)[1:-1] if fits else [inline(cards, letters)])

        if (act := scene.top) is not None:
            lines.append(Text(tr("tui.to_beat", words=act.words, name=scene.seats[act.seat].name), "bold"))
            lay(act.cards)
        for area in scene.areas:
            if area.place == "centre" and area.cards:
                lines.append(Text(f"{area.label} ({area.count})", "bold"))
                lay(area.cards)
        lines += _areas(scene, letters)
        self.query_one("#top", Static).update(Text("\n").join(lines))
        shown = Text("\n").join(Text(line if letters else with_signs(line)) for line in scene.events[-height:])
        shown.no_wrap, shown.overflow = True, "ellipsis"
        self.query_one("#events", Static).update(shown)


def _areas(scene: Scene, letters: bool) -> Sequence[Text]:
    """Piles and cards beside the play, a line each."""
    return [
        Text.assemble(f"{area.label}: ", inline(area.cards, letters) if area.cards else str(area.count))
        for area in scene.areas
        if area.count and not (area.place == "centre" and area.cards)
    ]
