"""UNO games set up for tests."""

from __future__ import annotations

from typing import Any

from big2_env.games.uno import UnoGame, UnoRules, move_text, parse_card
from big2_env.games.uno.cards import parse_cards


def set_up(rules: UnoRules, hands: list[str], first: str, pile: str = "", **state: Any) -> UnoGame:
    """A game put into a position: hands in the order of drawing, the pile with its top last, the rest of the cards nowhere."""
    game = UnoGame.deal(rules, 0)
    game.hands = [list(parse_cards(hand)) for hand in hands]
    game.pile = list(parse_cards(pile)) or [parse_card("R[0]")] * 20
    card = parse_card(first)
    game.discards, game.colour, game.face = [card], card // 15, card % 15
    game.turn, game.direction, game.naming = 0, 1, False
    for name, value in state.items():
        setattr(game, name, value)
    return game


def texts(game: UnoGame) -> list[str]:
    return [move_text(move) for move in game.legal_moves()]


R = UnoRules
