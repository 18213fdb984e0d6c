"""Klondike 經典紙牌接龍, draw one with no limit on the rounds: the game, the published check and the truth about it.

| file | what it has |
| --- | --- |
| `cards`, `actions`, `position` | cards, acts and positions as values |
| `moves`, `game` | the reference engine: legal acts, scores, undo |
| `view` | what the player may know, and its text |
| `check` | the published check "is there still a way?" |
| `env`, `vector` | `big2/Klondike-v0`, a `gymnasium.Env`, and many games at once |
| `observation`, `episode` | what a network sees; what an episode pays |
| `records`, `position_json` | games as JSON lines, positions as JSON |
| `solver` | the truth: a line that wins, or the proof that there is none |
| `hint`, `hinted_games` | what to do, from what the player can see; many deals played so |
| `shorter` | plans without needless acts |
| `keys` | positions as numbers, in parts |
| `kernels/` | games, the search of the solver, the plans behind hints: interpreted at first, compiled for what takes long |
| `players` | chance and a rule of thumb, beside the hints |
| `plot` | pictures of positions |
| `survey`, `results` | many deals solved, the file that keeps them |

Importing this loads neither numpy nor numba.
"""

from __future__ import annotations

from big2_env.games.klondike.actions import (
    DEAL,
    FOUNDATION,
    NUM_ACTS,
    act_of,
    act_text,
    acts_text,
    move_of,
    parse_act,
    parse_acts,
)
from big2_env.games.klondike.cards import card_text, cards_text, parse_card, parse_cards
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
