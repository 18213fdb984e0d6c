"""Klondike 經典紙牌接龍, draw one with no limit on the rounds: the game, the published check and a solver.

| module | contents |
| --- | --- |
| `cards`, `position` | cards, acts and positions as values, as text and as JSON |
| `moves`, `game` | legal acts, scores; the readable game with undo |
| `view`, `observation` | what the player may know, and as a network's input |
| `scene` | what people see: scenes, texts, the rules in words |
| `check` | the published check "is there still a way?" |
| `env`, `vector` | `big2/Klondike-v0`: one game, many games at once |
| `solver` | a line that wins, or the proof that there is none |
| `hint` | advice from what the player can see |
| `players` | chance, a rule of thumb, the hints; many deals played by the hints |
| `kernels/` | games, the search of the solver, the plans behind hints |
| `plot` | pictures of positions |
| `survey` | many deals solved, and the file that keeps them |

Importing this loads neither numpy nor numba.
"""

from __future__ import annotations

from big2_env.games.klondike.cards import (
    DEAL,
    FOUNDATION,
    NUM_ACTS,
    act_of,
    act_text,
    acts_text,
    card_text,
    cards_text,
    move_of,
    parse_act,
    parse_acts,
    parse_card,
    parse_cards,
)
from big2_env.games.klondike.check import Alive, Branch, published_check
from big2_env.games.klondike.game import KlondikeGame, KlondikeMove
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.view import KlondikeView

__all__ = [
    "DEAL",
    "FOUNDATION",
    "NUM_ACTS",
    "Alive",
    "Branch",
    "KlondikeGame",
    "KlondikeMove",
    "KlondikePosition",
    "KlondikeView",
    "act_of",
    "act_text",
    "acts_text",
    "card_text",
    "cards_text",
    "move_of",
    "parse_act",
    "parse_acts",
    "parse_card",
    "parse_cards",
    "published_check",
]
