"""The search behind `big2_env.solve`: a proof by depth-first search with a memo of what has been proved.

What is proved of a position is that the team is paid at least so much, or that it is not: the seat to move has an act after
which its side has its way, or all its acts have been refuted. A proof says what is paid at least, or at most, so it may serve
for other amounts as well. Who cannot cover the top passes without being asked, so only positions with a choice are kept. The
memo grows, and where it may not, results of short games give way. What is gone is found anew: the memo only saves time.

Order: an act that empties the hand comes first; then leads with many cards, of equal ones the weakest, bombs last; answers
weakest first, and the pass last, but first where the top is one's own team's. Nothing more clever tried here was faster.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.memo import keep, recall
from big2_env.solve.goal import MAX_TALLY
from big2_env.solve.kernels.tree_moves import (
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

PAUSED: Final = 0
DONE: Final = 1
FULL: Final = 2
"""What `search` returns: budget spent, proved, the memo wants to grow."""

DEPTH: Final = 0
COUNT: Final = 1
NODES: Final = 2
REACHED: Final = 3
DISTANCE: Final = 4
BEST: Final = 5
CONTROL: Final = 6
"""Places of `control`: the level whose position is looked at next, results in the memo, positions looked at, and of the last
one proved: whether the team is paid what was asked for, after how many choices, by which act. Their number."""

CURSOR: Final = STATE
NUMBER: Final = STATE + 1
LONGEST: Final = STATE + 2
STUBBORN: Final = STATE + 3
BEGIN: Final = STATE + 4
LEVEL: Final = STATE + 5
"""Places of a level: the position but for the hands, how many of its acts have been tried, how many there are, how many choices
come after the act that is refuted last, that act, and where its acts begin. Their number."""

ENTER: Final = 0
TRY: Final = 1
PROVED: Final = 2
LEAVE: Final = 3
"""What comes next: look at a new position, try its next act, keep what was proved of it, tell the position above."""

NARROW_KEY: Final = 1
WIDE_KEY: Final = 3
"""Words of a position's key after the hands: all but the hands; and where more decides what is paid, cards to draw, seats out
and hands played, then factors or points."""


@kernel(inline=True)
def _write_key(key: Any, state: Any, hands: Any, seats: Any, wide: Any) -> None:
    """Write the words that tell a position from others."""
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
def _sort(t: Any, state: Any, hand: Any, acts: Any, begin: Any, number: Any, scores: Any) -> None:
    """Put the acts to be tried first in front."""
    top = state[TOP]
    own = top > 0 and t.team[state[TOP_SEAT]] == t.team[state[TURN]]
    for n in range(number):
        i, act = n, np.int64(acts[begin + n])
        if act == PASS:
            score = np.int64(1 << 40) if own else np.int64(-1 << 40)
        elif t.code[act] == hand:
            score = np.int64(1 << 50)
        else:
            score = (np.int64(0) if top > 0 else t.merit[act] << 20) - t.rung[act]
        while i > 0 and scores[i - 1] < score:
            scores[i] = scores[i - 1]
            acts[begin + i] = acts[begin + i - 1]
            i -= 1
        scores[i] = score
        acts[begin + i] = act


@kernel(entry=True)
def search(
    t: Any,
    levels: Any,
    hands: Any,
    acts: Any,
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
    """Prove the position of level 0, or go on with that.

    Args:
        t: `ending.Tables`.
        levels: (depth, LEVEL) int64, the positions from level 0 down to the one that is looked at.
        hands: (depth, seats) uint64, their hands.
        acts: (depth * most acts,) int32, their acts, one position's after another's.
        soft: (depth,) float64, the best that an act tried so far is known to bring; once level 0 is proved, what is paid there
            at least or at most.
        keys: (depth, seats + NARROW_KEY or WIDE_KEY) uint64, their keys.
        scores: (most acts,) int64, to sort acts by.
        opening: (plays,) bool, the plays that level 0 allows; one that forbids some is not kept.
        anything: (plays,) bool, true.
        memo: of keys like those, with amounts if they are wide.
        room: how many results the memo has room for.
        target: what the team is to be paid at least.
        control: (CONTROL,) int64.
        budget: how many positions to look at.

    Returns PAUSED, FULL or DONE; the proof is in REACHED, DISTANCE and BEST of `control` and in `soft`.
    """
    levels, hands, acts, soft = borrowed(levels), borrowed(hands), borrowed(acts), borrowed(soft)
    keys, scores, opening, anything = borrowed(keys), borrowed(scores), borrowed(opening), borrowed(anything)
    control = borrowed(control)
    seats, team, wide = len(t.guard), borrowed(t.team), not t.ends_at_once
    bound = False
    for play in range(t.first[levels[0, TURN]], t.first[levels[0, TURN] + 1]):
        bound |= not opening[play]
    depth, phase = control[DEPTH], ENTER
    reached, amount, distance, best = False, 0.0, np.int64(0), np.int64(PASS)
    while True:
        level = levels[depth]
        if phase == ENTER:
            begin = level[BEGIN]
            number = list_acts(t, level, hands[depth], opening if depth == 0 else anything, acts, begin)
            phase = LEAVE
            if number <= 0:
                amount = float(team[level[TURN]]) if number < 0 else paid(t, level, hands[depth])
                reached, distance, best = amount >= target, -number, np.int64(acts[begin]) if number < 0 else np.int64(PASS)
                continue
            _write_key(keys[depth], level, hands[depth], seats, wide)
            place = recall(memo, keys[depth])
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
            _sort(t, level, hands[depth, level[TURN]], acts, begin, number, scores)
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
                make_act(t, level, hands[depth - 1], np.int64(acts[begin + cursor]), levels[depth], hands[depth])
                levels[depth, BEGIN] = begin + number
                phase = ENTER
            else:
                reached, amount = team[level[TURN]] == 0, soft[depth]
                distance, best = level[LONGEST] + 1, level[STUBBORN]
                phase = PROVED
        elif phase == PROVED:
            if depth > 0 or not bound:
                word = U(reached) | (U(best - PASS) << U(1)) | (U(distance) << U(48))
                control[COUNT] += keep(memo, keys[depth], word, amount)
            phase = LEAVE
        else:
            if depth == 0:
                control[DEPTH] = 0
                control[REACHED], control[DISTANCE], control[BEST] = reached, distance, best
                soft[0] = amount
                return DONE
            depth -= 1
            level = levels[depth]
            act = np.int64(acts[level[BEGIN] + level[CURSOR] - 1])
            side = team[level[TURN]] != 0
            if reached == side:
                distance, best = distance + 1, act
                phase = PROVED
            else:
                soft[depth] = max(soft[depth], amount) if side else min(soft[depth], amount)
                if distance > level[LONGEST]:
                    level[LONGEST], level[STUBBORN] = distance, act
                phase = TRY
