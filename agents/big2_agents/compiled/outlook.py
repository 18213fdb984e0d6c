"""`big2_agents.outlook` compiled: how many plays of the unseen cards cover one, and what that makes of it."""

from __future__ import annotations

from typing import Any

import numba as nb

from big2_env.kernels.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.cardsets import unary
from big2_env.kernels.tables import Tables


@nb.njit(cache=True)
def _values_of(cards: Any, suit: Any) -> Any:
    """The values of the cards of one suit, as a set of 13 bits."""
    x = (cards >> U(suit)) & ONES
    x = (x | (x >> U(3))) & U(0x0303030303030303)
    x = (x | (x >> U(6))) & U(0x000F000F000F000F)
    x = (x | (x >> U(12))) & U(0x000000FF000000FF)
    return (x | (x >> U(24))) & U(0xFFFF)


@nb.njit(cache=True)
def look_out(t: Tables, g: Any, left: Any, unseen: Any, h: Any) -> None:
    """Begin a decision of the seat to move: nothing is counted yet."""
    h.unseen = unseen
    h.num_unseen = popcount(unseen)
    for value in range(13):
        h.counts[value] = popcount((unseen >> U(4 * value)) & U(15))
    for suit in range(4):
        h.values_of[suit] = _values_of(unseen, suit)
    for category in range(h.num_categories):
        h.is_counted[category] = 0
    for size in range(14):
        h.is_known[size] = 0
    # Those who may cover a play now made, in the order of their turns: all but those that a pass locks out, unless it is all.
    h.num_others = 0
    h.nearest = 0.0
    for everyone in range(2):
        for distance in range(1, t.num_players):
            who = (g.turn + distance) % t.num_players
            if left[who] and (everyone or not t.lock or not (g.passed >> who) & 1):
                h.others[h.num_others] = left[who]
                h.nearest = max(h.nearest, h.near[left[who]])
                h.num_others += 1
        if h.num_others:
            break


@nb.njit(cache=True)
def _count(t: Tables, h: Any, category: Any) -> None:
    """Count the unseen plays of a category by power."""
    h.is_counted[category] = 1
    lowest, span = h.lowest[category], h.span[category]
    number = h.above[category]
    for i in range(span + 1):
        number[i] = 0
    counts = unary(h.unseen)
    for ladder in range(h.ladders[category, 0], h.ladders[category, 1]):
        taken = t.ladder_count[ladder]
        values = (counts >> U(taken - 1)) & t.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            if t.rung_need[ladder, value] & ~counts:
                continue
            ways = 0
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if t.row_need[row] & ~counts:
                    continue
                product = 1
                for part in range(t.row_parts[row]):
                    if part != t.row_key_part[row]:
                        product *= t.binomial[h.counts[t.row_ranks[row, part]], t.row_counts[row, part]]
                ways += product
            if not ways:
                continue
            power = t.ladder_power[ladder] + 4 * value - lowest
            if not t.ladder_step[ladder]:
                number[power] += ways * t.binomial[h.counts[value], taken]
                continue
            nibble = (h.unseen >> U(4 * value)) & U(15)
            lower = 0
            while nibble:
                number[power + lowest_bit(nibble) * t.ladder_step[ladder]] += ways * t.binomial[lower, taken - 1]
                nibble &= nibble - U(1)
                lower += 1
    which = h.suited[category]
    if which >= 0:
        for group in range(h.num_groups[which]):
            power = h.group_power[which, group] - lowest
            for suit in range(4):
                at = power + suit * h.group_step[which, group]
                number[at] += h.group_count[which, h.values_of[suit], group]
    for i in range(span - 1, -1, -1):
        number[i] += number[i + 1]


@nb.njit(cache=True)
def _number_above(t: Tables, h: Any, category: Any, power: Any) -> Any:
    """How many unseen plays of a category have more power."""
    if not h.is_counted[category]:
        _count(t, h, category)
    return h.above[category, min(max(power + 1 - h.lowest[category], 0), h.span[category])]


@nb.njit(cache=True)
def _know(h: Any, size: Any) -> None:
    """The chance that so many given unseen cards are in one hand, summed; and what it costs where they are all of it."""
    h.is_known[size] = 1
    total = 0.0
    h.num_last[size] = 0
    for i in range(h.num_others):
        left = h.others[i]
        if size <= left:
            chance = h.binomial[left, size] / h.binomial[h.num_unseen, size]
            total += chance
            if size == left:
                h.last_chance[size, h.num_last[size]] = chance
                h.last_cost[size, h.num_last[size]] = h.danger if i else h.block
                h.num_last[size] += 1
    h.share[size] = total


@nb.njit(cache=True)
def prospect(t: Tables, h: Any, category: Any, power: Any) -> Any:
    """What may become of a play: (hold, worth, danger, whether nobody can cover it), as `big2_agents.heuristic.Prospect`."""
    expected = danger = 0.0
    for i in range(h.num_covering[category]):
        rival = h.covering[category, i]
        number = _number_above(t, h, rival, power if h.by_power[category, i] else -1)
        size = h.size[rival]
        if number and size < 14:
            if not h.is_known[size]:
                _know(h, size)
            expected += number * h.share[size]
            for j in range(h.num_last[size]):
                danger += h.last_cost[size, j] * min(1.0, number * h.last_chance[size, j])
    number = _number_above(t, h, category, power)
    total = h.above[category, 0]
    rank = 1.0 - number / total if total else 1.0
    hold = 1.0 / (1.0 + expected)
    kind = min(h.size[category], 3) - 1
    worth = h.hold[kind] * hold + h.rank[kind] * rank * rank - h.turn[kind]
    return hold, worth, danger, expected == 0.0
