"""Decomposition of a hand into plays with rank actions. Cards are counts by value, nibbles of a uint64, for one deck or two.

Plays of one rank are chosen rank by rank, exactly. Other plays are set aside first, without their kickers, in up to
`MAX_BODY_SETS` combinations that the hand has the cards for. Each then carries the remaining cards with the least utility.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.beat_odds import prospect
from big2_agents.kernels.heuristic_tables import MAX_BODIES, MAX_BODY_SETS, MAX_CARRIED
from big2_agents.kernels.plays import NIBBLE, counts_of_cards, has, kickers_allowed, lowest_of
from big2_agents.models.formula import LOOSE
from big2_env.kernels.dialect.bits import U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import get, get_2, put, shift_of, shifted_down, unary, without_lowest
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables

LOOSE_UTILITY, LOOSE_HOLD = LOOSE
NEVER = -1e300


@kernel
def row_prospect(tab: Tables, heur: Any, row: Any) -> None:
    """Compute the prospects of a row's plays, once per decision."""
    row = U(row)
    if heur.row_known[row] != heur.decision:
        heur.row_known[row] = heur.decision
        hold, utility, danger, sure = prospect(tab, heur, np.int64(tab.row_category[row]), np.int64(tab.row_power[row]))
        heur.row_hold[row], heur.row_utility[row], heur.row_danger[row], heur.row_sure[row] = hold, utility, danger, sure


@kernel
def decompose_counts(tab: Tables, heur: Any, hand: Any) -> None:
    """Find the best decomposition of any cards of one rank, and the combinations of bodies of a hand, given as cards."""
    heur.decision += 1
    heur.hand = counts_of_cards(tab, hand)
    for value in range(tab.num_values):
        held = np.int64(heur.hand >> U(4 * value) & NIBBLE)
        if held:
            _decompose_rank(tab, heur, value, held)
    heur.num_bodies = 0
    _find_bodies(tab, heur, hand)
    _combine(tab, heur)


@kernel
def _decompose_rank(tab: Tables, heur: Any, value: Any, held: Any) -> None:
    utility, hold, least, unsure = (
        heur.rank_utility[value],
        heur.rank_hold[value],
        heur.rank_least[value],
        heur.rank_unsure[value],
    )
    utility[0], hold[0], least[0], unsure[0] = 0.0, 1.0, 1.0, 0
    for number in range(1, held + 1):
        utility[number], fewest = NEVER, np.int64(99)
        for taken in range(number + 1):  # 0 for a card that is in no play
            rest, its_utility, its_hold, is_unsure = np.int64(number - max(taken, 1)), LOOSE_UTILITY, LOOSE_HOLD, np.int64(99)
            if taken:
                row = heur.alone_row[value, taken]
                if row < 0:
                    continue
                row_prospect(tab, heur, row)
                its_utility, its_hold, is_unsure = heur.row_utility[row], heur.row_hold[row], np.int64(1 - heur.row_sure[row])
            fewest = np.int64(min(fewest, is_unsure + unsure[rest]))
            if its_utility + utility[rest] > utility[number]:
                utility[number] = its_utility + utility[rest]
                hold[number], least[number] = its_hold * hold[rest], min(its_hold, least[rest])
        unsure[number] = fewest
    for taken in range(1, held + 1):
        most = NEVER
        for number in range(taken, held + 1):
            most = max(most, utility[number - taken] - utility[number])
        heur.most_gain[value, taken] = most


@kernel
def _find_bodies(tab: Tables, heur: Any, hand: Any) -> None:
    """List the rows of several ranks or with kickers that the hand has the cards for, highest gain first."""
    counts, held, shift = unary(hand), popcount(hand), shift_of(hand)
    lacking = ~counts
    for ladder in range(tab.num_ladders):
        if tab.ladder_alone[ladder] or not tab.ladder_size[ladder] <= held <= tab.ladder_held[ladder]:
            continue
        values = shifted_down(counts, tab.ladder_count[ladder] - 1) & get(tab.ladder_values, ladder)
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if get_2(tab.rung_need, ladder, value) & lacking:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if not get(tab.row_need, row) & lacking:
                    _add_body(tab, heur, row)


