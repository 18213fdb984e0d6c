"""How an act changes a position of the search, when that is over, and what the team is paid then."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.kernel import kernel
from big2_env.solve.goal import FIRST_OUT, ORDER, PAIRWISE, PENALTY, STAKE

TURN: Final = 0
TOP: Final = 1
TOP_SEAT: Final = 2
PASSED: Final = 3
LEAD_OVER: Final = 4
PILE: Final = 5
OUT: Final = 6
FACTOR: Final = 7
ACTED: Final = 8
SCORE: Final = 9
TRICK_POINTS: Final = 10
STATE: Final = 11
"""Places of a position but for the hands, as in `ending.State`, and their number."""

NONE: Final = 0
TRICK: Final = 1
ROUND: Final = 2
"""Pass locks."""
TRICK_END: Final = 0
AFTER_PLAY: Final = 1
"""When hands are refilled."""

PASS: Final = -1


@kernel
def _held(t: Any, seat: Any, hand: Any) -> Any:
    """How many cards a hand has."""
    number = np.int64(0)
    shift, most = t.shift[seat], t.most[seat]
    for kind in range(len(shift)):
        number += np.int64((hand >> U(shift[kind])) & U(most[kind]))
    return number


@kernel
def refill(t: Any, state: Any, hands: Any, first: Any, seats: Any) -> None:
    """Let so many seats from the first on draw up to the hand size."""
    number = len(t.guard)
    while state[PILE] > 0:
        drawn = np.int64(0)
        for step in range(seats):
            seat = (first + step) % number
            lacking = max(np.int64(0), t.hand_size - _held(t, seat, hands[seat]))
            if t.one_each:
                lacking = min(lacking, np.int64(1))
            for _ in range(min(lacking, state[PILE])):
                state[PILE] -= 1
                hands[seat] += t.draw[seat, state[PILE]]
                drawn += 1
        if drawn == 0:
            return


@kernel
def _captured(t: Any, state: Any) -> Any:
    """What the team is paid for the cards of the trick, which go to the top player."""
    if state[TOP] == 0:
        return np.int64(0)
    return state[TRICK_POINTS] * (len(t.guard) * t.team[state[TOP_SEAT]] - t.size)


@kernel
def _end_trick(t: Any, state: Any, hands: Any) -> None:
    """The table is cleared: hands are refilled, then the top player leads, or the next holder of cards."""
    seats, winner = len(t.guard), state[TOP_SEAT]
    if state[TRICK_POINTS] > 0:
        state[SCORE] += _captured(t, state)
        state[TRICK_POINTS] = 0
    if state[PILE] > 0 and t.refill == TRICK_END:
        refill(t, state, hands, winner, seats)
        if state[PILE] == 0 and state[OUT] == 0:
            for step in range(seats):
                seat = (winner + step) % seats
                if hands[seat] == 0:
                    state[OUT] = seat + 1
                    break
    leader = winner
    for step in range(seats):
        seat = (winner + step) % seats
        if hands[seat] != 0:
            leader = seat
            break
    state[TURN] = leader
    state[LEAD_OVER] = state[TOP] if t.lock == ROUND else 0
    state[PASSED] = state[PASSED] & ~(1 << leader) if t.lock == ROUND else 0
    state[TOP] = 0
    state[TOP_SEAT] = 0


@kernel
def _next_turn(t: Any, state: Any, hands: Any) -> None:
    """The turn goes to the next seat that may act; when there is none but the top player, the trick ends."""
    seats = len(t.guard)
    seat = state[TURN]
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        if seat == state[TOP_SEAT]:
            break
        if hands[seat] != 0 and (state[PASSED] >> seat) & 1 == 0:
            state[TURN] = seat
            return
    _end_trick(t, state, hands)


@kernel
def is_over(t: Any, state: Any, hands: Any) -> Any:
    """True if the search ends here."""
    if t.ends_first:
        return state[OUT] > 0
    holders = 0
    for seat in range(len(t.guard)):
        holders += hands[seat] != 0
    return state[PILE] == 0 and holders <= 1


@kernel
def list_acts(t: Any, state: Any, hands: Any, allowed: Any, acts: Any, begin: Any) -> Any:
    """Write the acts of the seat to move from place `begin` on, passing for those that have none; returns their number.

    That is 0 where the game is over, and -1 where the first act ends it.
    """
    code, rung, first, ends_at_once = t.code, t.rung, t.first, t.ends_at_once
    while not is_over(t, state, hands):
        turn, top = state[TURN], state[TOP]
        hand, guard = hands[turn], t.guard[turn]
        guarded, number = hand | guard, begin
        for play in range(first[turn], first[turn + 1]):
            if (guarded - code[play]) & guard == guard and t.covers[top, rung[play]] and allowed[play]:
                acts[number] = play
                number += 1
                if ends_at_once and code[play] == hand:
                    acts[begin] = play
                    return -1
        if number > begin:
            if top > 0 and not t.must_cover:
                acts[number] = PASS
                number += 1
            return number - begin
        state[PASSED] |= 1 << turn
        _next_turn(t, state, hands)
    return 0


@kernel
def make_act(t: Any, above: Any, hands_above: Any, act: Any, state: Any, hands: Any) -> None:
    """Write the position after an act of the seat to move."""
    seats = len(t.guard)
    for i in range(STATE):
        state[i] = above[i]
    for seat in range(seats):
        hands[seat] = hands_above[seat]
    turn = above[TURN]
    if act == PASS:
        state[PASSED] |= 1 << turn
        _next_turn(t, state, hands)
        return
    hands[turn] -= t.code[act]
    rung = t.rung[act]
    goes_on = above[TOP] != 0 or (above[LEAD_OVER] != 0 and t.covers[above[LEAD_OVER], rung])
    if t.lock == NONE or (t.lock == ROUND and not goes_on):
        state[PASSED] = 0
    state[LEAD_OVER] = 0
    state[TOP] = rung
    state[TOP_SEAT] = turn
    state[TRICK_POINTS] += t.pay.points[act]
    if t.pay.form == STAKE:
        state[FACTOR] *= t.pay.factor[act, 1 if above[TOP] == 0 and above[ACTED] > 0 else 0]
        if turn == t.pay.landlord:
            state[ACTED] = (above[ACTED] & 4) | min(above[ACTED] % 4 + 1, 2)
        else:
            state[ACTED] = above[ACTED] | 4
    if state[PILE] > 0 and t.refill == AFTER_PLAY:
        refill(t, state, hands, turn, 1)
    if hands[turn] == 0 and state[PILE] == 0 and state[OUT] == 0:
        state[OUT] = turn + 1
    if t.skips[act] and (hands[turn] != 0 or not t.ends_first):
        _end_trick(t, state, hands)
    else:
        _next_turn(t, state, hands)


@kernel
def paid(t: Any, state: Any, hands: Any) -> Any:
    """What the team is paid at the end, float64."""
    seats, winner, size = len(t.guard), state[OUT] - 1, t.size
    form, total, own = t.pay.form, 0.0, 0.0
    if form == FIRST_OUT:
        return float(t.team[winner])
    if form == PENALTY:
        which = 0 if t.pay.landlord < 0 or t.pay.landlord == winner else 1
        for seat in range(seats):
            if t.team[seat] != t.team[winner]:
                total += t.pay.by_cards[which, _held(t, seat, hands[seat])]
        return total if t.team[winner] else 0.0 - total
    if form == PAIRWISE:
        for seat in range(seats):
            cost = t.pay.by_cards[0, _held(t, seat, hands[seat])]
            for kind in range(len(t.shift[seat])):
                held = (hands[seat] >> U(t.shift[seat, kind])) & U(t.most[seat, kind])
                cost += t.dear[seat, kind] * np.int64(held)
            total += cost
            own += cost if t.team[seat] else 0.0
        return size * total - seats * own
    if form == STAKE:
        factor = 1.0
        if winner == t.pay.landlord:
            factor = 1.0 if state[ACTED] & 4 else t.pay.spring
        elif state[ACTED] % 4 == 1:
            factor = t.pay.anti_spring
        unit = t.pay.unit * state[FACTOR] * factor * (seats - 1)
        return unit if t.team[winner] else -unit
    if form == ORDER:
        for seat in range(seats):
            if hands[seat] != 0:
                return 1.0 - seats if t.team[seat] else 1.0
        return 1.0 - seats if t.team[0] else 1.0
    return float(state[SCORE] + _captured(t, state))
