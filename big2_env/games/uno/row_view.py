"""Views and scenes of single games in a batch, for pictures."""

from __future__ import annotations

from typing import Any

from big2_env.base.scene import Scene
from big2_env.envs.screen import learner_names
from big2_env.games.uno.cards import WILD, Colour, card_of
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.scene import view_scene
from big2_env.games.uno.view import UnoView


def row_view(engine: UnoBatchEngine, row: int, seat: int) -> UnoView:
    """Return a seat's view of one game of a batch.

    Only the last played card is in its real place; the others are in drawing order.
    """
    game, seats = engine.games[row], range(engine.rules.players)
    cards = [int(code) - (int(code) >> 4) for code in game.codes[: int(game.taken)]]
    held = [_ages(game.seats[one]) for one in seats]
    in_hands = {age for ages in held for age in ages}
    played = [card for age, card in enumerate(cards) if age not in in_hands]
    face, turn = int(game.face), int(game.turn)
    last = next(card for card in played if card == card_of(int(game.colour) if face < WILD else Colour.BLANK, face))
    played.remove(last)
    on_turn, moves = seat == turn, tuple[int, ...]()
    if on_turn:
        counts, ids = engine.legal_ids()
        moves = tuple(ids[row, : counts[row]].tolist())
    return UnoView(
        rules=engine.rules,
        seat=seat,
        turn=turn,
        hand=tuple(cards[age] for age in held[seat]),
        colour=int(game.colour),
        face=face,
        direction=int(game.direction),
        cards_left=tuple(map(len, held)),
        discards=(*played, last),
        pile=int(game.left),
        fresh=tuple(_fresh(int(game.seats[one].fresh)) for one in seats),
        drawn=cards[int(game.drawn)] if on_turn and game.drawn >= 0 else None,
        naming=bool(game.naming),
        moves=moves,
        is_over=bool(game.ended),
    )


def row_scene(engine: UnoBatchEngine, row: int, *, open_hands: bool) -> Scene:
    """Return the scene of one game of a batch, with all hands open or as its learner sees it."""
    shown, players = int(engine.seat[row]), engine.rules.players
    view = row_view(engine, row, shown)
    if not open_hands:
        return view_scene(view, shown, names=learner_names(shown, players))
    return view_scene(view, hands={seat: row_view(engine, row, seat).hand for seat in range(players)})


def _ages(seat: Any) -> list[int]:
    """Return the ages of a hand's cards, ascending."""
    hand = int(seat.low) | int(seat.high) << 64
    return [age for age in range(hand.bit_length()) if hand >> age & 1]


def _fresh(word: int) -> tuple[int, ...]:
    """Unpack a word with one byte per color into bounds on a hand's cards; the number of low bits set is the bound."""
    return tuple((word >> 8 * colour & 255).bit_count() for colour in Colour)
