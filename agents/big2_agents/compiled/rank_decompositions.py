"""A hand parted into plays where actions are ranks. Cards are numbers by value here, nibbles of a uint64, of one deck or two.

Plays of one rank are chosen rank by rank, exactly. The others are set aside first, without their kickers: in combinations that
the hand has the cards for, up to `MAX_BODY_SETS` of those. Then each carries, of the cards that are left, those that are worth
least where they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.counts import NIBBLE, counts_of_cards, has
from big2_agents.compiled.heuristic_tables import MAX_BODIES, MAX_BODY_SETS, MAX_CARRIED
from big2_agents.compiled.outlook import prospect
from big2_agents.compiled.rank_plays import kickers_allowed, lowest_of
from big2_agents.formula import LOOSE
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, get_2, put, shift_of, shifted_down, unary, without_lowest
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables

LOOSE_UTILITY, LOOSE_HOLD = LOOSE
NEVER = -1e300


@kernel
def row_prospect(t: Tables, h: Any, row: Any) -> None:
    """Fill in what may become of a row's plays, once in a decision."""
    row = U(row)
    if h.row_known[row] != h.decision:
        h.row_known[row] = h.decision
        hold, utility, danger, sure = prospect(t, h, np.int64(t.row_category[row]), np.int64(t.row_power[row]))
        h.row_hold[row], h.row_utility[row], h.row_danger[row], h.row_sure[row] = hold, utility, danger, sure


@kernel
def decompose_counts(t: Tables, h: Any, hand: Any) -> None:
    """Find the best decomposition of any cards of one rank, and the combinations of bodies of a hand, given as cards."""
    h.decision += 1
    h.hand = counts_of_cards(t, hand)
    for value in range(t.num_values):
        held = np.int64(h.hand >> U(4 * value) & NIBBLE)
        if held:
            _decompose_rank(t, h, value, held)
    h.num_bodies = 0
    _find_bodies(t, h, hand)
    _combine(t, h)


@kernel
def _decompose_rank(t: Tables, h: Any, value: Any, held: Any) -> None:
    utility, hold, least, unsure = h.rank_utility[value], h.rank_hold[value], h.rank_least[value], h.rank_unsure[value]
    utility[0], hold[0], least[0], unsure[0] = 0.0, 1.0, 1.0, 0
    for number in range(1, held + 1):
        utility[number], fewest = NEVER, np.int64(99)
        for taken in range(number + 1):  # 0 for a card that is in no play
            rest, its_utility, its_hold, is_unsure = np.int64(number - max(taken, 1)), LOOSE_UTILITY, LOOSE_HOLD, np.int64(99)
            if taken:
                row = h.alone_row[value, taken]
                if row < 0:
                    continue
                row_prospect(t, h, row)
                its_utility, its_hold, is_unsure = h.row_utility[row], h.row_hold[row], np.int64(1 - h.row_sure[row])
            fewest = np.int64(min(fewest, is_unsure + unsure[rest]))
            if its_utility + utility[rest] > utility[number]:
                utility[number] = its_utility + utility[rest]
                hold[number], least[number] = its_hold * hold[rest], min(its_hold, least[rest])
        unsure[number] = fewest
    for taken in range(1, held + 1):
        most = NEVER
        for number in range(taken, held + 1):
            most = max(most, utility[number - taken] - utility[number])
        h.most_gain[value, taken] = most


@kernel
def _find_bodies(t: Tables, h: Any, hand: Any) -> None:
    """List the rows of several ranks or with kickers that the hand has the cards for, those first that gain most."""
    counts, held, shift = unary(hand), popcount(hand), shift_of(hand)
    lacking = ~counts
    for ladder in range(t.num_ladders):
        if t.ladder_alone[ladder] or t.ladder_size[ladder] > held:
            continue
        values = shifted_down(counts, t.ladder_count[ladder] - 1) & get(t.ladder_values, ladder)
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if get_2(t.rung_need, ladder, value) & lacking:
                continue
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if not get(t.row_need, row) & lacking:
                    _add_body(t, h, row)


