"""Depth-first proof search with a memo of proved positions.

A position is proved if the team is paid at least the target, or if it is not. Either the seat to move has a move that
achieves its side's aim, or all its moves have been refuted. A proof also gives a lower or upper bound of the payoff, so
it can answer other targets. Seats that cannot beat the top play pass automatically, so only positions with a choice are
stored. The memo grows to its limit; then results of short games are replaced, which costs time but never correctness.

This file also computes the effect of actions, the end of the search and the team's payoff.

Move order: a move that empties the hand comes first. Leads follow by number of cards, then from weak to strong, with
bombs last. Answers go from weak to strong, with the pass last, or first if the top play is the team's own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.transpositions import lookup, store_entry
from big2_env.solve.ending import FIRST_OUT, MAX_TALLY, ORDER, PAIRWISE, PENALTY, STAKE

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
"""Indices of the fields of `ending.State`, and their number."""

NONE: Final = 0
TRICK: Final = 1
ROUND: Final = 2
"""Values of the pass lock."""
TRICK_END: Final = 0
AFTER_PLAY: Final = 1
"""When hands are refilled."""

PASS: Final = -1


@kernel
def _held(tab: Any, seat: Any, hand: Any) -> Any:
    """Return the number of cards in a hand."""
    number = np.int64(0)
    shift, most = tab.shift[seat], tab.most[seat]
    for kind in range(len(shift)):
        number += np.int64((hand >> U(shift[kind])) & U(most[kind]))
    return number


@kernel
def refill(tab: Any, state: Any, hands: Any, first: Any, seats: Any) -> None:
    """Let `seats` seats, starting with `first`, draw up to the hand size."""
    number = len(tab.guard)
    while state[PILE] > 0:
        drawn = np.int64(0)
        for step in range(seats):
            seat = (first + step) % number
            lacking = max(np.int64(0), tab.hand_size - _held(tab, seat, hands[seat]))
            if tab.one_each:
                lacking = min(lacking, np.int64(1))
            for _ in range(min(lacking, state[PILE])):
                state[PILE] -= 1
                hands[seat] += tab.draw[seat, state[PILE]]
                drawn += 1
        if drawn == 0:
            return


@kernel
def _captured(tab: Any, state: Any) -> Any:
    """Return the team's payoff for the cards of the trick, which go to the top player."""
    if state[TOP] == 0:
        return np.int64(0)
    return state[TRICK_POINTS] * (len(tab.guard) * tab.team[state[TOP_SEAT]] - tab.size)


@kernel
def _end_trick(tab: Any, state: Any, hands: Any) -> None:
    """Clear the table: refill hands, then give the lead to the top player or the next seat with cards."""
    seats, winner = len(tab.guard), state[TOP_SEAT]
    if state[TRICK_POINTS] > 0:
        state[SCORE] += _captured(tab, state)
        state[TRICK_POINTS] = 0
    if state[PILE] > 0 and tab.refill == TRICK_END:
        refill(tab, state, hands, winner, seats)
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
    state[LEAD_OVER] = state[TOP] if tab.lock == ROUND else 0
    state[PASSED] = state[PASSED] & ~(1 << leader) if tab.lock == ROUND else 0
    state[TOP] = 0
    state[TOP_SEAT] = 0


@kernel
def _next_turn(tab: Any, state: Any, hands: Any) -> None:
    """Pass the turn to the next seat that can move. If only the top player is left, end the trick."""
    seats = len(tab.guard)
    seat = state[TURN]
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        if seat == state[TOP_SEAT]:
            break
        if hands[seat] != 0 and (state[PASSED] >> seat) & 1 == 0:
            state[TURN] = seat
            return
    _end_trick(tab, state, hands)


@kernel
def is_over(tab: Any, state: Any, hands: Any) -> Any:
    """Return whether the search ends at this position."""
    if tab.ends_first:
        return state[OUT] > 0
    holders = 0
    for seat in range(len(tab.guard)):
        holders += hands[seat] != 0
    return state[PILE] == 0 and holders <= 1


@kernel
def _next_has_one(tab: Any, state: Any, hands: Any) -> Any:
    """Return whether the next seat in the trick holds one card."""
    seats, seat, gone = len(tab.guard), state[TURN], 0 if tab.lock == NONE else state[PASSED]
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        if hands[seat] != 0 and (gone >> seat) & 1 == 0:
            return _held(tab, seat, hands[seat]) == 1
    return False


@kernel
def _without_lower_singles(tab: Any, moves: Any, begin: Any, end: Any) -> Any:
    """Remove all singles but the highest from the moves from `begin` to `end`; return the new end."""
    highest, kept = np.int64(0), begin
    for i in range(begin, end):
        highest = max(highest, tab.height[moves[i]])
    for i in range(begin, end):
        height = tab.height[moves[i]]
        moves[kept] = moves[i]
        kept += height == 0 or height == highest
    return kept


