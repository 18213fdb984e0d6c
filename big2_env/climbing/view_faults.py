"""Everything that can be wrong with a view that no game made: whoever edits one must still not reach compiled code with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from big2_env.cards import CARDS, iter_cards
from big2_env.climbing.faults import faults
from big2_env.climbing.position import Position

if TYPE_CHECKING:
    from big2_env.climbing.view import View

MAX_ACTS: Final = 1 << 12
"""More acts than any game has."""
_BROKEN = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What looking at fields of other types may raise."""


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
