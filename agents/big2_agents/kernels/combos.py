"""How few plays it takes to put down a hand: what the learned players are told of it. By places."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.plays import MAX_COMBOS
from big2_env.kernels.dialect.bits import ONES, U, lowest_bit, popcount
from big2_env.kernels.dialect.cardsets import unary
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables


@kernel
def counts_of(mask: Any) -> Any:
    """How many cards of each rank, as nibbles."""
    pairs = mask - ((mask >> U(1)) & U(0x5555555555555555))
    return (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))


@kernel
def unary_of(counts: Any) -> Any:
    """Counts as nibbles in unary, as `bits.unary` gives them."""
    one, two, four = counts & ONES, (counts >> U(1)) & ONES, (counts >> U(2)) & ONES
    return one | two | four | ((two | four) << U(1)) | (((one & two) | four) << U(2)) | (four << U(3))


@kernel(entry=True)
def find_combos(tab: Tables, hand: Any, cand: Any) -> None:
    """Fill `cand` with the rows of several ranks that a hand holds, those of one suit aside."""
    cand.num_combos = 0
    counts = unary(hand)
    cards = popcount(hand)
    for ladder in range(tab.num_ladders):
        if tab.ladder_alone[ladder] or cards < tab.ladder_size[ladder]:
            continue
        values = (counts >> U(tab.ladder_count[ladder] - 1)) & tab.ladder_values[ladder]
        while values:
            value = lowest_bit(values) >> 2
            values &= values - U(1)
            if tab.rung_need[ladder, value] & ~counts:
                continue
            for row in range(tab.rung_rows[ladder, value, 0], tab.rung_rows[ladder, value, 1]):
                if tab.row_need[row] & ~counts == U(0) and cand.num_combos < MAX_COMBOS:
                    cand.combo[cand.num_combos] = row
                    # Unary nibbles hold as many bits as there are cards.
                    cand.combo_counts[cand.num_combos] = counts_of(tab.row_need[row])
                    cand.num_combos += 1


@kernel
def plays_by_rank(tab: Tables, counts: Any) -> Any:
    """How many plays of one rank each it takes to put down cards given by rank, as nibbles."""
    u = unary_of(counts)
    total = np.int64(0)
    for k in range(4):
        step = tab.alone_plays[k + 1] - tab.alone_plays[k]
        if step:
            total += step * popcount((u >> U(k)) & ONES)
    return total


@kernel
def _with_combos(tab: Tables, counts: Any, cand: Any, best: Any) -> Any:
    """The fewest plays for cards given by rank, with up to two of the combinations listed in `cand`; at most `best`."""
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
    """How many plays it takes at least to put down a hand, with up to two combinations of several ranks and one of one suit.

    An estimate from above: `cand` must hold the combinations of this hand or of one that contains it.
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
