"""A hand parted into plays, so that the parts are worth most together: the plays it is meant to be played in. By places.

Plays of one rank (single, pair, triple, ...) are chosen rank by rank, exactly. Plays of several ranks (straights, full houses,
...) are set aside first, in every combination of plays that do not share a card, up to `MAX_SETS` of those.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.compiled.heuristic_tables import MAX_MIXED, MAX_PLAYS, MAX_SETS
from big2_agents.compiled.outlook import prospect
from big2_agents.formula import LOOSE
from big2_env.kernels.dialect.bits import ONES, U, deposit, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import unary
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal_slots import row_of
from big2_env.kernels.tables import MIXED, Tables

LOOSE_UTILITY, LOOSE_HOLD = LOOSE
SHORT, MOST_CHOICES = 5, 64
"""Of longer plays, most choices of suits that are listed for one shape; of more, one for each choice of the key's cards."""


@kernel
def decompose_cards(t: Tables, h: Any, hand: Any) -> None:
    """Find the hand's plays and the combinations of those of several ranks. `outlook.look_out` comes first."""
    h.num_plays = h.num_ranks = 0
    h.sure = U(0)
    for i in range(t.num_values):
        value = np.int64(h.values[i])
        if (hand >> U(4 * value)) & U(15):
            h.ranks[h.num_ranks] = value
            h.num_ranks += 1
            _decompose_rank(t, h, hand, value)
    _find_mixed(t, h, hand)
    _combine(h)


@kernel
def _add(t: Tables, h: Any, cards: Any, category: Any, power: Any, place: Any) -> None:
    """Add a play to the list."""
    i = h.num_plays
    if i == MAX_PLAYS:
        return
    h.num_plays += 1
    h.play[i] = cards
    h.play_category[i] = category
    h.play_place[i] = place
    hold, utility, _, sure = prospect(t, h, category, power)
    h.play_hold[i], h.play_utility[i], h.play_sure[i] = hold, utility, sure
    if sure:
        h.sure |= cards


@kernel
def _lowest_by_id(h: Any, nibble: Any) -> Any:
    """The card of a rank's cards whose suit has the lowest id."""
    for suit in range(4):
        card = 1 << h.suit_place[suit]
        if nibble & card:
            return card
    return 0


@kernel
def _decompose_rank(t: Tables, h: Any, hand: Any, value: Any) -> None:
    """List the plays of one rank and fill in the best decomposition of any of its cards."""
    held = np.int64((hand >> U(4 * value)) & U(15))
    utility, hold, least = h.rank_utility[value], h.rank_hold[value], h.rank_least[value]
    index = h.rank_play
    utility[0], hold[0], least[0] = 0.0, 1.0, 1.0
    for cards in range(1, 16):
        if cards & ~held:
            continue
        index[cards] = -1
        ladder = h.alone[popcount(U(cards)), value]
        if ladder >= 0:
            index[cards] = h.num_plays
            highest = 3 if cards & 8 else 2 if cards & 4 else 1 if cards & 2 else 0
            power = t.ladder_power[ladder] + 4 * value + highest * t.ladder_step[ladder]
            _add(t, h, U(cards) << U(4 * value), t.ladder_category[ladder], power, -1)
        low = _lowest_by_id(h, cards)
        others = cards ^ low
        best_utility = LOOSE_UTILITY + utility[others]
        best_hold = LOOSE_HOLD * hold[others]
        best_least = min(LOOSE_HOLD, least[others])
        # Every play with the lowest card: that card with any of the others.
        with_low = others
        while True:
            play = index[with_low | low]
            if play >= 0:
                rest = others ^ with_low
                its_utility = h.play_utility[play] + utility[rest]
                its_hold = h.play_hold[play] * hold[rest]
                its_least = min(h.play_hold[play], least[rest])
                if its_utility > best_utility or (
                    its_utility == best_utility and (its_hold > best_hold or (its_hold == best_hold and its_least > best_least))
                ):
                    best_utility, best_hold, best_least = its_utility, its_hold, its_least
            if not with_low:
                break
            with_low = (with_low - 1) & others
        utility[cards], hold[cards], least[cards] = best_utility, best_hold, best_least