@kernel
def list_moves(tab: Any, state: Any, hands: Any, allowed: Any, moves: Any, begin: Any) -> Any:
    """Write the moves of the seat to move to `moves`, starting at `begin`; pass for seats without a move.

    Returns the number of moves, 0 if the game is over, or -1 if the first move ends it.
    """
    code, rung, first, ends_at_once = tab.code, tab.rung, tab.first, tab.ends_at_once
    while not is_over(tab, state, hands):
        turn, top = state[TURN], state[TOP]
        hand, guard = hands[turn], tab.guard[turn]
        guarded, number = hand | guard, begin
        for play in range(first[turn], first[turn + 1]):
            fits = (guarded - code[play]) & guard == guard and tab.beats[top, rung[play]] and allowed[play]
            if fits and (code[play] == hand or not tab.last[play]):
                moves[number] = play
                number += 1
                if ends_at_once and code[play] == hand:
                    moves[begin] = play
                    return -1
        if tab.last_card and _next_has_one(tab, state, hands):
            number = _without_lower_singles(tab, moves, begin, number)
        if number > begin:
            if top > 0 and not tab.must_cover:
                moves[number] = PASS
                number += 1
            return number - begin
        state[PASSED] |= 1 << turn
        _next_turn(tab, state, hands)
    return 0


@kernel
def make_move(tab: Any, above: Any, hands_above: Any, move: Any, state: Any, hands: Any) -> None:
    """Write the position after a move to `state` and `hands`."""
    seats = len(tab.guard)
    for i in range(STATE):
        state[i] = above[i]
    for seat in range(seats):
        hands[seat] = hands_above[seat]
    turn = above[TURN]
    if move == PASS:
        state[PASSED] |= 1 << turn
        _next_turn(tab, state, hands)
        return
    hands[turn] -= tab.code[move]
    rung = tab.rung[move]
    goes_on = above[TOP] != 0 or (above[LEAD_OVER] != 0 and tab.beats[above[LEAD_OVER], rung])
    if tab.lock == NONE or (tab.lock == ROUND and not goes_on):
        state[PASSED] = 0
    state[LEAD_OVER] = 0
    state[TOP] = rung
    state[TOP_SEAT] = turn
    state[TRICK_POINTS] += tab.pay.points[move]
    if tab.pay.form == STAKE:
        state[FACTOR] *= tab.pay.factor[move, 1 if above[TOP] == 0 and above[ACTED] > 0 else 0]
        if turn == tab.pay.landlord:
            state[ACTED] = (above[ACTED] & 4) | min(above[ACTED] % 4 + 1, 2)
        else:
            state[ACTED] = above[ACTED] | 4
    if state[PILE] > 0 and tab.refill == AFTER_PLAY:
        refill(tab, state, hands, turn, 1)
    if hands[turn] == 0 and state[PILE] == 0 and state[OUT] == 0:
        state[OUT] = turn + 1
        state[FACTOR] *= tab.pay.last[move]
    if tab.skips[move] and (hands[turn] != 0 or not tab.ends_first):
        _end_trick(tab, state, hands)
    else:
        _next_turn(tab, state, hands)


@kernel
def _cost(tab: Any, which: Any, seat: Any, hand: Any) -> Any:
    """Return the cost of a seat's cards left, float64. `which` is the row of `by_cards`."""
    left = _held(tab, seat, hand)
    cost = tab.pay.by_cards[which, left]
    if tab.pay.by_number:
        return cost
    for kind in range(len(tab.shift[seat])):
        held = np.int64((hand >> U(tab.shift[seat, kind])) & U(tab.most[seat, kind]))
        cost += tab.card_cost[seat, kind] * held
    times, settled, guard = np.int64(1), np.int64(-1), tab.guard[seat]
    for lot in range(tab.lots[seat], tab.lots[seat + 1]):
        if tab.lot_doubling[lot] != settled and ((hand | guard) - tab.lot_code[lot]) & guard == guard:
            times *= tab.lot_factor[lot]
            settled = np.int64(tab.lot_doubling[lot])
    return cost * tab.pay.card_factor[left] * times


