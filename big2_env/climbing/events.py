"""What happened in a game, as typed values: `Game.events` lists them, so no reader has to replay a game.

A game begins with `Dealt`. Each act then gives, in this order: the act; the stake multiplied; a trick won; cards drawn; seats
out; the next turn (of a new trick or not) or the end. In an auction: the decision; what it led to; the next turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from big2_env.cards import Card, as_mask
from big2_env.climbing.outcome import Outcome, is_over, outcome_of
from big2_env.climbing.play import PASS, Move, Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Dealt:
    """The seats have their cards: after a deal, or as a game that begins with given hands was set up."""

    hands: tuple[int, ...]
    """The cards of each seat, as masks."""
    left_over: int
    """The cards left over for the landlord or as a draw pile, as a mask."""


@dataclass(frozen=True, slots=True)
class TrickOpened:
    """A trick (一圈; 回合 in the text format) begins: the seat leads."""

    seat: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """It is a seat's turn."""

    seat: int
    hand: int
    """The seat's cards, as a mask."""


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


@dataclass(frozen=True, slots=True)
class Redealt:
    """Nobody wanted the deal: the next event is a new `Dealt`."""


@dataclass(frozen=True, slots=True)
class LandlordFound:
    """An auction is over: a seat plays against the rest."""

    seat: int
    bottom: int
    """The cards that the landlord takes up, as a mask."""
    stake: int
    """The base of the settlement (底分)."""
    factor: int
    """What the auction multiplied the stake by."""


@dataclass(frozen=True, slots=True)
class StakeMultiplied:
    """A play has multiplied the stake, such as a bomb."""

    seat: int
    by: int


@dataclass(frozen=True, slots=True)
class Refilled:
    """A seat has drawn cards from the pile."""

    seat: int
    cards: int
    """The cards drawn, as a mask."""


@dataclass(frozen=True, slots=True)
class SeatOut:
    """A seat has no cards left and draws none."""

    seat: int


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A trick has ended, at the latest with the game: it goes to the seat that made its last play."""

    seat: int
    cards: int
    """The cards played in the trick, as a mask; a game that began within it does not know those before."""


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
    """The events before the first act of a game that begins at a position."""
    yield _dealt(start)
    yield from _what_is_next(ruleset, start)


def events_of_act(ruleset: RuleSet, before: Position, play: Play, after: Position, past: Sequence[Event]) -> Iterator[Event]:
    """The events that one act caused.

    Args:
        ruleset: the game's rules.
        before: the position in which the seat to move acted.
        play: the act.
        after: the position that it led to.
        past: the events before the act.
    """
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


def _decision(ruleset: RuleSet, before: Position, act: Play, after: Position) -> Iterator[Event]:
    auction = ruleset.auction
    assert auction is not None
    yield Said(before.turn, act, auction.zh(act, before.said))
    if not after.bidding and after.landlord is not None:
        yield LandlordFound(after.landlord, after.bottom, after.stake, after.factor)
    elif len(after.redeals) < len(before.redeals):
        yield Redealt()
        yield _dealt(after)


def _trick(past: Sequence[Event]) -> int:
    """The cards played since the last trick was opened."""
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


Round: TypeAlias = tuple[Move, ...]
"""The moves of a round in order, passes among them."""


@dataclass(frozen=True)
class Rounds:
    """A game by rounds (回合): chains of tricks in which each new lead beats the last play of the trick before.

    The first one is the preparatory round (預備回合): the decisions of the auction, or in other games each seat's lowest card.
    """

    said: tuple[Said, ...]
    """The decisions of the present deal's auction; none in games without one."""
    lowest: tuple[Card | None, ...]
    """Each seat's lowest dealt card, `None` for no cards; empty in games with an auction."""
    rounds: tuple[Round, ...]


def rounds_of(ruleset: RuleSet, events: Iterable[Event]) -> Rounds:
    """Split the events of a game into rounds.

    >>> from big2_env import BIG2, Game
    >>> game = Game.deal(BIG2, seed=7)
    >>> for cards in ("C[3]", "", "", "", "S[3]"):
    ...     _ = game.play(cards)
    >>> [[str(play) for _, play in acts] for acts in rounds_of(BIG2, game.events).rounds]
    [['single C[3]', 'pass', 'pass', 'pass', 'single S[3]']]
    """
    order = ruleset.order
    said: list[Said] = []
    rounds: list[list[Move]] = []
    lowest: tuple[Card | None, ...] = ()
    is_lead, last = False, None
    for event in events:
        match event:
            case Dealt(hands):
                said.clear()
                lowest = tuple(order.lowest(hand) if hand else None for hand in hands)
            case Said():
                said.append(event)
            case TrickOpened():
                is_lead = True
            case Played(seat, play):
                if not rounds or (is_lead and not (last is not None and ruleset.covers(play, last))):
                    rounds.append([])
                rounds[-1].append(Move(seat, play))
                is_lead, last = False, play
            case Passed(seat):
                if not rounds:
                    rounds.append([])
                rounds[-1].append(Move(seat, PASS))
            case _:
                pass
    return Rounds(tuple(said), () if ruleset.auction is not None else lowest, tuple(map(tuple, rounds)))
