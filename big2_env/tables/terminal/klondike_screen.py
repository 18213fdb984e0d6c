"""Table of Klondike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, ClassVar, Final, NamedTuple

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from big2_env.base.errors import IllegalPlayError
from big2_env.base.language import Language
from big2_env.drawing import Area, CardFace, Scene
from big2_env.drawing.terminal import face_text, with_short_signs
from big2_env.games.klondike.cards import DEAL, FOUNDATION, card_move, card_text, move_of, parse_card, suit_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import Hint, hint, hint_text
from big2_env.games.klondike.scene import face
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.side_screen import SideTable
from big2_env.tables.terminal.table_frame import Key, title_line
from big2_env.tables.terminal.table_view import PLAIN, CardStyle, ink, mark, rank

CELL: Final = 6
"""Columns per card, including two marks."""
TOP_ROWS: Final = 3
"""Rows above the piles: labels, cards and a blank one."""
ABOVE: Final = ("stock", "waste", "foundation_0", "foundation_1", "foundation_2", "foundation_3")
"""Areas above the piles."""
COLUMN_OF: Final = dict(zip(ABOVE, (0, 1, 3, 4, 5, 6), strict=True))
"""Column of each area above the piles; the dealt cards take two."""
PILES: Final = tuple(f"pile_{number}" for number in range(1, 8))
BACK: Final = Style(dim=True)


class Spot(NamedTuple):
    """Possible position of the cursor."""

    area: str
    """Key of the scene's area."""
    card: int = 0
    """Index of the card in the area; 0 in an empty area."""


