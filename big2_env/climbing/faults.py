"""Validation of positions that come from outside."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env.base.cards import as_mask
from big2_env.climbing.auction import Auction, Decisions
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import Ending, RuleSet


def faults(ruleset: RuleSet, position: Position) -> Iterator[str]:
    """Yield a description of everything that is wrong with a position.

    Raises:
        NotationError: A hand is not a valid card mask.
    """
    number = len(position.hands)
    if not ruleset.min_players <= number <= ruleset.max_players:
        yield f"expected {ruleset.min_players} to {ruleset.max_players} hands for {ruleset.name}, got {number}"
    if len(position.played) != number:
        yield f"played cards of {len(position.played)} seats, there are {number} hands"
    if len(position.captured) != (number if ruleset.scoring.captures else 0):
        yield f"captured cards of {len(position.captured)} seats, there are {number} hands"
    yield from _card_faults(ruleset, position)
    yield from _auction_faults(ruleset, position)
    waiting = [] if position.pile else [seat for seat, hand in enumerate(position.hands) if not hand]
    if ruleset.ending is Ending.FIRST_OUT and len(waiting) > 1:
        yield f"expected at most one empty hand, for {ruleset.name} ends with the first, got empty hands of seats {waiting}"
    if sorted(position.finished) != waiting:
        yield f"expected finished seats {waiting} in some order, from the hands and the pile, got {list(position.finished)}"
    if not 0 <= position.turn < number or not position.hands[position.turn]:
        yield f"expected a turn of a seat that holds cards, got {position.turn}"
    elif position.passed >> position.turn & 1 or not 0 <= position.passed < 1 << number:
        yield f"expected passed bits of seats that are not to move, got {position.passed:#b}"
    if position.top is not None:
        if position.obligation:
            yield "an obligatory card after the first play"
        if position.top not in ruleset.table.classify(position.top.mask):
            yield f"top play {position.top}, which is no play of {ruleset.name}"
        if position.top_seat is None or not 0 <= position.top_seat < number or position.top_seat == position.turn:
            yield f"expected a top player other than the seat to move, got {position.top_seat}"
        if ruleset.table.is_final(position.top) and not (ruleset.ending is Ending.FIRST_OUT and position.finished):
            yield f"top play {position.top}, which ends its trick at once"
        if any(position.top.mask & hand for hand in position.hands):
            yield f"top play {position.top} still in a hand"
    elif position.obligation & ~(position.hands[position.turn] if 0 <= position.turn < number else 0):
        yield f"the obligatory card {ruleset.text(position.obligation)} is not in the hand to move"


def _card_faults(ruleset: RuleSet, position: Position) -> Iterator[str]:
    """Yield repeated cards, cards that the deck lacks, and hands that are too long."""
    pile = as_mask(position.pile)
    hidden = as_mask(position.bottom) if position.bidding else 0
    seen = 0
    for mask in (*map(as_mask, position.hands), *map(as_mask, position.played), pile, hidden):
        if mask & seen:
            yield f"{ruleset.text(mask & seen)} twice"
        seen |= mask
    if seen & ~ruleset.deck.mask:
        yield "cards outside the deck"
    sizes = [hand.bit_count() for hand in position.hands]
    each, most = ruleset.cards_each(len(sizes)), ruleset.largest_hand(len(sizes))
    larger = [seat for seat, size in enumerate(sizes) if size > each]
    takers = [position.landlord] if ruleset.auction is not None else larger[:1] if ruleset.takes_rest(len(sizes)) else []
    if any(seat not in takers or sizes[seat] > most for seat in larger):
        yield f"expected hands of at most {each} cards, got {sizes}"
    if pile and not ruleset.draw_pile:
        yield f"a draw pile, {ruleset.name} has none"


def _auction_faults(ruleset: RuleSet, position: Position) -> Iterator[str]:
    """Yield traces of an auction in games without one, and impossible states of an auction."""
    number, landlord, auction = len(position.hands), position.landlord, ruleset.auction
    if auction is None:
        if position.bidding or position.said or landlord is not None or position.bottom or position.redeals:
            yield f"an auction, {ruleset.name} has none"
        return
    if len(position.acted) != number:
        yield f"numbers of plays of {len(position.acted)} seats, there are {number} hands"
    if position.stake < 1 or position.factor < 1:
        yield f"expected stake and factor of at least 1, got {position.stake} and {position.factor}"
    if (position.stake * position.factor).bit_length() > 512:  # payoffs are printed, and added up as floats
        yield "expected a stake that with its factor is below 2**512, got more"
    if len(position.redeals) >= auction.deals:
        yield f"{len(position.redeals)} further decks: {ruleset.name} has {auction.deals} deals at most"
    if not position.bidding:
        if landlord is None or not 0 <= landlord < number:
            yield f"expected a landlord of 0 to {number - 1}, got {landlord}"
        elif position.bottom & ~(position.hands[landlord] | position.played[landlord]):
            yield "bottom cards that the landlord neither holds nor has played"
        else:
            yield from _award_faults(auction, position)
        return
    if landlord is not None or position.top is not None or any(position.played):
        yield "an auction after its end: a landlord or cards played"
    if position.bottom.bit_count() != ruleset.max_hand - ruleset.hand_size:
        yield f"expected {ruleset.max_hand - ruleset.hand_size} bottom cards, got {position.bottom.bit_count()}"
    first = position.said[0][0] if position.said else position.turn
    if found := _decision_fault(auction, position.said, number):
        yield found
    elif position.turn != auction.next_seat(first, position.said, number):
        yield f"turn {position.turn}, which is not the seat to decide"
    if any(sorted(deck) != list(ruleset.deck.cards) for deck in position.redeals):
        yield "a further deck that is not the whole deck"


def _decision_fault(auction: Auction, said: Decisions, number: int) -> str:
    """Return a description of the first impossible auction decision, or an empty text."""
    for i, (seat, value) in enumerate(said):
        allowed = [0, *(move.power for move in auction.moves(said[:i]))]
        if seat != auction.next_seat(said[0][0], said[:i], number) or value not in allowed:
            return f"decision {i} of the auction, {value} of seat {seat}, is not one that can be"
    return ""


def _award_faults(auction: Auction, position: Position) -> Iterator[str]:
    """Yield decisions that do not lead to the given landlord and stake. A position may omit the decisions."""
    said, number = position.said, len(position.hands)
    if not said:
        return
    if found := _decision_fault(auction, said, number):
        yield found
        return
    if auction.next_seat(said[0][0], said, number) is not None:
        yield f"a landlord after {len(said)} decisions, with which the auction is not over"
        return
    award = auction.award(said) or auction.forced(said[0][0])
    if (position.landlord, position.stake) != award[:2] or position.factor % award.factor:
        yield (
            f"landlord {position.landlord} for {position.stake} times {position.factor}, the decisions of the auction give "
            f"the deal to {award.landlord} for {award.stake} times {award.factor}"
        )
