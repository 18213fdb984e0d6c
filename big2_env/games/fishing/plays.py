"""Plays, positions and outcomes of the fishing game as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from big2_env.base.rng import MASK_64, hashed
from big2_env.games.fishing.cards import RANKS, cards_text

MAX_PLAYS: Final = 30_000_000
"""Default limit on plays. By the measured tail, no game that ends is that long."""

CYCLE: Final = 2
UNDECIDED: Final = 3
"""Codes for ends in arrays, next to 0 and 1 for the losing seat."""


class FishingEnd(StrEnum):
    """Reason for the end of a game."""

    EMPTY_HAND = "empty hand"
    CYCLE = "cycle"
    """A state was repeated, so the game never ends."""
    UNDECIDED = "undecided"
    """The limit on plays was reached before any state was repeated."""


@dataclass(frozen=True)
class FishingOutcome:
    """Outcome of a game."""

    end: FishingEnd
    plays: int | None
    """Number of plays made; `None` for a cycle."""
    loser: int | None = None
    """Seat that ran out of cards; `None` if the game did not end."""
    period: int | None = None
    """Smallest number of plays after which a state repeats; `None` if it does not."""

    @property
    def winner(self) -> int | None:
        """Seat that won; `None` if the game did not end."""
        return None if self.loser is None else 1 - self.loser


class FishingState(NamedTuple):
    """Complete state of a game, which determines all further plays."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    """Cards by seat, front card first."""
    board: tuple[int, ...]
    """Oldest card first."""
    turn: int
    """Seat to play."""

    def __str__(self) -> str:
        shown = (cards_text(cards) or "-" for cards in (*self.hands, self.board))
        return "{} | {} | board {} | seat {}".format(*shown, self.turn)


@dataclass(frozen=True)
class FishingPlay:
    """Entry of the event log: one play."""

    number: int
    """Number of the play, counted from 1."""
    seat: int
    card: int
    captured: tuple[int, ...]
    """Captured cards in board order, ending with the played card; empty if nothing was captured."""
    loser: int | None
    """Seat that lost with this play; `None` if the game continues."""
    move: ClassVar[int] = 0
    """The only move."""

    def __str__(self) -> str:
        text = f"{self.number} seat {self.seat} plays {RANKS[self.card]}"
        if self.captured:
            text += f", captures {cards_text(self.captured)}"
        return text if self.loser is None else f"{text}; seat {self.loser} has no cards and loses"


@dataclass(frozen=True)
class FishingView:
    """Information available to a seat: hand sizes and the board, but no hand, not even its own."""

    seat: int
    turn: int
    board: tuple[int, ...]
    """Oldest card first."""
    cards_left: tuple[int, int]
    """Number of cards held by each seat."""
    moves: tuple[int, ...]
    """`(0,)` for the seat to move, else empty."""

    def seed(self, salt: int = 0) -> int:
        """Return a seed that depends only on the view and `salt`."""
        return hashed(self.seat, self.turn, *self.cards_left, *self.board, salt & MASK_64)
