"""What the compiled heuristic works on: its weights, the shapes of a ruleset sorted for counting, and scratch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.track import PLAIN
from big2_agents.heuristic import Weights, near
from big2_agents.partings import MAX_SETS
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.variants import variant_of
from big2_env.kernels.tables import MAX_CATEGORIES, MAX_ROWS, Tables, as_record

Array = npt.NDArray[Any]
MAX_SPAN: Final = 1024
"""Most powers from a category's lowest to its highest."""
MAX_SUITED, MAX_GROUPS = 8, 64
"""Most categories with plays that ask for one suit or forbid it, and most powers of those in one category."""
MAX_PLAYS: Final = 1024
"""Most plays of a hand that are looked at: more than any hand has under the rulesets that are shipped."""

HEURISTIC: Final = np.dtype(
    [
        # The weights, as in `Weights`.
        ("turn", np.float64, 3),
        ("hold", np.float64, 3),
        ("rank", np.float64, 3),
        *((name, np.float64) for name in list(Weights.__dataclass_fields__)[3:]),
        # The ruleset.
        ("num_categories", np.int64),
        ("size", np.int64, MAX_CATEGORIES),  # number of cards, by category
        ("lowest", np.int64, MAX_CATEGORIES),  # least power, by category
        ("span", np.int64, MAX_CATEGORIES),  # how many powers there are from there on
        ("ladders", np.int64, (MAX_CATEGORIES, 2)),  # its ladders: the first, and the one after the last
        ("num_covering", np.int64, MAX_CATEGORIES),
        ("covering", np.int64, (MAX_CATEGORIES, MAX_CATEGORIES)),  # the categories that can cover it
        ("by_power", np.int64, (MAX_CATEGORIES, MAX_CATEGORIES)),  # 1 if only those with more power do
        ("alone", np.int64, (5, 13)),  # the ladder of so many cards of one value, -1 for none
        ("row_place", np.int16, MAX_ROWS),  # where the reference lists a row
        ("row_part", np.int8, (MAX_ROWS, 13)),  # its parts in the order of the reference
        ("values", np.int8, 13),  # the values in the order of the ranks' ids
        ("suit_place", np.int8, 4),  # the place of each suit, in the order of the suits' ids
        ("suited", np.int64, MAX_CATEGORIES),  # where counts of its one-suited plays are, -1 for none
        ("num_groups", np.int64, MAX_SUITED),
        ("group_power", np.int64, (MAX_SUITED, MAX_GROUPS)),
        ("group_step", np.int64, (MAX_SUITED, MAX_GROUPS)),
        # How many plays of a group a set of values of one suit has, less those that must not be of one suit.
        ("group_count", np.int16, (MAX_SUITED, 1 << 13, MAX_GROUPS)),
        ("binomial", np.float64, (53, 14)),
        ("near", np.float64, 14),  # by cards left
        # Scratch: the unseen cards.
        ("unseen", np.uint64),
        ("num_unseen", np.int64),
        ("counts", np.int64, 13),
        ("values_of", np.int64, 4),  # the values of each suit, as a set
        ("num_others", np.int64),
        ("others", np.int64, 4),  # the cards of the other seats that may cover
        ("nearest", np.float64),
        ("is_counted", np.int8, MAX_CATEGORIES),
        ("above", np.int64, (MAX_CATEGORIES, MAX_SPAN + 1)),  # plays with at least so much power, from the lowest on
        ("is_known", np.int8, 14),  # by size: whether these are filled
        ("share", np.float64, 14),  # chance that so many cards are in one hand, summed over the others
        ("num_last", np.int64, 14),
        ("last_chance", np.float64, (14, 4)),
        ("last_cost", np.float64, (14, 4)),
        # Scratch: the hand's plays, those of one rank first.
        ("num_plays", np.int64),
        ("play", np.uint64, MAX_PLAYS),
        ("play_category", np.int16, MAX_PLAYS),
        ("play_worth", np.float64, MAX_PLAYS),
        ("play_hold", np.float64, MAX_PLAYS),
        ("play_sure", np.int8, MAX_PLAYS),
        ("play_place", np.int64, MAX_PLAYS),
        ("play_gain", np.float64, MAX_PLAYS),
        ("rank_play", np.int64, 16),  # the play that cards of one rank are, -1 for none
        ("choice", np.int64, 13),  # of the cards of each part of a row, and how many there are
        ("ways", np.int64, 13),
        ("sure", np.uint64),  # the cards that are in a play nobody can cover
        # Scratch: its partings.
        ("num_ranks", np.int64),
        ("ranks", np.int64, 13),  # the values held, in the order of the ranks' ids
        ("rank_worth", np.float64, (13, 16)),  # the best parting of any cards of one value
        ("rank_hold", np.float64, (13, 16)),
        ("rank_least", np.float64, (13, 16)),
        ("num_mixed", np.int64),
        ("mixed", np.int64, MAX_PLAYS),  # plays of several ranks, in the order they are combined
        ("num_sets", np.int64),
        ("set_cards", np.uint64, MAX_SETS),
        ("set_worth", np.float64, MAX_SETS),
        ("set_hold", np.float64, MAX_SETS),
        ("set_least", np.float64, MAX_SETS),
        # Scratch: a search through partings into sure plays.
        ("stack_cards", np.uint64, 14),
        ("stack_next", np.int64, 14),
        ("stack_spent", np.int64, 14),  # 1 if a play that can be covered is among the parts
    ]
)
"""One heuristic player: not for two threads at once."""
NO_HEURISTIC: Final = as_record(np.zeros((), HEURISTIC))
"""Where the type asks for a heuristic player and none plays."""


