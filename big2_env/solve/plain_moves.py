"""How an act changes a position of the plain search, when that is over, and what the team is paid then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from big2_env.climbing.parts import Refill
from big2_env.climbing.ruleset import PassLock
from big2_env.solve.ending import Tables
from big2_env.solve.goal import FIRST_OUT, ORDER, PAIRWISE, PENALTY, STAKE

PASS: Final = -1
Hands: TypeAlias = tuple[int, ...]
"""Of each seat, the cards as `Ending.code` writes them."""


class State(NamedTuple):
    """A position but for the hands; rungs stand for plays, 0 for none."""

    turn: int
    top: int
    top_seat: int
    passed: int
    lead_over: int
    pile: int = 0
    """How many cards are left to draw."""
    out: int = 0
    """1 plus the seat that was out first, 0 for none."""
    factor: int = 1
    """What the plays since the position that is solved have multiplied the stake by."""
    acted: int = 0
    """How many hands the landlord has played, 2 for more, and 4 if another seat has played any."""
    score: int = 0
    """What the team is paid for the cards captured so far."""
    trick: int = 0
    """The points of the cards in this trick."""


class PlainMoves:
    """The rules of play in terms of the tables."""

    def __init__(self, tables: Tables) -> None:
        self._t = tables
        self._seats = len(tables.guard)
        self._lock = tuple(PassLock)[tables.lock]
        self._refill = tuple(Refill)[tables.refill]
        self._size = sum(tables.team)

    def after(self, state: State, hands: Hands, act: int) -> tuple[State, Hands]:
        """The position after an act of the seat to move."""
        t, turn = self._t, state.turn
        if act == PASS:
            return self._next(state._replace(passed=state.passed | 1 << turn), hands)
        hands = (*hands[:turn], hands[turn] - t.code[act], *hands[turn + 1 :])
        rung = t.rung[act]
        goes_on = bool(state.top or (state.lead_over and t.covers[state.lead_over][rung]))
        frees = self._lock is PassLock.NONE or (self._lock is PassLock.ROUND and not goes_on)
        factor, acted, pile, out = state.factor, state.acted, state.pile, state.out
        if t.pay.form == STAKE:
            factor *= t.pay.factor[act][not state.top and acted > 0]
            acted = acted & 4 | min(acted % 4 + 1, 2) if turn == t.pay.landlord else acted | 4
        if pile and self._refill is Refill.AFTER_PLAY:
            hands, pile = self._refilled(hands, pile, [turn])
        if not hands[turn] and not pile and not out:
            out = turn + 1
        trick = state.trick + t.pay.points[act]
        state = State(turn, rung, turn, 0 if frees else state.passed, 0, pile, out, factor, acted, state.score, trick)
        if t.skips[act] and (hands[turn] or not t.ends_first):
            return self._trick_ended(state, hands)
        return self._next(state, hands)

    def is_over(self, state: State, hands: Hands) -> bool:
        """True if the search ends here."""
        if self._t.ends_first:
            return state.out > 0
        return not state.pile and sum(map(bool, hands)) <= 1

    def paid(self, state: State, hands: Hands) -> float:
        """What the team is paid at the end."""
        pay, team, winner = self._t.pay, self._t.team, state.out - 1
        if pay.form == FIRST_OUT:
            return float(team[winner])
        if pay.form == PENALTY:
            by_cards = pay.by_cards[pay.landlord not in (-1, winner)]
            return sum(
                [
                    by_cards[self._held(seat, hand)] * (1 if team[winner] else -1)
                    for seat, hand in enumerate(hands)
                    if team[seat] != team[winner]
                ]
            )
        if pay.form == PAIRWISE:
            costs = [self._cost(seat, hand) for seat, hand in enumerate(hands)]
            own = sum([cost for seat, cost in enumerate(costs) if team[seat]])
            return self._size * sum(costs) - self._seats * own
        if pay.form == STAKE:
            spring = 1.0
            if winner == pay.landlord and not state.acted & 4:
                spring = pay.spring
            elif winner != pay.landlord and state.acted % 4 == 1:
                spring = pay.anti_spring
            unit = pay.unit * state.factor * spring * (self._seats - 1)
            return unit if team[winner] else -unit
        if pay.form == ORDER:
            last = next((seat for seat, hand in enumerate(hands) if hand), 0)
            return 1.0 - self._seats if team[last] else 1.0
        return float(state.score + self._captured(state))

    def _held(self, seat: int, hand: int) -> int:
        """How many cards a hand has."""
        t = self._t
        return sum([hand >> shift & most for shift, most in zip(t.shift[seat], t.most[seat], strict=True)])

    def _cost(self, seat: int, hand: int) -> float:
        """What a hand costs its holder in pairwise differences."""
        t = self._t
        total = t.pay.by_cards[0][self._held(seat, hand)]
        for shift, most, dear in zip(t.shift[seat], t.most[seat], t.dear[seat], strict=True):
            total += dear * (hand >> shift & most)
        return total

    def _captured(self, state: State) -> int:
        """What the team is paid for the cards of the trick, which go to the top player."""
        return state.trick * (self._seats * self._t.team[state.top_seat] - self._size) if state.top else 0

    def _next(self, state: State, hands: Hands) -> tuple[State, Hands]:
        """The turn goes to the next seat that may act; when there is none but the top player, the trick ends."""
        seat = state.turn
        for _ in range(self._seats - 1):
            seat = (seat + 1) % self._seats
            if seat == state.top_seat:
                break
            if hands[seat] and not state.passed >> seat & 1:
                return state._replace(turn=seat), hands
        return self._trick_ended(state, hands)

    def _trick_ended(self, state: State, hands: Hands) -> tuple[State, Hands]:
        """The table is cleared: hands are refilled, then the top player leads, or the next holder of cards."""
        winner, pile, out = state.top_seat, state.pile, state.out
        seats = [(winner + step) % self._seats for step in range(self._seats)]
        if pile and self._refill is Refill.TRICK_END:
            hands, pile = self._refilled(hands, pile, seats)
            if not pile and not out:
                out = 1 + next((seat for seat in seats if not hands[seat]), -1)
        leader = next((seat for seat in seats if hands[seat]), winner)
        locked = self._lock is PassLock.ROUND
        return state._replace(
            turn=leader,
            top=0,
            top_seat=0,
            passed=state.passed & ~(1 << leader) if locked else 0,
            lead_over=state.top if locked else 0,
            pile=pile,
            out=out,
            score=state.score + self._captured(state),
            trick=0,
        ), hands

    def _refilled(self, hands: Hands, pile: int, seats: Sequence[int]) -> tuple[Hands, int]:
        """The hands and the cards left to draw after seats, in this order, have drawn up to the hand size."""
        t, filled = self._t, list(hands)
        lacking = {seat: max(0, t.hand_size - self._held(seat, hands[seat])) for seat in seats}
        while pile and any(lacking.values()):
            for seat in seats:
                for _ in range(min(lacking[seat], 1 if t.one_each else lacking[seat], pile)):
                    pile -= 1
                    lacking[seat] -= 1
                    filled[seat] += t.draw[seat][pile]
        return tuple(filled), pile
