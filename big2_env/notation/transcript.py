"""Games as they are written down: players' names, moves in the text format, refused attempts, and replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
from big2_env.climbing.events import Event
from big2_env.climbing.game import Game, Move
from big2_env.climbing.hands import cards_at, first_legal
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.view import View


def seat_names(names: Sequence[str] | None, seats: int) -> tuple[str, ...]:
    """Return a name for each seat.

    Args:
        names: Names by seat; None for `player_0`, `player_1`, ...
        seats: Number of seats.

    Raises:
        ConfigError: The number of names is not the number of seats.

    >>> seat_names(None, 2)
    ('player_0', 'player_1')
    """
    found = tuple(f"player_{seat}" for seat in range(seats)) if names is None else tuple(names)
    if len(found) != seats:
        raise ConfigError(f"expected a name for each of the {seats} seats, got {len(found)}")
    return found


@dataclass(frozen=True, slots=True)
class RefusedMove:
    """An illegal attempt, after which the same seat is asked again.

    Args:
        seat: Seat that made it.
        hand: The seat's cards, as a mask.
        slots: Indices in the sorted hand as given (empty for a pass), an auction decision as text, or None if unknown.
    """

    seat: int
    hand: int
    slots: tuple[int, ...] | str | None

    @property
    def is_pass(self) -> bool:
        """True if a pass was refused."""
        return self.slots == ()


Happening: TypeAlias = Event | RefusedMove
"""An event of the game, or a refused attempt."""


def check_name(name: str) -> str:
    """Return a player's name after checking that it is printable and not empty.

    Raises:
        NotationError: The name is empty, has unprintable characters, or begins or ends with a blank.
    """
    if not name or not name.isprintable() or name != name.strip():
        raise NotationError(f"expected a name of printable characters without blanks at the ends, got {quoted(name)}")
    return name


class Transcript:
    """A game with its players' names and refused attempts.

    Moves can be made here with `act` or directly in the game. The game may only move forward.

    Args:
        game: The game, which is shared and not copied.
        names: Name of each seat; None for `player_0`, `player_1`, ...

    Raises:
        ConfigError: The number of names is not the number of seats.
        NotationError: A name is empty or unprintable.

    >>> from big2_env import BIG2
    >>> transcript = Transcript(Game.deal(BIG2, seed=7))
    >>> transcript.act([]) is None, transcript.act([0])
    (True, Play(pattern='single', mask=1, category=0, power=0))
    >>> [type(event).__name__ for event in transcript.events]
    ['Dealt', 'TrickOpened', 'TurnStarted', 'RefusedMove', 'Played', 'TurnStarted']
    """

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        self.names = tuple(map(check_name, seat_names(names, game.num_players)))
        self.game = game
        self._events: list[Happening] = []
        self._read = 0
        """Number of the game's events in the list."""

    @property
    def events(self) -> Sequence[Happening]:
        """Events of the game and refused attempts, in order; the list grows with the game."""
        happened = self.game.events
        self._events += happened[self._read :]
        self._read = len(happened)
        return self._events

    def act(self, slots: Sequence[int] | str) -> Play | None:
        """Make the move that an action selects. An illegal move is kept as a refused attempt.

        Indices select cards, not a reading. Of several legal readings, the first in the order of the ruleset's patterns is
        played.

        Args:
            slots: Indices in the sorted hand (empty for a pass), or an auction decision such as `"call"` or `"bid_2"`.

        Returns:
            The move, or None if it was refused.

        Raises:
            IllegalPlayError: The game is over.
            NotationError: The game has no such auction decision.
        """
        legal = self.game.legal_plays()
        if legal.over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        if isinstance(slots, str):
            auction = legal.ruleset.auction
            words = [] if auction is None else [move.pattern for move in auction.vocabulary]
            if slots not in words:
                raise NotationError(f"expected {', '.join([*words, 'indices of cards'])}, got {quoted(slots)}")
        try:
            if isinstance(slots, str):
                play = legal.verify(0, slots)
            elif not slots:
                play = legal.verify_pass()
            else:
                play = first_legal(legal, cards_at(legal.ruleset, legal.hand, slots))
        except (IllegalPlayError, NotationError):
            self.refuse(slots)
            return None
        self.game.push(play)
        return play

    def refuse(self, slots: Sequence[int] | str | None) -> None:
        """Add an attempt of the seat to move that was refused elsewhere.

        Args:
            slots: Its indices or word; None if unknown.

        Raises:
            IllegalPlayError: The game is over.
        """
        if self.game.is_over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        _ = self.events  # what was played before comes first
        game = self.game
        kept = slots if slots is None or isinstance(slots, str) else tuple(slots)
        self._events.append(RefusedMove(game.turn, game.position.hands[game.turn], kept))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transcript):
            return NotImplemented
        return (self.names, self.game, list(self.events)) == (other.names, other.game, list(other.events))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Transcript of {', '.join(self.names)}: {self.game!r}>"


@dataclass(frozen=True)
class Frame:
    """One moment of a game.

    Args:
        game: Independent copy of the game at this moment, which may be continued.
        move: Move made at this moment, or None at the end.
    """

    game: Game
    move: Move | None

    @property
    def ply(self) -> int:
        """Number of moves made before this moment."""
        return len(self.game.history)

    @property
    def position(self) -> Position:
        """Position at this moment, including hidden cards."""
        return self.game.position

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know at this moment.

        Args:
            seat: Seat of the viewer; None for the seat to move.

        Raises:
            ConfigError: `seat` does not exist.
        """
        return self.game.view(seat)


def game_at(game: Game, ply: int) -> Game:
    """Return a copy of a game as it was after a number of moves.

    Raises:
        ConfigError: The game has fewer moves.
    """
    if not 0 <= ply <= len(game.history):
        raise ConfigError(f"expected a move of 0 to {len(game.history)}, got {ply}")
    copy = game.copy()
    while len(copy.history) > ply:
        copy.undo()
    return copy


def replay(game: Game) -> Iterator[Frame]:
    """Yield the moments of a game, from the start to the current one.

    >>> from big2_env import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> _ = game.play("C[3]"), game.pass_()
    >>> [(frame.ply, frame.position.turn, str(frame.move and frame.move.play)) for frame in replay(game)]
    [(0, 1, 'single C[3]'), (1, 2, 'pass'), (2, 3, 'None')]
    """
    for ply, move in enumerate([*game.history, None]):
        yield Frame(game_at(game, ply), move)
