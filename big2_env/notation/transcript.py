"""A game as it is written: the players' names, acts in the text format, and going through a game again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.climbing.events import Event
from big2_env.climbing.game import Game, Move
from big2_env.climbing.hands import cards_at, first_legal
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted


def seat_names(names: Sequence[str] | None, seats: int) -> tuple[str, ...]:
    """The names given, one for each seat; by default `player_0`, `player_1`, ...

    Raises:
        ConfigError: not one name for each seat.

    >>> seat_names(None, 2)
    ('player_0', 'player_1')
    """
    found = tuple(f"player_{seat}" for seat in range(seats)) if names is None else tuple(names)
    if len(found) != seats:
        raise ConfigError(f"expected a name for each of the {seats} seats, got {len(found)}")
    return found


@dataclass(frozen=True, slots=True)
class RefusedAct:
    """An attempt was no legal act; the seat is asked again."""

    seat: int
    hand: int
    """The seat's cards, as a mask."""
    slots: tuple[int, ...] | str | None
    """The indices that were named in the sorted hand, as given, none for a pass; or the word; `None` where it is not known."""

    @property
    def is_pass(self) -> bool:
        """Whether it was a pass that was refused."""
        return self.slots == ()


Happening: TypeAlias = Event | RefusedAct
"""An event of the game, or an attempt that was refused."""


def check_name(name: str) -> str:
    """A player's name, which must be printable and not empty.

    Raises:
        NotationError: it is not.
    """
    if not name or not name.isprintable() or name != name.strip():
        raise NotationError(f"expected a name of printable characters without blanks at the ends, got {quoted(name)}")
    return name


class Transcript:
    """A game with what is said around it. The game may be played here (`act`) or by its owner; moves are only ever added.

    Args:
        game: the game, which is shared and not copied.
        names: a name for each seat; by default player_0, player_1, ...

    Raises:
        ConfigError: not one name for each seat.
        NotationError: an empty or unprintable name.

    >>> from big2_env import BIG2
    >>> transcript = Transcript(Game.deal(BIG2, seed=7))
    >>> transcript.act([]) is None, transcript.act([0])
    (True, Play(pattern='single', mask=1, category=0, power=0))
    >>> [type(event).__name__ for event in transcript.events]
    ['Dealt', 'TrickOpened', 'TurnStarted', 'RefusedAct', 'Played', 'TurnStarted']
    """

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        self.names = tuple(map(check_name, seat_names(names, game.num_players)))
        self.game = game
        self._events: list[Happening] = []
        self._read = 0
        """How many events of the game are in the list."""

    @property
    def events(self) -> Sequence[Happening]:
        """The game's events with the refused attempts among them, in order; the list grows as the game goes on."""
        happened = self.game.events
        self._events += happened[self._read :]
        self._read = len(happened)
        return self._events

    def act(self, slots: Sequence[int] | str) -> Play | None:
        """The act that indices in the sorted hand name (none for a pass), made if it is legal; else `None`, kept as refused.

        In an auction the word of an act without cards names it: `"call"`, `"bid_2"`.

        Indices name cards and no reading: of several legal readings the first in the order of the ruleset's patterns is played.

        Raises:
            IllegalPlayError: the game is over.
            NotationError: a word that no auction of this game has.
        """
        legal = self.game.legal_plays()
        if legal.over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        if isinstance(slots, str):
            auction = legal.ruleset.auction
            words = [] if auction is None else [act.pattern for act in auction.vocabulary]
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
        """Keep an attempt of the seat to move that was refused elsewhere: its indices or word, `None` if unknown.

        Raises:
            IllegalPlayError: the game is over.
        """
        if self.game.is_over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        _ = self.events  # what was played before comes first
        game = self.game
        kept = slots if slots is None or isinstance(slots, str) else tuple(slots)
        self._events.append(RefusedAct(game.turn, game.position.hands[game.turn], kept))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transcript):
            return NotImplemented
        return (self.names, self.game, list(self.events)) == (other.names, other.game, list(other.events))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Transcript of {', '.join(self.names)}: {self.game!r}>"


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