@kernel
def _add_body(tab: Tables, heur: Any, row: Any) -> None:
    row_prospect(tab, heur, row)
    body = tab.row_body[U(row)]
    gain = heur.row_utility[U(row)] - utility_apart(heur, body)
    kickers = np.int64(tab.row_kickers[U(row)])
    if kickers >= 0:
        more, _ = carry(tab, heur, kickers, heur.hand - body)
        if more == NEVER:
            return
        gain += more
    at = heur.num_bodies
    if at == MAX_BODIES:
        if gain <= heur.body_gain[at - 1]:
            return
        at -= 1
    else:
        heur.num_bodies += 1
    while at and heur.body_gain[at - 1] < gain:
        heur.body_gain[at], heur.body_row[at] = heur.body_gain[at - 1], heur.body_row[at - 1]
        at -= 1
    heur.body_gain[at], heur.body_row[at] = gain, row


@kernel
def utility_apart(heur: Any, counts: Any) -> Any:
    """Return the utility of cards without plays of several ranks."""
    utility = 0.0
    while counts:
        place = U(lowest_bit(counts)) & ~U(3)
        utility += heur.rank_utility[place >> U(2), counts >> place & NIBBLE]
        counts &= ~(NIBBLE << place)
    return utility


@kernel
def carry(tab: Tables, heur: Any, kickers: Any, rest: Any) -> Any:
    """Choose kickers among some cards, and return (gain from getting rid of them, cards left); `NEVER` if there are too few.

    Units are taken one by one, highest gain first. The number taken of each value is left in `heur.taken`.
    """
    unit, exclusive, used = np.int64(tab.kicker_unit[kickers]), tab.kicker_exclusive[kickers], False
    for value in range(tab.num_values):
        heur.taken[value] = 0
    total = 0.0
    for _ in range(tab.kicker_units[kickers]):
        best, most, left = np.int64(-1), NEVER, rest
        while left:
            place = U(lowest_bit(left)) & ~U(3)
            which, held = np.int64(place >> U(2)), np.int64(left >> place & NIBBLE)
            left &= ~(NIBBLE << place)
            if held < unit or not kickers_allowed(tab, kickers, which, heur.taken[which], used):
                continue
            gain = heur.rank_utility[which, held - unit] - heur.rank_utility[which, held]
            if gain > most:
                best, most = which, gain
        if best < 0:
            return NEVER, rest
        used = used or exclusive >> U(best) & U(1) != 0
        heur.taken[best] += unit
        rest -= U(unit) << U(4 * best)
        total += most
    return total, rest


@kernel
def _combine(tab: Tables, heur: Any) -> None:
    """Combine bodies that the hand has the cards for, and compute the value of the hand for each combination."""
    heur.num_sets = 1
    heur.set_cards[0], heur.set_carried[0], heur.set_unsure[0] = U(0), 0, 0
    heur.set_utility[0], heur.set_hold[0], heur.set_least[0] = 0.0, 1.0, 1.0
    for n in range(heur.num_bodies):
        row = U(heur.body_row[n])
        body, carries = tab.row_body[row], tab.row_kickers[row] >= 0
        for i in range(min(heur.num_sets, MAX_BODY_SETS - heur.num_sets)):
            if not has(heur.hand - heur.set_cards[i], body) or (carries and heur.set_carried[i] == MAX_CARRIED):
                continue
            to = heur.num_sets
            heur.num_sets += 1
            heur.set_cards[to] = heur.set_cards[i] + body
            heur.set_utility[to] = heur.set_utility[i] + heur.row_utility[row]
            heur.set_hold[to] = heur.set_hold[i] * heur.row_hold[row]
            heur.set_least[to] = min(heur.set_least[i], heur.row_hold[row])
            heur.set_unsure[to] = heur.set_unsure[i] + 1 - heur.row_sure[row]
            heur.set_carried[to] = heur.set_carried[i]
            for k in range(heur.set_carried[i]):
                heur.set_kickers[to, k] = heur.set_kickers[i, k]
            if carries:
                heur.set_kickers[to, heur.set_carried[to]] = tab.row_kickers[row]
                heur.set_carried[to] += 1
    for i in range(heur.num_sets):
        heur.set_value[i] = _value_of(tab, heur, i, heur.hand)[0]