@kernel
def paid(tab: Any, state: Any, hands: Any) -> Any:
    """Return the team's payoff at the end, float64."""
    seats, winner, size = len(tab.guard), state[OUT] - 1, tab.size
    form, total, own = tab.pay.form, 0.0, 0.0
    if form == FIRST_OUT:
        return float(tab.team[winner])
    if form == PENALTY:
        which = 0 if tab.pay.landlord < 0 or tab.pay.landlord == winner else 1
        for seat in range(seats):
            if tab.team[seat] != tab.team[winner]:
                total += _cost(tab, which, seat, hands[seat])
        total *= state[FACTOR]
        return total if tab.team[winner] else 0.0 - total
    if form == PAIRWISE:
        for seat in range(seats):
            cost = _cost(tab, 0, seat, hands[seat])
            total += cost
            own += cost if tab.team[seat] else 0.0
        return size * total - seats * own
    if form == STAKE:
        factor = 1.0
        if winner == tab.pay.landlord:
            factor = 1.0 if state[ACTED] & 4 else tab.pay.spring
        elif state[ACTED] % 4 == 1:
            factor = tab.pay.anti_spring
        unit = tab.pay.unit * state[FACTOR] * factor * (seats - 1)
        return unit if tab.team[winner] else -unit
    if form == ORDER:
        for seat in range(seats):
            if hands[seat] != 0:
                return 1.0 - seats if tab.team[seat] else 1.0
        return 1.0 - seats if tab.team[0] else 1.0
    return float(state[SCORE] + _captured(tab, state))


PAUSED: Final = 0
DONE: Final = 1
FULL: Final = 2
"""Results of `search`: budget spent, proved, memo full."""

DEPTH: Final = 0
COUNT: Final = 1
NODES: Final = 2
REACHED: Final = 3
DISTANCE: Final = 4
BEST: Final = 5
CONTROL: Final = 6
"""Indices into `control`, and their number.

DEPTH is the level searched next, COUNT the number of results in the memo, NODES the number of positions searched.
REACHED, DISTANCE and BEST describe the last proof: whether the team is paid the target, after how many decisions, by
which move.
"""

CURSOR: Final = STATE
NUMBER: Final = STATE + 1
LONGEST: Final = STATE + 2
STUBBORN: Final = STATE + 3
BEGIN: Final = STATE + 4
LEVEL: Final = STATE + 5
"""Indices into a level after the position's fields, and their number.

CURSOR is the number of moves tried, NUMBER the number of moves. LONGEST is the number of decisions after the move that
takes longest to refute, STUBBORN that move, BEGIN the index of the first move.
"""

ENTER: Final = 0
TRY: Final = 1
PROVED: Final = 2
LEAVE: Final = 3
"""Phases of the search: enter a position, try its next move, store its proof, return the proof to the position above."""

NARROW_KEY: Final = 1
WIDE_KEY: Final = 3
"""Words of a key after the hands.

A narrow key has the rest of the position. A wide key, for payoffs that depend on more, also has the draw pile, seats out
and hands played, then factors or points.
"""


@kernel(inline=True)
def _write_key(key: Any, state: Any, hands: Any, seats: Any, wide: Any) -> None:
    """Write the words that identify a position."""
    for seat in range(seats):
        key[seat] = hands[seat]
    key[seats] = (
        U(state[TURN])
        | (U(state[TOP_SEAT]) << U(4))
        | (U(state[PASSED]) << U(8))
        | (U(state[TOP]) << U(24))
        | (U(state[LEAD_OVER]) << U(43))
    )
    if wide:
        key[seats + 1] = U(state[PILE]) | (U(state[OUT]) << U(8)) | (U(state[ACTED]) << U(16))
        key[seats + 2] = U(state[FACTOR]) + (U(state[SCORE] + MAX_TALLY) << U(31)) + U(state[TRICK_POINTS])


@kernel(inline=True)
def _sort(tab: Any, state: Any, hand: Any, moves: Any, begin: Any, number: Any, scores: Any) -> None:
    """Sort moves so that the most promising ones come first."""
    top = state[TOP]
    own = top > 0 and tab.team[state[TOP_SEAT]] == tab.team[state[TURN]]
    for n in range(number):
        i, move = n, np.int64(moves[begin + n])
        if move == PASS:
            score = np.int64(1 << 40) if own else np.int64(-1 << 40)
        elif tab.code[move] == hand:
            score = np.int64(1 << 50)
        else:
            score = (np.int64(0) if top > 0 else tab.merit[move] << 20) - tab.rung[move]
        while i > 0 and scores[i - 1] < score:
            scores[i] = scores[i - 1]
            moves[begin + i] = moves[begin + i - 1]
            i -= 1
        scores[i] = score
        moves[begin + i] = move


