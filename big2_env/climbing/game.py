"""The reference game: a position with its history. Clear before fast; the compiled engine has to agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_env.cards import Card, CardsLike, as_mask
from big2_env.climbing.events import Event, events_of_act, opening_events
from big2_env.climbing.faults import faults
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import EndReason, Outcome, is_over, outcome_of
from big2_env.climbing.play import PASS, Move, Play
from big2_env.climbing.position import (
    Position,
    after_decision,
    after_pass,
    after_play,
    deal,
    first_position,
    lead_position,
)
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.named import Named
from big2_env.pictures import picture
from big2_env.rng import derived

__all__ = ["EndReason", "Game", "Move", "Outcome", "Phase", "decks_of", "max_acts"]


class Phase(Named):
    """The state of a game. The first two are before any cards are dealt."""

    READY = "ready"
    """No game is chosen."""
    INITIALIZED = "initialized"
    """Rules and number of players are set."""
    DEALT = "dealt"
    """Cards are dealt, and the auction goes on."""
    ASSIGNED = "assigned"
    """It is known who leads; no card has been played."""
    STARTED = "started"
    """Cards are being played."""
    OVER = "over"


def decks_of(ruleset: RuleSet, seed: int) -> list[list[Card]]:
    """The decks of a game's deals, each from bottom to top: shuffled by the stream of `seed`, `derived(seed, 1)`, ..."""
    deals = 1 if ruleset.auction is None else ruleset.auction.deals
    return [ruleset.deck.shuffled(derived(seed, number) if number else seed) for number in range(deals)]


def max_acts(ruleset: RuleSet, num_players: int | None = None) -> int:
    """A bound on the acts of a game: every card played alone, each play passed by all others, and every decision of auctions.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> max_acts(BIG2)
    208
    """
    number = ruleset.default_players if num_players is None else num_players
    auction = 0 if ruleset.auction is None else ruleset.auction.deals * (number + 1)
    return ruleset.deck.size * number + auction


