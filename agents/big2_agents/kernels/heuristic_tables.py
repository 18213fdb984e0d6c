"""Data of the compiled heuristic: its weights, tables of a ruleset, and scratch."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from sys import byteorder
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.plays import candidates_dtype
from big2_agents.models.formula import Weights, near, weights_of
from big2_env.base.cards import NUM_CARDS
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import Row
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import COMPILED, END, as_record, paste
from big2_env.kernels.tables import MAX_HAND, USUAL, VALUES, Bounds
from big2_env.kernels.variants import MANY_SEATS, variant_of

Array = npt.NDArray[Any]
MAX_SPAN, MAX_RANK_SPAN = 1024, 256
"""Maximum range of powers within a category, with slot and with rank actions."""
MAX_SUITED, MAX_GROUPS = 8, 64
"""Maximum number of categories with plays that require or forbid one suit, and of powers of such plays in one category."""
MAX_PLAYS: Final = 1024
"""Maximum number of plays of a hand that are examined; no hand of a shipped ruleset has more."""
MAX_SIZE, MAX_DECK = 40, 108
"""Maximum number of cards of a play expected in another hand, and of a deck."""
MAX_MIXED, MAX_SETS = 40, 500
"""With slot actions, the maximum number of plays of several ranks that are combined, and of their combinations.

Plays that gain most over their cards played separately come first.
"""
MAX_BODIES, MAX_BODY_SETS, MAX_CARRIED = 32, 160, 4
"""With rank actions, the same limits for plays without kickers, and the maximum number of plays with kickers in one
combination.
"""
MAX_DEPTH: Final = 24
"""Maximum number of plays of a hand searched for going out."""


WEIGHTS: Final = np.dtype(
    [
        *((name, np.float64, 3) for name in ("turn", "hold", "rank")),
        *((name, np.float64) for name in list(Weights.__dataclass_fields__)[3:]),
        ("near", np.float64, MAX_HAND + 1),  # by cards left
        ("usual", np.float64, 2),  # mean and deviation of what hands are worth in an auction; 0 until measured
    ]
)
"""Record type of a heuristic player's weights, as in `Weights`, with values that follow from them."""


def weights_record(weights: Weights) -> Array:
    """Return weights as an array () of `WEIGHTS`."""
    w: Array = np.zeros((), WEIGHTS)
    for name, value in asdict(weights).items():
        w[name] = value
    w["near"] = [near(n, weights.decay) for n in range(MAX_HAND + 1)]
    return w


@cache
def heuristic_dtype(by_slots: bool, words: int = 1, bounds: Bounds = USUAL) -> np.dtype[Any]:
    """Return the record type of a heuristic player; one record per thread."""
    cats, seats = bounds.categories, MANY_SEATS
    span, number = (MAX_SPAN, np.int64) if by_slots else (MAX_RANK_SPAN, np.float64)
    common: list[Any] = [
        ("weights", WEIGHTS),
        # The ruleset, by category.
        ("num_categories", np.int64),
        ("size", np.int64, cats),  # number of cards
        ("needed", np.int64, cats),  # how many of them decide whether a hand has such a play: the body's
        ("lowest", np.int64, cats),  # least power
        ("span", np.int64, cats),  # how many powers there are from there on
        ("num_beating", np.int64, cats),
        ("beating", np.int64, (cats, cats)),  # the categories that can beat it
        ("by_power", np.int64, (cats, cats)),  # 1 if only those with more power do
        ("binomial", np.float64, (MAX_DECK + 1, MAX_SIZE + 1)),
        ("candidates", candidates_dtype(by_slots, words)),  # scratch: of a decision
        ("sampled", np.uint8, MAX_DECK),  # scratch: the ids of a shuffled deck
        # Scratch: the unseen cards, and who may beat.
        ("num_unseen", np.int64),
        ("num_others", np.int64),
        ("others", np.int64, seats),  # the cards of the seats of the other team that may beat, in the order of their turns
        ("first_cost", np.float64),  # what it costs that the first of them goes out
        ("num_partners", np.int64),
        ("partners", np.int64, seats),  # the cards of the partners
        ("nearest", np.float64),
        ("pile", np.int64),  # cards to draw: while there are any, nobody goes out
        ("keeps_out", np.int64),  # 1 if a lead that beats the last play cannot be answered
        ("is_counted", np.int8, cats),
        ("above", number, (cats, span + 1)),  # plays with at least so much power, from the lowest on
        ("is_known", np.int8, cats),  # whether these are filled
        ("share", np.float64, cats),  # chance that a play's cards are in one hand, summed over the others
        ("num_last", np.int64, cats),
        ("last_chance", np.float64, (cats, seats)),
        ("last_cost", np.float64, (cats, seats)),
    ]
    return np.dtype([*common, *(_slot_fields(bounds) if by_slots else _rank_fields(bounds)), (END, np.int64)])


