"""What one seat of a UNO game may know."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.games.uno.rules import UnoRules


@dataclass(frozen=True)
class UnoView:
    """A game from one seat; there is no field for what that seat may not know."""

    rules: UnoRules
    """The game's rules."""
    seat: int
    """The seat that looks."""
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
    acts: tuple[int, ...]
    """The viewer's legal acts, ascending; none off turn."""
    is_over: bool
    """Whether the game has ended."""
