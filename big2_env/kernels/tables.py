"""A ruleset compiled into arrays, for the kernels to work from. Cards are places in the ruleset's ascending order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, groupby, product
from math import comb
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from big2_env.climbing.actions import HandSlots
from big2_env.climbing.ruleset import Ending, Lead, PassLock, RuleSet
from big2_env.climbing.settlement import PairwiseDifference, PenaltySettlement
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import TIER_POWER, PlayTable, Row
from big2_env.errors import ConfigError
from big2_env.kernels.sources import MARK

Array = npt.NDArray[Any]
MAX_HAND: Final = 13
"""Longest hand."""
MAX_PLAYERS: Final = 4
"""Most seats: with hands of 13 or fewer from 52 cards."""
MAX_ACTIONS: Final = 1 << MAX_HAND
"""Choices of places in the longest hand. Legal acts are different choices, so there are never more of them."""
SLACK: Final = 16
"""Places that a list of ids needs past its end: ids are written in groups of a fixed size, of which the right ones count."""
MAX_WAYS: Final = 6
"""Most choices of some of a rank's four cards."""
MAX_ROWS, MAX_LADDERS, MAX_CATEGORIES, MAX_SUITED, HASH_SIZE = 1 << 12, 64, 32, 4, 1 << 15
"""Bounds of the tables."""
MAX_PATTERNS, MAX_TIERS = 1 << 10, 1 << 8
"""More patterns would not fit into an observation's words (`state.SCRATCH`), more tiers not into a power."""
FULL, RIVAL = 2, 1
"""Values of `covers`: every play of the category covers, or those with more power do."""
TOP_POWER = 1 << 30
"""More than the power of any play."""
ANY, SAME, MIXED = 0, 1, 2
"""Values of `row_suits`, as `Suits`."""
EMPTY = (1 << 64) - 1
"""Key of an empty place of the hash table."""
HASH_FACTOR, HASH_SHIFT = 0x9E3779B97F4A7C15, 40


