"""Records for games of Klondike, used to play many games at once.

A set of cards is a 64-bit word with bit `card`. The face-up cards of a pile form a run, so a set and the top card describe it.
Face-down cards never move; they stay at their places in the deck.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.games.klondike.cards import NUM_CARDS, NUM_RANKS, fits_pile, rank_of
from big2_env.games.klondike.observation import LAYOUT
from big2_env.kernels.batch import DEALT

U: Final = np.uint64  # of `dialect.bits`, which imports numba
PILES: Final = 7
SUITS: Final = 4
STOCK: Final = 28
"""Index in the deck of the first card of the dealer area."""
EMPTY: Final = NUM_CARDS
"""Value used as the top card of an empty pile."""
SCRATCH: Final = LAYOUT.size // 64 + 3
"""Number of 64-bit words used to assemble an observation."""
WORDS: Final = 7
"""Number of 64-bit words that hold the legal actions of a game, one bit per action."""
TRUNCATED: Final = DEALT + 1
"""Status that `big2_env.kernels.batch` does not have: the game reached its maximum number of actions."""
WON, NOBODY = 0, 1
"""Values of `winner` after the end of a game."""
GAME: Final = np.dtype(
    [
        ("rng", np.uint64),  # state of the stream of seeds
        ("up", np.uint64, PILES),  # the face-up cards of each pile
        ("stock", np.uint64),  # the cards of the dealer area
        ("score", np.int32),
        ("moves", np.int32),  # how many were made
        ("last_score", np.int32),  # of the game before, as the last step that ended one left it
        ("winner", np.int16),  # -1 while it goes on, then `WON` or `NOBODY`
        ("left", np.int16),  # cards in the dealer area
        ("dealt", np.int16),  # how many of them are dealt
        ("seen", np.int16),  # how many have been dealt at some time
        ("stuck", np.bool_),  # ended because nothing but dealing was left
        ("last_won", np.bool_),
        ("last_stuck", np.bool_),
        ("tops", np.uint8, PILES),  # the top card of each pile, or `EMPTY`
        ("down", np.uint8, PILES),  # how many cards lie face down
        ("foundations", np.uint8, SUITS),  # how many cards lie on each
        ("deck", np.uint8, NUM_CARDS),  # as it was shuffled, but for the dealer area: that closes up from `STOCK` on
    ],
    align=True,
)
"""Record of one game."""

ONE = U(1)
STARTS: Final = np.array([pile * (pile + 1) // 2 for pile in range(PILES)], np.int64)
"""Index in the deck of the lowest card of each pile."""
FITS: Final = np.array(
    [sum(1 << card for card in range(NUM_CARDS) if fits_pile(card, top)) for top in (*range(NUM_CARDS), None)], np.uint64
)
"""Cards that may be placed on each card; at index `EMPTY`, on an empty pile."""
UP_TO: Final = np.array(
    [sum(1 << card for card in range(NUM_CARDS) if rank_of(card) <= rank) for rank in range(NUM_RANKS)], np.uint64
)
"""Cards with the given rank or a lower one."""


def new_games(number: int) -> Any:
    """Return records for games that have not begun, `GAME` (N,)."""
    return np.zeros(number, GAME).view(np.recarray)
