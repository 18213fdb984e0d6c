"""Games of Klondike as records, for many at once.

What lies face up in a pile is a run, so it is kept as a set of cards and the top one. What lies face down never moves: it stays
where the deck has it. A set of cards is a word, bit `card`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_env.games.klondike.cards import NUM_CARDS, NUM_RANKS, fits_pile, rank_of
from big2_env.kernels.batch import DEALT
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.records import MARK as KERNELS
from big2_env.kernels.dialect.records import mark_of

PILES: Final = 7
SUITS: Final = 4
STOCK: Final = 28
"""Where the deck has the first card of the dealer area."""
EMPTY: Final = NUM_CARDS
"""In place of the top card of an empty pile."""
WORDS: Final = 7
"""Words of the legal acts of a game, bit `act`."""
TRUNCATED: Final = DEALT + 1
"""Beside the constants of `big2_env.kernels.batch`: the game was broken off after the most acts that it may have."""
WON, NOBODY = 0, 1
"""What `winner` is once a game is over."""
GAME: Final = np.dtype(
    [
        ("rng", np.uint64),  # state of the stream of seeds
        ("up", np.uint64, PILES),  # the face-up cards of each pile
        ("stock", np.uint64),  # the cards of the dealer area
        ("score", np.int32),
        ("acts", np.int32),  # how many were made
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
        (mark_of(Path(__file__).parent, KERNELS), np.uint8),
    ],
    align=True,
)
"""One game."""

ONE = U(1)
STARTS: Final = np.array([pile * (pile + 1) // 2 for pile in range(PILES)], np.int64)
"""Where the deck has the lowest card of each pile."""
FITS: Final = np.array(
    [sum(1 << card for card in range(NUM_CARDS) if fits_pile(card, top)) for top in (*range(NUM_CARDS), None)], np.uint64
)
"""The cards that fit onto each card, and at `EMPTY` those for an empty pile."""
UP_TO: Final = np.array(
    [sum(1 << card for card in range(NUM_CARDS) if rank_of(card) <= rank) for rank in range(NUM_RANKS)], np.uint64
)
"""The cards of each rank or a lower one."""


def new_games(number: int) -> Any:
    """Records for games that have not begun, `GAME` (N,)."""
    return np.zeros(number, GAME).view(np.recarray)