@kernel
def _value_of(tab: Tables, heur: Any, i: Any, counts: Any) -> Any:
    """Return (utility, cards left apart) of some cards for a combination; `NEVER` if they do not contain it."""
    if not has(counts, heur.set_cards[i]):
        return NEVER, counts
    rest, utility = counts - heur.set_cards[i], heur.set_utility[i]
    for k in range(heur.set_carried[i]):
        more, rest = carry(tab, heur, heur.set_kickers[i, k], rest)
        if more == NEVER:
            return NEVER, counts
    return utility + utility_apart(heur, rest), rest


@kernel
def best_of_counts(tab: Tables, heur: Any, counts: Any) -> Any:
    """Return (utility, run) of the best decomposition of some cards of the hand; the cards left apart are in `heur.rest`."""
    gone, bound = heur.hand - counts, 0.0
    while gone:
        place = U(lowest_bit(gone)) & ~U(3)
        bound += heur.most_gain[place >> U(2), gone >> place & NIBBLE]
        gone &= ~(NIBBLE << place)
    best, best_utility, best_rest = np.int64(0), NEVER, counts
    for i in range(heur.num_sets):
        if heur.set_value[i] + bound > best_utility:
            utility, rest = _value_of(tab, heur, i, counts)
            if utility > best_utility:
                best, best_utility, best_rest = np.int64(i), utility, rest
    hold, least, rest = heur.set_hold[best], heur.set_least[best], best_rest
    while rest:
        place = U(lowest_bit(rest)) & ~U(3)
        value, held = place >> U(2), rest >> place & NIBBLE
        hold *= heur.rank_hold[value, held]
        least = min(least, heur.rank_least[value, held])
        rest &= ~(NIBBLE << place)
    heur.rest = best_rest
    return best_utility, hold / least


@kernel
def counts_go_out(tab: Tables, heur: Any, counts: Any) -> Any:
    """Return True if some cards form plays of which at most one can be beaten, as far as the combinations show."""
    for i in range(heur.num_sets):
        if heur.set_unsure[i] > 1 or not has(counts, heur.set_cards[i]):
            continue
        rest, unsure = counts - heur.set_cards[i], heur.set_unsure[i]
        for k in range(heur.set_carried[i]):
            more, rest = carry(tab, heur, heur.set_kickers[i, k], rest)
            if more == NEVER:
                unsure = np.int64(99)
        while rest and unsure < 2:
            place = U(lowest_bit(rest)) & ~U(3)
            unsure += heur.rank_unsure[place >> U(2), rest >> place & NIBBLE]
            rest &= ~(NIBBLE << place)
        if unsure < 2:
            return True
    return False


@kernel
def best_hold_of_counts(tab: Tables, heur: Any, category: Any, counts: Any) -> Any:
    """Return the best hold of a play of a category among some cards, 0 without one."""
    best, size = 0.0, heur.size[category]
    if size <= 8:
        for value in range(tab.num_values):
            row = heur.alone_row[value, size]
            if row >= 0 and tab.row_category[U(row)] == category and (counts >> U(4 * value) & NIBBLE) >= U(size):
                best = max(best, heur.row_hold[U(row)])
    for n in range(heur.num_bodies):
        row = heur.body_row[n]
        if tab.row_category[U(row)] == category and heur.row_hold[U(row)] > best and has(counts, tab.row_body[U(row)]):
            best = heur.row_hold[U(row)]
    return best


@kernel
def carry_best(tab: Tables, game: Any, heur: Any, cand: Any, i: Any) -> None:
    """Choose for a candidate the kickers with the least utility in the rest of the hand."""
    row = np.int64(cand.row[i])
    if row < 0 or tab.row_kickers[U(row)] < 0 or get(game.obligation, 0):
        return
    body, kickers = tab.row_body[U(row)], np.int64(tab.row_kickers[U(row)])
    rest = heur.hand - body
    best_of_counts(tab, heur, rest)
    more, left = carry(tab, heur, kickers, heur.rest)  # of what the best decomposition leaves apart
    if more != NEVER:
        chosen = heur.rest - left
    else:
        more, left = carry(tab, heur, kickers, rest)
        chosen = rest - left
    put(cand.mask, i, lowest_of(tab, body + chosen, get(game.hands, game.turn)))
