"""What the cards that a seat has not seen can still do: how many of their plays cover a given one, and what that makes of it.

Counted over the shapes of the ruleset, not over plays. Where actions are ranks, plays with kickers are counted by their bodies:
whoever holds one and enough cards has something to carry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.heuristic_tables import MAX_SIZE
from big2_agents.compiled.track import are_partners
from big2_env.kernels.compare import does_cover
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import rank_cards, unary
from big2_env.kernels.dialect.features import BY_SLOTS, HAS_PARTS
from big2_env.kernels.dialect.kernel import either, kernel, when
from big2_env.kernels.tables import ROUND_LOCK, Tables


@when(HAS_PARTS, otherwise=0)
def pile_left(g: Any) -> Any:
    """How many cards are left to draw."""
    return g.num_pile + 0


@when(HAS_PARTS, otherwise=False)
def covers_last(t: Tables, g: Any, category: Any, power: Any) -> Any:
    """Whether a play covers the last one of the trick before."""
    return g.lead_category >= 0 and does_cover(t, category, power, g.lead_category, g.lead_power)


@kernel
def _values_of(cards: Any, suit: Any) -> Any:
    """The values of the cards of one suit, as a set of bits."""
    x = (cards >> U(suit)) & ONES
    x = (x | (x >> U(3))) & U(0x0303030303030303)
    x = (x | (x >> U(6))) & U(0x000F000F000F000F)
    x = (x | (x >> U(12))) & U(0x000000FF000000FF)
    return (x | (x >> U(24))) & U(0xFFFF)


@kernel
def _see_slots(t: Tables, unseen: Any, h: Any) -> None:
    h.unseen = unseen
    for value in range(t.num_values):
        h.counts[value] = popcount(rank_cards(unseen, value))
    for suit in range(4):
        h.values_of[suit] = np.int64(_values_of(unseen, suit)) & h.suited_values


@kernel
def _see_ranks(t: Tables, unseen: Any, h: Any) -> None:
    for value in range(t.num_values):
        held = popcount(rank_cards(unseen, value))
        for taken in range(9):
            h.choose[value, taken] = h.binomial[held, taken]


_see = either(BY_SLOTS, _see_slots, _see_ranks)
"""(t, unseen, h): keep the unseen cards as counting needs them."""


@kernel
def look_out(t: Tables, g: Any, left: Any, unseen: Any, h: Any) -> None:
    """Begin a decision of the seat to move: nothing is counted yet."""
    h.num_unseen = popcount(unseen)
    _see(t, unseen, h)
    for category in range(h.num_categories):
        h.is_counted[category] = h.is_known[category] = 0
    h.pile = pile_left(g)
    h.keeps_out = 1 if t.lock == ROUND_LOCK and g.top_category < 0 and g.passed else 0
    # Those of the other team who may cover a play now made, in the order of their turns: all that hold cards but those that a
    # pass locks out, unless it locks out everybody.
    h.num_others = h.num_partners = 0
    h.nearest, h.first_cost = 0.0, h.weights.block
    asked = False
    for everyone in range(2):
        for distance in range(1, t.num_players):
            who = (g.turn + distance) % t.num_players
            if left[who] and (everyone or not t.lock or not (g.passed >> who) & 1):
                if are_partners(g, g.turn, who):
                    if not asked:
                        h.first_cost = h.weights.danger  # the partner stands between
                else:
                    h.others[h.num_others] = left[who]
                    if not h.pile:
                        h.nearest = max(h.nearest, h.weights.near[left[who]])
                    h.num_others += 1
                asked = True
        if asked:
            break
    for who in range(t.num_players):
        if who != g.turn and left[who] and are_partners(g, g.turn, who):
            h.partners[h.num_partners] = left[who]
            h.num_partners += 1


@kernel
def _count_ranks(t: Tables, h: Any, category: Any) -> None:
    h.is_counted[category] = 1
    lowest, span = h.lowest[category], h.span[category]
    number = h.above[category]
    for i in range(span + 1):
        number[i] = 0.0
    for row in range(h.rows[category, 0], h.rows[category, 1]):
        body, combinations = t.row_body[U(row)], 1.0
        while body and combinations:
            place = U(lowest_bit(body)) & ~U(3)
            combinations *= h.choose[place >> U(2), body >> place & U(15)]
            body &= ~(U(15) << place)
        number[t.row_power[U(row)] - lowest] += combinations
    for i in range(span - 1, -1, -1):
        number[i] += number[i + 1]


@kernel
def _count_slots(t: Tables, h: Any, category: Any) -> None:
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
            combinations = 0
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if t.row_need[row] & ~counts:
                    continue
                product = 1
                for part in range(t.row_parts[row]):
                    if part != t.row_key_part[row]:
                        product *= t.binomial[h.counts[t.row_ranks[row, part]], t.row_counts[row, part]]
                combinations += product
            if not combinations:
                continue
            power = t.ladder_power[ladder] + 4 * value - lowest
            if not t.ladder_step[ladder]:
                number[power] += combinations * t.binomial[h.counts[value], taken]
                continue
            nibble = (h.unseen >> U(4 * value)) & U(15)
            lower = 0
            while nibble:
                number[power + lowest_bit(nibble) * t.ladder_step[ladder]] += combinations * t.binomial[lower, taken - 1]
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


_count = either(BY_SLOTS, _count_slots, _count_ranks)
"""(t, h, category): count the unseen plays of a category by power."""


@kernel
def number_above(t: Tables, h: Any, category: Any, power: Any) -> Any:
    """How many unseen plays of a category have more power."""
    if not h.is_counted[category]:
        _count(t, h, category)
    return h.above[category, min(max(power + 1 - h.lowest[category], 0), h.span[category])]


@kernel
def _know(h: Any, category: Any) -> None:
    """The chance that the cards that decide on a play are in one hand, summed; what it costs where they are all of the hand."""
    h.is_known[category] = 1
    total, size, needed = 0.0, h.size[category], h.needed[category]
    h.num_last[category] = 0
    for i in range(h.num_others):
        left = h.others[i]
        if size <= left:
            chance = h.binomial[left, needed] / h.binomial[h.num_unseen, needed]
            total += chance
            if size == left:
                h.last_chance[category, h.num_last[category]] = chance
                h.last_cost[category, h.num_last[category]] = h.weights.danger if i else h.first_cost
                h.num_last[category] += 1
    h.share[category] = total


@kernel
def prospect(t: Tables, h: Any, category: Any, power: Any) -> Any:
    """What may become of a play of a hand or of the top: (hold, utility, danger, whether nobody can cover it).

    `hold` and `utility` are those of `big2_agents.formula`; `danger` is the cost that covering plays may be somebody's last.
    """
    expected = danger = 0.0
    for i in range(h.num_covering[category]):
        rival = h.covering[category, i]
        number = number_above(t, h, rival, power if h.by_power[category, i] else -1)
        if number and h.size[rival] <= MAX_SIZE:
            if not h.is_known[rival]:
                _know(h, rival)
            expected += number * h.share[rival]
            for j in range(h.num_last[rival]):
                danger += h.last_cost[rival, j] * min(1.0, number * h.last_chance[rival, j])
    number = number_above(t, h, category, power)
    total = h.above[category, 0]
    rank = 1.0 - number / total if total else 1.0
    hold = 1.0 / (1.0 + expected)
    kind = min(h.size[category], 3) - 1
    utility = h.weights.hold[kind] * hold + h.weights.rank[kind] * rank * rank - h.weights.turn[kind]
    if t.bomb[category]:
        utility += h.weights.bomb * hold
    if h.pile:
        return hold, utility, 0.0, False
    return hold, utility, danger, expected == 0.0


@kernel
def prospect_of_act(t: Tables, g: Any, h: Any, category: Any, power: Any) -> Any:
    """What may become of a play that is made now: (hold, danger, whether nobody can cover it).

    Nobody answers a lead that keeps all others locked.
    """
    hold, _, danger, sure = prospect(t, h, category, power)
    if h.keeps_out and covers_last(t, g, category, power):
        return 1.0, 0.0, h.pile == 0
    return hold, danger, sure


@when(HAS_PARTS, otherwise=0.0)
def fed(t: Tables, g: Any, h: Any, category: Any, power: Any) -> Any:
    """The chance that a partner goes out by covering a play."""
    total = 0.0
    for i in range(h.num_covering[category]):
        rival = h.covering[category, i]
        size, needed = h.size[rival], h.needed[rival]
        for j in range(h.num_partners):
            if h.partners[j] == size:
                number = number_above(t, h, rival, power if h.by_power[category, i] else -1)
                total += number * h.binomial[size, needed] / h.binomial[h.num_unseen, needed]
    return min(1.0, total)
