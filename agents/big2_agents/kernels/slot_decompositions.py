"""Decomposition of a hand into plays with the highest total utility, with slot actions.

Plays of one rank (single, pair, triple, ...) are chosen rank by rank, exactly. Plays of several ranks (straights, full houses,
...)
are set aside first, in up to `MAX_SETS` combinations of plays that share no card.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.beat_odds import prospect
from big2_agents.kernels.heuristic_tables import MAX_MIXED, MAX_PLAYS, MAX_SETS
from big2_agents.kernels.plays import list_rows
from big2_agents.models.formula import LOOSE
from big2_env.kernels.dialect.bits import ONES, U, deposit, lowest_bit, popcount
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import is_early, next_subset, row_of
from big2_env.kernels.tables import MIXED, Tables

LOOSE_UTILITY, LOOSE_HOLD = LOOSE
SHORT, MOST_CHOICES = 5, 64
"""Plays longer than `SHORT` have at most `MOST_CHOICES` choices of suits per shape; beyond that, one per choice of the key
cards.
"""


@kernel
def decompose_cards(tab: Tables, heur: Any, hand: Any) -> None:
    """Find the hand's plays and the combinations of plays of several ranks; call `beat_odds.open_beat_odds` first."""
    heur.num_plays = heur.num_ranks = 0
    heur.sure = U(0)
    for i in range(tab.num_values):
        value = np.int64(heur.values[i])
        if (hand >> U(4 * value)) & U(15):
            heur.ranks[heur.num_ranks] = value
            heur.num_ranks += 1
            _decompose_rank(tab, heur, hand, value)
    _find_mixed(tab, heur, hand)
    _combine(heur)


@kernel
def _add(tab: Tables, heur: Any, cards: Any, category: Any, power: Any, place: Any) -> None:
    """Add a play to the list."""
    i = heur.num_plays
    if i == MAX_PLAYS:
        return
    heur.num_plays += 1
    heur.play[i] = cards
    heur.play_category[i] = category
    heur.play_place[i] = place
    hold, utility, _, sure = prospect(tab, heur, category, power)
    heur.play_hold[i], heur.play_utility[i], heur.play_sure[i] = hold, utility, sure
    if sure:
        heur.sure |= cards


@kernel(inline=True)
def _lowest_by_id(heur: Any, nibble: Any) -> Any:
    """Return the card of one rank whose suit has the lowest id."""
    for suit in range(4):
        card = 1 << heur.suit_place[suit]
        if nibble & card:
            return card
    return 0


@kernel
def _decompose_rank(tab: Tables, heur: Any, hand: Any, value: Any) -> None:
    """List the plays of one rank, and compute the best decomposition of any of its cards."""
    held = np.int64((hand >> U(4 * value)) & U(15))
    utility, hold, least = heur.rank_utility[value], heur.rank_hold[value], heur.rank_least[value]
    index = heur.rank_play
    utility[0], hold[0], least[0] = 0.0, 1.0, 1.0
    for cards in range(1, 16):
        if cards & ~held:
            continue
        index[cards] = -1
        ladder = heur.alone[popcount(U(cards)), value]
        if ladder >= 0:
            index[cards] = heur.num_plays
            highest = 3 if cards & 8 else 2 if cards & 4 else 1 if cards & 2 else 0
            power = tab.ladder_power[ladder] + 4 * value + highest * tab.ladder_step[ladder]
            _add(tab, heur, U(cards) << U(4 * value), tab.ladder_category[ladder], power, -1)
        low = _lowest_by_id(heur, cards)
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
                its_utility = heur.play_utility[play] + utility[rest]
                its_hold = heur.play_hold[play] * hold[rest]
                its_least = min(heur.play_hold[play], least[rest])
                if its_utility > best_utility or (
                    its_utility == best_utility and (its_hold > best_hold or (its_hold == best_hold and its_least > best_least))
                ):
                    best_utility, best_hold, best_least = its_utility, its_hold, its_least
            if not with_low:
                break
            with_low = (with_low - 1) & others
        utility[cards], hold[cards], least[cards] = best_utility, best_hold, best_least


