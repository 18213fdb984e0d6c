"""A position, and how a play, a pass or a decision changes it. Nothing here is checked; `legal.py` says what may be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from big2_env.cards import Card, as_mask
from big2_env.climbing.auction import Decisions
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Ending, Lead, PassLock, Refill, RefillOrder, Rest, RuleSet


class Position(NamedTuple):
    """Everything that decides how a game goes on, hidden cards included. Seats count from 0."""

    hands: tuple[int, ...]
    """The cards held, as a mask per seat."""
    turn: int
    top: Play | None = None
    """The top play (頂牌); `None` when the seat to move leads."""
    top_seat: int | None = None
    """Who made the last actual play, the top player (頂牌玩家); `None` before the first."""
    passed: int = 0
    """The seats that have passed and are not asked again for now, as bits."""
    obligation: int = 0
    """The card that the first play of the game must contain, as a mask; 0 when there is none."""
    played: tuple[int, ...] = ()
    """The cards played so far, as a mask per seat."""
    pile: tuple[Card, ...] = ()
    """The draw pile, its top card last."""
    finished: tuple[int, ...] = ()
    """The seats that are out for good, the first one first."""
    lead_over: Play | None = None
    """Under `PassLock.ROUND`: the play that a lead has to cover to keep the others locked."""
    bidding: bool = False
    said: Decisions = ()
    """The decisions of this deal's auction, and the values of what was said; it stays when the auction is over."""
    landlord: int | None = None
    """The seat that plays against the rest; `None` where there is none (yet)."""
    bottom: int = 0
    """The cards left over for the landlord (底牌), as a mask: hidden while the auction goes on, public from then on."""
    redeals: tuple[tuple[Card, ...], ...] = ()
    """The decks that are dealt where nobody wants this deal, the next one first."""
    stake: int = 1
    """The base of the settlement (底分)."""
    factor: int = 1
    """What multiplies it so far (倍数)."""
    acted: tuple[int, ...] = ()
    """How many hands each seat has played, in games with an auction."""
    trick: int = 0
    """The cards played in this trick, where the settlement asks who captures them."""
    captured: tuple[int, ...] = ()
    """The cards of the tricks each seat has won, as masks, where the settlement asks for them."""

    @property
    def is_leading(self) -> bool:
        """Whether the seat to move opens a trick: any pattern, and no pass."""
        return self.top is None and not self.bidding

    def without(self, seat: int, mask: int) -> tuple[int, ...]:
        """The hands after a seat has put down some cards."""
        return *self.hands[:seat], self.hands[seat] & ~mask, *self.hands[seat + 1 :]


def deal(ruleset: RuleSet, number: int, deck: Sequence[Card], redeals: Sequence[Sequence[Card]] = ()) -> Position:
    """The position after a deck, given from bottom to top, has been dealt: its last card to seat 0, the one before to seat 1.

    Where an auction starts, the seat to decide first is told by the cards left over: the place, counted from the top, of the
    lowest of them, modulo the number of seats. So it is uniform, and tells nothing of any hand.
    """
    top_first = list(reversed(deck))
    dealt = ruleset.hand_size * number
    hands = tuple(as_mask(top_first[seat:dealt:number]) for seat in range(number))
    rest = top_first[dealt:]
    if ruleset.auction is None:
        if ruleset.rest is Rest.LOWEST_HOLDER:
            holder = lowest_holder(ruleset, hands)
            hands = tuple(hand | as_mask(rest) if seat == holder else hand for seat, hand in enumerate(hands))
        return first_position(ruleset, hands, tuple(reversed(rest)) if ruleset.draw_pile else ())
    places = ruleset.order.positions
    first = min(range(len(rest)), key=lambda i: places[rest[i]]) % number
    return auction_position(ruleset, hands, as_mask(rest), first, tuple(map(tuple, redeals)))


def lowest_holder(ruleset: RuleSet, hands: Sequence[int]) -> int:
    """The seat that holds the lowest card of all hands. Hands may be empty, but not all of them."""
    places = ruleset.order.positions
    return min((places[ruleset.order.lowest(hand)], seat) for seat, hand in enumerate(hands) if hand)[1]


