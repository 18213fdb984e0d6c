"""Positions, and their changes by plays, passes and auction decisions. Nothing is checked here; see `legal.py` for that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from big2_env.base.cards import Card, as_mask
from big2_env.climbing.auction import Decisions
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Ending, LastCard, Lead, PassLock, Refill, RefillOrder, Rest, RuleSet


class Position(NamedTuple):
    """Complete state of a game, including hidden cards. Seats count from 0.

    Args:
        hands: Cards of each seat, as masks.
        turn: Seat to move.
        top: Play to beat (頂牌), or None if the seat to move leads.
        top_seat: Seat that made the last play (頂牌玩家), or None before the first.
        passed: Seats that have passed and are skipped for now, as a bit mask.
        obligation: Card that the first play of the game must contain, as a mask; 0 if none.
        played: Cards that each seat has played, as masks.
        pile: Draw pile from bottom to top.
        finished: Seats that are out of cards for good, in the order they finished.
        lead_over: Under `PassLock.ROUND`, the play that a lead must beat to keep the passed seats locked out.
        bidding: True during the auction.
        said: Decisions in the auction of the current deal, kept after it ends.
        landlord: Seat that plays against the others, or None if there is none (yet).
        bottom: Cards left over for the landlord (底牌), as a mask. They are hidden during the auction and public afterwards.
        redeals: Decks to deal if no seat wants this deal, the next one first.
        stake: Base of the settlement (底分).
        factor: Current multiplier of the stake (倍数).
        acted: Number of plays by each seat, in games with an auction.
        trick: Cards played in the current trick, if the settlement counts captured cards.
        captured: Cards of the tricks that each seat has won, as masks, if the settlement counts them.
    """

    hands: tuple[int, ...]
    turn: int
    top: Play | None = None
    top_seat: int | None = None
    passed: int = 0
    obligation: int = 0
    played: tuple[int, ...] = ()
    pile: tuple[Card, ...] = ()
    finished: tuple[int, ...] = ()
    lead_over: Play | None = None
    bidding: bool = False
    said: Decisions = ()
    landlord: int | None = None
    bottom: int = 0
    redeals: tuple[tuple[Card, ...], ...] = ()
    stake: int = 1
    factor: int = 1
    acted: tuple[int, ...] = ()
    trick: int = 0
    captured: tuple[int, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def is_leading(self) -> bool:
        """True if the seat to move leads, so any pattern is allowed but no pass."""
        return self.top is None and not self.bidding

    def without(self, seat: int, mask: int) -> tuple[int, ...]:
        """Return the hands after a seat has put down cards."""
        return *self.hands[:seat], self.hands[seat] & ~mask, *self.hands[seat + 1 :]


def deal(ruleset: RuleSet, number: int, deck: Sequence[Card], redeals: Sequence[Sequence[Card]] = ()) -> Position:
    """Return the position after dealing a deck. Its last card goes to seat 0, the card before it to seat 1, and so on.

    In games with an auction, the cards left over choose the first seat to decide. It is the place of the lowest of them,
    counted from the top, modulo the number of seats. So the choice is uniform and reveals nothing about the hands.

    Args:
        ruleset: Rules of the game.
        number: Number of seats.
        deck: The deck, from bottom to top.
        redeals: Decks to deal if no seat wants this deal.
    """
    top_first = list(reversed(deck))
    dealt = ruleset.cards_each(number) * number
    hands = tuple(as_mask(top_first[seat:dealt:number]) for seat in range(number))
    rest = top_first[dealt:]
    if ruleset.auction is None:
        if ruleset.rest_of(number) is Rest.LOWEST_HOLDER:
            holder = lowest_holder(ruleset, hands)
            hands = tuple(hand | as_mask(rest) if seat == holder else hand for seat, hand in enumerate(hands))
        return first_position(ruleset, hands, tuple(reversed(rest)) if ruleset.draw_pile else ())
    places = ruleset.order.positions
    first = min(range(len(rest)), key=lambda i: places[rest[i]]) % number
    return auction_position(ruleset, hands, as_mask(rest), first, tuple(map(tuple, redeals)))


def lowest_holder(ruleset: RuleSet, hands: Sequence[int]) -> int:
    """Return the seat that holds the lowest card of all hands.

    Args:
        ruleset: Rules of the game.
        hands: Cards of each seat, as masks; at least one is not empty.
    """
    places = ruleset.order.positions
    return min((places[ruleset.order.lowest(hand)], seat) for seat, hand in enumerate(hands) if hand)[1]


def first_position(ruleset: RuleSet, hands: tuple[int, ...], pile: tuple[Card, ...] = ()) -> Position:
    """Return the position after the deal of a game without an auction. The holder of the lowest dealt card leads.

    Args:
        ruleset: Rules of the game.
        hands: Cards of each seat, as masks.
        pile: Draw pile from bottom to top.
    """
    turn = lowest_holder(ruleset, hands)
    lowest = 1 << ruleset.order.lowest(hands[turn])
    obligation = 0 if ruleset.lead is Lead.ANY else lowest
    nothing = (0,) * len(hands)
    captured = nothing if ruleset.scoring.captures else ()
    return Position(hands, turn, obligation=obligation, played=nothing, pile=pile, captured=captured)


def led_by(start: Position, leader: int | None) -> Position:
    """Return the start of a deal that a seat leads with any play; the same start for None."""
    return start if leader is None else start._replace(turn=leader, obligation=0)


def auction_position(
    ruleset: RuleSet, hands: tuple[int, ...], bottom: int, first: int, redeals: tuple[tuple[Card, ...], ...] = ()
) -> Position:
    """Return the position at the start of an auction.

    Args:
        ruleset: Rules of the game.
        hands: Cards of each seat, as masks.
        bottom: Cards left over for the landlord, as a mask.
        first: Seat that decides first.
        redeals: Decks to deal if no seat wants this deal.
    """
    nothing = (0,) * len(hands)
    captured = nothing if ruleset.scoring.captures else ()
    return Position(
        hands, first, played=nothing, bidding=True, bottom=bottom, redeals=redeals, acted=nothing, captured=captured
    )


def lead_position(ruleset: RuleSet, hands: tuple[int, ...], landlord: int, stake: int = 1, factor: int = 1) -> Position:
    """Return the position after an auction, in which the landlord leads.

    Args:
        ruleset: Rules of the game.
        hands: Cards of each seat, as masks, with the cards left over already picked up.
        landlord: Seat of the landlord.
        stake: Base of the settlement.
        factor: Multiplier of the stake.
    """
    start = auction_position(ruleset, hands, 0, landlord)
    return start._replace(bidding=False, landlord=landlord, stake=stake, factor=factor)


def after_decision(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """Return the position after an auction decision of the seat to move."""
    auction = ruleset.auction
    assert auction is not None
    number = len(position.hands)
    said = (*position.said, (position.turn, play.power if not play.is_pass else 0))
    first = said[0][0]
    next_seat = auction.next_seat(first, said, number)
    if next_seat is not None:
        return position._replace(said=said, turn=next_seat)
    award = auction.award(said)
    if award is None and position.redeals:
        return deal(ruleset, number, position.redeals[0], position.redeals[1:])
    landlord, stake, factor = award or auction.forced(first)
    hands = tuple(hand | position.bottom if seat == landlord else hand for seat, hand in enumerate(position.hands))
    return position._replace(
        hands=hands, turn=landlord, bidding=False, said=said, landlord=landlord, redeals=(), stake=stake, factor=factor
    )


def needs_highest(ruleset: RuleSet, seat: int, passed: int, cards_left: Iterable[int]) -> bool:
    """Return True if a single must be the highest one that a seat may play, because the next one in the trick holds one card.

    Args:
        ruleset: Rules of the game.
        seat: Seat to move.
        passed: Seats that have passed and are skipped for now, as a bit mask.
        cards_left: Number of cards in each hand.
    """
    if ruleset.last_card is LastCard.NONE:
        return False
    left = tuple(cards_left)
    others = ((seat + step) % len(left) for step in range(1, len(left)))
    gone = 0 if ruleset.pass_lock is PassLock.NONE else passed  # without a lock, a play readmits all
    return next((left[other] == 1 for other in others if left[other] and not gone >> other & 1), False)


def after_play(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """Return the position after a play of the seat to move."""
    seat = position.turn
    hands, pile = position.without(seat, play.mask), position.pile
    played = (*position.played[:seat], position.played[seat] | play.mask, *position.played[seat + 1 :])
    passed = position.passed
    if ruleset.pass_lock is PassLock.NONE:
        passed = 0
    elif ruleset.pass_lock is PassLock.ROUND and position.top is None:
        keeps = position.lead_over is not None and ruleset.beats(play, position.lead_over)
        passed = passed if keeps else 0
    if pile and ruleset.refill is Refill.AFTER_PLAY:
        hands, pile = _refilled(ruleset, hands, pile, [seat])
    finished = position.finished
    if not hands[seat] and not pile:
        finished = (*finished, seat)
    after = position._replace(
        hands=hands, top=play, top_seat=seat, passed=passed, obligation=0, played=played, pile=pile, finished=finished
    )
    if position.acted or position.captured:
        after = _counted(ruleset, position, after, play)
    ends = ruleset.ending is Ending.FIRST_OUT and not hands[seat]
    table = ruleset.table
    if not ends and (table.is_final(play) or (ruleset.auto_skip_unbeatable and table.is_unbeatable(play))):
        return _next_trick(ruleset, after)
    following = _next_turn(ruleset, after)
    return following._replace(top=play) if ends else following  # the last play stays on the table


def after_pass(ruleset: RuleSet, position: Position) -> Position:
    """Return the position after a pass of the seat to move."""
    return _next_turn(ruleset, position._replace(passed=position.passed | 1 << position.turn))


def _counted(ruleset: RuleSet, before: Position, after: Position, play: Play) -> Position:
    """Return the position with updated play counts, multipliers and cards of the trick."""
    factor, acted, seat = after.factor, after.acted, before.turn
    if acted:
        leads = before.top is None and any(acted)
        for multiplier in ruleset.multipliers:
            factor *= multiplier.of(play, leads)
        acted = (*acted[:seat], acted[seat] + 1, *acted[seat + 1 :])
    return after._replace(factor=factor, acted=acted, trick=after.trick | play.mask if after.captured else 0)


def _next_turn(ruleset: RuleSet, position: Position) -> Position:
    """Give the turn to the next seat that may act. If only the top player is left, the trick ends."""
    number = len(position.hands)
    for step in range(1, number):
        seat = (position.turn + step) % number
        if seat == position.top_seat:
            break
        if position.hands[seat] and not position.passed >> seat & 1:
            return position._replace(turn=seat)
    return _next_trick(ruleset, position)


def _next_trick(ruleset: RuleSet, position: Position) -> Position:
    """Clear the table and refill hands. The top player leads, or the next holder of cards (接风)."""
    number = len(position.hands)
    winner = position.top_seat if position.top_seat is not None else position.turn
    seats = [(winner + step) % number for step in range(number)]
    hands, pile, finished, captured = position.hands, position.pile, position.finished, position.captured
    if pile and ruleset.refill is Refill.TRICK_END:
        hands, pile = _refilled(ruleset, hands, pile, seats)
        finished = (*finished, *(seat for seat in seats if not hands[seat] and not pile and seat not in finished))
    if captured:
        captured = (*captured[:winner], captured[winner] | position.trick, *captured[winner + 1 :])
    leader = next((seat for seat in seats if hands[seat]), winner)
    locked = ruleset.pass_lock is PassLock.ROUND  # until the next lead tells whether the round goes on; it binds no leader
    return position._replace(
        hands=hands,
        turn=leader,
        top=None,
        passed=position.passed & ~(1 << leader) if locked else 0,
        pile=pile,
        finished=finished,
        lead_over=position.top if locked else None,
        trick=0,
        captured=captured,
    )


def _refilled(
    ruleset: RuleSet, hands: tuple[int, ...], pile: tuple[Card, ...], seats: Sequence[int]
) -> tuple[tuple[int, ...], tuple[Card, ...]]:
    """Return the hands and the pile after seats have drawn up to the hand size, in the given order."""
    filled = list(hands)
    one_each = ruleset.refill_order is RefillOrder.ROUND_ROBIN
    while pile and any(filled[seat].bit_count() < ruleset.hand_size for seat in seats):
        for seat in seats:
            missing = max(0, ruleset.hand_size - filled[seat].bit_count())
            drawn = min(missing, 1 if one_each else missing, len(pile))
            filled[seat] |= as_mask(pile[len(pile) - drawn :])
            pile = pile[: len(pile) - drawn]
    return tuple(filled), pile
