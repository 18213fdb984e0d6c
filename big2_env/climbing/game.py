"""The reference implementation of a game, written for clarity. The compiled engine must agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_env.base.cards import Card, CardsLike, as_mask
from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.base.pictures import picture
from big2_env.base.rng import derived
from big2_env.climbing.events import Event, events_of_move, opening_events
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
    led_by,
    needs_highest,
)
from big2_env.climbing.ruleset import NextLead, RuleSet
from big2_env.climbing.view import View

__all__ = ["EndReason", "Game", "Move", "Outcome", "Phase", "decks_of", "max_moves"]


class Phase(Named):
    """Phase of a game. `READY` and `INITIALIZED` occur only in `Session`, before cards are dealt."""

    READY = "ready"
    """No ruleset has been chosen."""
    INITIALIZED = "initialized"
    """The ruleset and the number of players are set."""
    DEALT = "dealt"
    """Cards are dealt, and the auction is in progress."""
    ASSIGNED = "assigned"
    """The leader is known, and no card has been played."""
    STARTED = "started"
    """Cards are being played."""
    OVER = "over"


def decks_of(ruleset: RuleSet, seed: int) -> list[list[Card]]:
    """Return the shuffled decks of a game's deals, each from bottom to top.

    The first deck is shuffled with `seed`, deck number n > 0 with `derived(seed, n)`.

    Args:
        ruleset: Rules of the game. Only auctions can have more than one deal.
        seed: Seed of the game.
    """
    deals = 1 if ruleset.auction is None else ruleset.auction.deals
    return [ruleset.deck.shuffled(derived(seed, number) if number else seed) for number in range(deals)]


def max_moves(ruleset: RuleSet, num_players: int | None = None) -> int:
    """Return an upper bound on the number of moves in a game.

    The bound assumes that every card is played alone, that every other seat passes on each play, and that every auction takes
    all its decisions.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats; None for the ruleset's default.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> max_moves(BIG2)
    208
    """
    number = ruleset.default_players if num_players is None else num_players
    auction = 0 if ruleset.auction is None else ruleset.auction.deals * (number + 1)
    return ruleset.deck.size * number + auction


class Game:
    """A game in progress, with checked moves, undo, history, events and outcome.

    Create games with `Game.deal`, `Game.from_deck`, `Game.from_hands` or `Game.from_position`. Two games are equal if rules,
    start and moves are.

    Args:
        ruleset: Rules of the game.
        position: Position to start from. The constructor does not check it; `from_position` does.

    Attributes:
        ruleset: Rules of the game.
        history: Moves made so far, oldest first.

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
    def deal(cls, ruleset: RuleSet, seed: int, num_players: int | None = None, leader: int | None = None) -> Game:
        """Deal a game from a deck shuffled with `seed`.

        Args:
            ruleset: Rules of the game.
            seed: Seed of the deck and of any redeals; see `decks_of`.
            num_players: Number of seats; None for the ruleset's default.
            leader: Seat that leads with any play, as `next_leader` of the deal before; None for the holder of the lowest card.

        Raises:
            ConfigError: `ruleset` is not a `RuleSet`, it does not allow that number of players or a leader, or `seed` is not an
                integer.
        """
        if not isinstance(ruleset, RuleSet):
            raise ConfigError(f"expected a RuleSet, as big2_env.ruleset('big2') gives it, got {ruleset!r}")
        deck, *redeals = decks_of(ruleset, seed)
        return cls.from_deck(ruleset, deck, num_players, redeals, leader)

    @classmethod
    def from_deck(
        cls,
        ruleset: RuleSet,
        deck: Sequence[Card],
        num_players: int | None = None,
        redeals: Sequence[Sequence[Card]] = (),
        leader: int | None = None,
    ) -> Game:
        """Deal a game from a given deck. Its last card goes to seat 0, the card before it to seat 1, and so on.

        Args:
            ruleset: Rules of the game.
            deck: Every card of the ruleset's deck, from bottom to top.
            num_players: Number of seats; None for the ruleset's default.
            redeals: Decks to deal next if no seat wants the deal in the auction. After the last deal, the first seat asked
                becomes the landlord.
            leader: Seat that leads with any play; None for the holder of the lowest card.

        Raises:
            ConfigError: A deck is incomplete, the number of players or the leader is not allowed, or there are more deals than
                the auction permits.
        """
        number = ruleset.seats(num_players)
        for one in (deck, *redeals):
            if sorted(one) != list(ruleset.deck.cards):
                raise ConfigError(f"expected a deck with each of the {ruleset.deck.size} cards once, got {len(one)} cards")
        most = 1 if ruleset.auction is None else ruleset.auction.deals
        if len(redeals) >= most:
            raise ConfigError(f"{1 + len(redeals)} decks: {ruleset.name} has {most} deal{'s' * (most > 1)} at most")
        if leader is not None and (ruleset.auction is not None or leader not in range(number)):
            allowed = f"a seat from 0 to {number - 1}" if ruleset.auction is None else "None in a game with an auction"
            raise ConfigError(f"leader of {ruleset.name}: expected {allowed}, got {leader!r}")
        return cls(ruleset, led_by(deal(ruleset, number, deck, redeals), leader))

    @classmethod
    def from_hands(cls, ruleset: RuleSet, hands: Iterable[CardsLike], landlord: int | None = None) -> Game:
        """Create a game from hands of any size.

        The opening follows the ruleset: the holder of the lowest card leads, or the landlord in games with an auction.

        Args:
            ruleset: Rules of the game.
            hands: Cards of each seat, none empty.
            landlord: Landlord's seat in a game with an auction; None for seat 0. Must be None in other games.

        Raises:
            ConfigError: Hands share a card, contain a card that the deck lacks, or are empty, or their number is not allowed.
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
        """Create a game that continues from a position.

        Args:
            ruleset: Rules of the game.
            position: Position to start from. Missing `played`, `acted` and `captured` fields are filled with zeros.

        Raises:
            NotationError: A hand is not a valid card mask.
            ConfigError: The position is inconsistent; the message lists every fault.
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
        """Current position, including hidden cards."""
        return self._positions[-1]

    @property
    def start(self) -> Position:
        """Position at the start of the game."""
        return self._positions[0]

    @property
    def positions(self) -> Sequence[Position]:
        """Every position so far, from the start to the current one, as one list that grows with the game."""
        return self._positions

    @property
    def events(self) -> Sequence[Event]:
        """All events so far, oldest first, as one list that grows with the game.

        Events are computed from the stored positions on first access, so games whose events are never read pay nothing for
        them.
        """
        events, until = self._events, self._events_until
        if not until:
            events.extend(opening_events(self.ruleset, self.start))
            until.append(len(events))
        for i in range(len(until) - 1, len(self.history)):
            before, after = self._positions[i : i + 2]
            events.extend([*events_of_move(self.ruleset, before, self.history[i].play, after, events)])
            until.append(len(events))
        return events

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.position.hands)

    @property
    def turn(self) -> int:
        """Seat to move. Meaningless once the game is over."""
        return self.position.turn

    @property
    def top(self) -> Play | None:
        """Play to beat, or None if the seat to move leads."""
        return self.position.top

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return is_over(self.ruleset, self.position)

    @property
    def phase(self) -> Phase:
        """Current phase: dealt, assigned, started or over."""
        if self.is_over:
            return Phase.OVER
        if self.position.bidding:
            return Phase.DEALT
        return Phase.STARTED if any(self.position.played) else Phase.ASSIGNED

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game, or None while it is in progress."""
        return outcome_of(self.ruleset, self.position) if self.is_over else None

    @property
    def next_leader(self) -> int | None:
        """Seat that leads the next deal at a table; None if the next deal begins as the first one did."""
        outcome = self.outcome if self.ruleset.next_lead is NextLead.WINNER else None
        return None if outcome is None else outcome.winner

    def legal_plays(self) -> LegalPlays:
        """Return the legal moves of the seat to move. The result stays valid after the game continues."""
        position = self.position
        hand, auction = position.hands[position.turn], self.ruleset.auction
        calls = auction.moves(position.said) if position.bidding and auction is not None else ()
        highest = needs_highest(self.ruleset, position.turn, position.passed, map(int.bit_count, position.hands))
        return LegalPlays(self.ruleset, hand, position.top, position.obligation, self.is_over, calls, highest)

    def verify_play(self, cards: CardsLike, pattern: str | None = None) -> Play:
        """Return the legal play that these cards form.

        Args:
            cards: Cards to play; none for a pass or an auction decision.
            pattern: Pattern or reading to use if the cards are ambiguous, or the auction decision.

        Raises:
            IllegalPlayError: The play is not legal; the reason is in `refusal`.
            AmbiguousPlayError: The cards have several legal readings, and `pattern` selects none.
        """
        return self.legal_plays().verify(cards, pattern)

    def verify_pass(self) -> Play:
        """Return the pass if it is legal.

        Raises:
            IllegalPlayError: A pass is not legal; the reason is in `refusal`.
        """
        return self.legal_plays().verify_pass()

    def can_play(self, cards: CardsLike, pattern: str | None = None) -> bool:
        """Return True if `play` would accept these cards.

        Args:
            cards: Cards to play; none for a pass or an auction decision.
            pattern: Pattern or reading to use, or the auction decision.
        """
        return self.legal_plays().can(cards, pattern)

    @property
    def can_pass(self) -> bool:
        """True if `pass_` would succeed."""
        return self.legal_plays().can_pass

    def play(self, cards: CardsLike | Play, pattern: str | None = None) -> Play:
        """Play cards for the seat to move. A rejected play changes nothing.

        Args:
            cards: Cards to play, or a `Play`. Without cards the move is a pass, or the auction decision named by `pattern`.
            pattern: Pattern or reading to use if the cards are ambiguous, or the auction decision.

        Returns:
            The play that was made.

        Raises:
            IllegalPlayError: The play is not legal; the reason is in `refusal`.
            AmbiguousPlayError: The cards have several legal readings, and `pattern` selects none.
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
        """Pass for the seat to move.

        Raises:
            IllegalPlayError: A pass is not legal; the reason is in `refusal`.
        """
        return self.play(PASS)

    def push(self, play: Play) -> None:
        """Make a move without checking it. The caller guarantees that it is legal.

        Args:
            play: A play, pass or auction decision.
        """
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
        """Take back the last move and return it.

        Raises:
            IndexError: No move has been made.
        """
        move = self.history.pop()
        self._positions.pop()
        if len(self._events_until) > len(self._positions):
            self._events_until.pop()
            del self._events[self._events_until[-1] :]
        return move

    def view(self, seat: int | None = None) -> View:
        """Return what a seat may know of the game.

        Args:
            seat: Seat of the viewer; None for the seat to move.

        Raises:
            ConfigError: `seat` does not exist.
        """
        if seat is not None and not 0 <= seat < self.num_players:
            raise ConfigError(f"expected a seat of 0 to {self.num_players - 1}, got {seat}")
        viewer = self.turn if seat is None else seat
        return View.of_position(self.ruleset, self.position, viewer, tuple(self.history), self.outcome, is_sound=True)

    def copy(self) -> Game:
        """Return an independent copy with the same history."""
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
        """Return an SVG of the table with all hands open, for notebooks."""
        return picture(self)
