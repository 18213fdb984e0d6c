"""What only the tables of rulesets by ranks have: bodies, kickers and how many choices of them there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from big2_env.climbing.actions import RankTable
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Kickers
from big2_env.climbing.table import Row
from big2_env.kernels import tables
from big2_env.kernels.dialect.records import paste


class RankFields:
    """The fields of tables `tab` whose other fields are filled.

    Args:
        tab: the tables.
        rows: the shapes, in their order in the tables.
        ruleset: the rules.
        space: the actions; None where they have no numbers.
    """

    def __init__(self, tab: Any, rows: Sequence[Row], ruleset: RuleSet, space: RankTable | None) -> None:
        self.t, self.rows, self.ruleset, self.space = tab, rows, ruleset, space

    def fill(self) -> None:
        """Fill the fields."""
        tab = self.t
        paste(tab["lowest"], [[_lowest(byte, number) for number in range(16)] for byte in range(256)])
        paste(tab["row_first"], [0] * len(self.rows))
        if self.space is not None:
            self._fill_actions(self.space)
        tab["row_kickers"] = -1
        deck = [mask.bit_count() for mask in self.ruleset.order.rank_masks]
        number = 0
        bodies = [self._by_value(row.shape.counts) for row in self.rows]
        paste(tab["row_body"], [sum(count << 4 * value for value, count in enumerate(body)) for body in bodies])
        for i, row in enumerate(self.rows):
            if row.shape.kickers is not None:
                tab["row_kickers"][i] = number
                room = [held - taken for held, taken in zip(deck, row.shape.counts, strict=True)]
                self._fill_kickers(number, row.shape.kickers, self._by_value(room))
                number += 1

    def _fill_actions(self, space: RankTable) -> None:
        tab, ranks = self.t, self.ruleset.order.ranks
        own = {int(place): i for i, place in enumerate(tab["row_place"][: len(self.rows)])}
        rows = [own[row] for row in space.rows]
        places = [(4 * rank, 4 * value) for value, rank in enumerate(ranks)]
        counts = [sum([(number >> at & 15) << to for at, to in places]) for number in space.counts]
        paste(tab["action_row"], [0, *rows])
        paste(tab["action_counts"], [0, *counts])
        first = {row: action for action, row in reversed(list(enumerate(rows, start=1)))}
        paste(tab["row_first"], [first.get(row, 0) for row in range(len(self.rows))])

    def _by_value(self, counts: Sequence[int]) -> list[int]:
        """Numbers of cards by rank as numbers by value; none of ranks that the deck lacks."""
        return [counts[rank] for rank in self.ruleset.order.ranks]

    def _fill_kickers(self, place: int, kickers: Kickers, room: list[int]) -> None:
        """Kickers, and how many choices of them there are: so a choice's place among a row's actions is a sum."""
        tab, order = self.t, self.ruleset.order
        tab["kicker_units"][place], tab["kicker_unit"][place] = kickers.size // kickers.unit, kickers.unit
        paste(tab["kicker_limits"][place], self._by_value(kickers.limits))
        tab["kicker_exclusive"][place] = sum(1 << order.values[r] for r in kickers.exclusive if order.values[r] >= 0)
        units = range(tables.MAX_UNITS + 1)
        choices = [[[0 if left else 1] * 2 for left in units] for _ in range(16)]
        for value, rank in enumerate(order.ranks):
            most = min(room[value], kickers.limits[rank]) // kickers.unit
            exclusive = rank in kickers.exclusive
            for left, used in product(units[1:], (0, 1)):
                top = 0 if exclusive and used else max(0, min(most, left))
                choices[value + 1][left][used] = sum(
                    [choices[value][left - number][1 if used or (exclusive and number) else 0] for number in range(top + 1)]
                )
        most = (1 << 31) - 1
        paste(tab["kicker_choices"][place], [[[min(number, most) for number in pair] for pair in row] for row in choices])


def _lowest(byte: int, number: int) -> int:
    """The lowest set bits of a byte, so many of them or all."""
    bits = [1 << i for i in range(8) if byte >> i & 1]
    return sum(bits[:number])
