"""What only the tables of rulesets by places have: choices of cards, hashed shapes, numbers of actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import comb

import numpy as np

from big2_env.climbing.actions import HandSlots
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row
from big2_env.errors import ConfigError
from big2_env.kernels import tables
from big2_env.kernels.tables import EMPTY, HASH_FACTOR, HASH_SHIFT, Array


class SlotFields:
    """The fields of tables `t` whose other fields are filled.

    Args:
        t: the tables.
        rows: the shapes, in their order in the tables.
        ruleset: the rules.
        space: the actions.
        sizes: the numbers of cards that one-suited shapes have.
    """

    def __init__(self, t: Array, rows: Sequence[Row], ruleset: RuleSet, space: HandSlots, sizes: Sequence[int]) -> None:
        self.t, self.rows, self.ruleset, self.space, self.sizes = t, rows, ruleset, space, sizes

    def fill(self) -> None:
        """Fill the fields."""
        t, space = self.t, self.space
        values = self.ruleset.order.values
        for i, row in enumerate(self.rows):
            part = sorted((values[rank], count) for rank, count in row.ranks)
            ranks, counts = zip(*part, strict=True)
            t["row_ranks"][i, : len(part)], t["row_counts"][i, : len(part)] = ranks, counts
            t["row_parts"][i], t["row_key_part"][i] = len(part), ranks.index(values[row.shape.key])
        alone = {int(size) for size, is_alone in zip(t["ladder_size"], t["ladder_alone"], strict=True) if is_alone}
        for cards in range(1, 5):
            t["alone_plays"][cards] = min((1 + t["alone_plays"][cards - size] for size in alone if size <= cards), default=4)
        self._fill_suited()
        t["hash_last"] = last = (1 << (4 * len(self.rows)).bit_length()) - 1
        self._fill_hash(last)
        t["action_slots"][: space.first_call] = [
            sum(1 << slot for slot in space.slots(action)) for action in range(space.first_call)
        ]
        for size, offset in space.offsets.items():
            if size <= tables.MAX_SLOTS:
                t["size_offset"][size] = offset
        t["choices"] = _choices()
        number = tables.MAX_SLOTS + 1
        t["binomial"] = [[comb(n, k) for k in range(number)] for n in range(number)]
        t["part_id"] = _part_ids()
        for first, held, taken in product(range(number), range(5), range(5)):
            choices = comb(held, taken)
            t["alone_id"][first, held, taken, :choices] = t["part_id"][first, 0, t["choices"][held, taken, :choices]]

    def _fill_suited(self) -> None:
        """The SAME rows by number of cards and set of values."""
        t = self.t
        t["num_suited"] = len(self.sizes)
        t["suited_sizes"][: len(self.sizes)] = self.sizes
        t["suited_row"] = -1
        for i, row in enumerate(self.rows):
            if row.shape.suits is Suits.SAME:
                values = t["row_ranks"][i, : t["row_parts"][i]]
                t["suited_row"][self.sizes.index(row.shape.size), sum(1 << int(value) for value in values)] = i

    def _fill_hash(self, last: int) -> None:
        """The rows by their numbers by rank, for cards of several suits and of one, in the first `last` + 1 places.

        Raises:
            ConfigError: two rows for the same cards.
        """
        t, rows = self.t, self.rows
        t["hash_key"], t["hash_row"] = EMPTY, -1
        for i, (row, key) in enumerate(zip(rows, map(int, t["row_need"]), strict=False)):
            place = (key * HASH_FACTOR & EMPTY) >> HASH_SHIFT & last
            while int(t["hash_key"][place]) not in (EMPTY, key):
                place = place + 1 & last
            t["hash_key"][place] = key
            for one_suit, excluded in ((0, Suits.SAME), (1, Suits.MIXED)):
                if row.shape.suits is excluded:
                    continue
                other = t["hash_row"][place, one_suit]
                if other >= 0:
                    names = f"{rows[other].pattern} and {row.pattern}"
                    raise ConfigError(f"{names} read the same cards: a ruleset with two readings cannot be compiled")
                t["hash_row"][place, one_suit] = i


def _choices() -> Array:
    """The choices of some of the cards held of one rank, ascending by the highest card taken."""
    table = np.zeros((5, 5, 6), np.uint8)
    for held in range(5):
        for taken in range(held + 1):
            choices = sorted(sum(1 << card for card in choice) for choice in combinations(range(held), taken))
            table[held, taken, : len(choices)] = choices
    return table


def _part_ids() -> Array:
    """What a choice of cards of one rank adds to the action id of `HandSlots`."""
    table = np.zeros((tables.MAX_SLOTS + 1, tables.MAX_SLOTS, 16), np.int32)
    for first, below, choice in np.ndindex(table.shape):
        cards = [card for card in range(4) if choice >> card & 1]
        table[first, below, choice] = sum(comb(first + card, below + i) for i, card in enumerate(cards, start=1))
    return table