@kernel(inline=True)
def _find_mixed(tab: Tables, heur: Any, hand: Any) -> None:
    """List the plays of several ranks."""
    for i in range(list_rows(tab, hand, heur.held_rows)):
        _add_row(tab, heur, hand, np.int64(heur.held_rows[i]))
    for which in range(tab.num_suited):
        size = tab.suited_sizes[which]
        for suit in range(4):
            if popcount(hand & (ONES << U(suit))) >= size:
                _add_suited(tab, heur, hand, which, suit)


@kernel
def _add_row(tab: Tables, heur: Any, hand: Any, row: Any) -> None:
    """List every choice of suits for a row that the hand holds; choices of the last rank change fastest."""
    parts = np.int64(tab.row_parts[row])
    choice, options, product = heur.choice, heur.options, np.int64(1)
    for n in range(parts):
        choice[n] = 0
        options[n] = tab.binomial[popcount((hand >> (U(4) * U(tab.row_ranks[row, n]))) & U(15)), tab.row_counts[row, n]]
        product *= options[n]
    if tab.row_size[row] > SHORT and product > MOST_CHOICES:
        for n in range(1, parts):
            options[n] = 1
    while True:
        cards, suits, highest = U(0), U(0), U(0)
        for n in range(parts):
            shift = U(4) * U(tab.row_ranks[row, n])
            nibble = (hand >> shift) & U(15)
            taken = deposit(U(tab.choices[popcount(nibble), tab.row_counts[row, n], choice[n]]), nibble)
            if n == 0:
                highest = taken
            suits |= taken
            cards |= taken << shift
        if tab.row_suits[row] != MIXED or suits & (suits - U(1)):
            power = np.int64(tab.row_power[row])
            if tab.row_step[row]:
                power = power + tab.row_step[row] * (
                    3 if highest & U(8) else 2 if highest & U(4) else 1 if highest & U(2) else 0
                )
            _add(tab, heur, cards, tab.row_category[row], power, np.int64(tab.row_place[row]))
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
def _add_suited(tab: Tables, heur: Any, hand: Any, which: Any, suit: Any) -> None:
    """List the one-suited plays with a given number of cards."""
    held = hand & (ONES << U(suit))
    number = popcount(held)
    size = np.int64(tab.suited_sizes[which])
    chosen = (1 << size) - 1
    while chosen < 1 << number:
        cards = deposit(U(chosen), held)
        values, rest = 0, cards
        while rest:
            values |= 1 << (lowest_bit(rest) >> 2)
            rest &= rest - U(1)
        row = tab.suited_row[which, values]
        if row >= 0 and not is_early(tab, row, hand):
            power = tab.row_power[row] + suit * tab.row_step[row]
            _add(tab, heur, cards, tab.row_category[row], power, np.int64(tab.row_place[row]))
        chosen = next_subset(chosen)


@kernel(inline=True)
def _combine(heur: Any) -> None:
    """Combine plays of several ranks that share no card, in the ruleset's order; of too many, those with the highest gain."""
    number = 0
    for i in range(heur.num_plays):
        if heur.play_place[i] >= 0:
            at = number
            while at and heur.play_place[heur.mixed[at - 1]] > heur.play_place[i]:
                heur.mixed[at] = heur.mixed[at - 1]
                at -= 1
            heur.mixed[at] = i
            number += 1
    if number > MAX_MIXED:
        number = _keep_best(heur, number)
    heur.num_sets = 1
    heur.set_cards[0], heur.set_utility[0], heur.set_hold[0], heur.set_least[0] = U(0), 0.0, 1.0, 1.0
    for n in range(number):
        play = heur.mixed[n]
        cards, utility, hold = heur.play[play], heur.play_utility[play], heur.play_hold[play]
        for i in range(min(heur.num_sets, MAX_SETS - heur.num_sets)):
            if not heur.set_cards[i] & cards:
                to = heur.num_sets
                heur.set_cards[to] = heur.set_cards[i] | cards
                heur.set_utility[to] = heur.set_utility[i] + utility
                heur.set_hold[to] = heur.set_hold[i] * hold
                heur.set_least[to] = min(heur.set_least[i], hold)
                heur.num_sets += 1


