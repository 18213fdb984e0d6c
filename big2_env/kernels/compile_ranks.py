"""What only the tables of rulesets by ranks have: bodies, kickers and how many choices of them there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from big2_env.climbing.kickers import Kickers
from big2_env.climbing.rank_table import RankTable
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.table import Row
from big2_env.kernels import tables
from big2_env.kernels.tables import Array


class RankFields:
    """The fields of tables `t` whose other fields are filled.

    Args:
        t: the tables.
        rows: the shapes, in their order in the tables.
        ruleset: the rules.
        space: the actions.
    """

    def __init__(self, t: Array, rows: Sequence[Row], ruleset: RuleSet, space: RankTable) -> None:
        self.t, self.rows, self.ruleset, self.space = t, rows, ruleset, space

    def fill(self) -> None:
        """Fill the fields."""
        t, ranks = self.t, self.ruleset.order.ranks
        t["lowest"] = [[_lowest(byte, number) for number in range(16)] for byte in range(256)]
        own = {int(place): i for i, place in enumerate(t["row_place"][: len(self.rows)])}
        actions = slice(1, self.space.first_call)
        t["action_row"][actions] = [own[row] for row in self.space.rows]
        counts = np.frombuffer(self.space.counts, np.uint64)
        for value, rank in enumerate(ranks):
            t["action_counts"][actions] |= (counts >> np.uint64(4 * rank) & np.uint64(15)) << np.uint64(4 * value)
        found, first = np.unique(t["action_row"][actions], return_index=True)
        t["row_first"][found] = first + 1
        t["row_kickers"] = -1
        deck = [mask.bit_count() for mask in self.ruleset.order.rank_masks]
        number = 0
        for i, row in enumerate(self.rows):
            body = self._by_value(row.shape.counts)
            t["row_body"][i] = sum(count << 4 * value for value, count in enumerate(body))
            if row.shape.kickers is not None:
                t["row_kickers"][i] = number
                room = [held - taken for held, taken in zip(deck, row.shape.counts, strict=True)]
                self._fill_kickers(number, row.shape.kickers, self._by_value(room))
                number += 1

    def _by_value(self, counts: Sequence[int]) -> list[int]:
        """Numbers of cards by rank as numbers by value; none of ranks that the deck lacks."""
        return [counts[rank] for rank in self.ruleset.order.ranks]

    def _fill_kickers(self, place: int, kickers: Kickers, room: list[int]) -> None:
        """Kickers, and how many choices of them there are: so a choice's place among a row's actions is a sum."""
        t, order = self.t, self.ruleset.order
        t["kicker_units"][place], t["kicker_unit"][place] = kickers.size // kickers.unit, kickers.unit
        t["kicker_limits"][place, : len(order.ranks)] = self._by_value(kickers.limits)
        t["kicker_exclusive"][place] = sum(1 << order.values[r] for r in kickers.exclusive if order.values[r] >= 0)
        choices = np.zeros((16, tables.MAX_UNITS + 1, 2), np.int64)
        choices[:, 0] = 1
        for value, rank in enumerate(order.ranks):
            most = min(room[value], kickers.limits[rank]) // kickers.unit
            exclusive = rank in kickers.exclusive
            for left, used in product(range(1, tables.MAX_UNITS + 1), (0, 1)):
                top = 0 if exclusive and used else max(0, min(most, left))
                choices[value + 1, left, used] = sum(
                    choices[value, left - number, 1 if used or (exclusive and number) else 0] for number in range(top + 1)
                )
        t["kicker_choices"][place] = np.minimum(choices, np.iinfo(np.int32).max)


def _lowest(byte: int, number: int) -> int:
    """The lowest set bits of a byte, so many of them or all."""
    bits = [1 << i for i in range(8) if byte >> i & 1]
    return sum(bits[:number])
