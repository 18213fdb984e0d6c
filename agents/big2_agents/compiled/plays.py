"""Candidate plays of a hand: the legal plays with what makes no difference merged, and what is worth knowing of each.

Of cards of one rank the lowest suits are played, but for the suit that decides: plays that differ in other suits are merged.
That is a choice of the agents; the environment keeps every play apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.rank_plays import list_rank_plays, rank_action
from big2_env.kernels.bits import ONES, U, by_type, extract, inner, lowest_bit, popcount
from big2_env.kernels.cardsets import from_place, get, no_cards, put, shift_of, shifted_down, unary, without_lowest
from big2_env.kernels.compare import does_cover
from big2_env.kernels.optional_parts import call_ids, is_bidding
from big2_env.kernels.tables import FULL, MAX_SLOTS, MIXED, VALUES, Tables
from big2_env.kernels.turn import make

MAX_CANDIDATES: Final = 96
"""Most candidates that are listed, the pass among them; of a longer list the strongest plays are left out."""
MAX_RANK_CANDIDATES: Final = 256
"""The same where actions are ranks."""
MAX_COMBOS: Final = 128
"""Most shapes of several ranks that the count of plays looks at."""


@cache
def candidates_dtype(by_slots: bool = True, words: int = 1) -> np.dtype[Any]:
    """Scratch of one decision: the candidates and the combinations of the hand, for sets of cards of so many words."""
    most = MAX_CANDIDATES if by_slots else MAX_RANK_CANDIDATES
    return np.dtype(
        [
            ("count", np.int64),
            (
                "mask",
                np.uint64,
                (most, words) if words > 1 else most,
            ),  # the cards, none for the pass and in an auction
            ("row", np.int16, most),  # the row of the tables, -1 for the pass and in an auction
            ("power", np.int16, most),
            ("ids", np.int32, most),  # in an auction: the action ids
            ("score", np.float64, most),  # left to whoever chooses
            ("hand", np.uint64, (1, words) if words > 1 else 1),  # of a search through the candidates: whose they are
            ("next", np.int64),  # and which is next
            *(
                [
                    ("num_combos", np.int64),
                    ("combo", np.int16, MAX_COMBOS),  # rows of several ranks that the hand holds
                    ("combo_counts", np.uint64, MAX_COMBOS),  # their cards by rank, as nibbles
                ]
                if by_slots
                else []
            ),
        ]
    )


CANDIDATES: Final = candidates_dtype()
"""The same where actions are places."""


@inner
def counts_of(mask: Any) -> Any:
    """How many cards of each rank, as nibbles."""
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    return (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))


@inner
def unary_of(counts: Any) -> Any:
    """Counts as nibbles in unary, as `bits.unary` gives them."""
    one, two, four = counts & ONES, (counts >> U(1)) & ONES, (counts >> U(2)) & ONES
    return one | two | four | ((two | four) << U(1)) | (((one & two) | four) << U(2)) | (four << U(3))


@inner
def lowest_cards(nibble: Any, taken: Any) -> Any:
    """The lowest `taken` cards of one rank."""
    found = U(0)
    for _ in range(taken):
        low = nibble & (~nibble + U(1))
        found |= low
        nibble ^= low
    return found


@inner
def _is_one_suit(mask: Any) -> Any:
    return mask & ~(ONES << U(lowest_bit(mask) & 3)) == U(0)


@inner
def _add(c: Any, mask: Any, row: Any, power: Any) -> None:
    if c.count < MAX_CANDIDATES - 1:
        c.mask[c.count] = mask
        c.row[c.count] = row
        c.power[c.count] = power
        c.count += 1


@inner
def _mixed(t: Tables, row: Any, hand: Any, mask: Any) -> Any:
    """A one-suited choice of a MIXED row with one card that does not decide changed for another suit; 0 where none is held."""
    for part in range(t.row_parts[row]):
        if part != t.row_key_part[row]:
            shift = U(4) * U(t.row_ranks[row, part])
            other = ((hand & ~mask) >> shift) & U(15)
            if other:
                return (mask & ~(U(15) << shift)) | (lowest_cards(other, 1) << shift)
    return U(0)


@inner
def _add_row(t: Tables, row: Any, hand: Any, suit_above: Any, c: Any) -> None:
    """Add the candidates of one row that the hand holds: one for each suit that decides, else one."""
    base = U(0)
    for part in range(t.row_parts[row]):
        if part != t.row_key_part[row]:
            shift = U(4) * U(t.row_ranks[row, part])
            base |= lowest_cards((hand >> shift) & U(15), t.row_counts[row, part]) << shift
    key = t.row_key_part[row]
    shift = U(4) * U(t.row_ranks[row, key])
    taken = np.int64(t.row_counts[row, key])
    nibble = (hand >> shift) & U(15)
    power = np.int64(t.row_power[row])
    if not t.row_step[row]:
        mask = base | (lowest_cards(nibble, taken) << shift)
        if t.row_suits[row] == MIXED and _is_one_suit(mask):
            mask = _mixed(t, row, hand, mask)
        if mask:
            _add(c, mask, row, power)
        return
    below = lowest_cards(nibble, taken - 1)
    rest = nibble & ~below
    while rest:
        top = rest & (~rest + U(1))
        rest ^= top
        suit = lowest_bit(top)
        if suit > suit_above:
            mask = base | ((below | top) << shift)
            if t.row_suits[row] == MIXED and _is_one_suit(mask):
                mask = _mixed(t, row, hand, mask)
            if mask:
                _add(c, mask, row, power + suit)


@inner
def _add_suited(t: Tables, hand: Any, top_category: Any, top_power: Any, c: Any) -> None:
    """Add the one-suited plays (SAME rows) that cover the top."""
    cards = np.empty(MAX_SLOTS, np.int64)
    for which in range(t.num_suited):
        size = np.int64(t.suited_sizes[which])
        for suit in range(4):
            held = hand & (ONES << U(suit))
            number = popcount(held)
            if number < size:
                continue
            for i in range(number):
                cards[i] = lowest_bit(held)
                held &= held - U(1)
            chosen = (1 << size) - 1
            while chosen < 1 << number:
                values, mask = 0, U(0)
                for i in range(number):
                    if chosen >> i & 1:
                        values |= 1 << (cards[i] >> 2)
                        mask |= U(1) << U(cards[i])
                row = t.suited_row[which, values]
                if row >= 0:
                    power = t.row_power[row] + suit * t.row_step[row]
                    if top_category < 0 or does_cover(t, t.row_category[row], power, top_category, top_power):
                        _add(c, mask, row, power)
                low = chosen & -chosen
                ripple = chosen + low
                chosen = ripple | (((chosen ^ ripple) // low) >> 2)


@inner
def _list_slot_plays(t: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, c: Any) -> None:
    """Fill `c` with the candidates of a hand, without a pass."""
    c.count = 0
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(t.num_ladders):
        if cards < t.ladder_size[ladder]:
            continue
        values = (counts >> U(t.ladder_count[ladder] - 1)) & t.ladder_values[ladder]
        above = np.int64(-1)
        if top_category >= 0:
            relation = t.covers[top_category, t.ladder_category[ladder]]
            if relation == 0:
                continue
            if relation != FULL:
                above = np.int64(top_power) - t.ladder_power[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            reach = 4 * value + (3 if t.ladder_step[ladder] else 0)
            if reach <= above or t.rung_need[ladder, value] & ~counts:
                continue
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if t.row_need[row] & ~counts == U(0):
                    _add_row(t, row, hand, above - 4 * value if above >= 4 * value else -1, c)
    if t.num_suited:
        _add_suited(t, hand, top_category, top_power, c)
    if obligation:
        kept = 0
        for i in range(c.count):
            if (c.mask[i] == obligation) if t.lead == 2 else (c.mask[i] & obligation):
                c.mask[kept], c.row[kept], c.power[kept] = c.mask[i], c.row[i], c.power[i]
                kept += 1
        c.count = kept


def _list_plays(t: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, c: Any) -> None:
    """Fill `c` with the candidates of a hand, without a pass."""


@by_type(_list_plays)
def _list_by_type(t: Any, hand: Any, top_category: Any, top_power: Any, obligation: Any, c: Any) -> Any:
    listed = _list_slot_plays if "action_slots" in t.fields else list_rank_plays
    return lambda t, hand, top_category, top_power, obligation, c: listed(t, hand, top_category, top_power, obligation, c)


@nb.njit(cache=True)
def find_candidates(t: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, c: Any) -> None:
    """Fill `c` with the candidates of a hand, the pass last where it is legal. `top_category` is -1 for a leading seat."""
    _list_plays(t, hand, top_category, top_power, obligation, c)
    if top_category >= 0 and (t.must_cover == 0 or c.count == 0):
        put(c.mask, c.count, no_cards(hand))
        c.row[c.count] = c.power[c.count] = -1
        c.count += 1


@nb.njit(cache=True)
def find_acts(t: Tables, g: Any, c: Any) -> None:
    """Fill `c` with the candidates of the seat to move; in an auction with what it may say, no being the last."""
    if is_bidding(t, g):
        c.count = call_ids(t, g, c)
        for i in range(c.count):
            put(c.mask, i, no_cards(get(g.top, 0)))
            c.row[i] = c.power[i] = -1
    else:
        find_candidates(t, get(g.hands, g.turn), np.int64(g.top_category), np.int64(g.top_power), get(g.obligation, 0), c)


def play_id(t: Tables, hand: Any, cards: Any, row: Any) -> Any:
    """The action id of cards of a hand that make a row."""


@by_type(play_id)
def _play_id(t: Any, hand: Any, cards: Any, row: Any) -> Any:
    if "action_slots" in t.fields:
        return lambda t, hand, cards, row: _slot_id(t, hand, cards)
    return lambda t, hand, cards, row: rank_action(t, cards, row)


@inner
def _slot_id(t: Tables, hand: Any, cards: Any) -> Any:
    slots, nth = extract(cards, hand), np.int64(0)
    action = np.int64(t.size_offset[popcount(slots)])
    while slots:
        nth += 1
        action += t.binomial[lowest_bit(slots), nth]
        slots &= slots - U(1)
    return action


@inner
def act_id(t: Tables, g: Any, c: Any, i: Any) -> Any:
    """The action id of a candidate of the seat to move, listed by `find_acts`."""
    if is_bidding(t, g):
        return np.int64(c.ids[i])
    if c.row[i] < 0:
        return np.int64(0)
    return play_id(t, get(g.hands, g.turn), get(c.mask, i), np.int64(c.row[i]))


@inner
def make_act(t: Tables, g: Any, c: Any, i: Any, scratch: Any) -> None:
    """Make a candidate of the seat to move, listed by `find_acts`; `scratch` is that of the ruleset's variant."""
    make(t, g, np.int64(c.ids[i]), get(c.mask, i), np.int64(c.row[i]), scratch)


