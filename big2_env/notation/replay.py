"""A game gone through again: what stood before each move, and games that branch off there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from big2_env.climbing.game import Game, Move
from big2_env.climbing.position import Position
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


@dataclass(frozen=True)
class Frame:
    """One moment of a game."""

    game: Game
    """The game as it stood: a copy of its own, so one may play on from here."""
    move: Move | None
    """What was done then, `None` at the end."""

    @property
    def ply(self) -> int:
        """How many moves had been made."""
        return len(self.game.history)

    @property
    def position(self) -> Position:
        """Everything about the moment, hidden cards included."""
        return self.game.position

    def view(self, seat: int | None = None) -> View:
        """What a seat may know, by default the seat to move. Raises as `Game.view` does."""
        return self.game.view(seat)


def game_at(game: Game, ply: int) -> Game:
    """A copy of a game as it stood after so many moves.

    Raises:
        ConfigError: it never had so many.
    """
    if not 0 <= ply <= len(game.history):
        raise ConfigError(f"expected a move of 0 to {len(game.history)}, got {ply}")
    copy = game.copy()
    while len(copy.history) > ply:
        copy.undo()
    return copy


def replay(game: Game) -> Iterator[Frame]:
    """The moments of a game, the one before the first move first, the present one last.

    >>> from big2_env import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> _ = game.play("C[3]"), game.pass_()
    >>> [(frame.ply, frame.position.turn, str(frame.move and frame.move.play)) for frame in replay(game)]
    [(0, 1, 'single C[3]'), (1, 2, 'pass'), (2, 3, 'None')]
    """
    for ply, move in enumerate([*game.history, None]):
        yield Frame(game_at(game, ply), move)
