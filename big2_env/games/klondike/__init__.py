"""Klondike 經典紙牌接龍, draw one with unlimited passes through the stock: game, environments, published check and solver.

| module | contents |
| --- | --- |
| `cards`, `position` | cards, moves and positions as values, as text and as JSON |
| `moves`, `game` | legal moves and scores; readable game with undo |
| `view`, `observation` | information available to the player; its encoding as a network input |
| `scene` | screens: scenes, texts, the rules in words |
| `check` | the published check for remaining moves |
| `env`, `vector` | `big2/Klondike-v0`: one game, many games at once |
| `solver` | winning lines and proofs that no win exists |
| `hint` | advice and an estimate of the chance to win, from visible cards |
| `players` | the player that follows hints; batches of its games |
| `kernels/` | games, the solver's search, the plans behind hints |
| `plot` | pictures of positions |
| `survey` | many solved deals, and their results file |

Importing this package loads neither numpy nor numba.
"""

from __future__ import annotations

from big2_env.games.klondike.cards import (
    DEAL,
    FOUNDATION,
    NUM_MOVES,
    card_move,
    card_text,
    cards_text,
    move_of,
    move_text,
    moves_text,
    parse_card,
    parse_cards,
    parse_move,
    parse_moves,
)
from big2_env.games.klondike.check import Alive, Branch, published_check
from big2_env.games.klondike.game import KlondikeGame, KlondikeMove
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.view import KlondikeView

__all__ = [
    "DEAL",
    "FOUNDATION",
    "NUM_MOVES",
    "Alive",
    "Branch",
    "KlondikeGame",
    "KlondikeMove",
    "KlondikePosition",
    "KlondikeView",
    "card_move",
    "card_text",
    "cards_text",
    "move_of",
    "move_text",
    "moves_text",
    "parse_card",
    "parse_cards",
    "parse_move",
    "parse_moves",
    "published_check",
]