@nb.njit(cache=True)
def find_combos(t: Tables, hand: Any, c: Any) -> None:
    """Fill `c` with the rows of several ranks that a hand holds, those of one suit aside."""
    c.num_combos = 0
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
                if t.row_need[row] & ~counts == U(0) and c.num_combos < MAX_COMBOS:
                    c.combo[c.num_combos] = row
                    # Unary nibbles hold as many bits as there are cards.
                    c.combo_counts[c.num_combos] = counts_of(t.row_need[row])
                    c.num_combos += 1


@inner
def plays_by_rank(t: Tables, counts: Any) -> Any:
    """How many plays of one rank each it takes to put down cards given by rank, as nibbles."""
    u = unary_of(counts)
    total = np.int64(0)
    for k in range(4):
        step = t.alone_plays[k + 1] - t.alone_plays[k]
        if step:
            total += step * popcount((u >> U(k)) & ONES)
    return total


@inner
def _with_combos(t: Tables, counts: Any, c: Any, best: Any) -> Any:
    """The fewest plays for cards given by rank, with up to two of the combinations listed in `c`; at most `best`."""
    best = min(best, plays_by_rank(t, counts))
    held = unary_of(counts)
    for i in range(c.num_combos):
        if t.row_need[c.combo[i]] & ~held:
            continue
        after = counts - c.combo_counts[i]
        best = min(best, 1 + plays_by_rank(t, after))
        still = unary_of(after)
        for j in range(i, c.num_combos):
            if t.row_need[c.combo[j]] & ~still == U(0):
                best = min(best, 2 + plays_by_rank(t, after - c.combo_counts[j]))
    return best


