"""Features card by card, for four players with 13 cards each of a deck of 52; suits may decide.

`feature_layout` names the parts in order. Seats count from the viewer. The number of plays needed to empty a hand is computed
with slot actions. `features` chooses between this layout and the one by rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.feature_layout import (
    H_COUNTS,
    H_HANDS,
    H_PLAYS,
    MAX_CATEGORIES,
    MAX_PATTERNS,
    MAX_PLAYS,
    P_CERTAIN,
    P_COUNTS,
    P_HIGHER,
    P_LAST,
    P_LEFT,
    P_LONE,
    P_NEXT_OUT,
    P_PASS,
    P_PATTERN,
    P_PLAYS,
    P_SIZE,
    P_SUIT,
    P_UNANSWERED,
    P_VALUE,
    S_HAND,
    S_HAND_COUNTS,
    S_LAST_PATTERN,
    S_LAST_VALUE,
    S_LEADING,
    S_LED,
    S_LEFT,
    S_OPENING,
    S_PASSED,
    S_PASSED_ON,
    S_PLAYED,
    S_PLAYS,
    S_SKIPPED,
    S_TOP_PATTERN,
    S_TOP_SEAT,
    S_TOP_SUIT,
    S_TOP_VALUE,
    S_UNSEEN,
    S_UNSEEN_COUNTS,
    SKIPS,
)
from big2_agents.kernels.plays import can_be_beaten, list_rows
from big2_agents.kernels.track import NOTHING, unseen_by
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.dialect.kernel import clear, fill, kernel
from big2_env.kernels.tables import Tables


@kernel(inline=True)
def counts_of(mask: Any) -> Any:
    """Return the number of cards of each rank, as nibbles."""
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    return (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))


@kernel(inline=True)
def unary_of(counts: Any) -> Any:
    """Return counts in unary, as `bits.unary` does, from counts as nibbles."""
    one, two, four = counts & ONES, (counts >> U(1)) & ONES, (counts >> U(2)) & ONES
    return one | two | four | ((two | four) << U(1)) | (((one & two) | four) << U(2)) | (four << U(3))


@kernel(entry=True)
def find_combos(tab: Tables, hand: Any, cand: Any) -> None:
    """Write the rows of several ranks that a hand holds into `cand`, except one-suited ones."""
    cand.num_combos = list_rows(tab, hand, cand.combo)
    for i in range(cand.num_combos):
        # Unary nibbles hold as many bits as there are cards.
        cand.combo_counts[i] = counts_of(tab.row_need[cand.combo[i]])


@kernel
def plays_by_rank(tab: Tables, counts: Any) -> Any:
    """Return the number of one-rank plays needed for cards given by rank, as nibbles."""
    u = unary_of(counts)
    total = np.int64(0)
    for k in range(4):
        step = tab.alone_plays[k + 1] - tab.alone_plays[k]
        if step:
            total += step * popcount((u >> U(k)) & ONES)
    return total


@kernel
def _with_combos(tab: Tables, counts: Any, cand: Any, best: Any) -> Any:
    """Return the smallest number of plays for cards given by rank, with up to two combinations from `cand`; at most `best`."""
    best = min(best, plays_by_rank(tab, counts))
    held = unary_of(counts)
    for i in range(cand.num_combos):
        if tab.row_need[cand.combo[i]] & ~held:
            continue
        after = counts - cand.combo_counts[i]
        best = min(best, 1 + plays_by_rank(tab, after))
        still = unary_of(after)
        for j in range(i, cand.num_combos):
            if tab.row_need[cand.combo[j]] & ~still == U(0):
                best = min(best, 2 + plays_by_rank(tab, after - cand.combo_counts[j]))
    return best


@kernel(entry=True)
def fewest_plays(tab: Tables, hand: Any, cand: Any) -> Any:
    """Return the number of plays needed to empty a hand, using up to two combinations of several ranks and one of one suit.

    This is an upper bound. `cand` must hold the combinations of this hand or of a superset.
    """
    if not hand:
        return 0
    counts = counts_of(hand)
    best = _with_combos(tab, counts, cand, np.int64(52))
    for which in range(tab.num_suited):
        size = tab.suited_sizes[which]
        for suit in range(4):
            held = hand & (ONES << U(suit))
            if popcount(held) < size:
                continue
            # The cards of the suit that stand alone in their rank go first, then the lowest.
            lone = counts & ~(counts >> U(1)) & ~(counts >> U(2)) & ONES
            chosen = np.int64(0)
            after = counts
            for alone in range(2):
                rest = held & (lone << U(suit)) if alone == 0 else held & ~(lone << U(suit))
                while rest and chosen < size:
                    low = rest & (~rest + U(1))
                    rest ^= low
                    after -= U(1) << U(lowest_bit(low) & ~3)
                    chosen += 1
            best = min(best, 1 + _with_combos(tab, after, cand, best - 1))
    return best


@kernel(inline=True)
def _up_to(number: Any, most: Any) -> Any:
    return number if number < most else most


@kernel
def _cards(out: Any, i: Any, start: Any, mask: Any) -> None:
    while mask:
        out[i, start + lowest_bit(mask)] = 1
        mask &= mask - U(1)


@kernel
def _counts(out: Any, i: Any, start: Any, mask: Any, first: Any) -> None:
    """Write which ranks are held at least `first` .. 4 times, 13 entries each."""
    u = unary_of(counts_of(mask))
    for k in range(first - 1, 4):
        ranks = (u >> U(k)) & ONES
        while ranks:
            out[i, start + (lowest_bit(ranks) >> 2)] = 1
            ranks &= ranks - U(1)
        start += 13


@kernel
def write_card_state(tab: Tables, game: Any, track: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the view of the seat to move into row `i` of `out`, int8 (N, STATE_SIZE).

    The hand's combinations are left in `cand`.
    """
    clear(out, i)
    seat = game.turn
    hand = game.hands[seat]
    unseen = unseen_by(tab, game, seat)
    _cards(out, i, S_HAND, hand)
    _counts(out, i, S_HAND_COUNTS, hand, 2)
    _cards(out, i, S_UNSEEN, unseen)
    _counts(out, i, S_UNSEEN_COUNTS, unseen, 2)
    for distance in range(4):
        who = (seat + distance) & 3
        fill(out, i, S_LEFT + 13 * distance, S_LEFT + 13 * distance + track.left[who], 1)
        if distance == 0:
            continue
        other = distance - 1
        _cards(out, i, S_PLAYED + 52 * other, game.played[who])
        if game.passed >> who & 1:
            out[i, S_PASSED + other] = 1
        if track.last_pattern[who] >= 0:
            out[i, S_LAST_PATTERN + MAX_PATTERNS * other + _up_to(track.last_pattern[who], MAX_PATTERNS - 1)] = 1
            out[i, S_LAST_VALUE + 13 * other + track.last_value[who]] = 1
        for category in range(MAX_CATEGORIES):
            power = track.passed_on[who, category]
            if power != NOTHING:
                out[i, S_PASSED_ON + 13 * (MAX_CATEGORIES * other + category) + ((power & 63) >> 2)] = 1
            if track.led[who] >> category & 1:
                out[i, S_LED + MAX_CATEGORIES * other + category] = 1
        for category in range(SKIPS):
            for value in range(13):
                out[i, S_SKIPPED + 13 * (SKIPS * other + category) + value] = track.skipped[who, category] >> value & 1
    if game.top_category >= 0:
        out[i, S_TOP_VALUE + ((game.top_power & 63) >> 2)] = 1
        out[i, S_TOP_SUIT + (game.top_power & 3)] = 1
        out[i, S_TOP_PATTERN + _up_to(game.top_pattern, MAX_PATTERNS - 1)] = 1
        out[i, S_TOP_SEAT + ((game.top_seat - seat) & 3)] = 1
    else:
        out[i, S_LEADING] = 1
    if game.obligation[0]:
        out[i, S_OPENING] = 1
    find_combos(tab, hand, cand)
    out[i, S_PLAYS + _up_to(fewest_plays(tab, hand, cand), MAX_PLAYS) - 1] = 1


