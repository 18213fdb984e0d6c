"""What only the tables of rulesets by places have: choices of cards, hashed shapes, numbers of actions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

from big2_env.climbing.actions import HandSlots
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row
from big2_env.errors import ConfigError
from big2_env.kernels import tables
from big2_env.kernels.dialect.records import paste
from big2_env.kernels.tables import EMPTY, HASH_FACTOR, HASH_SHIFT


class SlotFields:
    """The fields of tables `tab` whose other fields are filled.

    Args:
        tab: the tables.
        rows: the shapes, in their order in the tables.
        ruleset: the rules.
        space: the actions; None where they have no numbers.
        sizes: the numbers of cards that one-suited shapes have.
    """

    def __init__(self, tab: Any, rows: Sequence[Row], ruleset: RuleSet, space: HandSlots | None, sizes: Sequence[int]) -> None:
        self.t, self.rows, self.ruleset, self.space, self.sizes = tab, rows, ruleset, space, sizes

    def fill(self) -> None:
        """Fill the fields."""
        tab = self.t
        values = self.ruleset.order.values
        parts = [sorted((values[rank], count) for rank, count in row.ranks) for row in self.rows]
        paste(tab["row_parts"], list(map(len, parts)))
        paste(tab["row_ranks"], [_padded([value for value, _ in part]) for part in parts])
        paste(tab["row_counts"], [_padded([count for _, count in part]) for part in parts])
        keys = [values[row.shape.key] for row in self.rows]
        paste(tab["row_key_part"], [[value for value, _ in part].index(key) for part, key in zip(parts, keys, strict=True)])
        alone = {int(size) for size, is_alone in zip(tab["ladder_size"], tab["ladder_alone"], strict=True) if is_alone}
        for cards in range(1, 5):
            tab["alone_plays"][cards] = min(
                (1 + tab["alone_plays"][cards - size] for size in alone if size <= cards), default=4
            )
        self._fill_suited(parts)
        tab["hash_last"] = last = (1 << (4 * len(self.rows)).bit_length()) - 1
        self._fill_hash(last)
        number = 1 + max(self.ruleset.max_hand, tables.MAX_SLOTS)  # longer hands where acts have no numbers
        paste(tab["choices"], choices := _choices())
        paste(tab["binomial"], [[comb(n, k) for k in range(number)] for n in range(number)])
        paste(tab["part_id"], part_ids := _part_ids(number))
        alone_ids = [
            [[[part_ids[first][0][choice] for choice in choices[held][taken]] for taken in range(5)] for held in range(5)]
            for first in range(number)
        ]
        paste(tab["alone_id"], [[[_padded(ids, 2 * tables.MAX_CHOICES) for ids in row] for row in rows] for rows in alone_ids])
        if self.space is None:
            return
        slots = map(self.space.slots, range(self.space.first_call))
        paste(tab["action_slots"], [sum([1 << slot for slot in chosen]) for chosen in slots])
        for size, offset in self.space.offsets.items():
            if size <= tables.MAX_SLOTS:
                tab["size_offset"][size] = offset

    def _fill_suited(self, parts: Sequence[Sequence[tuple[int, int]]]) -> None:
        """The SAME rows by number of cards and set of values."""
        tab = self.t
        tab["num_suited"] = len(self.sizes)
        paste(tab["suited_sizes"], self.sizes)
        found = [[-1] * (1 << len(self.ruleset.ranks)) for _ in self.sizes]
        for i, row in enumerate(self.rows):
            if row.shape.suits is Suits.SAME:
                found[self.sizes.index(row.shape.size)][sum(1 << value for value, _ in parts[i])] = i
        tab["suited_row"] = -1
        if found:
            paste(tab["suited_row"], found)

    def _fill_hash(self, last: int) -> None:
        """The rows by their numbers by rank, for cards of several suits and of one, in the first `last` + 1 places.

        Raises:
            ConfigError: two rows for the same cards.
        """
        rows, keys, places = self.rows, [EMPTY] * (last + 1), [[-1, -1] for _ in range(last + 1)]
        for i, (row, key) in enumerate(zip(rows, map(int, self.t["row_need"]), strict=False)):
            place = (key * HASH_FACTOR & EMPTY) >> HASH_SHIFT & last
            while keys[place] not in (EMPTY, key):
                place = place + 1 & last
            keys[place] = key
            for one_suit, excluded in ((0, Suits.SAME), (1, Suits.MIXED)):
                if row.shape.suits is excluded:
                    continue
                other = places[place][one_suit]
                if other >= 0 and self.space is None:
                    continue
                if other >= 0:
                    names = f"{rows[other].pattern} and {row.pattern}"
                    raise ConfigError(f"{names} read the same cards: a ruleset with two readings cannot be compiled")
                places[place][one_suit] = i
        paste(self.t["hash_key"], keys)
        paste(self.t["hash_row"], places)


def _padded(values: Sequence[int], size: int = tables.VALUES) -> list[int]:
    """Values with zeros after them."""
    return [*values, *[0] * (size - len(values))]


def _choices() -> list[list[list[int]]]:
    """The choices of some of the cards held of one rank, [held][taken], ascending by the highest card taken."""

    def choices(held: int, taken: int) -> list[int]:
        return sorted(sum([1 << card for card in choice]) for choice in combinations(range(held), taken))

    return [[_padded(choices(held, taken), tables.MAX_CHOICES) for taken in range(5)] for held in range(5)]


def _part_ids(most: int) -> list[list[list[int]]]:
    """What a choice of cards of one rank adds to the action id of `HandSlots`: [first place][cards below][choice]."""
    cards = [[card for card in range(4) if choice >> card & 1] for choice in range(16)]

    def part_id(first: int, below: int, choice: int) -> int:
        return sum([comb(first + card, below + i) for i, card in enumerate(cards[choice], start=1)])

    numbers = range(most), range(most - 1), range(16)
    return [[[part_id(first, below, choice) for choice in numbers[2]] for below in numbers[1]] for first in numbers[0]]
