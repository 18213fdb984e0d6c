"""Where a position of Klondike as one number, as `kernels.packed` tells, has its parts; and cards as bits of it."""

from __future__ import annotations

from typing import Final

from big2_env.games.klondike.cards import NUM_RANKS, rank_of, suit_of

PILE_SHIFTS: Final = (0, 1, 3, 5, 8, 11, 14)
PILE_MASKS: Final = (1, 3, 3, 7, 7, 7, 7)
"""Where a key has the piles."""
F_SHIFT: Final = 17
D_SHIFT: Final = 33
P_SHIFT: Final = 57
"""Where it has the foundations, the dealer area and the need."""


def bit_of(card: int) -> int:
    """The number of a card in the search: rank * 4 + suit."""
    return rank_of(card) * 4 + suit_of(card)


def card_of(bit: int) -> int:
    """The card of a number of the search."""
    return bit % 4 * NUM_RANKS + bit // 4