@kernel
def _keep_best(heur: Any, number: Any) -> Any:
    """Sort the plays of several ranks by their gain over the separate cards, and return the number kept."""
    kept = 0
    for n in range(number):
        play = heur.mixed[n]
        gain = _utility_apart(heur, heur.play[play]) - heur.play_utility[play]
        heur.play_gain[play] = gain
        at = kept
        while at and heur.play_gain[heur.mixed[at - 1]] > gain:
            if at < MAX_MIXED:
                heur.mixed[at] = heur.mixed[at - 1]
            at -= 1
        if at < MAX_MIXED:
            heur.mixed[at] = play
            kept = min(kept + 1, MAX_MIXED)
    return kept


@kernel(inline=True)
def _utility_apart(heur: Any, cards: Any) -> Any:
    """Return the utility of cards without plays of several ranks."""
    utility = 0.0
    for i in range(heur.num_ranks):
        value = heur.ranks[i]
        utility += heur.rank_utility[value, (cards >> U(4 * value)) & U(15)]
    return utility


@kernel
def best_of_cards(tab: Tables, heur: Any, cards: Any) -> Any:
    """Return (utility, run) of the best decomposition of some cards of the hand."""
    best, best_utility = 0, -1e300
    for i in range(heur.num_sets):
        if heur.set_cards[i] & ~cards:
            continue
        utility = heur.set_utility[i] + _utility_apart(heur, cards ^ heur.set_cards[i])
        if utility > best_utility or (utility == best_utility and _comes_after(tab, heur, i, best)):
            best, best_utility = i, utility
    rest = cards ^ heur.set_cards[best]
    hold, least = heur.set_hold[best], heur.set_least[best]
    for i in range(heur.num_ranks):
        value = heur.ranks[i]
        nibble = (rest >> U(4 * value)) & U(15)
        if nibble:
            hold *= heur.rank_hold[value, nibble]
            least = min(least, heur.rank_least[value, nibble])
    return best_utility, hold / least


@kernel
def _comes_after(tab: Tables, heur: Any, i: Any, j: Any) -> Any:
    """Return True if set `i` is preferred to set `j` of equal utility: by the highest card id in only one set, then by hold."""
    one, other = heur.set_cards[i], heur.set_cards[j]
    if one == other:
        return heur.set_hold[i] > heur.set_hold[j] or (
            heur.set_hold[i] == heur.set_hold[j] and heur.set_least[i] > heur.set_least[j]
        )
    apart = one ^ other
    highest = lowest_bit(apart)
    while apart:
        place = lowest_bit(apart)
        apart &= apart - U(1)
        if tab.card_at[place] > tab.card_at[highest]:
            highest = place
    return (one >> U(highest)) & U(1) != U(0)


@kernel
def best_hold_of_cards(tab: Tables, heur: Any, category: Any, cards: Any) -> Any:
    """Return the best hold of a play of a category among these cards, 0 without one."""
    best = 0.0
    for i in range(heur.num_plays):
        if heur.play_category[i] == category and heur.play_hold[i] > best and not heur.play[i] & ~cards:
            best = heur.play_hold[i]
    return best


@kernel
def cards_go_out(tab: Tables, heur: Any, cards: Any) -> Any:
    """Return True if these cards form plays of which at most one can be beaten.

    It searches through the plays that contain the lowest card left.
    """
    if row_of(tab, cards) >= 0:
        return True
    if not heur.sure & cards:
        return False
    depth = 0
    heur.stack_cards[0], heur.stack_next[0], heur.stack_spent[0] = cards, 0, 0
    while depth >= 0:
        cards, spent = heur.stack_cards[depth], heur.stack_spent[depth]
        unsure = cards & ~heur.sure
        lowest = U(1) << U(lowest_bit(unsure if unsure else cards))
        found = -1
        if not (spent and unsure):
            for i in range(heur.stack_next[depth], heur.num_plays):
                if heur.play[i] & lowest and not heur.play[i] & ~cards and (heur.play_sure[i] or not spent):
                    found = i
                    break
        if found < 0:
            depth -= 1
            continue
        if heur.play[found] == cards:
            return True
        heur.stack_next[depth] = found + 1
        depth += 1
        heur.stack_cards[depth] = cards ^ heur.play[found]
        heur.stack_next[depth] = 0
        heur.stack_spent[depth] = 1 if spent or not heur.play_sure[found] else 0
    return False
