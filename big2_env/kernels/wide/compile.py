"""A ruleset compiled into the record of `tables.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from math import ceil, log2
from typing import Any

import numpy as np

from big2_env.cards import NUM_CARDS
from big2_env.climbing.actions import ActionSpace, HandSlots, action_space
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.encoding.layout import MULTIPLIER_STEPS
from big2_env.climbing.parts import Ending, Lead, PassLock, Refill, RefillOrder
from big2_env.climbing.rank_table import RankTable
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import (
    CapturedPoints,
    PairwiseDifference,
    PenaltySettlement,
)
from big2_env.climbing.sides import Sides
from big2_env.climbing.table import TIER_POWER, PlayTable, Row
from big2_env.errors import ConfigError
from big2_env.kernels.tables import as_record, fill_hash
from big2_env.kernels.wide.tables import (
    BID,
    BYTE,
    CALL_ROB,
    HASH_SIZE,
    MAX_ACTIONS,
    MAX_CATEGORIES,
    MAX_DEALS,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_ROWS,
    MAX_RUNGS,
    MAX_SIDES,
    MAX_SLOTS,
    MAX_UNITS,
    SETTLEMENTS,
    TABLES,
    WINDOWS,
)

Array = Any


def _check(ruleset: RuleSet) -> None:
    """Refuse what the kernels do not serve."""
    auction, rows = ruleset.auction, ruleset.table.rows
    by_slots = not ruleset.ranks_only
    served = (
        (not by_slots or ruleset.max_hand <= MAX_SLOTS, f"hands of {ruleset.max_hand} cards with suits (allowed: {MAX_SLOTS})"),
        (ruleset.max_hand <= MAX_HAND, f"hands of {ruleset.max_hand} cards (allowed: {MAX_HAND})"),
        (not by_slots or ruleset.deck.copies == 1, "two decks with suits"),
        (not by_slots or all(row.shape.sides is None for row in rows), "side cards with suits"),
        (type(auction) in (type(None), CallRob, Bid), f"the auction {auction} (allowed: CallRob, Bid)"),
        (auction is None or auction.deals <= MAX_DEALS, f"an auction of more than {MAX_DEALS} deals"),
        (isinstance(ruleset.scoring, SETTLEMENTS), f"the settlement {ruleset.scoring}"),
        (factor_bits(ruleset) <= 60, "factors that may exceed 60 bits"),
        (all(max(row.shape.counts) <= BYTE for row in rows), f"plays with more than {BYTE} cards of a rank"),
    )
    if faults := [fault for good, fault in served if not good]:
        raise ConfigError(f"{ruleset.name} cannot be compiled: it has {', '.join(faults)}; the reference engine serves it")


def factor_bits(ruleset: RuleSet) -> int:
    """A bound on the bits by which what multiplies a stake makes it longer: as if all cards made the dearest plays."""
    factors = [ruleset.spring, ruleset.anti_spring]
    if isinstance(ruleset.auction, CallRob):
        factors += [ruleset.auction.rob_factor] * (ruleset.max_players + 1)
    dearest = 0.0
    for row in ruleset.table.rows if ruleset.multipliers else ():
        dearest = max(dearest, log2(max(_factors(ruleset, row))) / row.shape.size)
    return ceil(sum(map(log2, factors)) + dearest * ruleset.deck.size)


def _factors(ruleset: RuleSet, row: Row) -> tuple[int, int]:
    """What a shape's plays multiply the stake by: answers, and those that open a circle of a game begun."""
    follows, leads = 1, 1
    for one in ruleset.multipliers:
        if one.pattern == row.pattern and (one.sizes is None or one.sizes[0] <= row.shape.size <= one.sizes[1]):
            follows *= one.factor
            leads *= one.factor if one.led is None else one.led
    return follows, leads


