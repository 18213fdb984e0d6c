"""A single seat's view of a game. `View` has no field for hidden cards, so code that receives a view cannot leak them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from big2_env.base.cards import CARDS, iter_cards, union
from big2_env.base.errors import ConfigError
from big2_env.base.pictures import picture
from big2_env.base.validated import Frozen
from big2_env.climbing.auction import Decisions
from big2_env.climbing.faults import faults
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import Outcome
from big2_env.climbing.play import Move, Play
from big2_env.climbing.position import Position, needs_highest
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import team_of

MAX_MOVES: Final = 1 << 12
"""Limit on the length of a history; no real game reaches it."""
_BROKEN = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""Exceptions raised by reading fields of the wrong type."""


@dataclass(frozen=True)
class View(Frozen):
    """One seat's information about a game: its own hand and everything public.

    Agents, encoders and screens receive a view. Get one from `Game.view`. Seats are absolute, from 0 to the number of players
    minus 1. Card sets are bit masks.

    Args:
        ruleset: Rules of the game.
        seat: Seat of the viewer.
        hand: The viewer's own cards.
        turn: Seat to move.
        top: Play to beat, or None if the seat to move leads.
        top_seat: Seat that made the last play, or None before the first.
        passed: Seats that have passed and are skipped for now, as a bit mask.
        obligation: Card that the first play of the game must contain; 0 if none.
        cards_left: Number of cards in each hand.
        played: Cards that each seat has played.
        pile_left: Number of cards in the draw pile.
        finished: Seats that are out of cards for good, in the order they finished.
        history: Moves so far, oldest first.
        outcome: Result of the game, or None while it is in progress.
        lead_over: Under `PassLock.ROUND`, the play that a lead must beat to keep the passed seats locked out.
        bidding: True during the auction.
        said: Decisions in the auction of the current deal, as (seat, value) pairs; a value of 0 is a pass.
        landlord: Seat that plays against the others, or None if there is none (yet).
        bottom: Cards that the landlord picked up; 0 before that.
        redeals_left: Number of deals that remain if no seat wants this one.
        stake: Base of the settlement (底分).
        factor: Current multiplier of the stake (倍数).
        acted: Number of plays by each seat, in games with an auction.
        captured: Cards of the tricks that each seat has won, if the settlement counts them.
    """

    ruleset: RuleSet
    seat: int
    hand: int
    turn: int
    top: Play | None
    top_seat: int | None
    passed: int
    obligation: int
    cards_left: tuple[int, ...]
    played: tuple[int, ...]
    pile_left: int
    finished: tuple[int, ...]
    history: tuple[Move, ...]
    outcome: Outcome | None
    lead_over: Play | None = None
    bidding: bool = False
    said: Decisions = ()
    landlord: int | None = None
    bottom: int = 0
    redeals_left: int = 0
    stake: int = 1
    factor: int = 1
    acted: tuple[int, ...] = ()
    captured: tuple[int, ...] = ()
    _is_sound: ClassVar[bool] = False
    """True if a game created the view, or `check` has accepted it."""

    @classmethod
    def of_position(
        cls,
        ruleset: RuleSet,
        position: Position,
        seat: int,
        history: tuple[Move, ...] = (),
        outcome: Outcome | None = None,
        *,
        is_sound: bool = False,
    ) -> View:
        """Return the view of a seat on a position. Nothing is checked.

        Args:
            ruleset: Rules of the game.
            position: The position, including hidden cards.
            seat: Seat of the viewer.
            history: Moves that led to the position, if known.
            outcome: Result of the game, if it is over.
            is_sound: True if a game produced the position, so that `check` can skip it.
        """
        view = cls(
            ruleset=ruleset,
            seat=seat,
            hand=position.hands[seat],
            turn=position.turn,
            top=position.top,
            top_seat=position.top_seat,
            passed=position.passed,
            obligation=position.obligation,
            cards_left=tuple([hand.bit_count() for hand in position.hands]),
            played=position.played,
            pile_left=len(position.pile),
            finished=position.finished,
            history=history,
            outcome=outcome,
            lead_over=position.lead_over,
            bidding=position.bidding,
            said=position.said,
            landlord=position.landlord,
            bottom=0 if position.bidding else position.bottom,
            redeals_left=len(position.redeals),
            stake=position.stake,
            factor=position.factor,
            acted=position.acted,
            captured=position.captured,
        )
        if is_sound:
            object.__setattr__(view, "_is_sound", True)
        return view

    def check(self, legal: LegalPlays | None = None) -> None:
        """Raise an error unless an agent can be asked to move in this view. Compiled code relies on this check.

        Args:
            legal: Legal moves to compare with the view; None to skip that comparison.

        Raises:
            ConfigError: No game produces this view, the seat is not to move, or `legal` belongs to another position.
        """
        if not self._is_sound:
            if found := view_faults(self):
                raise ConfigError("view: " + "; ".join(found))
            object.__setattr__(self, "_is_sound", True)
        if self.seat != self.turn or self.outcome is not None:
            raise ConfigError(f"expected the view of a seat that is to move, got the view of seat {self.seat}")
        if legal is not None and not (
            isinstance(legal, LegalPlays)
            and legal.ruleset is self.ruleset
            and legal.hand == self.hand
            and legal.top == self.top
            and legal.obligation == self.obligation
            and legal.calls == self.calls
            and legal.highest == self.needs_highest
            and not legal.over
        ):
            raise ConfigError("expected the legal plays of the view, got plays of another position")

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.cards_left)

    @property
    def is_on_turn(self) -> bool:
        """True if this seat is to move."""
        return self.seat == self.turn and self.outcome is None

    @property
    def team(self) -> tuple[int, ...]:
        """The seat and its teammates, ascending; only the seat itself before there is a landlord."""
        return team_of(self.seat, self.landlord, self.num_players)

    @property
    def calls(self) -> tuple[Play, ...]:
        """Auction decisions that the seat to move may make, except the pass. Empty outside an auction."""
        auction = self.ruleset.auction
        return auction.moves(self.said) if self.bidding and auction is not None else ()

    @property
    def needs_highest(self) -> bool:
        """True if a single of this seat must be the highest one that it may play; see `LastCard`."""
        return needs_highest(self.ruleset, self.seat, self.passed, self.cards_left)

    @property
    def unseen(self) -> int:
        """Cards that are neither in this hand nor played, as a mask: the other hands and undealt cards together."""
        return self.ruleset.deck.mask & ~union((self.hand, *self.played))

    def legal_plays(self) -> LegalPlays:
        """Return the legal moves of this seat; none if it is not to move."""
        over, highest = not self.is_on_turn, self.needs_highest
        return LegalPlays(self.ruleset, self.hand, self.top, self.obligation, over, self.calls, highest)

    def __str__(self) -> str:
        """Return one line: the seat, its hand, the number of cards in each hand, and the play to beat."""
        hand, left = self.ruleset.text(self.hand) or "no cards", ", ".join(map(str, self.cards_left))
        top = "nothing"
        if self.top is not None and self.outcome is None:
            top = f"{self.top.pattern} {self.ruleset.text(self.top.mask)} of seat {self.top_seat}"
        return f"seat {self.seat}: {hand}; cards left: {left}; to beat: {top}"

    def _repr_svg_(self) -> str:
        """Return an SVG of the table as this seat sees it, for notebooks."""
        return picture(self)