class PilesView(Widget):
    """Widget with stock, dealt cards and foundations above the piles."""

    class Clicked(Message):
        """Message: a position was clicked."""

        def __init__(self, spot: Spot) -> None:
            super().__init__()
            self.spot = spot

    def __init__(self) -> None:
        super().__init__()
        self.areas: dict[str, Area] = {}
        self.cursor = Spot("stock")
        self.taken: str = ""
        """Card picked up, in notation; empty for none."""
        self.card_style = PLAIN

    def show(self, scene: Scene, taken: str, style: CardStyle) -> None:
        """Show a scene. The cursor keeps its position if possible."""
        self.areas = {area.key: area for area in scene.areas}
        self.taken, self.card_style = taken, style
        self.cursor = self.nearest(self.cursor)
        self.refresh()

    def nearest(self, spot: Spot) -> Spot:
        """Return the closest position that has a face-up card or an empty area."""
        cards = self.areas[spot.area].cards if spot.area in self.areas else ()
        first = next((number for number, card in enumerate(cards) if not card.is_back), 0)
        return Spot(spot.area, max(first, min(spot.card, len(cards) - 1)))

    def card_at(self, spot: Spot) -> CardFace | None:
        """Return the face-up card at a position; `None` if there is none."""
        cards = self.areas[spot.area].cards
        return cards[spot.card] if spot.card < len(cards) and not cards[spot.card].is_back else None

    def move(self, right: int, down: int) -> None:
        """Move the cursor by one position."""
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
        """Return the distance between piles in columns."""
        return max(CELL + 1, min(14, (self.size.width or self.app.size.width) // len(PILES)))

    def _hidden_rows(self, area: Area) -> int:
        """Return the rows for face-down cards: one per card if there is room, else one in total."""
        down = sum(card.is_back for card in area.cards)
        room = (self.size.height or self.app.size.height) - TOP_ROWS - 1
        return down if len(area.cards) <= room else min(down, 1)

    def render(self) -> Text:
        """Return the rows of the widget."""
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
        """Draw an area above the piles, with its label."""
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
        return self._marked(
            Text(f"{rank(card) + mark(card, self.card_style):^4}", ink(card, self.card_style)), spot, card.text == self.taken
        )

    def _marked(self, text: Text, spot: Spot, is_taken: bool = False) -> Text:
        """Mark a position: `>8♦<` for the cursor, `[8♦]` for the card picked up, `{8♦}` for both."""
        marks = ("{}" if is_taken else "><") if spot == self.cursor else ("[]" if is_taken else "  ")
        return Text.assemble((marks[0], "bold"), text, (marks[1], "bold"))

    # The mouse.

    def spot_at(self, x: int, y: int) -> Spot | None:
        """Return the position at a cell of the widget; `None` outside all positions."""
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
        """Post the position that was clicked."""
        spot = self.spot_at(event.x, event.y)
        if spot is not None:
            self.cursor = spot
            self.refresh()
            self.post_message(self.Clicked(spot))


class KlondikeScreen(SideTable):
    """Table with piles and a cursor. A card is picked up and put down, or moved to the first place that accepts it.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Not used, because all moves are the person's.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1,0)", show=False),
        Binding("right", "move(1,0)", show=False),
        Binding("up", "move(0,-1)", show=False),
        Binding("down", "move(0,1)", show=False),
        Binding("space", "take", show=False),
        Binding("enter", "best", show=False),
        Binding("escape", "drop", show=False),
        Binding("tab", "next_move(1)", show=False),
        Binding("shift+tab", "next_move(-1)", show=False),
        Binding("d,p", "deal", show=False),
        Binding("t", "light", show=False),
    ]
    KEYS_TEXT = "side_play.klondike_keys"

    def __init__(self, session: SideSession[KlondikeGame], lang: Language, pause: float = 0.0) -> None:
        super().__init__(session, lang, pause)
        self._taken: int | None = None
        self._at = -1

    def read_table(self) -> None:
        """Read the state of the session and draw it, with no card picked up."""
        self._taken, self._at = None, -1
        super().read_table()

    def parts(self) -> Iterable[Widget]:
        """Yield the piles."""
        return (PilesView(),)

    @property
    def piles(self) -> PilesView:
        """Widget of the piles."""
        return self.query_one(PilesView)

    def title_text(self) -> Text:
        """Return the title: game, seed and score."""
        return title_line(self.shown_scene.title, self.shown_scene.facts, self.tr, seed=self.session.shown_seed)

    def draw_parts(self) -> None:
        """Draw the piles."""
        self.piles.show(self.shown_scene, "" if self._taken is None else card_text(self._taken), self.card_style)

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        pairs = [("D", "side_play.deal", "deal"), ("Enter", "side_play.best", "best"), ("Space", "side_play.take", "take")]
        pairs += [("Tab", "side_play.next_move", "next_move(1)"), ("H", "tui.hint", "hint"), ("U", "tui.undo", "undo")]
        return [(key, self.tr(words), action) for key, words, action in pairs]

    def view_keys(self) -> list[Key]:
        """Return the keys available at any time. D deals in this game, so T switches between light and dark."""
        keys = (("T", *one[1:]) if one[2] == "light" else one for one in super().view_keys())
        return [one for one in keys if one[2] != "speed"]

    def look_line(self) -> tuple[str, str]:
        """Return the status message: the card picked up, the state of the game, or the next step."""
        tr, seconds = self.tr, int(monotonic() - self._since)
        if self._advising and seconds >= 1:
            return tr("side_play.klondike_thinking", seconds=seconds), ""
        if self.game_is_over:
            return self.shown_scene.status, "good" if self.game.is_won else "bad"
        if self._taken is not None:
            return tr("side_play.klondike_taken", card=self._drawn(self._taken)), ""
        return tr("side_play.klondike_choose"), ""

    def tell(self, text: str, kind: str = "") -> None:
        """Show a message with its cards as they are drawn."""
        super().tell(self._written(text), kind)

    def _written(self, text: str) -> str:
        return text if self.card_style.letters else with_short_signs(text)

    def _drawn(self, card: int) -> str:
        return face_text(face(card, self.tr), notation=self.card_style.letters)

    def review_lines(self) -> Iterable[str]:
        """Yield the moves with their scores, several per line."""
        moves = [self._written(str(move)) for move in self.game.history]
        return [" | ".join(moves[start : start + 6]) for start in range(0, len(moves), 6)]

    # Moving cards.

    def _play(self, move: int) -> None:
        """Make a move, or show why it is illegal."""
        try:
            self.session.play(move)
        except IllegalPlayError as error:
            self._taken = None
            self.draw()
            self.tell(str(error) if self.tr.language is Language.EN else self.tr("side_play.refused"), "bad")
            return
        self.read_table()
        if self.game.is_won:
            self._show_end()

    def end_words(self) -> tuple[str, Text]:
        """Return the title and the text of the dialog after the game was won: the result."""
        return self.tr("tui.over_title"), Text(self.game.result_text((), self.tr))

    def end_acts(self) -> dict[str, tuple[str, Callable[[], Any]]]:
        """Return the keys of the dialog after the game was won."""
        return {key: act for key, act in super().end_acts().items() if key != "r"}

    def _put(self, card: int, area: str) -> None:
        """Put a card down on an area of the table."""
        if area in PILES:
            self._play(move_of(card, PILES.index(area)))
        elif area.startswith("foundation"):
            self._play(move_of(card, FOUNDATION))
        else:
            self.action_drop()

    def _card(self) -> int | None:
        """Return the card at the cursor."""
        found = self.piles.card_at(self.piles.cursor)
        return None if found is None else parse_card(found.text)

    def on_piles_view_clicked(self, message: PilesView.Clicked) -> None:
        """Deal, pick a card up, or put it down. A second click on a card moves it to the first place that accepts it."""
        if message.spot.area == "stock":
            self.action_deal()
        elif self._taken is not None and self._taken == self._card():
            self.action_best()
        else:
            self.action_take()

    def on_key(self, event: Any) -> None:
        """Move the card picked up or at the cursor to the pile of a digit."""
        key = event.character or ""
        if key in "01234567" and key:
            event.stop()
            card = self._card() if self._taken is None else self._taken
            if card is None:
                self.tell(self.tr("side_play.nothing_there"), "bad")
            else:
                self._put(card, PILES[int(key) - 1] if key != "0" else "foundation")

    def action_move(self, right: int, down: int) -> None:
        """Move the cursor."""
        self.piles.move(right, down)

    def action_deal(self) -> None:
        """Deal a card."""
        self._play(DEAL)

    def action_take(self) -> None:
        """Pick up the card at the cursor, or put down the card picked up."""
        spot, card = self.piles.cursor, self._card()
        if self._taken is not None and self._taken != card:
            self._put(self._taken, spot.area)
        elif spot.area == "stock":
            self.action_deal()
        elif self._taken is not None or card is None:
            self.action_drop()
            if card is None:
                self.tell(self.tr("side_play.nothing_there"), "bad")
        else:
            self._taken = card
            self.draw()

    def action_drop(self) -> None:
        """Return the card picked up to its place."""
        self._taken = None
        self.draw()

    def action_best(self) -> None:
        """Put down the card picked up; without one, move the card at the cursor to the first place that accepts it."""
        spot, card = self.piles.cursor, self._card()
        if self._taken is not None and self._taken != card:
            self._put(self._taken, spot.area)
        elif spot.area == "stock":
            self.action_deal()
        elif card is None:
            self.tell(self.tr("side_play.nothing_there"), "bad")
        else:
            moves = [move for move in self.game.legal_moves() if (moved := card_move(move)) is not None and moved.card == card]
            home = move_of(card, FOUNDATION)
            # A move without a place names the reason why the card cannot be moved.
            self._play(home if home in moves or not moves else moves[0])

    def action_next_move(self, by: int) -> None:
        """Pick up the card of the next legal move, and move the cursor to its target."""
        moves = [move for move in self.game.legal_moves() if move != DEAL]
        if not moves:
            self._show_plan(DEAL)
            return
        self._at = (self._at + by) % len(moves) if self._at >= 0 else (0 if by > 0 else len(moves) - 1)
        self._show_plan(moves[self._at])

    def _show_plan(self, move: int) -> None:
        """Pick up the card of a move, and move the cursor to its target."""
        moved = card_move(move)
        self._taken = None if moved is None else moved.card
        if moved is None:
            self.piles.cursor = Spot("stock")
        elif moved.target == FOUNDATION:
            self.piles.cursor = Spot(f"foundation_{suit_of(moved.card)}")
        else:
            self.piles.cursor = Spot(PILES[moved.target], len(self.piles.areas[PILES[moved.target]].cards))
        self.draw()

    def action_undo(self) -> None:
        """Undo the last move."""
        move = self.session.undo()
        if move is None:
            self.tell(self.tr("side_play.nothing_to_undo"))
            return
        self.read_table()
        self.tell(self.tr("side_play.taken_back", move=move))

    def action_hint(self) -> None:
        """Show the next move of a plan, and the chance to win by it."""
        view = self.game.view()
        self.advise(lambda: hint(view), self._show_hint)

    def _show_hint(self, found: Hint | None) -> None:
        if found is not None:
            self._show_plan(found.moves[0])
        self.tell(hint_text(found, self.tr))
