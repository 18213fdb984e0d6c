"""A position, and how a play or a pass changes it. Nothing here is checked; `legal.py` says what may be done."""

from __future__ import annotations

from typing import NamedTuple

from big2_env.cards import Card
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import Lead, PassLock, RuleSet


class Position(NamedTuple):
    """Everything that decides how a game goes on, hidden cards included. Seats count from 0."""

    hands: tuple[int, ...]
    """The cards held, as a mask per seat."""
    turn: int
    """The seat to move."""
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

    @property
    def is_leading(self) -> bool:
        """Whether the seat to move opens a round: any pattern, and no pass."""
        return self.top is None

    def without(self, seat: int, mask: int) -> tuple[int, ...]:
        """The hands after a seat has put down some cards."""
        return *self.hands[:seat], self.hands[seat] & ~mask, *self.hands[seat + 1 :]


def first_position(ruleset: RuleSet, hands: tuple[int, ...], pile: tuple[Card, ...] = ()) -> Position:
    """The position after the deal: the holder of the lowest dealt card leads."""
    dealt = 0
    for hand in hands:
        dealt |= hand
    lowest = 1 << ruleset.order.lowest(dealt)
    turn = next(seat for seat, hand in enumerate(hands) if hand & lowest)
    obligation = 0 if ruleset.lead is Lead.ANY else lowest
    return Position(hands, turn, obligation=obligation, played=(0,) * len(hands), pile=pile)


def after_play(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """The position after the seat to move has put down a play."""
    seat = position.turn
    hands = position.without(seat, play.mask)
    played = (*position.played[:seat], position.played[seat] | play.mask, *position.played[seat + 1 :])
    passed = position.passed
    if ruleset.pass_lock is PassLock.NONE:
        passed = 0
    elif ruleset.pass_lock is PassLock.ROUND and position.top is None:
        keeps = position.lead_over is not None and ruleset.covers(play, position.lead_over)
        passed = passed if keeps else 0
    finished = position.finished
    if not hands[seat] and not position.pile:
        finished = (*finished, seat)
    after = position._replace(
        hands=hands, top=play, top_seat=seat, passed=passed, obligation=0, played=played, finished=finished
    )
    return _next_turn(ruleset, after)


def after_pass(ruleset: RuleSet, position: Position) -> Position:
    """The position after the seat to move has passed."""
    return _next_turn(ruleset, position._replace(passed=position.passed | 1 << position.turn))


def _next_turn(ruleset: RuleSet, position: Position) -> Position:
    """The turn goes to the next seat that may act; when there is none but the top player, the circle ends."""
    number = len(position.hands)
    for step in range(1, number):
        seat = (position.turn + step) % number
        if seat == position.top_seat:
            break
        if position.hands[seat] and not position.passed >> seat & 1:
            return position._replace(turn=seat)
    return _next_circle(ruleset, position)


def _next_circle(ruleset: RuleSet, position: Position) -> Position:
    """The table is cleared: hands are refilled, then the top player leads, or the next holder of cards (接风)."""
    number = len(position.hands)
    winner = position.top_seat if position.top_seat is not None else position.turn
    seats = [(winner + step) % number for step in range(number)]
    hands, pile, finished = list(position.hands), position.pile, position.finished
    if pile:
        for seat in seats:
            drawn = min(max(0, ruleset.hand_size - hands[seat].bit_count()), len(pile))
            for card in pile[len(pile) - drawn :]:
                hands[seat] |= 1 << card
            pile = pile[: len(pile) - drawn]
        finished = (*finished, *(seat for seat in seats if not hands[seat] and seat not in finished))
    leader = next((seat for seat in seats if hands[seat]), winner)
    locked = ruleset.pass_lock is PassLock.ROUND  # until the next lead tells whether the round goes on; it binds no leader
    return position._replace(
        hands=tuple(hands),
        turn=leader,
        top=None,
        passed=position.passed & ~(1 << leader) if locked else 0,
        pile=pile,
        finished=finished,
        lead_over=position.top if locked else None,
    )