@kernel(inline=True)
def _find_mixed(t: Tables, h: Any, hand: Any) -> None:
    """List the plays of several ranks."""
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(t.num_ladders):
        if t.ladder_alone[ladder] or cards < t.ladder_size[ladder]:
            continue
        values = (counts >> U(t.ladder_count[ladder] - 1)) & t.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            if t.rung_need[ladder, value] & ~counts:
                continue
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if t.row_need[row] & ~counts == U(0):
                    _add_row(t, h, hand, row)
    for which in range(t.num_suited):
        size = t.suited_sizes[which]
        for suit in range(4):
            if popcount(hand & (ONES << U(suit))) >= size:
                _add_suited(t, h, hand, which, suit)


@kernel
def _add_row(t: Tables, h: Any, hand: Any, row: Any) -> None:
    """List every choice of suits for a row that the hand holds, the last rank's choices changing fastest."""
    parts = np.int64(t.row_parts[row])
    choice, options, product = h.choice, h.options, np.int64(1)
    for n in range(parts):
        part = h.row_part[row, n]
        choice[n] = 0
        options[n] = t.binomial[popcount((hand >> (U(4) * U(t.row_ranks[row, part]))) & U(15)), t.row_counts[row, part]]
        product *= options[n]
    if t.row_size[row] > SHORT and product > MOST_CHOICES:
        for n in range(1, parts):
            options[n] = 1
    while True:
        cards, suits, highest = U(0), U(0), U(0)
        for n in range(parts):
            part = h.row_part[row, n]
            shift = U(4) * U(t.row_ranks[row, part])
            nibble = (hand >> shift) & U(15)
            taken = deposit(U(t.choices[popcount(nibble), t.row_counts[row, part], choice[n]]), nibble)
            if n == 0:
                highest = taken
            suits |= taken
            cards |= taken << shift
        if t.row_suits[row] != MIXED or suits & (suits - U(1)):
            power = np.int64(t.row_power[row])
            if t.row_step[row]:
                power = power + t.row_step[row] * (3 if highest & U(8) else 2 if highest & U(4) else 1 if highest & U(2) else 0)
            _add(t, h, cards, t.row_category[row], power, np.int64(t.row_place[row]))
        i = parts - 1
        while i >= 0:
            choice[i] += 1
            if choice[i] < options[i]:
                break
            choice[i] = 0
            i -= 1
        if i < 0:
            return


