"""Klondike 經典紙牌接龍, draw one with no limit on the rounds: the game, the published check and the truth about it.

| file | what it has |
| --- | --- |
| `cards`, `acts`, `state` | cards, acts and positions as values |
| `rules`, `game` | the reference engine: legal acts, scores, undo |
| `view` | what the player may know, and its text |
| `check` | the published check "is there still a way?" |
| `env` | `big2/Klondike-v0`, a `gymnasium.Env` |
| `records` | games as JSON lines |
| `solve`, `search`, `positions` | the truth: a line that wins, or the proof that there is none; compiled |
| `hint`, `plans` | what to do, from what the player can see; compiled |
| `players` | chance and a rule of thumb, beside the hints |
| `plot` | pictures of positions |
| `survey` | many deals solved, resumable |

Importing this loads neither numpy nor numba.
"""

from __future__ import annotations

from big2_env.klondike.acts import DEAL, FOUNDATION, NUM_ACTS, act_of, act_text, acts_text, move_of, parse_act, parse_acts
from big2_env.klondike.cards import card_text, cards_text, parse_card, parse_cards
from big2_env.klondike.check import Alive, Branch, published_check
from big2_env.klondike.game import KlondikeGame, KlondikeMove
from big2_env.klondike.state import KlondikeState
from big2_env.klondike.view import KlondikeView

__all__ = [
    "DEAL",
    "FOUNDATION",
    "NUM_ACTS",
    "Alive",
    "Branch",
    "KlondikeGame",
    "KlondikeMove",
    "KlondikeState",
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
