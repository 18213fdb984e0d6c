"""The compiled search behind `big2_env.solve`: a proof by depth-first search with a table of what has been proved.

What is proved of a position is that the team is paid at least so much, or that it is not: the seat to move has an act after
which its side has its way, or all its acts have been refuted. A proof says what is paid at least, or at most, so it may serve
for other amounts as well. Who cannot cover the top passes without being asked, so only positions with a choice are kept. The
table has the whole position, not a hash of it, and so no two are ever taken for one; it grows, and where it may not, results of
short games give way. What is gone is found anew: the table only saves time.

Order: an act that empties the hand comes first; then leads with many cards, of equal ones the weakest, bombs last; answers
weakest first, and the pass last, but first where the top is one's own team's. Nothing more clever tried here was faster.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect.kernel import kernel
from big2_env.solve.tree_moves import (
    ACTED,
    FACTOR,
    LEAD_OVER,
    OUT,
    PASS,
    PASSED,
    PILE,
    SCORE,
    STATE,
    TOP,
    TOP_SEAT,
    TRICK_POINTS,
    TURN,
    list_acts,
    make_act,
    paid,
)

U: Final = np.uint64

PAUSED: Final = 0
DONE: Final = 1
FULL: Final = 2
"""What `search` returns: budget spent, proved, the table wants to grow."""

DEPTH: Final = 0
PHASE: Final = 1
COUNT: Final = 2
NODES: Final = 3
REACHED: Final = 4
DISTANCE: Final = 5
BEST: Final = 6
BOUND: Final = 7
CONTROL: Final = 8
"""Places of `control`: where the search stands, results in the table, positions looked at, and of the last one proved: whether
the team is paid what was asked for, after how many choices, by which act, and what it is paid at least or at most, as a
float64. Their number."""

CURSOR: Final = STATE
NUMBER: Final = STATE + 1
LONGEST: Final = STATE + 2
STUBBORN: Final = STATE + 3
SOFT: Final = STATE + 4
LEVEL: Final = STATE + 5
"""Places of a level: the position but for the hands, how many of its acts have been tried, how many there are, how many choices
come after the act that is refuted last, that act, and the best that an act tried so far is known to bring, as a float64. Their
number."""

ENTER: Final = 0
TRY: Final = 1
PROVED: Final = 2
LEAVE: Final = 3
"""What comes next: look at a new position, try its next act, keep what was proved of it, tell the position above."""

NARROW_KEY: Final = 1
WIDE_KEY: Final = 3
"""Columns of the table after the hands that tell positions apart: all but the hands; and where more decides what is paid, cards
to draw, seats out and hands played, then factors or points. Behind them is what was proved, and in wide tables what is paid."""
WINDOW: Final = 16
"""Places of the table where a position may be."""


@kernel(inline=True)
def _mixed(x: Any) -> Any:
    x = (x ^ (x >> U(30))) * U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U(27))) * U(0x94D049BB133111EB)
    return x ^ (x >> U(31))


@kernel(inline=True)
def _write_key(key: Any, state: Any, hands: Any, seats: Any) -> None:
    """Write a position as a row of the table begins; the column after the hands is never 0."""
    for seat in range(seats):
        key[seat] = hands[seat]
    key[seats] = (
        U(1 << 63)
        | U(state[TURN])
        | (U(state[TOP_SEAT]) << U(4))
        | (U(state[PASSED]) << U(8))
        | (U(state[TOP]) << U(24))
        | (U(state[LEAD_OVER]) << U(43))
    )
    if len(key) == seats + WIDE_KEY:
        key[seats + 1] = U(state[PILE]) | (U(state[OUT]) << U(8)) | (U(state[ACTED]) << U(16))
        key[seats + 2] = U(state[FACTOR]) + (U(state[SCORE]) << U(31)) + U(state[TRICK_POINTS])


@kernel(inline=True)
def _place(table: Any, key: Any, columns: Any, seats: Any) -> Any:
    """Where a position is in the table, or where it may be put: a free place, or that of the shortest game."""
    last = U(table.shape[0] - 1)
    mixed = U(0)
    for column in range(columns):
        mixed = _mixed(mixed ^ key[column])
    victim, least = np.int64(mixed & last), np.int64(1 << 40)
    for step in range(WINDOW):
        place = np.int64((mixed + U(step)) & last)
        if table[place, seats] == U(0) or _holds(table, place, key, columns):
            return place
        distance = np.int64((table[place, columns] >> U(1)) & U(0xFFFF))
        if distance < least:
            victim, least = place, distance
    return victim


@kernel(inline=True)
def _holds(table: Any, place: Any, key: Any, columns: Any) -> Any:
    """Whether a place of the table has this very position."""
    same = True
    for column in range(columns):
        same &= table[place, column] == key[column]
    return same


@kernel(inline=True)
def _sort(t: Any, state: Any, hand: Any, acts: Any, number: Any, scores: Any) -> None:
    """Put the acts to be tried first in front."""
    own = state[TOP] > 0 and t.team[state[TOP_SEAT]] == t.team[state[TURN]]
    for i in range(number):
        act = np.int64(acts[i])
        if act == PASS:
            score = np.int64(1 << 40) if own else np.int64(-1 << 40)
        elif t.code[act] == hand:
            score = np.int64(1 << 50)
        else:
            score = (np.int64(0) if state[TOP] > 0 else t.merit[act] << 20) - t.rung[act]
        while i > 0 and scores[i - 1] < score:
            scores[i] = scores[i - 1]
            acts[i] = acts[i - 1]
            i -= 1
        scores[i] = score
        acts[i] = act


@kernel(entry=True)
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
    target: Any,
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
        old: (any, columns) uint64, a smaller table whose results are to be in the table.
        table: (places, seats + NARROW_KEY + 1 or seats + WIDE_KEY + 2) uint64, a power of two of places; all 0 at first.
        most: the largest number of places that the table may have.
        target: what the team is to be paid at least.
        control: (CONTROL,) int64.
        budget: how many positions to look at.

    Returns PAUSED, FULL or DONE; the proof is in REACHED, DISTANCE, BEST and BOUND of `control`.
    """
    seats = len(t.guard)
    wide = table.shape[1] > seats + NARROW_KEY + 1
    columns = seats + (WIDE_KEY if wide else NARROW_KEY)
    key = np.empty(columns, np.uint64)
    amounts, soft, reals = table.view(np.float64), levels.view(np.float64), control.view(np.float64)
    scores = np.empty(acts.shape[1], np.int64)
    bound = False
    for play in range(t.first[levels[0, TURN]], t.first[levels[0, TURN] + 1]):
        bound |= not opening[play]
    for i in range(old.shape[0]):
        if old[i, seats] != U(0):
            place = _place(table, old[i], columns, seats)
            control[COUNT] += table[place, seats] == U(0)
            table[place] = old[i]
    depth, phase = control[DEPTH], control[PHASE]
    amount, reached = reals[BOUND], control[REACHED] != 0
    distance, best = control[DISTANCE], control[BEST]
    while True:
        level = levels[depth]
        if phase == ENTER:
            number = list_acts(t, level, hands[depth], opening if depth == 0 else anything, acts[depth])
            phase = LEAVE
            if number <= 0:
                amount = float(t.team[level[TURN]]) if number < 0 else paid(t, level, hands[depth])
                reached, distance, best = amount >= target, -number, np.int64(acts[depth, 0]) if number < 0 else PASS
                continue
            _write_key(key, level, hands[depth], seats)
            place = _place(table, key, columns, seats)
            if _holds(table, place, key, columns):
                found = table[place, columns]
                amount = amounts[place, columns + 1] if wide else float(found & U(1))
                if (amount >= target) == (found & U(1) != 0):
                    reached = amount >= target
                    distance = np.int64((found >> U(1)) & U(0xFFFF))
                    best = np.int64(found >> U(32)) + PASS
                    continue
            _sort(t, level, hands[depth, level[TURN]], acts[depth], number, scores)
            level[NUMBER] = number
            level[CURSOR] = 0
            level[LONGEST] = 0
            level[STUBBORN] = PASS
            soft[depth, SOFT] = -np.inf if t.team[level[TURN]] else np.inf
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
                make_act(t, level, hands[depth], act, levels[depth + 1], hands[depth + 1])
                depth += 1
                phase = ENTER
            else:
                reached, amount = t.team[level[TURN]] == 0, soft[depth, SOFT]
                distance, best = level[LONGEST] + 1, level[STUBBORN]
                phase = PROVED
        elif phase == PROVED:
            if depth > 0 or not bound:
                _write_key(key, level, hands[depth], seats)
                place = _place(table, key, columns, seats)
                control[COUNT] += table[place, seats] == U(0)
                table[place, :columns] = key
                table[place, columns] = U(reached) | (U(distance) << U(1)) | (U(best - PASS) << U(32))
                if wide:
                    amounts[place, columns + 1] = amount
            phase = LEAVE
        else:
            if depth == 0:
                control[DEPTH], control[PHASE] = 0, ENTER
                control[REACHED], control[DISTANCE], control[BEST] = reached, distance, best
                reals[BOUND] = amount
                return DONE
            depth -= 1
            level = levels[depth]
            act = np.int64(acts[depth, level[CURSOR] - 1])
            side = t.team[level[TURN]] != 0
            if reached == side:
                distance, best = distance + 1, act
                phase = PROVED
            else:
                soft[depth, SOFT] = max(soft[depth, SOFT], amount) if side else min(soft[depth, SOFT], amount)
                if distance > level[LONGEST]:
                    level[LONGEST], level[STUBBORN] = distance, act
                phase = TRY