def _slot_fields(bounds: Bounds) -> list[Any]:
    return [
        ("ladders", np.int64, (bounds.categories, 2)),  # a category's ladders: the first, and the one after the last
        ("alone", np.int64, (5, VALUES)),  # the ladder of so many cards of one value, -1 for none
        ("values", np.int8, VALUES),  # the values in the order of the ranks' ids
        ("suit_place", np.int8, 4),  # the place of each suit, in the order of the suits' ids
        ("suited", np.int64, bounds.categories),  # where counts of a category's one-suited plays are, -1 for none
        ("suited_values", np.int64),  # the values that such plays may have, as a set
        ("num_groups", np.int64, MAX_SUITED),
        ("group_power", np.int64, (MAX_SUITED, MAX_GROUPS)),
        ("group_step", np.int64, (MAX_SUITED, MAX_GROUPS)),
        # How many plays of a group a set of values of one suit has, less those that must not be of one suit.
        ("group_count", np.int16, (MAX_SUITED, 1 << VALUES, MAX_GROUPS)),
        # Scratch: the unseen cards.
        ("unseen", np.uint64),
        ("counts", np.int64, VALUES),
        ("values_of", np.int64, 4),  # the values of each suit, as a set
        # Scratch: the hand's plays, those of one rank first.
        ("num_plays", np.int64),
        ("play", np.uint64, MAX_PLAYS),
        ("play_category", np.int16, MAX_PLAYS),
        ("play_utility", np.float64, MAX_PLAYS),
        ("play_hold", np.float64, MAX_PLAYS),
        ("play_sure", np.int8, MAX_PLAYS),
        ("play_place", np.int64, MAX_PLAYS),
        ("play_gain", np.float64, MAX_PLAYS),
        ("held_rows", np.int16, MAX_PLAYS),  # the rows of several ranks that the hand holds
        ("rank_play", np.int64, 16),  # the play that cards of one rank are, -1 for none
        ("choice", np.int64, VALUES),  # of the cards of each part of a row, and how many there are
        ("options", np.int64, VALUES),
        ("sure", np.uint64),  # the cards that are in a play nobody can beat
        # Scratch: its decompositions.
        ("num_ranks", np.int64),
        ("ranks", np.int64, VALUES),  # the values held, in the order of the ranks' ids
        ("rank_utility", np.float64, (VALUES, 16)),  # the best decomposition of any cards of one value
        ("rank_hold", np.float64, (VALUES, 16)),
        ("rank_least", np.float64, (VALUES, 16)),
        ("mixed", np.int64, MAX_PLAYS),  # plays of several ranks, in the order they are combined
        ("num_sets", np.int64),
        ("set_cards", np.uint64, MAX_SETS),
        ("set_utility", np.float64, MAX_SETS),
        ("set_hold", np.float64, MAX_SETS),
        ("set_least", np.float64, MAX_SETS),
        # Scratch: a search through decompositions into sure plays.
        ("stack_cards", np.uint64, MAX_DEPTH),
        ("stack_next", np.int64, MAX_DEPTH),
        ("stack_spent", np.int64, MAX_DEPTH),  # 1 if a play that can be beaten is among the parts
    ]


