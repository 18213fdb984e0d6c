"""What was played: a game with its players' names and the attempts that the rules refused, as a list of events.

Nothing here prints; `log.py` turns events into the text format, `records.py` into JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, Refusal, quoted


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round (回合) starts: whoever is next leads."""


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A seat is asked."""

    seat: int
    hand: int
    """The seat's cards, as a mask."""


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


@dataclass(frozen=True, slots=True)
class Played:
    """A seat has put down cards."""

    seat: int
    play: Play


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat has passed."""

    seat: int


@dataclass(frozen=True, slots=True)
class Said:
    """A seat has decided in an auction."""

    seat: int
    act: Play
    """The call, rob or bid, or the pass."""
    zh: str
    """What was said, in Chinese."""


@dataclass(frozen=True, slots=True)
class Redealt:
    """Nobody wanted the deal: the cards are dealt anew."""


@dataclass(frozen=True, slots=True)
class LandlordFound:
    """An auction is over: a seat plays against the rest."""

    seat: int
    bottom: int
    """The cards that it takes up, as a mask."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    winner: int


Event: TypeAlias = RoundStarted | TurnStarted | Refused | Played | Passed | Said | Redealt | LandlordFound | Ended


def check_name(name: str) -> str:
    """A player's name, which must be printable and not empty.

    Raises:
        NotationError: it is not.
    """
    if not name or not name.isprintable() or name != name.strip():
        raise NotationError(f"the name {quoted(name)}: allowed are printable characters, at least one, no blanks at the ends")
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
    ['RoundStarted', 'TurnStarted', 'Refused', 'Played', 'TurnStarted']
    """

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        seats = range(game.num_players)
        self.names = tuple(f"player_{seat}" for seat in seats) if names is None else tuple(map(check_name, names))
        if len(self.names) != len(seats):
            raise ConfigError(f"{len(self.names)} names: allowed is one for each of the {len(seats)} seats")
        self.game = game
        self._events: list[Event] = []
        self._told = game.copy()
        """The game as far as the events tell it."""
        while self._told.history:
            self._told.undo()
        self._ask()

    @property
    def events(self) -> Sequence[Event]:
        """Everything up to now, in order; the list grows as the game goes on."""
        history = self.game.history
        while len(self._told.history) < len(history):
            seat, play = history[len(self._told.history)]
            if self._told.position.bidding:
                self._tell_decision(seat, play)
            else:
                self._events.append(Played(seat, play) if play else Passed(seat))
                self._told.push(play)
            self._ask()
        return self._events

    def _tell_decision(self, seat: int, act: Play) -> None:
        """What a decision in an auction leads to."""
        before, auction = self._told.position, self._told.ruleset.auction
        assert auction is not None
        self._events.append(Said(seat, act, auction.zh(act, before.said)))
        self._told.push(act)
        after = self._told.position
        if not after.bidding and after.landlord is not None:
            self._events.append(LandlordFound(after.landlord, after.bottom))
        elif len(after.redeals) < len(before.redeals):
            self._events.append(Redealt())

    def _ask(self) -> None:
        told = self._told
        outcome = told.outcome
        if outcome is not None:
            self._events.append(Ended(outcome.winner))
            return
        if told.position.is_leading:
            self._events.append(RoundStarted())
        self._events.append(TurnStarted(told.turn, told.position.hands[told.turn]))

    def act(self, slots: Sequence[int] | str) -> Play | None:
        """The act that indices in the sorted hand name (none for a pass), made if it is legal; else `None`, kept as refused.

        In an auction the word of an act without cards names it: `"call"`, `"bid_2"`.

        Indices name cards and no reading: of several legal readings the first in the order of the ruleset's patterns is played.

        Raises:
            IllegalPlayError: the game is over.
            NotationError: a word that no auction of this game has.
        """
        game = self.game
        if game.is_over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        hand = game.ruleset.order.sort(game.position.hands[game.turn])
        if isinstance(slots, str):
            words = [] if game.ruleset.auction is None else [act.pattern for act in game.ruleset.auction.vocabulary]
            if slots not in words:
                raise NotationError(f"{quoted(slots)}: allowed are {', '.join([*words, 'indices of cards'])}")
            with suppress(IllegalPlayError):
                return game.play(0, slots)
            self.refuse(slots)
            return None
        if len(set(slots)) == len(slots) and all(0 <= slot < len(hand) for slot in slots):
            mask = sum(1 << hand[slot] for slot in slots)
            try:
                return game.play(mask)
            except AmbiguousPlayError:
                legal = game.legal_plays()
                return game.play(next(play for play in game.ruleset.table.classify(mask) if play in legal))
            except IllegalPlayError:
                pass
        self.refuse(slots)
        return None

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