@kernel
def _add_suited(t: Tables, h: Any, hand: Any, which: Any, suit: Any) -> None:
    """List the plays of one suit that take so many cards."""
    held = hand & (ONES << U(suit))
    number = popcount(held)
    size = np.int64(t.suited_sizes[which])
    chosen = (1 << size) - 1
    while chosen < 1 << number:
        cards = deposit(U(chosen), held)
        values, rest = 0, cards
        while rest:
            values |= 1 << (lowest_bit(rest) >> 2)
            rest &= rest - U(1)
        row = t.suited_row[which, values]
        if row >= 0:
            power = t.row_power[row] + suit * t.row_step[row]
            _add(t, h, cards, t.row_category[row], power, np.int64(t.row_place[row]))
        low = chosen & -chosen
        ripple = chosen + low
        chosen = ripple | (((chosen ^ ripple) // low) >> 2)


@kernel(inline=True)
def _combine(h: Any) -> None:
    """Combine plays of several ranks that share no card, in the order of the ruleset; of too many those that gain most."""
    number = 0
    for i in range(h.num_plays):
        if h.play_place[i] >= 0:
            at = number
            while at and h.play_place[h.mixed[at - 1]] > h.play_place[i]:
                h.mixed[at] = h.mixed[at - 1]
                at -= 1
            h.mixed[at] = i
            number += 1
    if number > MAX_MIXED:
        number = _keep_best(h, number)
    h.num_mixed = number
    h.num_sets = 1
    h.set_cards[0], h.set_utility[0], h.set_hold[0], h.set_least[0] = U(0), 0.0, 1.0, 1.0
    for n in range(number):
        play = h.mixed[n]
        cards, utility, hold = h.play[play], h.play_utility[play], h.play_hold[play]
        for i in range(min(h.num_sets, MAX_SETS - h.num_sets)):
            if not h.set_cards[i] & cards:
                to = h.num_sets
                h.set_cards[to] = h.set_cards[i] | cards
                h.set_utility[to] = h.set_utility[i] + utility
                h.set_hold[to] = h.set_hold[i] * hold
                h.set_least[to] = min(h.set_least[i], hold)
                h.num_sets += 1


@kernel
def _keep_best(h: Any, number: Any) -> Any:
    """Sort the plays of several ranks by what they gain over their cards played apart; returns how many are kept."""
    kept = 0
    for n in range(number):
        play = h.mixed[n]
        gain = _utility_apart(h, h.play[play]) - h.play_utility[play]
        h.play_gain[play] = gain
        at = kept
        while at and h.play_gain[h.mixed[at - 1]] > gain:
            if at < MAX_MIXED:
                h.mixed[at] = h.mixed[at - 1]
            at -= 1
        if at < MAX_MIXED:
            h.mixed[at] = play
            kept = min(kept + 1, MAX_MIXED)
    return kept


@kernel
def _utility_apart(h: Any, cards: Any) -> Any:
    """What cards are worth when no play of several ranks is set aside."""
    utility = 0.0
    for i in range(h.num_ranks):
        value = h.ranks[i]
        utility += h.rank_utility[value, (cards >> U(4 * value)) & U(15)]
    return utility


@kernel
def best_of_cards(t: Tables, h: Any, cards: Any) -> Any:
    """The best decomposition of some cards of the hand: (utility, run)."""
    best, best_utility = 0, -1e300
    for i in range(h.num_sets):
        if h.set_cards[i] & ~cards:
            continue
        utility = h.set_utility[i] + _utility_apart(h, cards ^ h.set_cards[i])
        if utility > best_utility or (utility == best_utility and _comes_after(t, h, i, best)):
            best, best_utility = i, utility
    rest = cards ^ h.set_cards[best]
    hold, least = h.set_hold[best], h.set_least[best]
    for i in range(h.num_ranks):
        value = h.ranks[i]
        nibble = (rest >> U(4 * value)) & U(15)
        if nibble:
            hold *= h.rank_hold[value, nibble]
            least = min(least, h.rank_least[value, nibble])
    return best_utility, hold / least


@kernel
def _comes_after(t: Tables, h: Any, i: Any, j: Any) -> Any:
    """Which of two sets of equal worth is taken: that with the highest card id, then the greater hold."""
    one, other = h.set_cards[i], h.set_cards[j]
    if one == other:
        return h.set_hold[i] > h.set_hold[j] or (h.set_hold[i] == h.set_hold[j] and h.set_least[i] > h.set_least[j])
    apart = one ^ other
    highest = lowest_bit(apart)
    while apart:
        place = lowest_bit(apart)
        apart &= apart - U(1)
        if t.card_at[place] > t.card_at[highest]:
            highest = place
    return (one >> U(highest)) & U(1) != U(0)


@kernel
def best_hold_of_cards(t: Tables, h: Any, category: Any, cards: Any) -> Any:
    """The best hold of a play of a category that these cards have, 0 without one."""
    best = 0.0
    for i in range(h.num_plays):
        if h.play_category[i] == category and h.play_hold[i] > best and not h.play[i] & ~cards:
            best = h.play_hold[i]
    return best


@kernel
def cards_go_out(t: Tables, h: Any, cards: Any) -> Any:
    """Whether these cards are plays of which at most one can be covered: a search through those with the lowest card left."""
    if row_of(t, cards) >= 0:
        return True
    if not h.sure & cards:
        return False
    depth = 0
    h.stack_cards[0], h.stack_next[0], h.stack_spent[0] = cards, 0, 0
    while depth >= 0:
        cards, spent = h.stack_cards[depth], h.stack_spent[depth]
        unsure = cards & ~h.sure
        lowest = U(1) << U(lowest_bit(unsure if unsure else cards))
        found = -1
        if not (spent and unsure):
            for i in range(h.stack_next[depth], h.num_plays):
                if h.play[i] & lowest and not h.play[i] & ~cards and (h.play_sure[i] or not spent):
                    found = i
                    break
        if found < 0:
            depth -= 1
            continue
        if h.play[found] == cards:
            return True
        h.stack_next[depth] = found + 1
        depth += 1
        h.stack_cards[depth] = cards ^ h.play[found]
        h.stack_next[depth] = 0
        h.stack_spent[depth] = 1 if spent or not h.play_sure[found] else 0
    return False