def _rank_fields(bounds: Bounds) -> list[Any]:
    """Return the fields for rank actions, where cards are counts by value, as nibbles of a uint64."""
    return [
        ("rows", np.int64, (bounds.categories, 2)),  # a category's rows: the first, and the one after the last
        ("alone_row", np.int64, (VALUES, 9)),  # the row of so many cards of one value, -1 for none
        # Scratch: the unseen cards.
        ("choose", np.float64, (VALUES, 9)),  # how many choices of so many unseen cards of a value there are
        # Scratch: what may become of the plays of a row, in a decision whose number is `row_known`.
        ("decision", np.int64),
        ("row_known", np.int64, bounds.rows),
        *((name, np.float64, bounds.rows) for name in ("row_hold", "row_utility", "row_danger")),
        ("row_sure", np.int8, bounds.rows),
        # Scratch: the best decomposition of so many cards of one value.
        *((name, np.float64, (VALUES, 9)) for name in ("rank_utility", "rank_hold", "rank_least")),
        ("rank_unsure", np.int64, (VALUES, 9)),  # how many plays that can be beaten any decomposition has
        ("most_gain", np.float64, (VALUES, 9)),  # the most that it can gain to be rid of so many of the cards held
        # Scratch: bodies of several ranks, or with kickers, and combinations of them.
        ("hand", np.uint64),
        ("num_bodies", np.int64),
        ("body_row", np.int64, MAX_BODIES),
        ("body_gain", np.float64, MAX_BODIES),
        ("num_sets", np.int64),
        ("set_cards", np.uint64, MAX_BODY_SETS),
        *((f"set_{name}", np.float64, MAX_BODY_SETS) for name in ("utility", "hold", "least", "value")),
        ("set_unsure", np.int64, MAX_BODY_SETS),
        ("set_carried", np.int64, MAX_BODY_SETS),  # how many bodies have kickers
        ("set_kickers", np.int64, (MAX_BODY_SETS, MAX_CARRIED)),  # which
        ("taken", np.int64, VALUES),  # kickers being chosen, by value
        ("rest", np.uint64),  # what the best decomposition leaves apart
    ]


def heuristic_record(ruleset: RuleSet, weights: Weights | None = None, num_players: int | None = None) -> np.record:
    """Return a compiled heuristic player for a ruleset, for the functions of `kernels.heuristic`.

    Args:
        ruleset: The rules of the game.
        weights: Weights, the ruleset's by default.
        num_players: Number of seats; `None` for any number.

    Raises:
        ConfigError: The ruleset cannot be compiled, or has more shapes or powers than the tables hold.
    """
    tab: Any = compile_tables(ruleset, num_players, numbers_moves=COMPILED)
    variant, table = variant_of(ruleset), ruleset.table
    heur = np.zeros((), heuristic_dtype(variant.by_slots, variant.words, variant.bounds))
    heur["weights"] = weights_record(weights or weights_of(ruleset))
    number = len(table.categories)
    heur["num_categories"] = number
    paste(heur["size"], [category.size for category in table.categories])
    paste(heur["needed"], [min(sum(table.rows[i].shape.counts) for i in bounds) for bounds in table.bounds])
    for category, bounds in enumerate(table.bounds):
        powers = [row.power + suit for row in (table.rows[i] for i in bounds) for suit in {0, 3 * row.suit_step}]
        heur["lowest"][category], heur["span"][category] = min(powers), max(powers) - min(powers) + 1
    most = MAX_SPAN if variant.by_slots else MAX_RANK_SPAN
    if COMPILED and max(heur["span"]) > most:
        raise ConfigError(f"powers of {ruleset.name} are {max(heur['span'])} apart (limit of the compiled heuristic {most})")
    for category in range(number):
        paste(heur["above"][category], [0] * (int(heur["span"][category]) + 1))
    _fill_beating(heur, ruleset)
    heur["binomial"] = [[math.comb(n, k) for k in range(MAX_SIZE + 1)] for n in range(MAX_DECK + 1)]
    if variant.by_slots:
        _fill_slots(heur, tab, ruleset)
    else:
        _fill_ranks(heur, tab)
    return as_record(heur)


def _fill_beating(heur: Any, ruleset: RuleSet) -> None:
    """Fill in the categories that beat each other, in the ruleset's order, so that sums of floats are reproducible."""
    table = ruleset.table
    for category in range(len(table.categories)):
        bombs = table.beaters[category]
        found = [(rival, 1) for rival in table.rivals[category] if rival not in bombs] + [(bomb, 0) for bomb in bombs]
        heur["num_beating"][category] = len(found)
        paste(heur["beating"][category], [rival for rival, _ in found])
        paste(heur["by_power"][category], [by_power for _, by_power in found])


def _fill_ranks(heur: Any, tab: Any) -> None:
    """Fill in the rows of each category, and the rows of one rank."""
    number = int(tab.num_rows)
    _fill_bounds(heur, "rows", tab.row_category[:number])
    heur["alone_row"] = -1
    for row in range(number):
        body = int(tab.row_body[row])
        value = (body & -body).bit_length() - 1 >> 2
        is_early = tab.most_held[tab.row_category[row]] < NUM_CARDS
        if tab.row_kickers[row] < 0 and not body & ~(15 << 4 * value) and not is_early:
            heur["alone_row"][value][body >> 4 * value] = row