TABLES: Final = np.dtype(
    [
        ("num_players", np.int32),
        ("hand_size", np.int32),
        ("num_actions", np.int32),
        ("lead", np.int32),  # 0 any, 1 contains the lowest card, 2 the lowest card alone
        ("lock", np.int32),  # 0 a pass locks nobody out, 1 until the lead passes on
        ("auto_lead", np.int32),  # 1 if a forced first play is made by the engine
        ("num_ladders", np.int32),
        ("num_suited", np.int32),
        # Rows are the ruleset's shapes, sorted so that the rows of a rung are neighbours.
        ("row_need", np.uint64, MAX_ROWS),  # the counts of each rank in unary nibbles (bits.unary)
        ("row_ranks", np.int8, (MAX_ROWS, 13)),  # the values of the shape's ranks, ascending
        ("row_counts", np.int8, (MAX_ROWS, 13)),  # how many cards of each
        ("row_parts", np.int8, MAX_ROWS),  # how many ranks
        ("row_key", np.int8, MAX_ROWS),  # which of the parts is the key
        ("row_power", np.int16, MAX_ROWS),  # power with the lowest deciding suit
        ("row_by_suit", np.int8, MAX_ROWS),  # 1 if the deciding suit adds to the power
        ("row_suits", np.int8, MAX_ROWS),  # ANY, SAME or MIXED
        ("row_category", np.int16, MAX_ROWS),
        ("row_pattern", np.int16, MAX_ROWS),  # index among the ruleset's patterns
        # A ladder is the rows, SAME ones aside, of one category, tier and number of key cards; its rungs are their key values.
        ("ladder_category", np.int32, MAX_LADDERS),
        ("ladder_size", np.int32, MAX_LADDERS),  # number of cards
        ("ladder_power", np.int32, MAX_LADDERS),  # power of the tier
        ("ladder_by_suit", np.int32, MAX_LADDERS),  # 1 if the deciding suit adds to the power
        ("ladder_count", np.int32, MAX_LADDERS),  # how many key cards
        ("ladder_values", np.uint64, MAX_LADDERS),  # the key values, as lowest bits of nibbles
        ("ladder_alone", np.int32, MAX_LADDERS),  # 1 if the key cards are all the cards
        ("rung_need", np.uint64, (MAX_LADDERS, 13)),  # what all rows of a rung need
        ("rung_rows", np.int32, (MAX_LADDERS, 13, 2)),  # first row, and the one after the last
        ("covers", np.int8, (MAX_CATEGORIES, MAX_CATEGORIES)),  # [top, play]: 0, RIVAL or FULL
        # By the top's category + 1, 0 for a lead: the ladders that may answer, and the power of the tier there; so high that
        # no top reaches it where every play of the ladder covers.
        ("num_answers", np.int32, MAX_CATEGORIES + 1),
        ("answers", np.int32, (MAX_CATEGORIES + 1, MAX_LADDERS)),
        ("answer_power", np.int32, (MAX_CATEGORIES + 1, MAX_LADDERS)),
        ("suited_sizes", np.int32, MAX_SUITED),  # the numbers of cards that SAME rows have
        ("suited_row", np.int16, (MAX_SUITED, 1 << 13)),  # the SAME row of a set of values, -1 for none
        ("alone_plays", np.int32, 5),  # how few plays of one rank put down so many cards of it
        ("choices", np.uint8, (5, 5, 6)),  # [held, taken]: choices of one rank's held cards, ascending by the highest
        ("binomial", np.int32, (14, 14)),
        ("part_id", np.int32, (14, 13, 16)),  # what one rank adds to an action id: [first place, cards below, choice]
        ("alone_id", np.int32, (14, 5, 5, 2 * MAX_WAYS)),  # what a play of one rank adds: [first place, held, taken, choice]
        ("size_offset", np.int32, 14),  # first action id of each number of cards
        ("action_slots", np.uint16, MAX_ACTIONS),  # the places of each action, as bits
        ("hash_last", np.uint64),  # the table's last place: a small one stays in the cache
        ("hash_key", np.uint64, HASH_SIZE),  # open-addressed table of unary counts, EMPTY where free
        ("hash_row", np.int16, (HASH_SIZE, 2)),  # the row of those counts for cards of [mixed, one] suit, -1 for none
        ("penalty", np.float64, 14),  # what cards left cost by their number
        ("dear_cards", np.uint64),  # the places of the cards that cost more
        ("dear_penalty", np.float64, 52),  # how much more, by place
        ("pairwise", np.int32),  # 1 if each seat pays every other the difference, 0 if losers pay the winner
        ("card_at", np.int8, 52),  # card id by place
        ("place_of", np.int8, 52),  # place by card id
        (MARK, np.int64),
    ]
)
"""One ruleset as one record. Its sizes are bounds that `compile_tables` checks: one compilation serves all."""
Tables: TypeAlias = np.record
"""A record of `TABLES`."""


def _check(ruleset: RuleSet) -> None:
    """Refuse what the kernels do not serve."""
    served = (
        (ruleset.deck.size == 52, f"a deck of {ruleset.deck.size} cards (allowed: 52)"),
        (not ruleset.draw_pile, "a draw pile"),
        (ruleset.ending is Ending.FIRST_OUT, f"the ending {ruleset.ending.value!r} (allowed: first_out)"),
        (ruleset.pass_lock is not PassLock.ROUND, "the pass lock 'round' (allowed: none, circle)"),
        (
            isinstance(ruleset.scoring, PenaltySettlement | PairwiseDifference),
            f"the settlement {ruleset.scoring} (allowed: by cards left)",
        ),
        (ruleset.max_players <= MAX_PLAYERS, f"{ruleset.max_players} players (allowed: up to {MAX_PLAYERS})"),
        (not ruleset.ranks_only, "plays told by ranks only"),
        (all(row.shape.sides is None for row in ruleset.table.rows), "side cards of many choices"),
        (ruleset.hand_size <= MAX_HAND, f"hands of {ruleset.hand_size} cards (allowed: up to {MAX_HAND})"),
    )
    faults = [fault for good, fault in served if not good]
    if faults:
        raise ConfigError(f"{ruleset.name} cannot be compiled: it has {', '.join(faults)}; the reference engine serves it")


