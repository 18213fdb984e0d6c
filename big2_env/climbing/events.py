"""Events of a game as typed values. `Game.events` lists them, so readers do not have to replay the game.

A game begins with `Dealt`. Each move then produces, in this order: the move, a multiplied stake, a trick won, cards drawn,
seats out, and the next turn or the end. In an auction: the decision, its result, and the next turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.base.cards import as_mask
from big2_env.climbing.outcome import Outcome, is_over, outcome_of
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Dealt:
    """The seats have their cards, after a deal or at the start of a game with given hands.

    Args:
        hands: Cards of each seat, as masks.
        left_over: Cards left over for the landlord or as a draw pile, as a mask.
    """

    hands: tuple[int, ...]
    left_over: int


@dataclass(frozen=True, slots=True)
class TrickOpened:
    """A seat leads a new trick (一圈; 回合 in the text format)."""

    seat: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A seat's turn begins."""

    seat: int
    hand: int


@dataclass(frozen=True, slots=True)
class Played:
    """A seat played cards."""

    seat: int
    play: Play


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed."""

    seat: int


@dataclass(frozen=True, slots=True)
class Said:
    """A seat decided in an auction.

    Args:
        seat: Seat that decided.
        move: The call, rob or bid, or the pass.
        zh: Chinese text of the decision.
    """

    seat: int
    move: Play
    zh: str


@dataclass(frozen=True, slots=True)
class Redealt:
    """No seat wanted the deal. The next event is a new `Dealt`."""


@dataclass(frozen=True, slots=True)
class LandlordFound:
    """An auction is over, and a seat plays against the others.

    Args:
        seat: Seat of the landlord.
        bottom: Cards that the landlord picks up, as a mask.
        stake: Base of the settlement (底分).
        factor: Multiplier of the stake that the auction produced.
    """

    seat: int
    bottom: int
    stake: int
    factor: int


@dataclass(frozen=True, slots=True)
class StakeMultiplied:
    """A play, such as a bomb, multiplied the stake."""

    seat: int
    by: int


@dataclass(frozen=True, slots=True)
class Refilled:
    """A seat drew cards from the draw pile."""

    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class SeatOut:
    """A seat has no cards left and draws none."""

    seat: int


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A trick ended, at the latest with the game. It goes to the seat that made the last play.

    Args:
        seat: Winner of the trick.
        cards: Cards played in the trick, as a mask. A game that starts in the middle of a trick lacks the earlier cards.
    """

    seat: int
    cards: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over."""

    outcome: Outcome


Event: TypeAlias = (
    Dealt
    | TrickOpened
    | TurnStarted
    | Played
    | Passed
    | Said
    | Redealt
    | LandlordFound
    | StakeMultiplied
    | Refilled
    | SeatOut
    | TrickWon
    | Ended
)


def opening_events(ruleset: RuleSet, start: Position) -> Iterator[Event]:
    """Yield the events before the first move of a game."""
    yield _dealt(start)
    yield from _what_is_next(ruleset, start)


def events_of_move(ruleset: RuleSet, before: Position, play: Play, after: Position, past: Sequence[Event]) -> Iterator[Event]:
    """Yield the events caused by one move."""
    seat = before.turn
    if before.bidding:
        yield from _decision(ruleset, before, play, after)
    else:
        yield Played(seat, play) if play else Passed(seat)
        if after.factor != before.factor:
            yield StakeMultiplied(seat, after.factor // before.factor)
        first = seat
        if after.top_seat is not None and (after.top is None or is_over(ruleset, after)):
            first = after.top_seat
            yield TrickWon(first, _trick(past) | play.mask)
        hands, number = before.without(seat, play.mask), len(before.hands)
        for drawer in ((first + step) % number for step in range(number)):
            if drawn := after.hands[drawer] & ~hands[drawer]:
                yield Refilled(drawer, drawn)
        yield from map(SeatOut, after.finished[len(before.finished) :])
    yield from _what_is_next(ruleset, after)


def _dealt(position: Position) -> Dealt:
    return Dealt(position.hands, position.bottom if position.bidding else as_mask(position.pile))


def _decision(ruleset: RuleSet, before: Position, move: Play, after: Position) -> Iterator[Event]:
    auction = ruleset.auction
    assert auction is not None
    yield Said(before.turn, move, auction.zh(move, before.said))
    if not after.bidding and after.landlord is not None:
        yield LandlordFound(after.landlord, after.bottom, after.stake, after.factor)
    elif len(after.redeals) < len(before.redeals):
        yield Redealt()
        yield _dealt(after)


def _trick(past: Sequence[Event]) -> int:
    """Return the cards played since the last trick was opened."""
    cards = 0
    for event in reversed(past):
        if isinstance(event, TrickOpened):
            break
        if isinstance(event, Played):
            cards |= event.play.mask
    return cards


def _what_is_next(ruleset: RuleSet, position: Position) -> Iterator[Event]:
    if is_over(ruleset, position):
        yield Ended(outcome_of(ruleset, position))
        return
    if position.is_leading:
        yield TrickOpened(position.turn)
    yield TurnStarted(position.turn, position.hands[position.turn])