def _fill_slots(heur: Any, tab: Any, ruleset: RuleSet) -> None:
    """Fill in the ladders of each category and rank."""
    ladders, order = int(tab.num_ladders), ruleset.order
    heur["alone"] = -1
    for ladder in range(ladders):
        if tab.ladder_alone[ladder] and tab.ladder_held[ladder] == NUM_CARDS:
            for value in range(VALUES):
                if int(tab.ladder_values[ladder]) >> 4 * value & 1:
                    heur["alone"][tab.ladder_count[ladder]][value] = ladder
    _fill_bounds(heur, "ladders", tab.ladder_category[:ladders])
    paste(heur["values"], [value for value in order.values if value >= 0])
    heur["suit_place"] = order.suit_values
    _fill_suited(heur, ruleset)


def _fill_bounds(heur: Any, name: str, categories: Sequence[int]) -> None:
    """Fill in the range of each category in a list sorted by category."""
    for category in range(int(heur["num_categories"])):
        heur[name][category][:] = bisect_left(categories, category), bisect_left(categories, category + 1)


def _fill_suited(heur: Any, ruleset: RuleSet) -> None:
    """Fill in the number of one-suited plays of each set of values."""
    table, values, number = ruleset.table, ruleset.order.values, 0
    suited = [values[rank] for i in range(len(table.rows)) if _is_suited(table.rows[i]) for rank, _ in table.rows[i].ranks]
    sets = 1 << 1 + max(suited, default=-1)
    heur["suited"], heur["suited_values"] = -1, sets - 1
    for category in range(len(table.categories)):
        rows = list(_suited_rows(ruleset, category))
        if not rows:
            continue
        groups = sorted({(row.power, row.suit_step) for row in rows})
        if COMPILED and (number == MAX_SUITED or len(groups) > MAX_GROUPS):
            raise ConfigError(
                f"{ruleset.name}: expected plays of one suit in at most {MAX_SUITED} comparison groups, each with at most "
                f"{MAX_GROUPS} powers, for the compiled heuristic"
            )
        columns = len(groups)
        more, less = [0] * (sets * columns), [0] * (sets * columns)
        for row in rows:
            held = sum(1 << values[rank] for rank, _ in row.ranks)
            counts = more if row.shape.suits is Suits.SAME else less
            counts[held * columns + groups.index((row.power, row.suit_step))] += 1
        found = _sums_over_subsets(more, sets)
        if any(less):
            apart = zip(found, _sums_over_subsets(less, sets), strict=True)
            found = [[one - other for one, other in zip(*pair, strict=True)] for pair in apart]
        if not COMPILED and number >= len(heur["num_groups"]):  # lists have no bounds
            for name in ("num_groups", "group_power", "group_step", "group_count"):
                heur[name].append(0 if name == "num_groups" else [])
        heur["suited"][category] = number
        heur["num_groups"][number] = len(groups)
        paste(heur["group_power"][number], [power for power, _ in groups])
        paste(heur["group_step"][number], [step for _, step in groups])
        paste(heur["group_count"][number], found)
        number += 1


def _sums_over_subsets(counts: Sequence[int], sets: int) -> list[list[int]]:
    """Return, for each set of values as bits, the sum of the rows of all its subsets; rows hold numbers below 1 << 16.

    All numbers are digits of one integer, so one addition adds them all.
    """
    width, step = 16 * len(counts) // sets, 1
    whole = int.from_bytes(array("H", counts).tobytes(), byteorder)
    while step < sets:
        lacking, size = (1 << width * step) - 1, 2 * width * step
        while size < width * sets:
            lacking |= lacking << size
            size *= 2
        whole += (whole & lacking) << width * step
        step *= 2
    data = memoryview(whole.to_bytes(2 * len(counts), byteorder))
    return cast("list[list[int]]", data.cast("H", (sets, len(counts) // sets)).tolist())


def _is_suited(row: Row) -> bool:
    return row.shape.suits is not Suits.ANY


def _suited_rows(ruleset: RuleSet, category: int) -> Iterator[Row]:
    """Yield the rows of a category that require or forbid one suit."""
    for i in ruleset.table.bounds[category]:
        if _is_suited(ruleset.table.rows[i]):
            yield ruleset.table.rows[i]
