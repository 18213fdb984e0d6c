"""Information available to one seat of an UNO game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.base.rng import GOLDEN_GAMMA, MIX_1, MIX_2, SplitMix64
from big2_env.games.uno.cards import WILD, face_of, is_wild
from big2_env.games.uno.rules import UnoRules

MOST_FRESH: Final = 8
"""Maximum bound in `UnoView.fresh`."""


@dataclass(frozen=True)
class UnoView:
    """Game as one seat sees it. It has no fields for hidden cards."""

    rules: UnoRules
    """Rules of the game."""
    seat: int
    turn: int
    """Seat to move."""
    hand: tuple[int, ...]
    """Viewer's cards in drawing order."""
    colour: int
    """Current color, 0 to 3; 4 if any card matches."""
    face: int
    """Current face, 0 to 14."""
    direction: int
    """1 or -1."""
    cards_left: tuple[int, ...]
    """Number of cards held by each seat."""
    discards: tuple[int, ...]
    """Played cards, most recent last."""
    pile: int
    """Number of cards in the pile."""
    fresh: tuple[tuple[int, ...], ...]
    """Upper bound, by seat and color, on the cards of that color in a hand, if the seat draws only when it cannot play."""
    drawn: int | None
    """Card that the viewer has just drawn and may play; `None` otherwise."""
    naming: bool
    """True if the seat to move names the color of the wild card turned up."""
    moves: tuple[int, ...]
    """Viewer's legal moves, ascending; empty if it is not its turn."""
    is_over: bool
    """True once the game has ended."""

    def seed(self, salt: int = 0) -> int:
        """Return a seed for a player with this view. It does not depend on hidden cards or on the seed of the deal.

        It is a hash of the viewer's seat and hand and of the table: seat to move, current card, and sizes of the pile and of
        the played cards. It therefore changes with every move. `kernels.hands.seat_seed` computes the same value.

        Args:
            salt: Number below 2**64 that gives different seeds for the same view.
        """
        once, twice, wilds = 0, 0, [0, 0]
        for card in self.hand:
            if is_wild(card):
                wilds[face_of(card) - WILD] += 1
            else:
                twice |= once & 1 << card
                once |= 1 << card
        table = self.seat | self.turn << 4 | self.colour << 8 | self.face << 11 | (self.direction > 0) << 15
        table |= self.naming << 16 | (0 if self.drawn is None else self.drawn + 1) << 17
        table |= self.pile << 24 | len(self.discards) << 31 | wilds[0] << 38 | wilds[1] << 41
        number = SplitMix64(table * GOLDEN_GAMMA + once * MIX_1 + twice * MIX_2).next()
        return SplitMix64(number ^ salt).next()