@lru_cache(maxsize=32)
def compile_wide(ruleset: RuleSet, num_players: int) -> np.record:
    """The record of a ruleset for so many seats.

    Raises:
        ConfigError: the ruleset has a part that the kernels do not serve, or not so many seats.
    """
    from big2_env.climbing.encoding.observation import ObservationLayout

    if not ruleset.min_players <= num_players <= min(ruleset.max_players, MAX_PLAYERS):
        raise ConfigError(f"{num_players} players: {ruleset.name} allows {ruleset.min_players} to {ruleset.max_players}")
    _check(ruleset)
    order, table, space = ruleset.order, ruleset.table, action_space(ruleset)
    for what, given, most in (
        ("patterns' shapes", len(table.rows), MAX_ROWS),
        ("comparison groups", len(table.categories), MAX_CATEGORIES),
        ("actions", space.n, MAX_ACTIONS),
        ("shapes with side cards", sum(row.shape.sides is not None for row in table.rows), MAX_SIDES),
        ("side cards", max((s.size // s.unit for row in table.rows if (s := row.shape.sides)), default=0), MAX_UNITS),
    ):
        if given > most:
            raise ConfigError(f"{given} {what}: the kernels allow {most}; the reference engine serves more")
    t = np.zeros((), TABLES)
    layout = ObservationLayout(ruleset, num_players)
    t["window"] = [layout.windows[name].start if name in layout.windows else -1 for name in WINDOWS]
    t["obs_size"], t["multiplier_steps"] = layout.size, MULTIPLIER_STEPS
    _fill_rules(t, ruleset, num_players, space)
    t["lowest"] = [[_lowest(byte, number) for number in range(16)] for byte in range(256)]
    t["card_at"] = 255
    for value, rank in enumerate(order.ranks):
        for i, card in enumerate(order.sort(order.rank_masks[rank])):
            place = value * BYTE + i
            t["card_at"][place], t["place_of"][card], t["dense"][place] = card, place, order.positions[card]
            t["suit_of"][place] = 1 << (4 if card.suit is None else order.suit_values[card.suit])
    _fill_rows(t, ruleset)
    _fill_categories(t, table)
    if isinstance(space, RankTable):
        _fill_rank_actions(t, space, order.ranks)
    else:
        assert isinstance(space, HandSlots)
        _fill_slot_actions(t, space)
        fill_hash(t, table.rows, t["row_body"], HASH_SIZE - 1)
    _fill_sides(t, ruleset)
    _fill_categories_alone(t, table)
    _fill_settlement(t, ruleset, num_players)
    return as_record(t)


def _lowest(byte: int, number: int) -> int:
    """The lowest set bits of a byte, so many of them or all."""
    bits = [1 << i for i in range(8) if byte >> i & 1]
    return sum(bits[:number])


def lanes(counts: list[int]) -> list[int]:
    """Numbers of cards by value as lanes."""
    return [sum((n > 4 * half + k) << 16 * k + value for value, n in enumerate(counts) for k in range(4)) for half in (0, 1)]


def _nibbles(counts: list[int]) -> int:
    """Numbers of cards by value as nibbles."""
    return sum(number << 4 * value for value, number in enumerate(counts))


def _by_value(counts: tuple[int, ...], ruleset: RuleSet) -> list[int]:
    """Numbers of cards by rank as numbers by value; none of ranks that the deck lacks."""
    return [counts[rank] for rank in ruleset.order.ranks]


def _fill_rules(t: Array, ruleset: RuleSet, num_players: int, space: ActionSpace) -> None:
    """The rules that are numbers."""
    auction = ruleset.auction
    t["num_players"], t["hand_size"], t["max_hand"] = num_players, ruleset.hand_size, ruleset.max_hand
    t["deck_size"], t["num_values"] = ruleset.deck.size, len(ruleset.ranks)
    t["num_actions"], t["first_call"], t["by_slots"] = space.n, space.first_call, not ruleset.ranks_only
    t["lead"] = (Lead.ANY, Lead.CONTAINS, Lead.EXACT).index(ruleset.lead)
    t["lock"] = (PassLock.NONE, PassLock.CIRCLE, PassLock.ROUND).index(ruleset.pass_lock)
    t["auto_lead"], t["last_holder"] = ruleset.auto_lead, ruleset.ending is Ending.LAST_HOLDER
    if ruleset.draw_pile:
        t["refill"] = 1 + (Refill.CIRCLE_END, Refill.AFTER_PLAY).index(ruleset.refill)
    t["one_each"], t["auto_skip"] = ruleset.refill_order is RefillOrder.ROUND_ROBIN, ruleset.auto_skip_unbeatable
    t["spring"], t["anti_spring"] = ruleset.spring, ruleset.anti_spring
    if auction is not None:
        t["deals"], t["said_values"] = auction.deals, 1 + max(act.power for act in auction.vocabulary)
    if isinstance(auction, CallRob):
        t["auction"], t["stake"], t["rob_factor"] = CALL_ROB, auction.stake, auction.rob_factor
    if isinstance(auction, Bid):
        t["auction"], t["stake"], t["most_bid"] = BID, auction.forced_stake, auction.most


def _fill_rows(t: Array, ruleset: RuleSet) -> None:
    """The shapes."""
    names = [rule.pattern.name for rule in ruleset.patterns]
    sides = 0
    for i, row in enumerate(ruleset.table.rows):
        counts = _by_value(row.shape.counts, ruleset)
        t["row_lanes"][i] = np.array(lanes(counts), np.uint64)
        t["row_body"][i], t["row_category"][i], t["row_power"][i] = _nibbles(counts), row.category, row.power
        t["row_pattern"][i] = names.index(row.pattern)
        t["row_key"][i] = ruleset.order.values[row.shape.key] if row.by_suit else -1
        t["row_sides"][i] = -1
        if row.shape.sides is not None:
            t["row_sides"][i] = sides
            sides += 1
        t["row_factor"][i] = _factors(ruleset, row)


def _fill_categories(t: Array, table: PlayTable) -> None:
    """Categories, their rungs, what covers what."""
    rungs, rows = 0, table.rows
    number = len(table.categories)
    for i, category in enumerate(table.categories):
        t["cat_size"][i], t["cat_rungs"][i, 0] = category.size, rungs
        for power, group in groupby(table.bounds[i], key=lambda k: rows[k].power):
            found = list(group)
            if rungs >= MAX_RUNGS:
                raise ConfigError(f"more than {MAX_RUNGS} strengths: the reference engine serves them")
            t["rung_power"][rungs], t["rung_rows"][rungs] = power, (found[0], found[-1] + 1)
            t["rung_lanes"][rungs] = np.bitwise_and.reduce(t["row_lanes"][found], axis=0)
            rungs += 1
        t["cat_rungs"][i, 1] = rungs
        t["covers"][0, i] = 2
        for other in range(number):
            t["covers"][i + 1, other] = 2 if other in table.coverers[i] else other in table.rivals[i]
    for top in range(number + 1):
        answers = np.flatnonzero(t["covers"][top, :number])
        t["num_answers"][top], t["answers"][top, : len(answers)] = len(answers), answers
    for i in range(number):
        powers = [rows[k].power + 3 * rows[k].by_suit for rival in table.rivals[i] for k in table.bounds[rival]]
        t["unbeatable"][i] = 1 << 30 if table.coverers[i] else max(powers)


def _fill_categories_alone(t: Array, table: PlayTable) -> None:
    """Categories whose plays are some number of cards of one rank in one tier: of these a hand's plays need no search."""
    for i in range(len(table.categories)):
        rows = [table.rows[k] for k in table.bounds[i]]
        tiers = {row.power // TIER_POWER for row in rows}
        counts = {row.shape.size for row in rows if len(row.ranks) == 1 and row.shape.sides is None}
        if len(tiers) == len(counts) == 1 and all(len(row.ranks) == 1 and row.shape.sides is None for row in rows):
            t["cat_count"][i], t["cat_power"][i] = min(counts), min(tiers) * TIER_POWER
            for k in table.bounds[i]:
                value = table.rows[k].power % TIER_POWER // 4
                t["cat_values"][i] |= np.uint64(1 << value)
                t["cat_ids"][i, value] = t["row_first"][k]


def _fill_rank_actions(t: Array, space: RankTable, ranks: tuple[int, ...]) -> None:
    """The actions of a rank table."""
    rows = np.frombuffer(space.rows, np.uint16)
    counts = np.frombuffer(space.counts, np.uint64)
    t["action_row"][1 : space.first_call] = rows
    for value, rank in enumerate(ranks):
        t["action_cards"][1 : space.first_call] |= (counts >> np.uint64(4 * rank) & np.uint64(15)) << np.uint64(4 * value)
    found, first = np.unique(rows, return_index=True)
    t["row_first"][found] = first + 1


def _fill_slot_actions(t: Array, space: HandSlots) -> None:
    """The actions by places of a sorted hand: a smaller hand uses the first of each number of cards."""
    places = [sum(1 << place for place in space.slots(action)) for action in range(space.first_call)]
    t["action_cards"][: space.first_call] = places
    for held in range(space.hand_size + 1):
        for size, first in space.offsets.items():
            stop = first
            while stop < space.first_call and places[stop].bit_count() == size and places[stop] < 1 << held:
                stop += 1
            t["size_actions"][held, size] = first, stop


def _fill_sides(t: Array, ruleset: RuleSet) -> None:
    """The side cards, and how many choices of them there are: so a choice's place in the table is a sum."""
    deck = [mask.bit_count() for mask in ruleset.order.rank_masks]
    for i, row in enumerate(ruleset.table.rows):
        if row.shape.sides is None:
            continue
        side, sides = int(t["row_sides"][i]), row.shape.sides
        t["side_units"][side], t["side_unit"][side] = sides.size // sides.unit, sides.unit
        t["side_limits"][side, : len(ruleset.ranks)] = _by_value(sides.limits, ruleset)
        t["side_exclusive"][side] = sum(1 << ruleset.order.values[r] for r in sides.exclusive if ruleset.order.values[r] >= 0)
        room = [held - body for held, body in zip(deck, row.shape.counts, strict=True)]
        t["side_ways"][side] = _ways(sides, _by_value(tuple(room), ruleset), ruleset)


def _ways(sides: Sides, room: list[int], ruleset: RuleSet) -> Array:
    """How many choices of so many units there are from the values below, int32 (16, units + 1, 2)."""
    ways = np.zeros((16, MAX_UNITS + 1, 2), np.int64)
    ways[:, 0] = 1
    for value, rank in enumerate(ruleset.order.ranks):
        most = min(room[value], sides.limits[rank]) // sides.unit
        exclusive = rank in sides.exclusive
        for left in range(1, MAX_UNITS + 1):
            for used in (0, 1):
                top = 0 if exclusive and used else max(0, min(most, left))
                ways[value + 1, left, used] = sum(
                    ways[value, left - number, 1 if used or (exclusive and number) else 0] for number in range(top + 1)
                )
    return np.minimum(ways, np.iinfo(np.int32).max)


def _fill_settlement(t: Array, ruleset: RuleSet, players: int) -> None:
    """What the end pays."""
    scoring, order = ruleset.scoring, ruleset.order
    t["settlement"] = next(i for i, kind in enumerate(SETTLEMENTS) if isinstance(scoring, kind))
    for left in range(1, NUM_CARDS + 1):
        if isinstance(scoring, PenaltySettlement):
            t["penalty"][:, left] = scoring.penalty(left, players), scoring.penalty(left, 2)
        elif isinstance(scoring, PairwiseDifference):
            t["penalty"][:, left] = replace(scoring, bonuses=()).worth((1 << left) - 1)
    if isinstance(scoring, PairwiseDifference):
        for card, amount in scoring.bonuses:
            t["dear"][t["place_of"][card]] += amount
    if isinstance(scoring, CapturedPoints):
        for rank, points in dict(scoring.points).items():
            if order.values[rank] >= 0:
                t["points"][order.values[rank]] = points
