"""Variants of compiled code: action numbering, words per card set, maximum number of seats, optional parts."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.climbing.parts import Ending, PassLock
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import PairwiseDifference, PenaltySettlement
from big2_env.climbing.shapes import Suits
from big2_env.climbing.table import TIER_POWER, Row
from big2_env.kernels.dialect import BY_SLOTS, HAS_EXTRAS, TWO_DECKS, Feature
from big2_env.kernels.tables import (
    LARGE,
    MAX_DEALS,
    MAX_SLOTS,
    USUAL,
    Bounds,
    arguments_dtype,
    game_dtype,
    scratch_dtype,
    tables_dtype,
)

FEW_SEATS, MANY_SEATS = 4, 10
ENTRIES: Final = ("int8", "float32", "uint8")


class Variant(NamedTuple):
    """Set of record types for which the kernels are compiled once. Many rulesets share a variant."""

    by_slots: bool
    """True if actions are positions in the sorted hand, False if they are ranks."""
    words: int
    """Words in a set of cards: 1 for one deck, 2 for two."""
    seats: int
    """Maximum number of seats of a record."""
    has_extras: bool
    """True if games may have an auction, a draw pile, a round lock or captured cards."""
    entry: str = "int8"
    """Dtype of observations: int8, float32, or uint8 for packed bits."""
    is_large: bool = False
    """True for the bounds `LARGE`."""
    deals: int = MAX_DEALS
    """Maximum number of deals of an auction; more than `MAX_DEALS` only if nothing is compiled."""

    @property
    def bounds(self) -> Bounds:
        """Bounds of the tables."""
        return LARGE if self.is_large else USUAL

    @property
    def tables(self) -> np.dtype[Any]:
        """Dtype of a compiled ruleset."""
        return tables_dtype(self.by_slots, self.words, self.bounds)

    @property
    def game(self) -> np.dtype[Any]:
        """Dtype of a game."""
        return game_dtype(self.words, self.seats, self.has_extras, self.deals)

    @property
    def scratch(self) -> np.dtype[Any]:
        """Dtype of a thread's working memory."""
        return scratch_dtype(self.by_slots, self.bounds)

    @property
    def arguments(self) -> np.dtype[Any]:
        """Dtype of a call's arguments, which identifies the variant to compiled code."""
        return arguments_dtype(self.name)

    @property
    def name(self) -> str:
        """Unique name."""
        kinds = "slots" if self.by_slots else "ranks", "parts" if self.has_extras else "plain"
        return f"{kinds[0]}_{self.words}_{self.seats}_{kinds[1]}_{self.entry}" + "_large" * self.is_large


@lru_cache(maxsize=64)
def variant_of(ruleset: RuleSet, entry: str = "int8") -> Variant:
    """Return the variant for a ruleset and an observation dtype. `compile_tables` decides whether the ruleset compiles."""
    is_plain = (
        not ruleset.ranks_only
        and ruleset.auction is None
        and not ruleset.draw_pile
        and ruleset.pass_lock is not PassLock.ROUND
        and ruleset.ending is Ending.FIRST_OUT
        and isinstance(ruleset.scoring, PenaltySettlement | PairwiseDifference)
        and ruleset.max_players <= FEW_SEATS
    )
    seats = FEW_SEATS if ruleset.max_players <= FEW_SEATS else max(MANY_SEATS, ruleset.max_players)
    is_large, auction = not USUAL.contain(sizes_of(ruleset)), ruleset.auction
    deals = max(MAX_DEALS, 0 if auction is None else auction.deals)
    return Variant(not ruleset.ranks_only, ruleset.deck.copies, seats, not is_plain, entry, is_large, deals)


@lru_cache(maxsize=64)
def sizes_of(ruleset: RuleSet) -> Bounds:
    """Return the sizes of a ruleset's tables, at most."""
    rows = fitting_rows(ruleset)
    by_slots = not ruleset.ranks_only and ruleset.max_hand <= MAX_SLOTS
    return Bounds(
        rows=len(rows),
        ladders=len({ladder_of(row) for row in rows if row.shape.suits is not Suits.SAME}),
        categories=len(ruleset.table.categories),
        suited=len({row.shape.size for row in rows if row.shape.suits is Suits.SAME}),
        slot_actions=1 + sum(comb(ruleset.max_hand, size) for size in ruleset.sizes) if by_slots else 0,
    )


def fitting_rows(ruleset: RuleSet) -> list[Row]:
    """Return the shapes that some hand can hold."""
    most, held = ruleset.max_hand, [mask.bit_count() for mask in ruleset.order.rank_masks]
    return [row for row in ruleset.table.rows if row.shape.size <= most and all(held[rank] >= n for rank, n in row.ranks)]


def ladder_of(row: Row) -> tuple[int, bool, int, int, int]:
    """Return the common properties of a ladder's rows: category, whether SAME, tier, power per suit, number of key cards."""
    key_count = row.shape.counts[row.shape.key]
    return row.category, row.shape.suits is Suits.SAME, row.power // TIER_POWER, row.suit_step, key_count


_NAMED: Final = {
    variant.name: variant
    for by_slots in (True, False)
    for words in (1, 2)
    for seats in (FEW_SEATS, MANY_SEATS)
    for has_extras in (False, True)
    for entry in ENTRIES
    for is_large in (False, True)
    if (variant := Variant(by_slots, words, seats, has_extras, entry, is_large))
}


def features_of(ruleset: RuleSet) -> frozenset[Feature]:
    """Return the features that the kernels are specialized for in a ruleset's games."""
    variant = variant_of(ruleset)
    given = (variant.by_slots, BY_SLOTS), (variant.has_extras, HAS_EXTRAS), (variant.words == 2, TWO_DECKS)
    return frozenset(feature for has, feature in given if has)


def variant_named(fields: Any) -> Variant:
    """Return the variant that the type of a call's arguments names, given its field names."""
    return next(_NAMED[name] for name in fields if name in _NAMED)
