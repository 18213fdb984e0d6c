"""Features card by card: of four players with 13 cards each of a deck of 52, where suits may decide.

`STATE`, `PLAY` and `HIDDEN` name the parts in order. Seats count from the viewer. `features` has the other layout beside it.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.combos import counts_of, fewest_plays, find_combos, unary_of
from big2_agents.compiled.opinion import HOLDS, WORSE
from big2_agents.compiled.plays import can_be_covered
from big2_agents.compiled.track import MAX_CATEGORIES, NOTHING, SKIPS, unseen_by
from big2_env.kernels.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.tables import Tables

MAX_PATTERNS: Final = 10
MAX_PLAYS: Final = 10
"""More plays than this to put down a hand count as this many."""


def places(parts: dict[str, int]) -> tuple[dict[str, int], int]:
    """Where each part begins, given how many entries each has, and how many there are in all."""
    found, size = {}, 0
    for name, width in parts.items():
        found[name] = size
        size += width
    return found, size


STATE: Final = {
    "hand": 52,
    "hand_counts": 39,  # ranks held at least 2, 3, 4 times
    "unseen": 52,
    "unseen_counts": 39,
    "played": 156,  # by each of the others
    "left": 52,  # cards of each seat, as a thermometer of 13
    "top_value": 13,
    "top_suit": 4,
    "top_pattern": MAX_PATTERNS,
    "top_seat": 4,
    "leading": 1,
    "opening": 1,
    "passed": 3,
    "last_pattern": 3 * MAX_PATTERNS,  # of each of the others
    "last_value": 39,
    "passed_on": 3 * MAX_CATEGORIES * 13,  # the lowest value each of the others passed on, by category
    "plays": MAX_PLAYS,  # fewest plays to put down the hand
    "led": 3 * MAX_CATEGORIES,  # categories each of the others has led
    "skipped": 3 * SKIPS * 13,  # values each of the others left out, by category, as `track` says
}
PLAY: Final = {
    "pass": 1,
    "pattern": MAX_PATTERNS,
    "size": 5,
    "value": 13,
    "suit": 4,
    "counts": 13,  # cards by rank
    "certain": 1,  # no unseen cards cover it
    "unanswered": 1,  # more cards than any other seat holds
    "last": 1,  # it empties the hand
    "left": 13,
    "plays": MAX_PLAYS,  # fewest plays to put down the rest
    "lone": 13,  # ranks of which the rest has one card
    "next_out": 1,  # the next seat could go out on a play of so many cards
    "higher": 8,  # unseen cards above a play of one rank: 0, 1, 2, 3, 4 to 6, 7 to 10, 11 to 20, more
    "best": 1,  # the heuristic's choice; these three are written by `write_opinion`
    "worse": len(WORSE),  # by how much the heuristic likes it less than its choice, as a thermometer
    "hold": len(HOLDS),  # how likely nobody covers it, as a thermometer
}
HIDDEN: Final = {"hands": 156, "counts": 156, "plays": 3 * MAX_PLAYS}

_S, STATE_SIZE = places(STATE)
_P, PLAY_SIZE = places(PLAY)
_H, HIDDEN_SIZE = places(HIDDEN)
(S_HAND, S_HAND_COUNTS, S_UNSEEN, S_UNSEEN_COUNTS, S_PLAYED, S_LEFT, S_TOP_VALUE, S_TOP_SUIT, S_TOP_PATTERN, S_TOP_SEAT,
 S_LEADING, S_OPENING, S_PASSED, S_LAST_PATTERN, S_LAST_VALUE, S_PASSED_ON, S_PLAYS, S_LED,
 S_SKIPPED) = _S.values()  # fmt: skip
(P_PASS, P_PATTERN, P_SIZE, P_VALUE, P_SUIT, P_COUNTS, P_CERTAIN, P_UNANSWERED, P_LAST, P_LEFT, P_PLAYS, P_LONE,
 P_NEXT_OUT, P_HIGHER, P_BEST, P_WORSE, P_HOLD) = _P.values()  # fmt: skip
H_HANDS, H_COUNTS, H_PLAYS = _H.values()


@nb.njit(cache=True)
def _up_to(number: Any, most: Any) -> Any:
    return number if number < most else most


@nb.njit(cache=True)
def _cards(out: Any, i: Any, start: Any, mask: Any) -> None:
    while mask:
        out[i, start + lowest_bit(mask)] = 1
        mask &= mask - U(1)


@nb.njit(cache=True)
def _counts(out: Any, i: Any, start: Any, mask: Any, first: Any) -> None:
    """Ranks held at least `first` .. 4 times, 13 entries each."""
    u = unary_of(counts_of(mask))
    for k in range(first - 1, 4):
        ranks = (u >> U(k)) & ONES
        while ranks:
            out[i, start + (lowest_bit(ranks) >> 2)] = 1
            ranks &= ranks - U(1)
        start += 13


@nb.njit(cache=True)
def write_card_state(t: Tables, g: Any, k: Any, c: Any, out: Any, i: Any) -> None:
    """Write what the seat to move sees into row `i` of `out`, int8 (N, STATE_SIZE); leaves the hand's combinations in `c`."""
    out[i, :] = 0
    seat = g.turn
    hand = g.hands[seat]
    unseen = unseen_by(t, g, seat)
    _cards(out, i, S_HAND, hand)
    _counts(out, i, S_HAND_COUNTS, hand, 2)
    _cards(out, i, S_UNSEEN, unseen)
    _counts(out, i, S_UNSEEN_COUNTS, unseen, 2)
    for distance in range(4):
        who = (seat + distance) & 3
        out[i, S_LEFT + 13 * distance : S_LEFT + 13 * distance + k.left[who]] = 1
        if distance == 0:
            continue
        other = distance - 1
        _cards(out, i, S_PLAYED + 52 * other, g.played[who])
        if g.passed >> who & 1:
            out[i, S_PASSED + other] = 1
        if k.last_pattern[who] >= 0:
            out[i, S_LAST_PATTERN + MAX_PATTERNS * other + _up_to(k.last_pattern[who], MAX_PATTERNS - 1)] = 1
            out[i, S_LAST_VALUE + 13 * other + k.last_value[who]] = 1
        for category in range(MAX_CATEGORIES):
            power = k.passed_on[who, category]
            if power != NOTHING:
                out[i, S_PASSED_ON + 13 * (MAX_CATEGORIES * other + category) + ((power & 63) >> 2)] = 1
            if k.led[who] >> category & 1:
                out[i, S_LED + MAX_CATEGORIES * other + category] = 1
        for category in range(SKIPS):
            for value in range(13):
                out[i, S_SKIPPED + 13 * (SKIPS * other + category) + value] = k.skipped[who, category] >> value & 1
    if g.top_category >= 0:
        out[i, S_TOP_VALUE + ((g.top_power & 63) >> 2)] = 1
        out[i, S_TOP_SUIT + (g.top_power & 3)] = 1
        out[i, S_TOP_PATTERN + _up_to(g.top_pattern, MAX_PATTERNS - 1)] = 1
        out[i, S_TOP_SEAT + ((g.top_seat - seat) & 3)] = 1
    else:
        out[i, S_LEADING] = 1
    if g.obligation[0]:
        out[i, S_OPENING] = 1
    find_combos(t, hand, c)
    out[i, S_PLAYS + _up_to(fewest_plays(t, hand, c), MAX_PLAYS) - 1] = 1


