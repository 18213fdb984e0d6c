"""What was played and attempted: a game with its players' names and the attempts that the rules refused.

Nothing here prints; `log.py` turns a transcript into the text format, `records.py` into JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.climbing.events import Event
from big2_env.climbing.game import Game
from big2_env.climbing.hands import cards_at, first_legal
from big2_env.climbing.play import Play
from big2_env.errors import IllegalPlayError, NotationError, Refusal, quoted
from big2_env.notation.seat_names import seat_names


@dataclass(frozen=True, slots=True)
class Refused:
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


Happening: TypeAlias = Event | Refused
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
    ['Dealt', 'TrickOpened', 'TurnStarted', 'Refused', 'Played', 'TurnStarted']
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
        self._events.append(Refused(game.turn, game.position.hands[game.turn], kept))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transcript):
            return NotImplemented
        return (self.names, self.game, list(self.events)) == (other.names, other.game, list(other.events))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Transcript of {', '.join(self.names)}: {self.game!r}>"
