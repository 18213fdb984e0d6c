"""UNO: readable and compiled implementations with configurable rules, players, simulations and environments.

The rules follow the article 疯狂的UNO; points that it leaves open are options. Importing this package loads neither numpy nor
numba.
"""

from __future__ import annotations

from big2_env.games.uno.cards import DRAW, KEEP, NUM_MOVES, Colour, card_of, card_text, move_text, parse_card, parse_move
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.players import automatic_move
from big2_env.games.uno.rules import PRESETS, UnoEnd, UnoOutcome, UnoRules, uno_rules
from big2_env.games.uno.view import UnoView

__all__ = [
    "DRAW",
    "KEEP",
    "NUM_MOVES",
    "PRESETS",
    "Colour",
    "UnoEnd",
    "UnoGame",
    "UnoOutcome",
    "UnoRules",
    "UnoView",
    "automatic_move",
    "card_of",
    "card_text",
    "move_text",
    "parse_card",
    "parse_move",
    "uno_rules",
]