@kernel
def _add_body(t: Tables, h: Any, row: Any) -> None:
    row_prospect(t, h, row)
    body = t.row_body[U(row)]
    gain = h.row_utility[U(row)] - utility_apart(h, body)
    kickers = np.int64(t.row_kickers[U(row)])
    if kickers >= 0:
        more, _ = carry(t, h, kickers, h.hand - body)
        if more == NEVER:
            return
        gain += more
    at = h.num_bodies
    if at == MAX_BODIES:
        if gain <= h.body_gain[at - 1]:
            return
        at -= 1
    else:
        h.num_bodies += 1
    while at and h.body_gain[at - 1] < gain:
        h.body_gain[at], h.body_row[at] = h.body_gain[at - 1], h.body_row[at - 1]
        at -= 1
    h.body_gain[at], h.body_row[at] = gain, row


@kernel
def utility_apart(h: Any, counts: Any) -> Any:
    """What cards are worth when no play of several ranks is set aside."""
    utility = 0.0
    while counts:
        place = U(lowest_bit(counts)) & ~U(3)
        utility += h.rank_utility[place >> U(2), counts >> place & NIBBLE]
        counts &= ~(NIBBLE << place)
    return utility


@kernel
def carry(t: Tables, h: Any, kickers: Any, rest: Any) -> Any:
    """Choose kickers among some cards: (what it gains to be rid of them there, the cards left); `NEVER` where there are none.

    One unit after the other is taken where that gains most. How many are taken of each value is left in `h.taken`.
    """
    unit, exclusive, used = np.int64(t.kicker_unit[kickers]), t.kicker_exclusive[kickers], False
    for value in range(t.num_values):
        h.taken[value] = 0
    total = 0.0
    for _ in range(t.kicker_units[kickers]):
        best, most, left = np.int64(-1), NEVER, rest
        while left:
            place = U(lowest_bit(left)) & ~U(3)
            which, held = np.int64(place >> U(2)), np.int64(left >> place & NIBBLE)
            left &= ~(NIBBLE << place)
            if held < unit or not kickers_allowed(t, kickers, which, h.taken[which], used):
                continue
            gain = h.rank_utility[which, held - unit] - h.rank_utility[which, held]
            if gain > most:
                best, most = which, gain
        if best < 0:
            return NEVER, rest
        used = used or exclusive >> U(best) & U(1) != 0
        h.taken[best] += unit
        rest -= U(unit) << U(4 * best)
        total += most
    return total, rest


@kernel
def _combine(t: Tables, h: Any) -> None:
    """Combine bodies that the hand has the cards for, and value the whole hand by each combination."""
    h.num_sets = 1
    h.set_cards[0], h.set_carried[0], h.set_unsure[0] = U(0), 0, 0
    h.set_utility[0], h.set_hold[0], h.set_least[0] = 0.0, 1.0, 1.0
    for n in range(h.num_bodies):
        row = U(h.body_row[n])
        body, carries = t.row_body[row], t.row_kickers[row] >= 0
        for i in range(min(h.num_sets, MAX_BODY_SETS - h.num_sets)):
            if not has(h.hand - h.set_cards[i], body) or (carries and h.set_carried[i] == MAX_CARRIED):
                continue
            to = h.num_sets
            h.num_sets += 1
            h.set_cards[to] = h.set_cards[i] + body
            h.set_utility[to] = h.set_utility[i] + h.row_utility[row]
            h.set_hold[to] = h.set_hold[i] * h.row_hold[row]
            h.set_least[to] = min(h.set_least[i], h.row_hold[row])
            h.set_unsure[to] = h.set_unsure[i] + 1 - h.row_sure[row]
            h.set_carried[to] = h.set_carried[i]
            for k in range(h.set_carried[i]):
                h.set_kickers[to, k] = h.set_kickers[i, k]
            if carries:
                h.set_kickers[to, h.set_carried[to]] = t.row_kickers[row]
                h.set_carried[to] += 1
    for i in range(h.num_sets):
        h.set_value[i] = _value_of(t, h, i, h.hand)[0]


