"""UNO: the article's simulation with every open point as an option, a reference engine, a compiled one, environments.

Importing this loads neither numpy nor numba.
"""

from __future__ import annotations

from big2_env.games.uno.actions import DRAW, KEEP, NUM_ACTS, act_text, parse_act
from big2_env.games.uno.automatic import automatic_act
from big2_env.games.uno.cards import Colour, card_of, card_text, parse_card
from big2_env.games.uno.game import UnoGame, UnoMove
from big2_env.games.uno.outcome import UnoEnd, UnoOutcome
from big2_env.games.uno.rules import PRESETS, UnoRules, uno_rules
from big2_env.games.uno.view import UnoView

__all__ = [
    "DRAW",
    "KEEP",
    "NUM_ACTS",
    "PRESETS",
    "Colour",
    "UnoEnd",
    "UnoGame",
    "UnoMove",
    "UnoOutcome",
    "UnoRules",
    "UnoView",
    "act_text",
    "automatic_act",
    "card_of",
    "card_text",
    "parse_act",
    "parse_card",
    "uno_rules",
]