@nb.njit(cache=True)
def _unseen_above(unseen: Any, value: Any, suit: Any) -> Any:
    """Which of eight steps the number of unseen cards above a card falls into."""
    number = popcount(unseen & ~((U(2) << U(4 * value + suit)) - U(1)))
    if number < 4:
        return number
    return 4 if number <= 6 else 5 if number <= 10 else 6 if number <= 20 else np.int64(7)


@nb.njit(cache=True)
def write_card_plays(t: Tables, g: Any, k: Any, c: Any, out: Any, start: Any) -> None:
    """Write the candidates in `c` into rows `start`, ... of `out`, int8 (M, PLAY_SIZE); after `write_card_state`."""
    seat = g.turn
    hand = g.hands[seat]
    unseen = unseen_by(t, g, seat)
    following = (seat + 1) & 3
    most = np.int64(k.left[following])
    for distance in range(2, 4):
        most = max(most, np.int64(k.left[(seat + distance) & 3]))
    for j in range(c.count):
        i = start + j
        out[i, :] = 0
        mask = c.mask[j]
        rest = hand & ~mask
        left = popcount(rest)
        if left:
            out[i, P_LEFT + left - 1] = 1
            out[i, P_PLAYS + _up_to(fewest_plays(t, rest, c), MAX_PLAYS) - 1] = 1
            counts = counts_of(rest)
            lone = counts & ~(counts >> U(1)) & ~(counts >> U(2)) & ONES
            while lone:
                out[i, P_LONE + (lowest_bit(lone) >> 2)] = 1
                lone &= lone - U(1)
        else:
            out[i, P_LAST] = 1
        if mask == U(0):
            out[i, P_PASS] = 1
            continue
        row, power = c.row[j], c.power[j]
        size = np.int64(popcount(mask))
        value, suit = np.int64((power & 63) >> 2), np.int64(power & 3)
        out[i, P_PATTERN + _up_to(t.row_pattern[row], MAX_PATTERNS - 1)] = 1
        out[i, P_SIZE + (size if size < 5 else 5) - 1] = 1
        out[i, P_VALUE + value] = 1
        if t.row_step[row]:
            out[i, P_SUIT + suit] = 1
        cards = mask
        while cards:
            out[i, P_COUNTS + (lowest_bit(cards) >> 2)] += 1
            cards &= cards - U(1)
        if size > most:
            out[i, P_UNANSWERED] = 1
        if not can_be_covered(t, unseen, t.row_category[row], power, most):
            out[i, P_CERTAIN] = 1
        if size == k.left[following]:
            out[i, P_NEXT_OUT] = 1
        if t.row_parts[row] == 1:
            out[i, P_HIGHER + _unseen_above(unseen, value, suit if t.row_step[row] else 3)] = 1


@nb.njit(cache=True)
def write_card_hidden(t: Tables, g: Any, c: Any, out: Any, i: Any) -> None:
    """Write the hands of the others into row `i` of `out`, int8 (N, HIDDEN_SIZE): for a critic, in training only."""
    out[i, :] = 0
    for other in range(3):
        hand = g.hands[(g.turn + 1 + other) & 3]
        _cards(out, i, H_HANDS + 52 * other, hand)
        _counts(out, i, H_COUNTS + 52 * other, hand, 1)
        find_combos(t, hand, c)
        out[i, H_PLAYS + MAX_PLAYS * other + _up_to(fewest_plays(t, hand, c), MAX_PLAYS) - 1] = 1