@lru_cache(maxsize=32)
def compile_tables(ruleset: RuleSet) -> Tables:
    """The tables of a ruleset.

    Raises:
        ConfigError: the ruleset has a part that the kernels do not serve, or cards with two readings.
    """
    _check(ruleset)
    order, table = ruleset.order, ruleset.table
    rows = sorted((row for row in table.rows if _can_be_held(row, ruleset)), key=lambda row: (_ladder(row), row.power))
    names = [rule.pattern.name for rule in ruleset.patterns]
    t = np.zeros((), TABLES)
    t["num_players"], t["hand_size"] = players, hand_size = ruleset.default_players, ruleset.hand_size
    t["lead"] = (Lead.ANY, Lead.CONTAINS, Lead.EXACT).index(ruleset.lead)
    t["lock"] = ruleset.pass_lock is PassLock.CIRCLE
    t["auto_lead"] = ruleset.auto_lead
    t["card_at"], t["place_of"] = order.cards, order.positions[:52]
    _bound("patterns' shapes", len(rows), MAX_ROWS)
    _bound("patterns", len(names), MAX_PATTERNS)
    _bound("tiers", max(rule.tier for rule in ruleset.patterns) + 1, MAX_TIERS)
    for i, row in enumerate(rows):
        part = sorted((order.values[rank], count) for rank, count in row.ranks)
        values, counts = zip(*part, strict=True)
        t["row_need"][i] = sum(((1 << n) - 1) << 4 * value for value, n in part)
        t["row_ranks"][i, : len(part)], t["row_counts"][i, : len(part)] = values, counts
        t["row_parts"][i], t["row_key"][i] = len(part), values.index(order.values[row.shape.key])
        t["row_power"][i], t["row_by_suit"][i] = row.power, row.by_suit
        t["row_suits"][i] = (Suits.ANY, Suits.SAME, Suits.MIXED).index(row.shape.suits)
        t["row_category"][i], t["row_pattern"][i] = row.category, names.index(row.pattern)
    _fill_ladders(t, rows, table)
    _fill_covers(t, table)
    _fill_answers(t)
    _fill_alone(t)
    _fill_suited(t, rows)
    t["hash_last"] = last = (1 << (4 * len(rows)).bit_length()) - 1
    fill_hash(t, rows, t["row_need"], last)
    space = HandSlots(ruleset)
    t["num_actions"] = space.n
    t["action_slots"][: space.n] = [sum(1 << slot for slot in space.slots(action)) for action in range(space.n)]
    for size, offset in space.offsets.items():
        if size <= hand_size:
            t["size_offset"][size] = offset
    t["choices"] = _choices()
    t["binomial"] = [[comb(n, k) for k in range(14)] for n in range(14)]
    t["part_id"] = _part_ids()
    _fill_alone_ids(t)
    _fill_penalties(t, ruleset, players)
    return as_record(t)


def _fill_penalties(t: Array, ruleset: RuleSet, players: int) -> None:
    """What the cards left cost."""
    scoring, order = ruleset.scoring, ruleset.order
    for number in range(1, ruleset.hand_size + 1):
        if isinstance(scoring, PenaltySettlement):
            t["penalty"][number] = scoring.penalty(number, players)
        else:
            assert isinstance(scoring, PairwiseDifference)
            t["penalty"][number] = replace(scoring, bonuses=()).worth((1 << number) - 1)
    if isinstance(scoring, PairwiseDifference):
        t["pairwise"] = 1
        for card, amount in scoring.bonuses:
            t["dear_cards"] |= np.uint64(1 << order.positions[card])
            t["dear_penalty"][order.positions[card]] += amount


def as_record(array: Array) -> np.record:
    """The one record of an array without dimensions, as the kernels take it: they get its address, nothing is copied."""
    record: Any = array.view(np.recarray)[()]
    return cast(np.record, record)


def _bound(what: str, given: int, most: int) -> None:
    if given > most:
        raise ConfigError(f"{given} {what}: the kernels allow {most}; the reference engine serves more")


def _can_be_held(row: Row, ruleset: RuleSet) -> bool:
    """Whether some hand has the cards of a row: not five of a rank, no jokers, no more cards than are dealt."""
    return row.shape.size <= ruleset.hand_size and all(
        ruleset.order.values[rank] >= 0 and count <= 4 for rank, count in row.ranks
    )


def _ladder(row: Row) -> tuple[int, bool, int, bool, int]:
    """What the rows of one ladder share: category, whether SAME, tier, whether the suit decides, number of key cards."""
    key_count = row.shape.counts[row.shape.key]
    return row.category, row.shape.suits is Suits.SAME, row.power // TIER_POWER, row.by_suit, key_count