@kernel(inline=True)
def _unseen_above(unseen: Any, value: Any, suit: Any) -> Any:
    """Return the index of the step, out of eight, for the number of unseen cards above a card."""
    number = popcount(unseen & ~((U(2) << U(4 * value + suit)) - U(1)))
    if number < 4:
        return number
    return 4 if number <= 6 else 5 if number <= 10 else 6 if number <= 20 else np.int64(7)


@kernel
def write_card_plays(
    tab: Tables, game: Any, track: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any
) -> None:
    """Write the candidates in `cand` into rows `start`, ... of `out`, int8 (M, PLAY_SIZE); call `write_card_state` first."""
    seat = game.turn
    hand = game.hands[seat]
    unseen = unseen_by(tab, game, seat)
    following = (seat + 1) & 3
    most = np.int64(track.left[following])
    for distance in range(2, 4):
        most = max(most, np.int64(track.left[(seat + distance) & 3]))
    for j in range(cand.count):
        i = start + j
        clear(out, i)
        mask = cand.mask[j]
        rest = hand & ~mask
        left = popcount(rest)
        if left:
            out[i, P_LEFT + left - 1] = 1
            out[i, P_PLAYS + _up_to(fewest_plays(tab, rest, cand), MAX_PLAYS) - 1] = 1
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
        row, power = cand.row[j], cand.power[j]
        size = np.int64(popcount(mask))
        value, suit = np.int64((power & 63) >> 2), np.int64(power & 3)
        out[i, P_PATTERN + _up_to(tab.row_pattern[row], MAX_PATTERNS - 1)] = 1
        out[i, P_SIZE + (size if size < 5 else 5) - 1] = 1
        out[i, P_VALUE + value] = 1
        if tab.row_step[row]:
            out[i, P_SUIT + suit] = 1
        cards = mask
        while cards:
            out[i, P_COUNTS + (lowest_bit(cards) >> 2)] += 1
            cards &= cards - U(1)
        if size > most:
            out[i, P_UNANSWERED] = 1
        if not can_be_beaten(tab, unseen, tab.row_category[row], power, most):
            out[i, P_CERTAIN] = 1
        if size == track.left[following]:
            out[i, P_NEXT_OUT] = 1
        if tab.row_parts[row] == 1:
            out[i, P_HIGHER + _unseen_above(unseen, value, suit if tab.row_step[row] else 3)] = 1


@kernel
def write_card_hidden(tab: Tables, game: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    """Write the other hands into row `i` of `out`, int8 (N, HIDDEN_SIZE); only a critic in training may see them."""
    clear(out, i)
    for other in range(3):
        hand = game.hands[(game.turn + 1 + other) & 3]
        _cards(out, i, H_HANDS + 52 * other, hand)
        _counts(out, i, H_COUNTS + 52 * other, hand, 1)
        find_combos(tab, hand, cand)
        out[i, H_PLAYS + MAX_PLAYS * other + _up_to(fewest_plays(tab, hand, cand), MAX_PLAYS) - 1] = 1