@kernel
def _value_of(t: Tables, h: Any, i: Any, counts: Any) -> Any:
    """What some cards are worth by a combination: (utility, the cards left apart); `NEVER` where they do not have it."""
    if not has(counts, h.set_cards[i]):
        return NEVER, counts
    rest, utility = counts - h.set_cards[i], h.set_utility[i]
    for k in range(h.set_carried[i]):
        more, rest = carry(t, h, h.set_kickers[i, k], rest)
        if more == NEVER:
            return NEVER, counts
    return utility + utility_apart(h, rest), rest


@kernel
def best_of_counts(t: Tables, h: Any, counts: Any) -> Any:
    """The best decomposition of some cards of the hand: (utility, run). What it leaves apart is in `h.rest`."""
    gone, bound = h.hand - counts, 0.0
    while gone:
        place = U(lowest_bit(gone)) & ~U(3)
        bound += h.most_gain[place >> U(2), gone >> place & NIBBLE]
        gone &= ~(NIBBLE << place)
    best, best_utility, best_rest = np.int64(0), NEVER, counts
    for i in range(h.num_sets):
        if h.set_value[i] + bound > best_utility:
            utility, rest = _value_of(t, h, i, counts)
            if utility > best_utility:
                best, best_utility, best_rest = np.int64(i), utility, rest
    hold, least, rest = h.set_hold[best], h.set_least[best], best_rest
    while rest:
        place = U(lowest_bit(rest)) & ~U(3)
        value, held = place >> U(2), rest >> place & NIBBLE
        hold *= h.rank_hold[value, held]
        least = min(least, h.rank_least[value, held])
        rest &= ~(NIBBLE << place)
    h.rest = best_rest
    return best_utility, hold / least


@kernel
def counts_go_out(t: Tables, h: Any, counts: Any) -> Any:
    """Whether some cards are plays of which at most one can be covered, as far as the combinations tell."""
    for i in range(h.num_sets):
        if h.set_unsure[i] > 1 or not has(counts, h.set_cards[i]):
            continue
        rest, unsure = counts - h.set_cards[i], h.set_unsure[i]
        for k in range(h.set_carried[i]):
            more, rest = carry(t, h, h.set_kickers[i, k], rest)
            if more == NEVER:
                unsure = np.int64(99)
        while rest and unsure < 2:
            place = U(lowest_bit(rest)) & ~U(3)
            unsure += h.rank_unsure[place >> U(2), rest >> place & NIBBLE]
            rest &= ~(NIBBLE << place)
        if unsure < 2:
            return True
    return False


@kernel
def best_hold_of_counts(t: Tables, h: Any, category: Any, counts: Any) -> Any:
    """The best hold of a play of a category that some cards have, 0 without one; of bodies those listed are seen."""
    best, size = 0.0, h.size[category]
    if size <= 8:
        for value in range(t.num_values):
            row = h.alone_row[value, size]
            if row >= 0 and t.row_category[U(row)] == category and (counts >> U(4 * value) & NIBBLE) >= U(size):
                best = max(best, h.row_hold[U(row)])
    for n in range(h.num_bodies):
        row = h.body_row[n]
        if t.row_category[U(row)] == category and h.row_hold[U(row)] > best and has(counts, t.row_body[U(row)]):
            best = h.row_hold[U(row)]
    return best


@kernel
def carry_best(t: Tables, g: Any, h: Any, c: Any, i: Any) -> None:
    """Let a candidate carry those kickers that are worth least where the rest of the hand has them."""
    row = np.int64(c.row[i])
    if row < 0 or t.row_kickers[U(row)] < 0 or get(g.obligation, 0):
        return
    body, kickers = t.row_body[U(row)], np.int64(t.row_kickers[U(row)])
    rest = h.hand - body
    best_of_counts(t, h, rest)
    more, left = carry(t, h, kickers, h.rest)  # of what the best decomposition leaves apart
    if more != NEVER:
        chosen = h.rest - left
    else:
        more, left = carry(t, h, kickers, rest)
        chosen = rest - left
    put(c.mask, i, lowest_of(t, body + chosen, get(g.hands, g.turn)))