class Game:
    """One game: checked acts, undo, history, events, outcome.

    Make one with `Game.deal`, `Game.from_deck`, `Game.from_hands` or `Game.from_position`.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> opener = game.turn
    >>> game.play("C[3]")
    Play(pattern='single', mask=1, category=0, power=0)
    >>> game.turn == (opener + 1) % 4, game.can_pass
    (True, True)
    """

    __slots__ = ("_events", "_events_until", "_positions", "history", "ruleset")

    def __init__(self, ruleset: RuleSet, position: Position) -> None:
        _ = ruleset.table  # refuses patterns that leave a leader without a play
        self.ruleset = ruleset
        self.history: list[Move] = []
        self._positions = [position]
        self._events: list[Event] = []
        self._events_until: list[int] = []
        if ruleset.auto_lead and position.obligation and not self.is_over:
            self.push(next(iter(self.legal_plays())))

    @classmethod
    def deal(cls, ruleset: RuleSet, seed: int, num_players: int | None = None) -> Game:
        """A game dealt from the deck that the stream of `seed` shuffles, and further deals from `decks_of` it.

        Raises:
            ConfigError: no `RuleSet`, a number of players that it does not allow, or a seed that is no integer.
        """
        if not isinstance(ruleset, RuleSet):
            raise ConfigError(f"expected a RuleSet, as big2_env.ruleset('big2') gives it, got {ruleset!r}")
        deck, *redeals = decks_of(ruleset, seed)
        return cls.from_deck(ruleset, deck, num_players, redeals)

    @classmethod
    def from_deck(
        cls,
        ruleset: RuleSet,
        deck: Sequence[Card],
        num_players: int | None = None,
        redeals: Sequence[Sequence[Card]] = (),
    ) -> Game:
        """A game dealt from a deck given from bottom to top: its last card goes to seat 0, the one before to seat 1, ...

        `redeals` are the decks that are dealt where an auction finds nobody; with none left, its first seat is forced.

        Raises:
            ConfigError: not each card of the ruleset's deck once, a number of players that the ruleset does not allow, or more
                deals than its auction has.
        """
        number = ruleset.seats(num_players)
        for one in (deck, *redeals):
            if sorted(one) != list(ruleset.deck.cards):
                raise ConfigError(f"expected a deck with each of the {ruleset.deck.size} cards once, got {len(one)} cards")
        most = 1 if ruleset.auction is None else ruleset.auction.deals
        if len(redeals) >= most:
            raise ConfigError(f"{1 + len(redeals)} decks: {ruleset.name} has {most} deal{'s' * (most > 1)} at most")
        return cls(ruleset, deal(ruleset, number, deck, redeals))

    @classmethod
    def from_hands(cls, ruleset: RuleSet, hands: Iterable[CardsLike], landlord: int | None = None) -> Game:
        """A game from hands of any sizes, opened as the ruleset says: by the holder of the lowest card, or by the landlord.

        In games with an auction the landlord is the seat given, or seat 0; the others have none.

        Raises:
            ConfigError: cards that two hands share or the deck lacks, an empty hand, or a wrong number of hands.
        """
        masks = tuple(map(as_mask, hands))
        if not masks or not all(masks):
            raise ConfigError(f"expected hands of at least one card, got {[m.bit_count() for m in masks]} cards")
        if ruleset.auction is not None:
            return cls.from_position(ruleset, lead_position(ruleset, masks, landlord or 0))
        if landlord is not None:
            raise ConfigError(f"landlord {landlord}: {ruleset.name} has none")
        return cls.from_position(ruleset, first_position(ruleset, masks))

    @classmethod
    def from_position(cls, ruleset: RuleSet, position: Position) -> Game:
        """A game that goes on from any position.

        Raises:
            NotationError: a hand that is no mask of cards.
            ConfigError: with every fault of the position.
        """
        nothing = (0,) * len(position.hands)
        position = position if position.played else position._replace(played=nothing)
        if ruleset.auction is not None and not position.acted:
            position = position._replace(acted=nothing)
        if ruleset.scoring.captures and not position.captured:
            position = position._replace(captured=nothing)
        found = list(faults(ruleset, position))
        if found:
            raise ConfigError("position: " + "; ".join(found))
        return cls(ruleset, position)

    @property
    def position(self) -> Position:
        """Everything about the present, hidden cards included."""
        return self._positions[-1]

    @property
    def start(self) -> Position:
        """The position that the game began with."""
        return self._positions[0]

    @property
    def events(self) -> Sequence[Event]:
        """Everything that has happened, in order: one list that grows as the game goes on.

        The events of an act are made of the positions around it when they are first asked for, so games that nobody reads pay
        nothing for them.
        """
        events, until = self._events, self._events_until
        if not until:
            events.extend(opening_events(self.ruleset, self.start))
            until.append(len(events))
        for i in range(len(until) - 1, len(self.history)):
            before, after = self._positions[i : i + 2]
            events.extend([*events_of_act(self.ruleset, before, self.history[i].play, after, events)])
            until.append(len(events))
        return events

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return len(self.position.hands)

    @property
    def turn(self) -> int:
        """The seat to move; without meaning once the game is over."""
        return self.position.turn

    @property
    def top(self) -> Play | None:
        """The top play, `None` when the seat to move leads."""
        return self.position.top

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return is_over(self.ruleset, self.position)

    @property
    def phase(self) -> Phase:
        """Where the game stands: dealt, assigned, started or over."""
        if self.is_over:
            return Phase.OVER
        if self.position.bidding:
            return Phase.DEALT
        return Phase.STARTED if any(self.position.played) else Phase.ASSIGNED

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, `None` while it goes on."""
        return outcome_of(self.ruleset, self.position) if self.is_over else None

    def legal_plays(self) -> LegalPlays:
        """The legal acts of the seat to move, as a view that stays true when the game goes on."""
        position = self.position
        hand, auction = position.hands[position.turn], self.ruleset.auction
        calls = auction.acts(position.said) if position.bidding and auction is not None else ()
        return LegalPlays(self.ruleset, hand, position.top, position.obligation, self.is_over, calls)

    def verify_play(self, cards: CardsLike, pattern: str | None = None) -> Play:
        """The play that these cards are now. Raises as `LegalPlays.verify` does."""
        return self.legal_plays().verify(cards, pattern)

    def verify_pass(self) -> Play:
        """The pass, if it is legal now. Raises as `LegalPlays.verify_pass` does."""
        return self.legal_plays().verify_pass()

    def can_play(self, cards: CardsLike, pattern: str | None = None) -> bool:
        """Whether `play` would do it."""
        return self.legal_plays().can(cards, pattern)

    @property
    def can_pass(self) -> bool:
        """Whether `pass_` would do it."""
        return self.legal_plays().can_pass

    def play(self, cards: CardsLike | Play, pattern: str | None = None) -> Play:
        """Put down cards for the seat to move; no cards are a pass, or the decision that `pattern` names.

        A refused play changes nothing.

        Raises:
            IllegalPlayError, AmbiguousPlayError: as `verify_play` does.
        """
        if not isinstance(cards, Play):
            play = self.verify_play(cards, pattern)
        elif cards in self.legal_plays():
            play = cards
        else:
            play = self.verify_play(cards.mask, cards.pattern)
        self.push(play)
        return play

    def pass_(self) -> Play:
        """Pass for the seat to move. Raises as `verify_pass` does."""
        return self.play(PASS)

    def push(self, play: Play) -> None:
        """Make an act that is known to be legal; nothing is checked."""
        position = self.position
        self.history.append(Move(position.turn, play))
        if play:
            step = after_play(self.ruleset, position, play)
        elif position.bidding:
            step = after_decision(self.ruleset, position, play)
        else:
            step = after_pass(self.ruleset, position)
        self._positions.append(step)

    def undo(self) -> Move:
        """Take back the last act and return it.

        Raises:
            IndexError: there is none.
        """
        move = self.history.pop()
        self._positions.pop()
        if len(self._events_until) > len(self._positions):
            self._events_until.pop()
            del self._events[self._events_until[-1] :]
        return move

    def view(self, seat: int | None = None) -> View:
        """What a seat may know, by default the seat to move.

        Raises:
            ConfigError: there is no such seat.
        """
        if seat is not None and not 0 <= seat < self.num_players:
            raise ConfigError(f"expected a seat of 0 to {self.num_players - 1}, got {seat}")
        viewer = self.turn if seat is None else seat
        return View.of_position(self.ruleset, self.position, viewer, tuple(self.history), self.outcome, is_sound=True)

    def copy(self) -> Game:
        """A game of its own with the same past."""
        other = object.__new__(Game)
        other.ruleset = self.ruleset
        other.history = self.history.copy()
        other._positions = self._positions.copy()
        other._events, other._events_until = [], []  # made again when they are asked for
        return other

    def __copy__(self) -> Game:
        return self.copy()

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        kept = {"ruleset": self.ruleset, "history": self.history, "_positions": self._positions}
        return None, kept | {"_events": [], "_events_until": []}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.ruleset, self.start, self.history) == (other.ruleset, other.start, other.history)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "over" if self.is_over else f"seat {self.turn} to move"
        return f"<Game of {self.ruleset.name}: {len(self.history)} acts, {state}>"

    def _repr_svg_(self) -> str:
        """The table with all hands open, for notebooks."""
        return picture(self)
