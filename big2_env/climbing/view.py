"""What one seat may know. The type has no field for anything else, so nothing that reads a view can leak hidden cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from big2_env.cards import CARDS, iter_cards
from big2_env.climbing.auction import Decisions
from big2_env.climbing.faults import faults
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import Outcome
from big2_env.climbing.play import Move, Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import team_of
from big2_env.errors import ConfigError
from big2_env.pictures import picture

MAX_ACTS: Final = 1 << 12
"""More acts than any game has."""
_BROKEN = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What looking at fields of other types may raise."""


@dataclass(frozen=True)
class View:
    """One seat's sight of a game: its own hand and what lies open. Seats are absolute, 0 to players - 1."""

    ruleset: RuleSet
    seat: int
    hand: int
    """The seat's own cards, as a mask."""
    turn: int
    top: Play | None
    """The top play, `None` when the seat to move leads."""
    top_seat: int | None
    """Who made the last actual play, `None` before the first."""
    passed: int
    """The seats that have passed and are not asked again for now, as bits."""
    obligation: int
    """The card that the first play of the game must contain, as a mask; 0 when there is none."""
    cards_left: tuple[int, ...]
    played: tuple[int, ...]
    """The cards each seat has played, as masks."""
    pile_left: int
    finished: tuple[int, ...]
    """The seats that are out for good, the first one first."""
    history: tuple[Move, ...]
    outcome: Outcome | None
    """How the game ended, `None` while it goes on."""
    lead_over: Play | None = None
    """Under `PassLock.ROUND`: the play that a lead has to cover to keep those who have passed out."""
    bidding: bool = False
    said: Decisions = ()
    """The decisions of this deal's auction, each a seat and the value of what it said, 0 for no."""
    landlord: int | None = None
    """The seat that plays against the rest; `None` where there is none (yet)."""
    bottom: int = 0
    """The cards that the landlord took up, as a mask; 0 before that."""
    redeals_left: int = 0
    """How many more deals there can be where nobody wants this one."""
    stake: int = 1
    """The base of the settlement."""
    factor: int = 1
    """What multiplies it so far."""
    acted: tuple[int, ...] = ()
    """How many hands each seat has played, in games with an auction."""
    captured: tuple[int, ...] = ()
    """The cards of the tricks each seat has won, as masks, where the settlement asks for them."""
    _is_sound: ClassVar[bool] = False
    """True for views that a game made, or that `check` has found good."""

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
        """Return what `seat` may know of a position, with a history and an end if they are known.

        Nothing is checked here; `is_sound` says that a game made the position, so `check` need not look at it either.
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
        """Refuse what no agent can be asked: compiled code trusts the views that it gets.

        Raises:
            ConfigError: a view that no game shows, a seat that is not to move, or `legal` of another position.
        """
        if not self._is_sound:
            if found := view_faults(self):
                raise ConfigError("view: " + "; ".join(found))
            object.__setattr__(self, "_is_sound", True)
        if self.seat != self.turn or self.outcome is not None:
            raise ConfigError(f"expected the view of a seat that is to move, got that of seat {self.seat}")
        if legal is not None and not (
            isinstance(legal, LegalPlays)
            and legal.ruleset is self.ruleset
            and legal.hand == self.hand
            and legal.top == self.top
            and legal.obligation == self.obligation
            and legal.calls == self.calls
            and not legal.over
        ):
            raise ConfigError("expected the legal plays of the view, got those of another position")

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return len(self.cards_left)

    @property
    def is_on_turn(self) -> bool:
        """Whether this seat is to move."""
        return self.seat == self.turn and self.outcome is None

    @property
    def team(self) -> tuple[int, ...]:
        """The seat and those on its team, ascending; alone while there is no landlord."""
        return team_of(self.seat, self.landlord, self.num_players)

    @property
    def calls(self) -> tuple[Play, ...]:
        """What the seat to move may say in the auction besides no; none outside one."""
        auction = self.ruleset.auction
        return auction.acts(self.said) if self.bidding and auction is not None else ()

    @property
    def unseen(self) -> int:
        """The cards that are neither in this hand nor played, as a mask: the others' hands and what is left over together."""
        seen = self.hand
        for mask in self.played:
            seen |= mask
        return self.ruleset.deck.mask & ~seen

    def legal_plays(self) -> LegalPlays:
        """The legal acts of this seat; none when it is not to move."""
        return LegalPlays(self.ruleset, self.hand, self.top, self.obligation, not self.is_on_turn, self.calls)

    def __str__(self) -> str:
        """One line: the seat, its hand, how many cards each seat holds, and the play to beat."""
        hand, left = self.ruleset.text(self.hand) or "no cards", ", ".join(map(str, self.cards_left))
        top = "nothing"
        if self.top is not None and self.outcome is None:
            top = f"{self.top.pattern} {self.ruleset.text(self.top.mask)} of seat {self.top_seat}"
        return f"seat {self.seat}: {hand}; cards left: {left}; to beat: {top}"

    def _repr_svg_(self) -> str:
        """The table as this seat sees it, for notebooks."""
        return picture(self)


def view_faults(view: View) -> list[str]:
    """What is wrong with a view, in words: no position of its ruleset looks like this to its seat. Nothing for a sound one."""
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
        yield f"{view.lead_over} to cover, which is no play of {rules.name}"
    yield from _history_faults(view)
    position = _some_position(view)
    if position is None:
        yield f"{list(view.cards_left)} cards left and {view.pile_left} to draw, with {view.unseen.bit_count()} cards unseen"
    else:
        yield from faults(rules, position)


def _history_faults(view: View) -> Iterator[str]:
    """Moves of seats or plays that there are not."""
    rules, number = view.ruleset, view.num_players
    if len(view.history) > MAX_ACTS:
        yield f"a history of {len(view.history)} acts"
        return
    for seat, play in view.history:
        if type(seat) is not int or not 0 <= seat < number or (play.mask and play not in rules.table.classify(play.mask)):
            yield f"{play} of seat {seat} in the history"


def _some_position(view: View) -> Position | None:
    """A position that looks like the view to its seat, the hidden cards anywhere; `None` if there are too few of them."""
    rules, number = view.ruleset, view.num_players
    known = [0] * number
    known[view.seat] = view.hand
    if view.obligation & view.unseen:
        known[view.turn] |= view.obligation & view.unseen
    if view.landlord is not None and view.landlord != view.seat:
        known[view.landlord] |= view.bottom & view.unseen
    given = 0
    for mask in known:
        given |= mask
    hidden = list(iter_cards(view.unseen & ~given))
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
    return Position(
        tuple(hands),
        view.turn,
        top=view.top,
        top_seat=view.top_seat,
        passed=view.passed,
        obligation=view.obligation,
        played=view.played,
        pile=tuple(CARDS[card] for card in pile),
        finished=view.finished,
        lead_over=view.lead_over,
        bidding=view.bidding,
        said=view.said,
        landlord=view.landlord,
        bottom=sum(1 << card for card in bottom) if view.bidding else view.bottom,
        redeals=(tuple(rules.deck.cards),) * view.redeals_left,
        stake=view.stake,
        factor=view.factor,
        acted=view.acted,
        captured=view.captured,
    )
