"""The table of Klondike."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget

from big2_env.errors import IllegalPlayError
from big2_env.games.klondike.cards import DEAL, FOUNDATION, act_of, card_text, move_of, parse_card, suit_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.hint import Hint, hint, hint_text
from big2_env.games.klondike.scene import face
from big2_env.language import Language
from big2_env.play.side_sitting import SideSitting
from big2_env.scene import RulesPage
from big2_env.show.card_text import face_text
from big2_env.tui.dialogs import TextDialog
from big2_env.tui.piles_view import PILES, PilesView, Spot
from big2_env.tui.screen_texts import title_line
from big2_env.tui.side_screen import leave_text
from big2_env.tui.table_frame import Key, TableFrame


class KlondikeScreen(TableFrame):
    """Piles with a cursor: a card is taken and put down, or moved to where it fits.

    Args:
        sitting: The person's place.
        lang: The language to begin with.
        pause: Nothing plays by itself here.
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

    def __init__(self, sitting: SideSitting[KlondikeGame], lang: Language, pause: float = 0.0) -> None:
        super().__init__(lang, pause)
        self.sitting = sitting
        """The person's place."""
        self._taken: int | None = None
        self._advising = False
        self._since = 0.0
        self._at = -1
        self._scene = sitting.scene(lang)

    @property
    def game(self) -> KlondikeGame:
        """The present game."""
        return self.sitting.game

    def parts(self) -> Iterable[Widget]:
        """The piles."""
        return (PilesView(),)

    @property
    def piles(self) -> PilesView:
        """The piles."""
        return self.query_one(PilesView)

    def on_mount(self) -> None:
        """Begin."""
        self.set_interval(1.0, self._tick)
        self.read_table()

    @property
    def game_is_over(self) -> bool:
        """True if the game is won, or nothing but dealing is left."""
        return self._scene.is_over

    @property
    def is_at_rest(self) -> bool:
        """True if no hint is looked for."""
        return not self._advising

    def read_table(self) -> None:
        """Take the state of the game and draw it."""
        self._scene = self.sitting.scene(self.tr.language)
        self.draw()

    def title_text(self) -> Text:
        """The game, its seed, the score."""
        return title_line(self._scene.title, self._scene.facts, self.tr, seed=self.sitting.shown_seed)

    def draw_parts(self) -> None:
        """Draw the piles."""
        self.piles.show(self._scene, "" if self._taken is None else card_text(self._taken), self.letters)

    def act_keys(self) -> list[Key]:
        """What can be done now."""
        pairs = [("D", "side_play.deal", "deal"), ("Enter", "side_play.best", "best"), ("Space", "side_play.take", "take")]
        pairs += [("Tab", "side_play.next_move", "next_move(1)"), ("H", "tui.hint", "hint"), ("U", "tui.undo", "undo")]
        return [(key, self.tr(words), action) for key, words, action in pairs]

    def view_keys(self) -> list[Key]:
        """What can be done at any time; D deals here, so T changes between light and dark."""
        keys = (("T", *one[1:]) if one[2] == "light" else one for one in super().view_keys())
        return [one for one in keys if one[2] != "speed"]

    def look_line(self) -> tuple[str, str]:
        """What is taken, how it stands, or what to do."""
        tr, seconds = self.tr, int(monotonic() - self._since)
        if self._advising and seconds >= 1:
            return tr("side_play.klondike_thinking", seconds=seconds), ""
        if self.game_is_over:
            return self._scene.status, "good" if self.game.is_won else "bad"
        if self._taken is not None:
            return tr("side_play.klondike_taken", card=self._drawn(self._taken)), ""
        return tr("side_play.klondike_choose"), ""

    def _drawn(self, card: int) -> str:
        return face_text(face(card, self.tr), notation=self.letters)

    def _tick(self) -> None:
        if self._advising:
            self.draw_look()

    def review_lines(self) -> Iterable[str]:
        """The acts with what they brought, several in a line."""
        acts = [str(move) for move in self.game.history]
        return [" | ".join(acts[start : start + 6]) for start in range(0, len(acts), 6)]

    def rules_page(self) -> RulesPage:
        """The rules of the game."""
        return self.game.rules_page(self.tr.language)

    def leave_text(self) -> str:
        """What becomes of the game."""
        return leave_text(self.sitting, self.tr)

    # Moving cards.

    def _play(self, act: int) -> None:
        """Do an act, or say why it cannot be done."""
        try:
            self.sitting.play(act)
        except IllegalPlayError as error:
            self._taken = None
            self.draw()
            self.tell(str(error) if self.tr.language is Language.EN else self.tr("side_play.refused"), "bad")
            return
        self._taken, self._at = None, -1
        self.read_table()
        if self.game.is_won:
            self._show_end()

    def _show_end(self) -> None:
        tr = self.tr
        text = Text(self.game.result_text((), tr))
        keys = {"n": tr("tui.new_deal"), "u": tr("tui.undo"), "q": tr("tui.leave")}
        self.app.push_screen(TextDialog(tr("tui.over_title"), text, tr("tui.close"), keys), self._after_end)

    def _after_end(self, key: str | None) -> None:
        if key == "n":
            self.deal_again()
        elif key == "u":
            self.action_undo()
        elif key == "q":
            self.app.exit()

    def _put(self, card: int, area: str) -> None:
        """Put a card down on an area of the table."""
        if area in PILES:
            self._play(act_of(card, PILES.index(area)))
        elif area.startswith("foundation"):
            self._play(act_of(card, FOUNDATION))
        else:
            self.action_drop()

    def _card(self) -> int | None:
        """The card at the cursor."""
        found = self.piles.card_at(self.piles.cursor)
        return None if found is None else parse_card(found.text)

    def on_piles_view_clicked(self, message: PilesView.Clicked) -> None:
        """Deal, take a card, put it down; a second click on a card moves it to where it fits."""
        if message.spot.area == "stock":
            self.action_deal()
        elif self._taken is not None and self._taken == self._card():
            self.action_best()
        else:
            self.action_take()

    def on_key(self, event: Any) -> None:
        """Digits move the card that is taken or at the cursor."""
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
        """Take the card at the cursor, or put the taken one down there."""
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
        """Put the taken card back."""
        self._taken = None
        self.draw()

    def action_best(self) -> None:
        """Put the taken card down at the cursor; else move the card at the cursor to where it fits first."""
        spot, card = self.piles.cursor, self._card()
        if self._taken is not None and self._taken != card:
            self._put(self._taken, spot.area)
        elif spot.area == "stock":
            self.action_deal()
        elif card is None:
            self.tell(self.tr("side_play.nothing_there"), "bad")
        else:
            moves = [act for act in self.game.legal_moves() if (move := move_of(act)) is not None and move.card == card]
            home = act_of(card, FOUNDATION)
            # An act without a place names the reason why the card cannot be moved.
            self._play(home if home in moves or not moves else moves[0])

    def action_next_move(self, by: int) -> None:
        """Take the card of the next legal move, and go to where it belongs."""
        moves = [act for act in self.game.legal_moves() if act != DEAL]
        if not moves:
            self._show_plan(DEAL)
            return
        self._at = (self._at + by) % len(moves) if self._at >= 0 else (0 if by > 0 else len(moves) - 1)
        self._show_plan(moves[self._at])

    def _show_plan(self, act: int) -> None:
        """Take the card of an act, with the cursor where it goes."""
        move = move_of(act)
        self._taken = None if move is None else move.card
        if move is None:
            self.piles.cursor = Spot("stock")
        elif move.target == FOUNDATION:
            self.piles.cursor = Spot(f"foundation_{suit_of(move.card)}")
        else:
            self.piles.cursor = Spot(PILES[move.target], len(self.piles.areas[PILES[move.target]].cards))
        self.draw()

    def action_undo(self) -> None:
        """Take back the last act."""
        move = self.sitting.undo()
        if move is None:
            self.tell(self.tr("side_play.nothing_to_undo"))
            return
        self._taken, self._at = None, -1
        self.read_table()
        self.tell(self.tr("side_play.taken_back", move=move))

    def action_hint(self) -> None:
        """Say what to do next, from what can be seen, and take the card of it."""
        if self._advising:
            return
        self._advising, self._since = True, monotonic()
        view, acts = self.game.view(), len(self.game.history)
        self.in_thread(lambda: hint(view), lambda found, fault: self._hinted(found, fault, acts))

    def _hinted(self, found: Hint | None, fault: Exception | None, acts: int) -> None:
        self._advising = False
        if fault is not None:
            self.end_with(fault)
        elif len(self.game.history) == acts:
            if found is not None:
                self._show_plan(found.acts[0])
            self.tell(hint_text(found, self.tr))
        else:
            self.draw_look()

    def deal_again(self) -> None:
        """Begin the next deal."""
        self.sitting.next_deal()
        self._taken, self._at = None, -1
        self.read_table()
