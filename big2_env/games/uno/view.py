"""What one seat of a UNO game may know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from big2_env.games.uno.cards import NUM_COLOURS, NUM_FACES, WILD, face_of
from big2_env.games.uno.rules import UnoRules
from big2_env.rng import GOLDEN_GAMMA, MIX_1, MIX_2, SplitMix64

MOST_FRESH: Final = 8
"""Fresh cards are counted up to here (`UnoView.fresh`)."""
_WILDS: Final = NUM_COLOURS * NUM_FACES
"""The first number of a wild card."""


@dataclass(frozen=True)
class UnoView:
    """A game from one seat; there is no field for what that seat may not know."""

    rules: UnoRules
    """The game's rules."""
    seat: int
    turn: int
    """The seat to move."""
    hand: tuple[int, ...]
    """The viewer's cards in the order in which they were drawn."""
    colour: int
    """The colour in force, 0 to 3, or 4 where anything fits."""
    face: int
    """The face in force, 0 to 14."""
    direction: int
    """1 or -1."""
    cards_left: tuple[int, ...]
    """How many cards each seat holds."""
    discards: tuple[int, ...]
    """The played cards, the last one last."""
    pile: int
    """How many cards the pile has."""
    fresh: tuple[tuple[int, ...], ...]
    """By seat and colour: at most so many of its cards have that colour, if it draws only when it can not play."""
    drawn: int | None
    """The card that the viewer has just drawn and may play; `None` otherwise."""
    naming: bool
    """Whether the seat to move names the colour of the wild card turned up."""
    moves: tuple[int, ...]
    """The legal moves of the viewer, ascending; none off turn."""
    is_over: bool
    """Whether the game has ended."""

    def seed(self, salt: int = 0) -> int:
        """Return the seed of a player who sees this: the same however the hidden cards lie, and whatever the deal's seed was.

        A hash of the viewer's hand and seat and of the table: whose turn it is, what is in force, and how many cards the pile
        and the played cards have, so that it changes with every act. `kernels.seat_seed` computes the same.

        Args:
            salt: For another seed in the same view, below 2**63.
        """
        once, twice, wilds = 0, 0, [0, 0]
        for card in self.hand:
            if card < _WILDS:
                twice |= once & 1 << card
                once |= 1 << card
            else:
                wilds[face_of(card) - WILD] += 1
        table = self.seat | self.turn << 4 | self.colour << 8 | self.face << 11 | (self.direction > 0) << 15
        table |= self.naming << 16 | (0 if self.drawn is None else self.drawn + 1) << 17
        table |= self.pile << 24 | len(self.discards) << 31 | wilds[0] << 38 | wilds[1] << 41
        number = SplitMix64(table * GOLDEN_GAMMA + once * MIX_1 + twice * MIX_2).next()
        return SplitMix64(number ^ salt).next()
