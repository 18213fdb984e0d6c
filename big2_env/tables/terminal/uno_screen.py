"""Table of UNO."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from big2_env.games.uno.cards import DRAW, KEEP, NUM_COLOURS, NUM_FACES, play_of, played_card
from big2_env.games.uno.players import automatic_move
from big2_env.games.uno.scene import colour_words, face, refusal_text, shown_move
from big2_env.tables.terminal.side_screen import SideScreen
from big2_env.tables.terminal.table_frame import Key, PickDialog

FACE_KEYS = {"+": ("+2", "+4")} | {str(number): (str(number),) for number in range(10)}
"""Faces of the cards that each key selects."""


class UnoScreen(SideScreen):
    """Table of UNO, at which the person selects and plays a card or draws one.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move of an automatic player.
    """

    KEYS_TEXT = "side_play.uno_keys"

    def read_table(self) -> None:
        """Read the state of the session and draw it. A card just drawn is selected."""
        super().read_table()
        if self.is_asked and self.view.drawn is not None:
            self._choose(self.view.drawn)

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        tr = self.tr
        if self.game_is_over:
            return self.end_keys()
        also = [("H", tr("tui.hint"), "hint"), ("U", tr("tui.undo"), "undo")]
        if self.view.naming and self.is_asked:
            return [(str(number + 1), colour_words(number, tr), f"name({number})") for number in range(NUM_COLOURS)] + also
        passing = "uno.keep" if KEEP in self.view.moves else "uno.draw"
        playing = [("Enter", tr("tui.play"), "play"), ("Tab", tr("tui.next_play"), "next_play(1)")]
        return [*playing, ("P", tr(passing), "pass"), *also]

    def said_on_turn(self) -> tuple[str, str]:
        """Return the message for the person's turn: the selected card, or what the game expects."""
        tr, card = self.tr, self.chosen_card()
        if card is not None and self.is_asked and not self.view.naming:
            fits = tr("side_play.fits", card=face(card, tr).name)
            return (fits, "good") if self._plays(card) else (refusal_text(play_of(card), self.view, tr), "bad")
        if not self.is_asked or self.view.naming or self.view.drawn is not None:
            return self.shown_scene.status, ""
        return tr("side_play.choose" if self._cards() else "side_play.nothing_fits"), ""

    # Choosing and playing.

    def chosen_card(self) -> int | None:
        """Return the selected card; `None` without a selection."""
        place = next(iter(self.hand.chosen), None)
        return None if place is None else sorted(self.view.hand)[place]

    def _plays(self, card: int) -> list[int]:
        """Return the legal moves that play a card: one per color for a wild card."""
        return [move for move in self.view.moves if move < DRAW and played_card(move) == card]

    def _cards(self) -> list[int]:
        """Return the playable cards, ascending."""
        return sorted({played_card(move) for move in self.view.moves if move < DRAW})

    def _choose(self, card: int) -> None:
        place = sorted(self.view.hand).index(card)
        self.hand.cursor = place
        self.hand.choose({place})

    def on_hand_view_chosen(self) -> None:
        """Keep only the last selected card."""
        if len(self.hand.chosen) > 1:
            self.hand.choose({self.hand.cursor})
        else:
            super().on_hand_view_chosen()

    def on_key(self, event: Any) -> None:
        """Select a card by the digit of its face, or name the color of a wild card turned up."""
        key = event.character or ""
        if self.is_asked and self.view.naming and key.isdigit():
            event.stop()
            self.action_name(int(key) - 1)
        elif key in FACE_KEYS and not self.game_is_over:
            event.stop()
            self._next_of(FACE_KEYS[key])

    def _next_of(self, faces: Sequence[str]) -> None:
        """Select the next card that has any of the faces."""
        places = [place for place, one in enumerate(self.hand.faces) if one.rank in faces]
        if not places:
            self.tell(self.tr("tui.no_rank", rank=faces[0]), "bad")
            return
        chosen = next(iter(self.hand.chosen), -1)
        place = next((place for place in places if place > chosen), places[0])
        self.hand.cursor = place
        self.hand.choose({place})

    def action_next_play(self, by: int) -> None:
        """Select the next playable card."""
        if not self.may_act() or self.view.naming:
            return
        cards = self._cards()
        if not cards:
            self.tell(self.tr("side_play.nothing_fits"))
            return
        chosen = self.chosen_card()
        at = (cards.index(chosen) + by) % len(cards) if chosen in cards else (0 if by > 0 else -1)
        self._choose(cards[at])

    def action_play(self) -> None:
        """Play the selected card; for a wild card, after a color is named."""
        if self.game_is_over:
            self.action_new_deal()
        elif self.may_act():
            card = self.chosen_card()
            moves = [] if card is None else self._plays(card)
            if card is None or self.view.naming:
                self.draw_look()
            elif not moves:
                self.tell(refusal_text(play_of(card), self.view, self.tr), "bad")
            elif len(moves) == 1:
                self.make(moves[0])
            else:
                names = [colour_words(move // NUM_FACES, self.tr) for move in moves]
                asked = PickDialog(self.tr("side_play.which_colour"), names)
                self.app.push_screen(asked, lambda at: None if at is None else self.make(moves[at]))

    def action_name(self, colour: int) -> None:
        """Name the color of a wild card turned up."""
        if self.may_act() and self.view.naming and 0 <= colour < len(self.view.moves):
            self.make(self.view.moves[colour])

    def action_pass(self) -> None:
        """Draw a card, or keep the card just drawn."""
        if self.may_act():
            move = next((move for move in self.view.moves if move >= DRAW), None)
            if move is None:
                self.tell(self.tr("side_play.you_names_colour" if self.view.naming else "side_play.may_not_draw"), "bad")
            else:
                self.make(move)

    def action_hint(self) -> None:
        """Select the automatic player's move."""
        if self.may_act():
            move = automatic_move(self.view)
            if move < DRAW and not self.view.naming:
                self._choose(played_card(move))
            said = shown_move(self.session.seat, move, self.tr, self.view.rules).words
            said = self.tr("uno.draw" if move == DRAW else "uno.keep") if move >= DRAW else said
            self.call_after_refresh(self.tell, self.tr("side_play.uno_hint", move=said))