def first_position(ruleset: RuleSet, hands: tuple[int, ...], pile: tuple[Card, ...] = ()) -> Position:
    """The position after the deal: the holder of the lowest dealt card leads. An auction's game has no such position."""
    turn = lowest_holder(ruleset, hands)
    lowest = 1 << ruleset.order.lowest(hands[turn])
    obligation = 0 if ruleset.lead is Lead.ANY else lowest
    nothing = (0,) * len(hands)
    captured = nothing if ruleset.scoring.captures else ()
    return Position(hands, turn, obligation=obligation, played=nothing, pile=pile, captured=captured)


def auction_position(
    ruleset: RuleSet, hands: tuple[int, ...], bottom: int, first: int, redeals: tuple[tuple[Card, ...], ...] = ()
) -> Position:
    """The position in which an auction starts, `first` being the seat that decides first."""
    nothing = (0,) * len(hands)
    captured = nothing if ruleset.scoring.captures else ()
    return Position(
        hands, first, played=nothing, bidding=True, bottom=bottom, redeals=redeals, acted=nothing, captured=captured
    )


def lead_position(ruleset: RuleSet, hands: tuple[int, ...], landlord: int, stake: int = 1, factor: int = 1) -> Position:
    """The position after an auction: the landlord leads. The hands have the cards that were left over."""
    start = auction_position(ruleset, hands, 0, landlord)
    return start._replace(bidding=False, landlord=landlord, stake=stake, factor=factor)


def after_decision(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """The position after the seat to move has decided in an auction."""
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


def after_play(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """The position after the seat to move has put down a play."""
    seat = position.turn
    hands, pile = position.without(seat, play.mask), position.pile
    played = (*position.played[:seat], position.played[seat] | play.mask, *position.played[seat + 1 :])
    passed = position.passed
    if ruleset.pass_lock is PassLock.NONE:
        passed = 0
    elif ruleset.pass_lock is PassLock.ROUND and position.top is None:
        keeps = position.lead_over is not None and ruleset.covers(play, position.lead_over)
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
    if ruleset.auto_skip_unbeatable and not ends and ruleset.table.is_unbeatable(play):
        return _next_trick(ruleset, after)
    return _next_turn(ruleset, after)


def after_pass(ruleset: RuleSet, position: Position) -> Position:
    """The position after the seat to move has passed."""
    return _next_turn(ruleset, position._replace(passed=position.passed | 1 << position.turn))


def _counted(ruleset: RuleSet, before: Position, after: Position, play: Play) -> Position:
    """The position after a play with what settlements ask for: hands played, multipliers, cards of the trick."""
    factor, acted, seat = after.factor, after.acted, before.turn
    if acted:
        leads = before.top is None and any(acted)
        for multiplier in ruleset.multipliers:
            factor *= multiplier.of(play, leads)
        acted = (*acted[:seat], acted[seat] + 1, *acted[seat + 1 :])
    return after._replace(factor=factor, acted=acted, trick=after.trick | play.mask if after.captured else 0)


def _next_turn(ruleset: RuleSet, position: Position) -> Position:
    """The turn goes to the next seat that may act; when there is none but the top player, the trick ends."""
    number = len(position.hands)
    for step in range(1, number):
        seat = (position.turn + step) % number
        if seat == position.top_seat:
            break
        if position.hands[seat] and not position.passed >> seat & 1:
            return position._replace(turn=seat)
    return _next_trick(ruleset, position)


def _next_trick(ruleset: RuleSet, position: Position) -> Position:
    """The table is cleared: hands are refilled, then the top player leads, or the next holder of cards (接风)."""
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
    """The hands and the pile after seats, in this order, have drawn up to the hand size."""
    filled = list(hands)
    one_each = ruleset.refill_order is RefillOrder.ROUND_ROBIN
    while pile and any(filled[seat].bit_count() < ruleset.hand_size for seat in seats):
        for seat in seats:
            missing = max(0, ruleset.hand_size - filled[seat].bit_count())
            drawn = min(missing, 1 if one_each else missing, len(pile))
            filled[seat] |= as_mask(pile[len(pile) - drawn :])
            pile = pile[: len(pile) - drawn]
    return tuple(filled), pile
