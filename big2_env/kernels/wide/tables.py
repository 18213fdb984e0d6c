"""The record that a ruleset is compiled into, for the wide kernels to work from.

Cards are places: `BYTE` of them for each value, in the ruleset's ascending order. So a hand is two words of eight bytes, and
the lowest cards of a rank are the lowest bits of its byte. Two tellings of ranks are used besides:

* nibbles: how many cards of each value, four bits each, in one word;
* lanes: bit v of lane k, 16 bits each, is set where there are more than k cards of value v; two words of four lanes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from big2_env.cards import NUM_CARDS
from big2_env.climbing.settlement import (
    CapturedPoints,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Settlement,
    TeamStake,
)
from big2_env.kernels.sources import MARK as KERNELS
from big2_env.kernels.sources import mark_of

Array = Any
MARK: Final = mark_of(Path(__file__).parent, KERNELS)
BYTE: Final = 8
"""Places for each value: four suits twice."""
MAX_PLAYERS, MAX_DEALS, MAX_HAND, MAX_SLOTS = 10, 4, 64, 10
MAX_ROWS, MAX_RUNGS, MAX_CATEGORIES, MAX_SIDES, MAX_UNITS = 1 << 12, 1 << 10, 64, 1 << 8, 8
MAX_ACTIONS, HASH_SIZE = 1 << 17, 1 << 14
"""Bounds of the tables. With more, the reference engine has to serve."""
CALL_ROB, BID = 1, 2
"""Values of `auction`; 0 for none."""
SETTLEMENTS: Final[tuple[type[Settlement], ...]] = (
    PenaltySettlement,
    PairwiseDifference,
    TeamStake,
    CapturedPoints,
    FinishingOrder,
)
"""The settlements, by the values of `settlement`."""
PENALTY, PAIRWISE, TEAM, CAPTURED, ORDER = range(len(SETTLEMENTS))
WINDOWS: Final = (
    *("hand", "slots", "top", "top_pattern", "top_seat", "passed", "cards_left", "played", "obligation", "leading"),
    *("top_key", "lead_over", "pile_left", "bidding", "said", "redeals_left", "landlord", "bottom", "has_acted"),
    *("multiplier", "captured"),
)
"""The windows of observations, by their places in `window`."""

TABLES: Final = np.dtype(
    [
        *((name, np.int64) for name in ("num_players", "hand_size", "max_hand", "deck_size", "num_actions", "first_call")),
        *((name, np.int64) for name in ("by_slots", "num_values", "lead", "lock", "auto_lead", "last_holder", "refill")),
        *((name, np.int64) for name in ("one_each", "auto_skip", "auction", "deals", "stake", "rob_factor", "most_bid")),
        *((name, np.int64) for name in ("settlement", "spring", "anti_spring", "said_values", "multiplier_steps", "obs_size")),
        ("window", np.int64, len(WINDOWS)),  # the first entry of each window, -1 for none
        ("lowest", np.uint8, (256, 16)),  # [byte, number]: so many of its lowest bits
        ("card_at", np.uint8, 128),  # card id by place
        ("dense", np.uint8, 128),  # place in the ruleset's order by place
        ("place_of", np.uint8, NUM_CARDS),  # place by card id
        ("suit_of", np.uint8, 128),  # the suit by place as one bit, a fifth one for jokers
        # Rows are the ruleset's shapes, in the order of its table.
        ("row_lanes", np.uint64, (MAX_ROWS, 2)),  # the body
        ("row_body", np.uint64, MAX_ROWS),  # the body in nibbles
        ("row_category", np.int32, MAX_ROWS),
        ("row_power", np.int32, MAX_ROWS),  # with the lowest deciding suit
        ("row_pattern", np.int32, MAX_ROWS),
        ("row_key", np.int32, MAX_ROWS),  # the value of the key rank if its highest suit adds to the power, else -1
        ("row_first", np.int32, MAX_ROWS),  # the first action id of its plays, 0 for a shape that no hand has
        ("row_sides", np.int32, MAX_ROWS),  # which side cards, -1 for none
        ("row_factor", np.int64, (MAX_ROWS, 2)),  # what multiplies the stake, [whether it opens a circle of a game begun]
        ("cat_size", np.int32, MAX_CATEGORIES),
        ("cat_rungs", np.int32, (MAX_CATEGORIES, 2)),
        ("cat_count", np.int32, MAX_CATEGORIES),  # where all plays are so many cards of one rank in one tier, else 0
        ("cat_power", np.int32, MAX_CATEGORIES),  # of these the power of the tier,
        ("cat_values", np.uint64, MAX_CATEGORIES),  # their values as bits,
        ("cat_ids", np.int32, (MAX_CATEGORIES, 16)),  # their action ids by value
        ("rung_lanes", np.uint64, (MAX_RUNGS, 2)),  # what all rows of a rung need
        ("rung_power", np.int32, MAX_RUNGS),
        ("rung_rows", np.int32, (MAX_RUNGS, 2)),
        ("num_answers", np.int32, MAX_CATEGORIES + 1),  # by the top's category + 1, 0 for a lead
        ("answers", np.int32, (MAX_CATEGORIES + 1, MAX_CATEGORIES)),  # categories, ascending
        ("covers", np.int8, (MAX_CATEGORIES + 1, MAX_CATEGORIES)),  # [top + 1, category]: 0, 1 with more power, 2 always
        ("unbeatable", np.int32, MAX_CATEGORIES),  # the power from which nothing covers
        ("side_units", np.int32, MAX_SIDES),  # how many units are carried
        ("side_unit", np.int32, MAX_SIDES),  # of how many cards each
        ("side_limits", np.uint8, (MAX_SIDES, 16)),  # most cards of each value
        ("side_exclusive", np.uint64, MAX_SIDES),  # values of which one at most may be there, as bits
        # [side, values below this one, units, whether an exclusive one is there]: how many choices the deck has
        ("side_ways", np.int32, (MAX_SIDES, 16, MAX_UNITS + 1, 2)),
        ("action_row", np.int32, MAX_ACTIONS),  # of an action by ranks
        ("action_cards", np.uint64, MAX_ACTIONS),  # in nibbles; of an action by places: these as bits
        ("size_actions", np.int32, (MAX_SLOTS + 1, MAX_SLOTS + 1, 2)),  # [held, size]: ids of the choices of places
        ("hash_key", np.uint64, HASH_SIZE),  # open-addressed table of nibbles, EMPTY where free
        ("hash_row", np.int16, (HASH_SIZE, 2)),  # the row for cards of [several, one] suit, -1 for none
        ("penalty", np.float64, (2, NUM_CARDS + 1)),  # [whether several win, cards left]
        ("dear", np.float64, 128),  # what a card left costs besides, by place
        ("points", np.float64, 16),  # of each card of a value
        (MARK, np.int64),
    ]
)
"""One ruleset as one record."""
