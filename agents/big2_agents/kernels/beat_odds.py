"""Counts of unseen plays that beat a given one, and the resulting chances.

Shapes of the ruleset are counted instead of plays. With rank actions, plays with kickers are counted by their bodies: a player
with the body and enough cards has something to carry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.heuristic_tables import MAX_SIZE
from big2_agents.kernels.track import are_partners
from big2_env.kernels.dialect import BY_SLOTS, HAS_EXTRAS
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import rank_cards, unary
from big2_env.kernels.dialect.kernel import kernel, specialize, specialized
from big2_env.kernels.legal import does_beat
from big2_env.kernels.tables import ROUND_LOCK, Tables


@specialized(HAS_EXTRAS, otherwise=0)
def pile_left(game: Any) -> Any:
    """Return the number of cards left to draw."""
    return game.num_pile + 0


@specialized(HAS_EXTRAS, otherwise=False)
def beats_last(tab: Tables, game: Any, category: Any, power: Any) -> Any:
    """Return True if a play beats the last play of the previous trick."""
    return game.lead_category >= 0 and does_beat(tab, category, power, game.lead_category, game.lead_power)


@kernel(inline=True)
def _values_of(cards: Any, suit: Any) -> Any:
    """Return the values of the cards of one suit, as a bit set."""
    x = (cards >> U(suit)) & ONES
    x = (x | (x >> U(3))) & U(0x0303030303030303)
    x = (x | (x >> U(6))) & U(0x000F000F000F000F)
    x = (x | (x >> U(12))) & U(0x000000FF000000FF)
    return (x | (x >> U(24))) & U(0xFFFF)


@kernel
def _see_slots(tab: Tables, unseen: Any, heur: Any) -> None:
    heur.unseen = unseen
    for value in range(tab.num_values):
        heur.counts[value] = popcount(rank_cards(unseen, value))
    for suit in range(4):
        heur.values_of[suit] = np.int64(_values_of(unseen, suit)) & heur.suited_values


@kernel
def _see_ranks(tab: Tables, unseen: Any, heur: Any) -> None:
    for value in range(tab.num_values):
        held = popcount(rank_cards(unseen, value))
        for taken in range(9):
            heur.choose[value, taken] = heur.binomial[held, taken]


_see = specialize(BY_SLOTS, _see_slots, _see_ranks)
"""(tab, unseen, heur): store the unseen cards in the form needed for counting."""


@kernel
def open_beat_odds(tab: Tables, game: Any, left: Any, unseen: Any, heur: Any) -> None:
    """Begin a decision of the seat to move; nothing is counted yet."""
    heur.num_unseen = popcount(unseen)
    _see(tab, unseen, heur)
    for category in range(heur.num_categories):
        heur.is_counted[category] = heur.is_known[category] = 0
    heur.pile = pile_left(game)
    heur.keeps_out = 1 if tab.lock == ROUND_LOCK and game.top_category < 0 and game.passed else 0
    # Those of the other team who may beat a play now made, in the order of their turns: all that hold cards but those that a
    # pass locks out, unless it locks out everybody.
    heur.num_others = heur.num_partners = 0
    heur.nearest, heur.first_cost = 0.0, heur.weights.block
    asked = False
    for everyone in range(2):
        for distance in range(1, tab.num_players):
            who = (game.turn + distance) % tab.num_players
            if left[who] and (everyone or not tab.lock or not (game.passed >> who) & 1):
                if are_partners(game, game.turn, who):
                    if not asked:
                        heur.first_cost = heur.weights.danger  # the partner stands between
                else:
                    heur.others[heur.num_others] = left[who]
                    if not heur.pile:
                        heur.nearest = max(heur.nearest, heur.weights.near[left[who]])
                    heur.num_others += 1
                asked = True
        if asked:
            break
    for who in range(tab.num_players):
        if who != game.turn and left[who] and are_partners(game, game.turn, who):
            heur.partners[heur.num_partners] = left[who]
            heur.num_partners += 1


@kernel
def _count_ranks(tab: Tables, heur: Any, category: Any) -> None:
    heur.is_counted[category] = 1
    lowest, span = heur.lowest[category], heur.span[category]
    number = heur.above[category]
    for i in range(span + 1):
        number[i] = 0.0
    for row in range(heur.rows[category, 0], heur.rows[category, 1]):
        body, combinations = tab.row_body[U(row)], 1.0
        while body and combinations:
            place = U(lowest_bit(body)) & ~U(3)
            combinations *= heur.choose[place >> U(2), body >> place & U(15)]
            body &= ~(U(15) << place)
        number[tab.row_power[U(row)] - lowest] += combinations
    for i in range(span - 1, -1, -1):
        number[i] += number[i + 1]


@kernel
def _count_slots(tab: Tables, heur: Any, category: Any) -> None:
    heur.is_counted[category] = 1
    lowest, span = heur.lowest[category], heur.span[category]
    number = heur.above[category]
    for i in range(span + 1):
        number[i] = 0
    counts = unary(heur.unseen)
    for ladder in range(heur.ladders[category, 0], heur.ladders[category, 1]):
        taken = tab.ladder_count[ladder]
        values = (counts >> U(taken - 1)) & tab.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            if tab.rung_need[ladder, value] & ~counts:
                continue
            combinations = 0
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if tab.row_need[row] & ~counts:
                    continue
                product = 1
                for part in range(1, tab.row_parts[row]):
                    product *= tab.binomial[heur.counts[tab.row_ranks[row, part]], tab.row_counts[row, part]]
                combinations += product
            if not combinations:
                continue
            power = tab.ladder_power[ladder] + 4 * value - lowest
            if not tab.ladder_step[ladder]:
                number[power] += combinations * tab.binomial[heur.counts[value], taken]
                continue
            nibble = (heur.unseen >> U(4 * value)) & U(15)
            lower = 0
            while nibble:
                number[power + lowest_bit(nibble) * tab.ladder_step[ladder]] += combinations * tab.binomial[lower, taken - 1]
                nibble &= nibble - U(1)
                lower += 1
    which = heur.suited[category]
    if which >= 0:
        for group in range(heur.num_groups[which]):
            power = heur.group_power[which, group] - lowest
            for suit in range(4):
                at = power + suit * heur.group_step[which, group]
                number[at] += heur.group_count[which, heur.values_of[suit], group]
    for i in range(span - 1, -1, -1):
        number[i] += number[i + 1]


_count = specialize(BY_SLOTS, _count_slots, _count_ranks)
"""(tab, heur, category): count the unseen plays of a category by power."""


@kernel
def number_above(tab: Tables, heur: Any, category: Any, power: Any) -> Any:
    """Return the number of unseen plays of a category with higher power."""
    if not heur.is_counted[category]:
        _count(tab, heur, category)
    return heur.above[category, min(max(power + 1 - heur.lowest[category], 0), heur.span[category])]


@kernel(inline=True)
def _sum_chances(heur: Any, category: Any) -> None:
    """Sum the chances that the cards of a play are in one hand, and the costs if they are all of that hand."""
    heur.is_known[category] = 1
    total, size, needed = 0.0, heur.size[category], heur.needed[category]
    heur.num_last[category] = 0
    for i in range(heur.num_others):
        left = heur.others[i]
        if size <= left:
            chance = heur.binomial[left, needed] / heur.binomial[heur.num_unseen, needed]
            total += chance
            if size == left:
                heur.last_chance[category, heur.num_last[category]] = chance
                heur.last_cost[category, heur.num_last[category]] = heur.weights.danger if i else heur.first_cost
                heur.num_last[category] += 1
    heur.share[category] = total


@kernel
def prospect(tab: Tables, heur: Any, category: Any, power: Any) -> Any:
    """Return the prospects of a play of a hand or of the top play: (hold, utility, danger, True if no one can beat it).

    `hold` and `utility` are defined in `big2_agents.models.formula`; `danger` is the cost of beating plays that may be a
    player's last.
    """
    expected = danger = 0.0
    for i in range(heur.num_beating[category]):
        rival = heur.beating[category, i]
        number = number_above(tab, heur, rival, power if heur.by_power[category, i] else -1)
        if number and heur.size[rival] <= MAX_SIZE:
            if not heur.is_known[rival]:
                _sum_chances(heur, rival)
            expected += number * heur.share[rival]
            for j in range(heur.num_last[rival]):
                danger += heur.last_cost[rival, j] * min(1.0, number * heur.last_chance[rival, j])
    number = number_above(tab, heur, category, power)
    total = heur.above[category, 0]
    rank = 1.0 - number / total if total else 1.0
    hold = 1.0 / (1.0 + expected)
    kind = min(heur.size[category], 3) - 1
    utility = heur.weights.hold[kind] * hold + heur.weights.rank[kind] * rank * rank - heur.weights.turn[kind]
    if tab.bomb[category]:
        utility += heur.weights.bomb * hold
    if heur.pile:
        return hold, utility, 0.0, False
    return hold, utility, danger, expected == 0.0


@kernel(inline=True)
def prospect_of_move(tab: Tables, game: Any, heur: Any, category: Any, power: Any) -> Any:
    """Return the prospects of a play made now: (hold, danger, True if no one can beat it).

    A lead that keeps all other seats locked cannot be answered.
    """
    hold, _, danger, sure = prospect(tab, heur, category, power)
    if heur.keeps_out and beats_last(tab, game, category, power):
        return 1.0, 0.0, heur.pile == 0
    return hold, danger, sure


@specialized(HAS_EXTRAS, otherwise=0.0)
def partner_out_chance(tab: Tables, game: Any, heur: Any, category: Any, power: Any) -> Any:
    """Return the probability that a partner goes out by beating a play."""
    total = 0.0
    for i in range(heur.num_beating[category]):
        rival = heur.beating[category, i]
        size, needed = heur.size[rival], heur.needed[rival]
        for j in range(heur.num_partners):
            if heur.partners[j] == size:
                number = number_above(tab, heur, rival, power if heur.by_power[category, i] else -1)
                total += number * heur.binomial[size, needed] / heur.binomial[heur.num_unseen, needed]
    return min(1.0, total)