@nb.njit(cache=True)
def fewest_plays(t: Tables, hand: Any, c: Any) -> Any:
    """How many plays it takes at least to put down a hand, with up to two combinations of several ranks and one of one suit.

    An estimate from above: `c` must hold the combinations of this hand or of one that contains it.
    """
    if not hand:
        return 0
    counts = counts_of(hand)
    best = _with_combos(t, counts, c, np.int64(52))
    for which in range(t.num_suited):
        size = t.suited_sizes[which]
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
            best = min(best, 1 + _with_combos(t, after, c, best - 1))
    return best


@inner
def _ranks_cover(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one; kickers are taken to be there."""
    units, shift, which = unary(unseen), shift_of(unseen), U(category + 1)
    lacking = ~units
    for nth in range(t.num_answers[which]):
        ladder = U(t.answers[which, U(nth)])
        if t.ladder_size[ladder] > most:
            continue
        above = max(np.int64(power) - np.int64(t.answer_power[which, U(nth)]), np.int64(-1))
        past = min((above >> 2) + 1, np.int64(15)) << shift
        values = shifted_down(units, t.ladder_count[ladder] - 1) & get(t.ladder_values, ladder) & from_place(unseen, past)
        while values:
            value = U(lowest_bit(values) >> shift)
            values = without_lowest(values)
            if t.ladder_alone[ladder]:
                return True
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if not get(t.row_need, row) & lacking:
                    return True
    return False


def _can_be_covered(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play covers."""


@by_type(_can_be_covered)
def _cover_by_type(t: Any, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    covers = _slots_cover if "action_slots" in t.fields else _ranks_cover
    return lambda t, unseen, category, power, most: covers(t, unseen, category, power, most)


@nb.njit(cache=True)
def can_be_covered(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one of a category and power."""
    return _can_be_covered(t, unseen, category, power, most)


@inner
def _slots_cover(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one.

    Suits of MIXED rows are not looked at; of the one-suited plays those of the highest cards and those of neighbours are.
    """
    counts = unary(unseen)
    for ladder in range(t.num_ladders):
        if t.ladder_size[ladder] > most:
            continue
        relation = t.covers[category, t.ladder_category[ladder]]
        if relation == 0:
            continue
        above = np.int64(power) - t.ladder_power[ladder] if relation != FULL else np.int64(-1)
        values = (counts >> U(t.ladder_count[ladder] - 1)) & t.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            highest = 4 * value
            if t.ladder_step[ladder]:
                nibble = (unseen >> U(4 * value)) & U(15)
                highest += 3 if nibble & U(8) else 2 if nibble & U(4) else 1 if nibble & U(2) else 0
            if highest <= above or t.rung_need[ladder, value] & ~counts:
                continue
            if t.ladder_alone[ladder]:
                return True
            for row in range(t.rung_rows[ladder, value, 0], t.rung_rows[ladder, value, 1]):
                if t.row_need[row] & ~counts == U(0):
                    return True
    for which in range(t.num_suited):
        for suit in range(4):
            if t.suited_sizes[which] <= most and popcount(unseen & (ONES << U(suit))) >= t.suited_sizes[which]:
                return _suited_covers(t, unseen, category, power, most)
    return False


@inner
def _suited_covers(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether a one-suited play of the unseen cards covers; taken from its highest cards and from runs of neighbours."""
    for which in range(t.num_suited):
        size = np.int64(t.suited_sizes[which])
        for suit in range(4):
            held = unseen & (ONES << U(suit))
            values, number = 0, 0
            while held:
                value = lowest_bit(held) >> 2
                held &= held - U(1)
                values |= 1 << value
                number += 1
            if number < size or size > most:
                continue
            # The highest card with the lowest ones is the highest flush that is no run; runs are looked up one by one, those
            # round the corner (Q-K-A-2-3) too.
            rest, taken = values, 0
            tops = 1 << _highest(values)
            while taken < size - 1:
                low = rest & -rest
                tops |= low
                rest ^= low
                taken += 1
            run = (1 << size) - 1
            for shift in range(14):
                chosen = tops if shift == 13 else (run << shift | run << shift >> 13) & 0x1FFF
                if chosen & ~values:
                    continue
                row = t.suited_row[which, chosen]
                if row >= 0:
                    reached = t.row_power[row] + suit * t.row_step[row]
                    if does_cover(t, t.row_category[row], reached, category, power):
                        return True
    return False


@inner
def _highest(values: Any) -> Any:
    """The place of the highest set bit of a set of values."""
    place = VALUES - 1
    while not values >> place & 1:
        place -= 1
    return place