def _fill_ladders(t: Array, rows: list[Row], table: PlayTable) -> None:
    """Ladders with their rungs."""
    ladders = [(key, list(group)) for key, group in groupby(range(len(rows)), key=lambda i: _ladder(rows[i])) if not key[1]]
    _bound("ladders of shapes", len(ladders), MAX_LADDERS)
    t["num_ladders"] = len(ladders)
    for ladder, ((category, _, tier, by_suit, key_count), members) in enumerate(ladders):
        size = table.categories[category].size
        t["ladder_category"][ladder], t["ladder_size"][ladder] = category, size
        t["ladder_power"][ladder], t["ladder_by_suit"][ladder] = tier * TIER_POWER, by_suit
        t["ladder_count"][ladder], t["ladder_alone"][ladder] = key_count, key_count == size
        for power, group in groupby(members, key=lambda i: rows[i].power):
            rung, value = list(group), power % TIER_POWER // 4
            t["ladder_values"][ladder] |= np.uint64(1 << 4 * value)
            t["rung_need"][ladder, value] = np.bitwise_and.reduce(t["row_need"][rung])
            t["rung_rows"][ladder, value] = rung[0], rung[-1] + 1


def _fill_covers(t: Array, table: PlayTable) -> None:
    """What covers what."""
    number = len(table.categories)
    _bound("comparison groups", number, MAX_CATEGORIES)
    for top in range(number):
        for category in range(number):
            full, rival = category in table.coverers[top], category in table.rivals[top]
            t["covers"][top, category] = FULL if full else RIVAL if rival else 0


def _fill_alone(t: Array) -> None:
    """How few plays of one rank put down 0 to 4 cards of it; 4 for what cannot be done."""
    sizes = {int(size) for size, alone in zip(t["ladder_size"], t["ladder_alone"], strict=True) if alone}
    for cards in range(1, 5):
        t["alone_plays"][cards] = min((1 + t["alone_plays"][cards - size] for size in sizes if size <= cards), default=4)


def _fill_answers(t: Array) -> None:
    """The ladders that may answer each top."""
    for top in range(-1, MAX_CATEGORIES):
        number = 0
        for ladder in range(int(t["num_ladders"])):
            relation = FULL if top < 0 else t["covers"][top, t["ladder_category"][ladder]]
            if relation:
                power = TOP_POWER if relation == FULL else t["ladder_power"][ladder]
                t["answers"][top + 1, number], t["answer_power"][top + 1, number] = ladder, power
                number += 1
        t["num_answers"][top + 1] = number


def _fill_alone_ids(t: Array) -> None:
    """What a play of some cards of one rank adds to its action id; a rank's cards lie in neighbouring places."""
    for first, held, taken in product(range(14), range(5), range(5)):
        ways = comb(held, taken)
        t["alone_id"][first, held, taken, :ways] = t["part_id"][first, 0, t["choices"][held, taken, :ways]]


def _fill_suited(t: Array, rows: list[Row]) -> None:
    """The SAME rows by number of cards and set of values."""
    sizes = sorted({row.shape.size for row in rows if row.shape.suits is Suits.SAME})
    _bound("numbers of cards of one-suited shapes", len(sizes), MAX_SUITED)
    t["num_suited"] = len(sizes)
    t["suited_sizes"][: len(sizes)] = sizes
    t["suited_row"] = -1
    for i, row in enumerate(rows):
        if row.shape.suits is Suits.SAME:
            values = t["row_ranks"][i, : t["row_parts"][i]]
            t["suited_row"][sizes.index(row.shape.size), sum(1 << int(value) for value in values)] = i


def fill_hash(t: Array, rows: Sequence[Row], keys: Array, last: int) -> None:
    """The rows by what `keys` has for each, for cards of several suits and of one, in the first `last` + 1 places.

    Raises:
        ConfigError: two rows for the same cards.
    """
    t["hash_key"], t["hash_row"] = EMPTY, -1
    for i, (row, key) in enumerate(zip(rows, map(int, keys), strict=False)):
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
    """The ways to take some of the cards held of one rank, ascending by the highest card taken."""
    table = np.zeros((5, 5, 6), np.uint8)
    for held in range(5):
        for taken in range(held + 1):
            ways = sorted(sum(1 << card for card in way) for way in combinations(range(held), taken))
            table[held, taken, : len(ways)] = ways
    return table


def _part_ids() -> Array:
    """What a choice of cards of one rank adds to the action id of `HandSlots`."""
    table = np.zeros((14, 13, 16), np.int32)
    for first, below, choice in np.ndindex(table.shape):
        cards = [card for card in range(4) if choice >> card & 1]
        table[first, below, choice] = sum(comb(first + card, below + i) for i, card in enumerate(cards, start=1))
    return table
