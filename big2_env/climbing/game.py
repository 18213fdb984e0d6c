"""The reference game: a position with its history. Clear before fast; the compiled engine has to agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from big2_env.cards import Card, CardsLike, as_mask
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.position import Position, after_pass, after_play, first_position
from big2_env.climbing.ruleset import Ending, RuleSet
from big2_env.climbing.settlement import Standing
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.named import Named


class Move(NamedTuple):
    """One act of one seat."""

    seat: int
    play: Play


class EndReason(Named):
    """Why a game is over."""

    EMPTY_HAND = "empty_hand"
    """A seat has played its last card."""
    LAST_HOLDER = "last_holder"
    """At most one seat holds cards and none are left to draw."""


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winner: int
    """The seat that got rid of its cards first."""
    reason: EndReason
    """Why the game is over."""
    cards_left: tuple[int, ...]
    """How many cards each seat has left."""
    payoffs: tuple[float, ...]
    """What each seat gets by the ruleset's settlement."""


class Game:
    """One game: checked acts, undo, history, outcome.

    Make one with `Game.deal`, `Game.from_deck`, `Game.from_hands` or `Game.from_position`.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> opener = game.turn
    >>> game.play("C[3]")
    Play(pattern='single', mask=1, category=0, power=0)
    >>> game.turn == (opener + 1) % 4, game.can_pass
    (True, True)
    """

    __slots__ = ("_positions", "history", "ruleset")

    def __init__(self, ruleset: RuleSet, position: Position) -> None:
        self.ruleset = ruleset
        self.history: list[Move] = []
        """Every act so far."""
        self._positions = [position]
        if ruleset.auto_lead and position.obligation and not self.is_over:
            self.push(next(iter(self.legal_plays())))

    @classmethod
    def deal(cls, ruleset: RuleSet, seed: int, num_players: int | None = None) -> Game:
        """A game dealt from the deck that the stream of `seed` shuffles (`big2_env.rng`)."""
        return cls.from_deck(ruleset, ruleset.deck.shuffled(seed), num_players)

    @classmethod
    def from_deck(cls, ruleset: RuleSet, deck: Sequence[Card], num_players: int | None = None) -> Game:
        """A game dealt from a deck given from bottom to top: its last card goes to seat 0, the one before to seat 1, ...

        Raises:
            ConfigError: not each card of the ruleset's deck once, or a number of players that the ruleset does not allow.
        """
        number = ruleset.min_players if num_players is None else num_players
        if not ruleset.min_players <= number <= ruleset.max_players:
            raise ConfigError(f"{number} players: {ruleset.name} allows {ruleset.min_players} to {ruleset.max_players}")
        if sorted(deck) != list(ruleset.deck.cards):
            raise ConfigError(f"a deck of {len(deck)} cards: allowed is each of the {ruleset.deck.size} cards once")
        top_first = list(reversed(deck))
        dealt = ruleset.hand_size * number
        hands = tuple(as_mask(top_first[seat:dealt:number]) for seat in range(number))
        return cls(ruleset, first_position(ruleset, hands, tuple(reversed(top_first[dealt:]))))

    @classmethod
    def from_hands(cls, ruleset: RuleSet, hands: Iterable[CardsLike]) -> Game:
        """A game from hands of any sizes, opened as the ruleset says: by the holder of the lowest card.

        Raises:
            ConfigError: cards that two hands share or the deck lacks, an empty hand, or a wrong number of hands.
        """
        masks = tuple(map(as_mask, hands))
        if not masks or not all(masks):
            raise ConfigError(f"hands of {[m.bit_count() for m in masks]} cards: allowed are hands of at least one card")
        return cls.from_position(ruleset, first_position(ruleset, masks))

    @classmethod
    def from_position(cls, ruleset: RuleSet, position: Position) -> Game:
        """A game that goes on from any position.

        Raises:
            NotationError: a hand that is no mask of cards.
            ConfigError: with every fault of the position.
        """
        number = len(position.hands)
        position = position if position.played else position._replace(played=(0,) * number)
        faults = list(_faults(ruleset, position))
        if faults:
            raise ConfigError("position: " + "; ".join(faults))
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
        position = self.position
        if self.ruleset.ending is Ending.FIRST_OUT:
            return bool(position.finished)
        return not position.pile and sum(map(bool, position.hands)) <= 1

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, `None` while it goes on."""
        if not self.is_over:
            return None
        hands, finished = self.position.hands, self.position.finished
        first_out = self.ruleset.ending is Ending.FIRST_OUT
        return Outcome(
            winner=finished[0],
            reason=EndReason.EMPTY_HAND if first_out else EndReason.LAST_HOLDER,
            cards_left=tuple(hand.bit_count() for hand in hands),
            payoffs=self.ruleset.scoring.payoffs(Standing(hands, finished)),
        )

    def legal_plays(self) -> LegalPlays:
        """The legal acts of the seat to move, as a view that stays true when the game goes on."""
        position = self.position
        return LegalPlays(self.ruleset, position.hands[position.turn], position.top, position.obligation, over=self.is_over)

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
        """Put down cards for the seat to move; no cards are a pass. A refused play changes nothing.

        Raises:
            IllegalPlayError, AmbiguousPlayError: as `verify_play` does.
        """
        if not isinstance(cards, Play):
            play = self.verify_play(cards, pattern)
        elif cards in self.legal_plays():
            play = cards
        else:
            play = self.verify_play(cards.mask, cards.pattern if cards else None)
        self.push(play)
        return play

    def pass_(self) -> Play:
        """Pass for the seat to move. Raises as `verify_pass` does."""
        return self.play(PASS)

    def push(self, play: Play) -> None:
        """Make an act that is known to be legal; nothing is checked."""
        position = self.position
        self.history.append(Move(position.turn, play))
        step = after_play(self.ruleset, position, play) if play else after_pass(self.ruleset, position)
        self._positions.append(step)

    def undo(self) -> Move:
        """Take back the last act and return it.

        Raises:
            IndexError: there is none.
        """
        move = self.history.pop()
        self._positions.pop()
        return move

    def view(self, seat: int | None = None) -> View:
        """What a seat may know, by default the seat to move.

        Raises:
            ConfigError: there is no such seat.
        """
        if seat is not None and not 0 <= seat < self.num_players:
            raise ConfigError(f"seat {seat}: allowed is 0 to {self.num_players - 1}")
        return View.of(self, self.turn if seat is None else seat)

    def copy(self) -> Game:
        """A game of its own with the same past."""
        other = object.__new__(Game)
        other.ruleset = self.ruleset
        other.history = self.history.copy()
        other._positions = self._positions.copy()
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.ruleset, self.start, self.history) == (other.ruleset, other.start, other.history)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "over" if self.is_over else f"seat {self.turn} to move"
        return f"<Game of {self.ruleset.name}: {len(self.history)} acts, {state}>"


def _faults(ruleset: RuleSet, position: Position) -> Iterable[str]:
    """Everything that is wrong with a position."""
    number = len(position.hands)
    if not ruleset.min_players <= number <= ruleset.max_players:
        yield f"{number} hands, {ruleset.name} allows {ruleset.min_players} to {ruleset.max_players}"
    if len(position.played) != number:
        yield f"played cards of {len(position.played)} seats, there are {number} hands"
    pile = as_mask(position.pile)
    seen = 0
    for mask in (*map(as_mask, position.hands), *map(as_mask, position.played), pile):
        if mask & seen:
            yield f"{ruleset.text(mask & seen)} twice"
        seen |= mask
    if seen & ~ruleset.deck.mask:
        yield "cards outside the deck"
    sizes = [hand.bit_count() for hand in position.hands]
    if max(sizes, default=0) > ruleset.hand_size:
        yield f"hands of {sizes} cards, allowed are up to {ruleset.hand_size}"
    if pile and not ruleset.draw_pile:
        yield f"a draw pile, {ruleset.name} has none"
    waiting = [] if pile else [seat for seat, hand in enumerate(position.hands) if not hand]
    if sorted(position.finished) != waiting:
        yield f"finished seats {list(position.finished)}, with these hands and this pile allowed are {waiting} in some order"
    if not 0 <= position.turn < number or not position.hands[position.turn]:
        yield f"turn {position.turn}, allowed is a seat that holds cards"
    elif position.passed >> position.turn & 1 or not 0 <= position.passed < 1 << number:
        yield f"passed {position.passed:#b}, allowed are bits of the seats that are not to move"
    if position.top is not None:
        if position.obligation:
            yield "an obligatory card after the first play"
        if position.top not in ruleset.table.classify(position.top.mask):
            yield f"top play {position.top}, which is no play of {ruleset.name}"
        if position.top_seat is None or not 0 <= position.top_seat < number or position.top_seat == position.turn:
            yield f"top player {position.top_seat}, allowed is a seat other than the one to move"
        if any(position.top.mask & hand for hand in position.hands):
            yield f"top play {position.top} still in a hand"
    elif position.obligation & ~(position.hands[position.turn] if 0 <= position.turn < number else 0):
        yield f"the obligatory card {ruleset.text(position.obligation)} is not in the hand to move"
