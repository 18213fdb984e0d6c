"""The compiled search behind `big2_env.solve`: a proof by depth-first search with a table of what has been proved.

A position is proved when the seat to move has an act after which its team wins, or when all its acts have been refuted. Who
cannot cover the top passes without being asked, so only positions with a choice are kept. The table has the whole position,
not a hash of it, and so no two are ever taken for one; it grows, and where it may not, results of short games give way. What
is gone is found anew: the table only saves time.

Order: an act that empties the hand ends it; leads with many cards come first, of equal ones the weakest, bombs last; answers
weakest first, and the pass last, but first where the top is one's own side's. Nothing more clever tried here was faster.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

U: Final = np.uint64

PAUSED: Final = 0
DONE: Final = 1
FULL: Final = 2
"""What `search` returns: budget spent, proved, the table wants to grow."""

DEPTH: Final = 0
PHASE: Final = 1
COUNT: Final = 2
NODES: Final = 3
VALUE: Final = 4
DISTANCE: Final = 5
BEST: Final = 6
CONTROL: Final = 7
"""Places of `control`: where the search stands, results in the table, positions looked at, and of the last one proved: whether
the team wins, after how many choices, by which act. Their number."""

TURN: Final = 0
TOP: Final = 1
TOP_SEAT: Final = 2
PASSED: Final = 3
LEAD_OVER: Final = 4
STATE: Final = 5
CURSOR: Final = 5
NUMBER: Final = 6
LONGEST: Final = 7
STUBBORN: Final = 8
LEVEL: Final = 9
"""Places of a level: the position but for the hands (rungs for plays), how many of its acts have been tried, how many there
are, how many choices come after the act that is refuted last, and that act. Their number."""

ENTER: Final = 0
TRY: Final = 1
PROVED: Final = 2
LEAVE: Final = 3
"""What comes next: look at a new position, try its next act, keep what was proved of it, tell the position above."""

NONE: Final = 0
TRICK: Final = 1
ROUND: Final = 2
"""Pass locks."""

PASS: Final = -1
WINDOW: Final = 16
"""Places of the table where a position may be."""


@nb.njit(cache=True, inline="always")
def _mixed(x: Any) -> Any:
    x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
    return x ^ (x >> U(31))


@nb.njit(cache=True, inline="always")
def _word(state: Any) -> Any:
    """A position but for the hands as one number, never 0."""
    return (
        U(1 << 63)
        | U(state[TURN])
        | (U(state[TOP_SEAT]) << U(4))
        | (U(state[PASSED]) << U(8))
        | (U(state[TOP]) << U(24))
        | (U(state[LEAD_OVER]) << U(43))
    )


@nb.njit(cache=True, inline="always")
def _place(table: Any, hands: Any, word: Any, seats: Any) -> Any:
    """Where a position is in the table, or where it may be put: a free place, or that of the shortest game."""
    last = U(table.shape[0] - 1)
    key = _mixed(word)
    for seat in range(seats):
        key = _mixed(key ^ hands[seat])
    victim, least = np.int64(key & last), np.int64(1 << 40)
    for step in range(WINDOW):
        place = np.int64((key + U(step)) & last)
        if table[place, seats] == U(0):
            return place
        same = table[place, seats] == word
        for seat in range(seats):
            same &= table[place, seat] == hands[seat]
        if same:
            return place
        distance = np.int64((table[place, seats + 1] >> U(1)) & U(0xFFFF))
        if distance < least:
            victim, least = place, distance
    return victim


@nb.njit(cache=True, inline="always")
def _holds(table: Any, place: Any, hands: Any, word: Any, seats: Any) -> Any:
    """Whether a place of the table has this very position."""
    same = table[place, seats] == word
    for seat in range(seats):
        same &= table[place, seat] == hands[seat]
    return same


@nb.njit(cache=True, inline="always")
def _end_trick(state: Any, lock: Any) -> None:
    """The top player leads."""
    leader = state[TOP_SEAT]
    state[TURN] = leader
    state[LEAD_OVER] = state[TOP] if lock == ROUND else 0
    state[PASSED] = state[PASSED] & ~(1 << leader) if lock == ROUND else 0
    state[TOP] = 0
    state[TOP_SEAT] = 0


@nb.njit(cache=True, inline="always")
def _next_turn(state: Any, seats: Any, lock: Any) -> None:
    """The turn goes to the next seat that may act; when there is none but the top player, the trick ends."""
    seat = state[TURN]
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        if seat == state[TOP_SEAT]:
            break
        if (state[PASSED] >> seat) & 1 == 0:
            state[TURN] = seat
            return
    _end_trick(state, lock)


@nb.njit(cache=True, inline="always")
def _list_acts(t: Any, state: Any, hands: Any, allowed: Any, acts: Any) -> Any:
    """Write the acts of the seat to move, passing for those that have none; returns their number, 0 if one ends the game.

    The act that ends the game is then the first.
    """
    seats = len(t.guard)
    while True:
        turn, top = state[TURN], state[TOP]
        hand, guard = hands[turn], t.guard[turn]
        number = 0
        for play in range(t.first[turn], t.first[turn + 1]):
            if ((hand | guard) - t.code[play]) & guard == guard and t.covers[top, t.rung[play]] and allowed[play]:
                acts[number] = play
                number += 1
                if t.code[play] == hand:
                    acts[0] = play
                    return 0
        if number > 0:
            break
        state[PASSED] |= 1 << turn
        _next_turn(state, seats, t.lock)
    if top > 0 and not t.must_cover:
        acts[number] = PASS
        number += 1
    return number


@nb.njit(cache=True, inline="always")
def _sort(t: Any, state: Any, acts: Any, number: Any, scores: Any) -> None:
    """Put the acts to be tried first in front."""
    own = state[TOP] > 0 and t.team[state[TOP_SEAT]] == t.team[state[TURN]]
    for i in range(number):
        act = np.int64(acts[i])
        if act == PASS:
            score = np.int64(1 << 40) if own else np.int64(-1 << 40)
        else:
            score = (np.int64(0) if state[TOP] > 0 else t.merit[act] << 20) - t.rung[act]
        while i > 0 and scores[i - 1] < score:
            scores[i] = scores[i - 1]
            acts[i] = acts[i - 1]
            i -= 1
        scores[i] = score
        acts[i] = act


@nb.njit(cache=True, inline="always")
def _act(t: Any, above: Any, hands_above: Any, act: Any, state: Any, hands: Any) -> None:
    """Write the position after an act of the seat to move."""
    seats = len(t.guard)
    for i in range(STATE):
        state[i] = above[i]
    for seat in range(seats):
        hands[seat] = hands_above[seat]
    turn = above[TURN]
    if act == PASS:
        state[PASSED] |= 1 << turn
        _next_turn(state, seats, t.lock)
        return
    hands[turn] -= t.code[act]
    rung = t.rung[act]
    goes_on = above[TOP] != 0 or (above[LEAD_OVER] != 0 and t.covers[above[LEAD_OVER], rung])
    if t.lock == NONE or (t.lock == ROUND and not goes_on):
        state[PASSED] = 0
    state[LEAD_OVER] = 0
    state[TOP] = rung
    state[TOP_SEAT] = turn
    if t.skips[act]:
        _end_trick(state, t.lock)
    else:
        _next_turn(state, seats, t.lock)


@nb.njit(cache=True)
def search(
    t: Any,
    levels: Any,
    hands: Any,
    acts: Any,
    opening: Any,
    anything: Any,
    old: Any,
    table: Any,
    most: Any,
    control: Any,
    budget: Any,
) -> Any:
    """Prove the position of level 0, or go on with that.

    Args:
        t: `ending.Tables`.
        levels: (depth, LEVEL) int64, the positions from level 0 down to the one that is looked at.
        hands: (depth, seats) uint64, their hands.
        acts: (depth, most acts) int32, the acts of each.
        opening: (plays,) bool, the plays that level 0 allows; one that forbids some is not kept.
        anything: (plays,) bool, true.
        old: (any, seats + 2) uint64, a smaller table whose results are to be in the table.
        table: (places, seats + 2) uint64, a power of two of places; all 0 at first.
        most: the largest number of places that the table may have.
        control: (CONTROL,) int64.
        budget: how many positions to look at.

    Returns PAUSED, FULL or DONE; the proof is in VALUE, DISTANCE and BEST of `control`.
    """
    seats = len(t.guard)
    scores = np.empty(acts.shape[1], np.int64)
    bound = False
    for play in range(t.first[levels[0, TURN]], t.first[levels[0, TURN] + 1]):
        bound |= not opening[play]
    for i in range(old.shape[0]):
        if old[i, seats] != U(0):
            place = _place(table, old[i], old[i, seats], seats)
            control[COUNT] += table[place, seats] == U(0)
            table[place] = old[i]
    depth, phase = control[DEPTH], control[PHASE]
    value, distance, best = control[VALUE], control[DISTANCE], control[BEST]
    while True:
        level = levels[depth]
        if phase == ENTER:
            number = _list_acts(t, level, hands[depth], opening if depth == 0 else anything, acts[depth])
            phase = LEAVE
            if number == 0:
                value, distance, best = t.team[level[TURN]], 1, np.int64(acts[depth, 0])
                continue
            word = _word(level)
            place = _place(table, hands[depth], word, seats)
            if _holds(table, place, hands[depth], word, seats):
                found = table[place, seats + 1]
                value = np.int64(found & U(1))
                distance = np.int64((found >> U(1)) & U(0xFFFF))
                best = np.int64(found >> U(32)) + PASS
                continue
            _sort(t, level, acts[depth], number, scores)
            level[NUMBER] = number
            level[CURSOR] = 0
            level[LONGEST] = 0
            control[NODES] += 1
            budget -= 1
            phase = TRY
        elif phase == TRY:
            full = control[COUNT] * 8 > table.shape[0] * 5 and table.shape[0] < most
            if full or budget < 0:
                control[DEPTH], control[PHASE] = depth, phase
                return FULL if full else PAUSED
            if level[CURSOR] < level[NUMBER]:
                level[CURSOR] += 1
                act = np.int64(acts[depth, level[CURSOR] - 1])
                _act(t, level, hands[depth], act, levels[depth + 1], hands[depth + 1])
                depth += 1
                phase = ENTER
            else:
                value, distance, best = 1 - t.team[level[TURN]], level[LONGEST] + 1, level[STUBBORN]
                phase = PROVED
        elif phase == PROVED:
            if depth > 0 or not bound:
                word = _word(level)
                place = _place(table, hands[depth], word, seats)
                control[COUNT] += table[place, seats] == U(0)
                for seat in range(seats):
                    table[place, seat] = hands[depth, seat]
                table[place, seats] = word
                table[place, seats + 1] = U(value) | (U(distance) << U(1)) | (U(best - PASS) << U(32))
            phase = LEAVE
        else:
            if depth == 0:
                control[DEPTH], control[PHASE] = 0, ENTER
                control[VALUE], control[DISTANCE], control[BEST] = value, distance, best
                return DONE
            depth -= 1
            level = levels[depth]
            act = np.int64(acts[depth, level[CURSOR] - 1])
            if value == t.team[level[TURN]]:
                distance, best = distance + 1, act
                phase = PROVED
            else:
                if distance > level[LONGEST]:
                    level[LONGEST], level[STUBBORN] = distance, act
                phase = TRY