@kernel(entry=True)
def search(
    tab: Any,
    levels: Any,
    hands: Any,
    moves: Any,
    soft: Any,
    keys: Any,
    scores: Any,
    opening: Any,
    anything: Any,
    memo: Any,
    room: Any,
    target: Any,
    control: Any,
    budget: Any,
) -> Any:
    """Prove the position of level 0, or continue an interrupted proof.

    Args:
        tab: `ending.Tables`.
        levels: (depth, LEVEL) int64, the positions from level 0 down to the current one.
        hands: (depth, seats) uint64, their hands.
        moves: (depth * most moves,) int32, their moves, one position after another.
        soft: (depth,) float64, the best known result of the moves tried so far; once level 0 is proved, its bound.
        keys: (depth, seats + NARROW_KEY or WIDE_KEY) uint64, their keys.
        scores: (most moves,) int64, working memory to sort moves.
        opening: (plays,) bool, the plays allowed at level 0. If some are forbidden, its result is not stored.
        anything: (plays,) bool, all true.
        memo: TranspositionTable with these keys, with amounts if they are wide.
        room: Number of results that the memo can hold.
        target: Payoff in question.
        control: (CONTROL,) int64.
        budget: Number of positions to search.

    Returns:
        PAUSED, FULL or DONE. The proof is in REACHED, DISTANCE and BEST of `control` and in `soft`.
    """
    levels, hands, moves, soft = borrowed(levels), borrowed(hands), borrowed(moves), borrowed(soft)
    keys, scores, opening, anything = borrowed(keys), borrowed(scores), borrowed(opening), borrowed(anything)
    control = borrowed(control)
    seats, team, wide = len(tab.guard), borrowed(tab.team), not tab.ends_at_once
    bound = False
    for play in range(tab.first[levels[0, TURN]], tab.first[levels[0, TURN] + 1]):
        bound |= not opening[play]
    depth, phase = control[DEPTH], ENTER
    reached, amount, distance, best = False, 0.0, np.int64(0), np.int64(PASS)
    while True:
        level = levels[depth]
        if phase == ENTER:
            begin = level[BEGIN]
            number = list_moves(tab, level, hands[depth], opening if depth == 0 else anything, moves, begin)
            phase = LEAVE
            if number <= 0:
                amount = float(team[level[TURN]]) if number < 0 else paid(tab, level, hands[depth])
                reached, distance, best = amount >= target, -number, np.int64(moves[begin]) if number < 0 else np.int64(PASS)
                continue
            _write_key(keys[depth], level, hands[depth], seats, wide)
            place = lookup(memo, keys[depth])
            if place >= 0:
                found = memo.rows[place, 0]
                amount = memo.reals[place, 1 + memo.words] if wide else float(found & U(1))
                reached = amount >= target
                if reached == (found & U(1) != U(0)):
                    distance = np.int64(found >> U(48))
                    best = np.int64((found >> U(1)) & U(0xFFFFFFFF)) + PASS
                    continue
            if budget <= 0 or control[COUNT] >= room:
                control[DEPTH] = depth
                return PAUSED if budget <= 0 else FULL
            _sort(tab, level, hands[depth, level[TURN]], moves, begin, number, scores)
            level[NUMBER] = number
            level[CURSOR] = 0
            level[LONGEST] = 0
            level[STUBBORN] = PASS
            soft[depth] = -np.inf if team[level[TURN]] else np.inf
            control[NODES] += 1
            budget -= 1
            phase = TRY
        elif phase == TRY:
            cursor, number = level[CURSOR], level[NUMBER]
            if cursor < number:
                level[CURSOR] = cursor + 1
                begin = level[BEGIN]
                depth += 1
                make_move(tab, level, hands[depth - 1], np.int64(moves[begin + cursor]), levels[depth], hands[depth])
                levels[depth, BEGIN] = begin + number
                phase = ENTER
            else:
                reached, amount = team[level[TURN]] == 0, soft[depth]
                distance, best = level[LONGEST] + 1, level[STUBBORN]
                phase = PROVED
        elif phase == PROVED:
            if depth > 0 or not bound:
                word = U(reached) | (U(best - PASS) << U(1)) | (U(distance) << U(48))
                control[COUNT] += store_entry(memo, keys[depth], word, amount)
            phase = LEAVE
        else:
            if depth == 0:
                control[DEPTH] = 0
                control[REACHED], control[DISTANCE], control[BEST] = reached, distance, best
                soft[0] = amount
                return DONE
            depth -= 1
            level = levels[depth]
            move = np.int64(moves[level[BEGIN] + level[CURSOR] - 1])
            side = team[level[TURN]] != 0
            if reached == side:
                distance, best = distance + 1, move
                phase = PROVED
            else:
                soft[depth] = max(soft[depth], amount) if side else min(soft[depth], amount)
                if distance > level[LONGEST]:
                    level[LONGEST], level[STUBBORN] = distance, move
                phase = TRY