def heuristic_record(ruleset: RuleSet, weights: Weights | None = None) -> np.record:
    """A compiled heuristic player for a ruleset, a record of `HEURISTIC`.

    Raises:
        ConfigError: the ruleset cannot be compiled, or has more shapes or powers than the tables hold.
    """
    if variant_of(ruleset) != PLAIN or len(ruleset.ranks) > 13:
        raise ConfigError(f"the compiled heuristic does not serve {ruleset.name}")
    t = compile_tables(ruleset)
    h = np.zeros((), HEURISTIC)
    chosen = weights or Weights()
    for name, value in zip(Weights.__dataclass_fields__, astuple(chosen), strict=True):
        h[name] = value
    table, order = ruleset.table, ruleset.order
    h["num_categories"] = len(table.categories)
    h["size"][: len(table.categories)] = [category.size for category in table.categories]
    _fill_covering(h, ruleset)
    _fill_rows(h, t, ruleset)
    _fill_suited(h, ruleset)
    h["values"] = [order.values[rank] for rank in range(13)]
    h["suit_place"] = order.suit_values
    h["binomial"] = [[math.comb(n, k) for k in range(14)] for n in range(53)]
    h["near"] = [near(n) for n in range(14)]
    return as_record(h)


def _fill_covering(h: Array, ruleset: RuleSet) -> None:
    """What can cover what, in the order of `Outlook.covering`: sums of floats come out the same."""
    table = ruleset.table
    for category in range(len(table.categories)):
        bombs = table.coverers[category]
        found = [(rival, 1) for rival in table.rivals[category] if rival not in bombs] + [(bomb, 0) for bomb in bombs]
        h["num_covering"][category] = len(found)
        h["covering"][category, : len(found)], h["by_power"][category, : len(found)] = zip(*found, strict=True)


def _fill_rows(h: Array, t: Any, ruleset: RuleSet) -> None:
    """The ladders of each category, its powers, and where the reference lists each row."""
    table = ruleset.table
    ladder_categories = t.ladder_category[: int(t.num_ladders)]
    h["alone"] = -1
    for ladder in range(int(t.num_ladders)):
        if t.ladder_alone[ladder]:
            for value in range(13):
                if int(t.ladder_values[ladder]) >> 4 * value & 1:
                    h["alone"][t.ladder_count[ladder], value] = ladder
    for category, bounds in enumerate(table.bounds):
        h["ladders"][category] = np.searchsorted(ladder_categories, [category, category + 1])
        powers = [row.power + suit for row in (table.rows[i] for i in bounds) for suit in {0, 3 * row.suit_step}]
        h["lowest"][category], h["span"][category] = min(powers), max(powers) - min(powers) + 1
    if max(h["span"]) > MAX_SPAN:
        raise ConfigError(f"powers of {ruleset.name} {max(h['span'])} apart: the compiled heuristic allows {MAX_SPAN}")
    for i, place, parts in row_places(t, ruleset):
        h["row_place"][i] = place
        h["row_part"][i, : len(parts)] = parts


def row_places(t: Tables, ruleset: RuleSet) -> Iterator[tuple[int, int, list[int]]]:
    """Each row of the compiled tables with its place in the ruleset's own table, and where there its ranks stand in the row."""
    rows = ruleset.table.rows
    for i in range(int(t.num_rows)):
        values, place = t.row_ranks[i, : int(t.row_parts[i])].tolist(), int(t.row_place[i])
        yield i, place, [values.index(ruleset.order.values[rank]) for rank, _ in rows[place].ranks]


def _fill_suited(h: Array, ruleset: RuleSet) -> None:
    """How many plays of one suit each set of values has."""
    table, values = ruleset.table, ruleset.order.values
    h["suited"] = -1
    number = 0
    for category in range(len(table.categories)):
        rows = list(_suited_rows(ruleset, category))
        if not rows:
            continue
        groups = sorted({(row.power, row.suit_step) for row in rows})
        if number == MAX_SUITED or len(groups) > MAX_GROUPS:
            raise ConfigError(
                f"plays of one suit in {ruleset.name}: the compiled heuristic allows {MAX_SUITED} comparison groups with them, "
                f"each with {MAX_GROUPS} powers"
            )
        counts = np.zeros((1 << 13, len(groups)), np.int16)
        for row in rows:
            held = sum(1 << values[rank] for rank, _ in row.ranks)
            counts[held, groups.index((row.power, row.suit_step))] += 1 if row.shape.suits is Suits.SAME else -1
        for value in range(13):  # from sets to the sets that contain them
            halves = counts.reshape(-1, 2, 1 << value, len(groups))
            halves[:, 1] += halves[:, 0]
        h["suited"][category] = number
        h["num_groups"][number] = len(groups)
        h["group_power"][number, : len(groups)] = [power for power, _ in groups]
        h["group_step"][number, : len(groups)] = [step for _, step in groups]
        h["group_count"][number, :, : len(groups)] = counts
        number += 1


def _suited_rows(ruleset: RuleSet, category: int) -> Iterator[Row]:
    """The rows of a category that ask for one suit or forbid it."""
    for i in ruleset.table.bounds[category]:
        if ruleset.table.rows[i].shape.suits is not Suits.ANY:
            yield ruleset.table.rows[i]