def view_faults(view: View) -> list[str]:
    """Return what is wrong with a view, in words. The list is empty if some position of the ruleset gives this view."""
    try:
        return list(_faults(view))
    except _BROKEN as error:
        return [f"fields of other types than a view has ({type(error).__name__}: {error})"]


def _faults(view: View) -> Iterator[str]:
    rules, number = view.ruleset, len(view.cards_left)
    counts = (view.seat, view.turn, view.passed, view.pile_left, view.redeals_left, view.stake, view.factor, *view.cards_left)
    masks = (view.hand, view.obligation, view.bottom, *view.played, *view.captured)
    if any(type(given) is not int or given < 0 for given in (*counts, *masks, *view.acted)):
        yield "a number that is no integer of 0 or more"
        return
    if not rules.min_players <= number <= rules.max_players or view.seat >= number or view.turn >= number:
        yield f"seat {view.seat} and turn {view.turn} of {number} seats"
        return
    if view.cards_left[view.seat] != view.hand.bit_count():
        yield f"{view.cards_left[view.seat]} cards left of a hand of {view.hand.bit_count()}"
    if (view.stake * view.factor).bit_length() > 63 or view.redeals_left >= (rules.auction.deals if rules.auction else 1):
        yield f"stake {view.stake}, factor {view.factor}, {view.redeals_left} further deals"
        return
    if view.acted and rules.auction is None:
        yield "numbers of plays in a game without an auction"
    if any(mask & ~rules.deck.mask for mask in masks):
        yield "cards outside the deck"
        return
    if view.lead_over is not None and view.lead_over not in rules.table.classify(view.lead_over.mask):
        yield f"{view.lead_over} to beat, which is no play of {rules.name}"
    yield from _history_faults(view)
    position = some_position(view)
    if position is None:
        yield f"{list(view.cards_left)} cards left and {view.pile_left} to draw, with {view.unseen.bit_count()} cards unseen"
    else:
        yield from faults(rules, position)


def _history_faults(view: View) -> Iterator[str]:
    """Yield moves of nonexistent seats or plays in the history."""
    rules, number = view.ruleset, view.num_players
    if len(view.history) > MAX_MOVES:
        yield f"a history of {len(view.history)} acts"
        return
    for seat, play in view.history:
        if type(seat) is not int or not 0 <= seat < number or (play.mask and play not in rules.table.classify(play.mask)):
            yield f"{play} of seat {seat} in the history"


SHARED: Final = tuple(name for name in Position._fields if name in View.__dataclass_fields__)
"""Fields of a position that every seat sees, and which views have, too."""


def public_position(view: View) -> Position:
    """Return the position of a view without its hidden parts: hands, pile and further deals."""
    return Position((), **{name: getattr(view, name) for name in SHARED})


def some_position(view: View) -> Position | None:
    """Return a position with this view, hidden cards placed anywhere, or None if too few cards are hidden."""
    rules, number = view.ruleset, view.num_players
    known = [0] * number
    known[view.seat] = view.hand
    if view.obligation & view.unseen:
        known[view.turn] |= view.obligation & view.unseen
    if view.landlord is not None and view.landlord != view.seat:
        known[view.landlord] |= view.bottom & view.unseen
    hidden = list(iter_cards(view.unseen & ~union(known)))
    hands = []
    for mask, left in zip(known, view.cards_left, strict=True):
        missing = left - mask.bit_count()
        if not 0 <= missing <= len(hidden):
            return None
        hands.append(mask | sum(1 << card for card in hidden[:missing]))
        del hidden[:missing]
    aside = rules.max_hand - rules.hand_size if view.bidding else 0
    if view.pile_left + aside > len(hidden):
        return None
    pile, bottom = hidden[: view.pile_left], hidden[view.pile_left : view.pile_left + aside]
    return public_position(view)._replace(
        hands=tuple(hands),
        pile=tuple(CARDS[card] for card in pile),
        bottom=sum(1 << card for card in bottom) if view.bidding else view.bottom,
        redeals=(tuple(rules.deck.cards),) * view.redeals_left,
    )
