"""Plays of the fishing game, positions and results as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from big2_env.games.fishing.cards import RANKS, cards_text
from big2_env.rng import MASK_64, hashed

MAX_PLAYS: Final = 30_000_000
"""Plays after which a game is given up where nothing else is said. By the measured tail, no game that ends gets there."""

CYCLE: Final = 2
UNDECIDED: Final = 3
"""Ends of games in arrays, where a seat (0, 1) says who has lost."""


class FishingEnd(StrEnum):
    """Why a game is over."""

    EMPTY_HAND = "empty hand"
    CYCLE = "cycle"
    """The whole state has come back: the game never ends."""
    UNDECIDED = "undecided"
    """Given up after a number of plays; no state was seen to come back."""


@dataclass(frozen=True)
class FishingOutcome:
    """How a game ended."""

    end: FishingEnd
    plays: int | None
    """How many plays were made; `None` for a cycle."""
    loser: int | None = None
    """The seat without cards; `None` where nobody has lost."""
    period: int | None = None
    """After how many plays the state comes back, where it does: the least such number."""

    @property
    def winner(self) -> int | None:
        """The other seat, `None` where nobody has lost."""
        return None if self.loser is None else 1 - self.loser


class FishingState(NamedTuple):
    """All there is to a position: what comes after follows from it."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    """By seat, front card first."""
    board: tuple[int, ...]
    """Oldest card first."""
    turn: int
    """The seat to play."""

    def __str__(self) -> str:
        shown = (cards_text(cards) or "-" for cards in (*self.hands, self.board))
        return "{} | {} | board {} | seat {}".format(*shown, self.turn)


@dataclass(frozen=True)
class FishingPlay:
    """One play, as the event log has it."""

    number: int
    """Counted from 1."""
    seat: int
    card: int
    captured: tuple[int, ...]
    """In the board's order, the played card last; empty where nothing was captured."""
    loser: int | None
    """The seat that has lost by this play, `None` while the game goes on."""
    move: ClassVar[int] = 0
    """The only move there is."""

    def __str__(self) -> str:
        text = f"{self.number} seat {self.seat} plays {RANKS[self.card]}"
        if self.captured:
            text += f", captures {cards_text(self.captured)}"
        return text if self.loser is None else f"{text}; seat {self.loser} has no cards and loses"


@dataclass(frozen=True)
class FishingView:
    """What a seat may know: sizes and the board, and nothing of any hand, its own included."""

    seat: int
    turn: int
    board: tuple[int, ...]
    """Oldest card first."""
    cards_left: tuple[int, int]
    """How many cards each seat holds."""
    moves: tuple[int, ...]
    """`(0,)` for the seat to move, else empty."""

    def seed(self, salt: int = 0) -> int:
        """A number that follows from the view and the salt."""
        return hashed(self.seat, self.turn, *self.cards_left, *self.board, salt & MASK_64)
