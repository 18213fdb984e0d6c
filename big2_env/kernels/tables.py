"""Records that kernels work with: a ruleset, a game, a thread's working memory, the arguments of a call.

Cards are bits as defined in `cardsets.py`. A row is one shape of the ruleset. Rows with the same category, tier and
number of key cards form a ladder, whose rungs are the key values.

numba needs time for each array that Python passes, so arrays are passed as addresses, and compiled code turns them into
arrays again. The engine keeps the arrays alive. The type of the argument record names the variant (`variants.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.base.cards import NUM_CARDS
from big2_env.climbing.encoding.layout import WINDOWS
from big2_env.climbing.settlement import (
    CapturedPoints,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Settlement,
    TeamStake,
)
from big2_env.kernels.dialect.records import END, card_set

Array = npt.NDArray[Any]
PLACES: Final = {1: 4, 2: 8}
"""Bits per value, by the number of words in a set of cards."""
VALUES: Final = 15
"""Maximum number of values: thirteen ranks and two jokers."""
MAX_SLOTS: Final = 20
"""Longest hand for actions that are positions in the hand."""
MAX_HAND: Final = 63
MAX_RANK_ACTIONS: Final = 1 << 17
"""Maximum number of actions, if they are ranks."""
SLACK: Final = 24
"""Spare entries at the end of a list of ids. Ids are written in groups of fixed size, of which only some count."""
MAX_CHOICES: Final = 6
"""Maximum number of choices among the four cards of a rank."""
MAX_TIERS, MAX_DEALS, MAX_KICKERS, MAX_UNITS, MAX_WORDS, MAX_LOTS = 1 << 8, 4, 1 << 8, 8, 128, 1 << 8
"""Bounds of all tables. Larger rulesets need the reference engine."""


class Bounds(NamedTuple):
    """Bounds of the tables of some rulesets, and the sizes of one ruleset that they bound."""

    rows: int
    ladders: int
    categories: int
    suited: int
    """Different numbers of cards of one-suited shapes."""
    slot_actions: int
    """Actions, if they are positions in the hand."""

    def contain(self, other: Bounds) -> bool:
        """Return True if no size is larger than its bound."""
        return all(size <= most for size, most in zip(other, self, strict=True))


USUAL: Final = Bounds(rows=1 << 12, ladders=128, categories=64, suited=6, slot_actions=1 << 14)
LARGE: Final = Bounds(rows=1 << 14, ladders=512, categories=128, suited=13, slot_actions=1 << 17)
"""Bounds of most rulesets, and of those with many patterns or kickers. A larger record is compiled code of its own."""
FULL, RIVAL = 2, 1
"""Values of `beats`: all plays of the category beat, or only those with more power."""
TOP_POWER = 1 << 30
"""Larger than the power of any play."""
ANY, SAME, MIXED, EXACTLY = 0, 1, 2, 3
"""Values of `row_suits`, as `Suits`, and of `lot_suits`."""
CALL_ROB, BID = 1, 2
"""Values of `auction`; 0 for none."""
NO_LOCK, TRICK_LOCK, ROUND_LOCK = 0, 1, 2
"""Values of `lock`: how long a pass excludes its player."""
EMPTY = (1 << 64) - 1
"""Key of an empty slot of the hash table."""
HASH_FACTOR, HASH_SHIFT = 0x9E3779B97F4A7C15, 40
SETTLEMENTS: Final[tuple[type[Settlement], ...]] = (
    PenaltySettlement,
    PairwiseDifference,
    TeamStake,
    CapturedPoints,
    FinishingOrder,
)
"""Settlements, indexed by `settlement`."""
PENALTY, PAIRWISE, TEAM, CAPTURED, ORDER = range(len(SETTLEMENTS))

Tables: TypeAlias = np.record
"""A record of `tables_dtype`."""


@cache
def tables_dtype(by_slots: bool, words: int, bounds: Bounds = USUAL) -> np.dtype[Any]:
    """Return the dtype of one ruleset's record.

    Its sizes are bounds that `compile_tables` checks, so one compilation serves all rulesets.
    """
    sets, rows, ladders, categories = card_set(words), bounds.rows, bounds.ladders, bounds.categories
    common: Sequence[Any] = [
        *((name, np.int64) for name in ("num_players", "hand_size", "max_hand", "deck_size", "num_values", "num_actions")),
        *((name, np.int64) for name in ("first_call", "lead", "lock", "auto_lead", "must_cover", "auto_skip", "last_holder")),
        ("last_card", np.int64),  # before a next seat with one card: 1 if only the highest single is legal, 2 its whole rank
        ("top_final", np.int64),  # 1 if the highest card played alone ends its trick
        *((name, np.int64) for name in ("rest_to_lowest", "refill", "one_each", "auction", "deals", "stake", "rob_factor")),
        *((name, np.int64) for name in ("most_bid", "said_values", "spring", "anti_spring", "multiplier_steps")),
        *((name, np.int64) for name in ("settlement", "obs_size", "num_ladders", "num_suited", "num_categories", "num_rows")),
        ("num_shared", np.int64),  # how many rows are not the first to read their cards
        ("window", np.int64, len(WINDOWS)),  # the first entry of each window of an observation, -1 for none
        ("deck", sets, (1,)),  # the places of the deck's cards
        ("highest", sets, (1,)),  # the highest of them
        ("deck_cards", np.uint8, NUM_CARDS),  # the ids of the deck's cards, ascending
        ("card_at", np.uint8, 128),  # card id by place, 255 for none
        ("place_of", np.uint8, NUM_CARDS),  # place by card id
        # Rows are the ruleset's shapes, sorted so that the rows of a rung are neighbours.
        ("row_need", sets, (rows,)),  # the body's numbers by rank in unary (cardsets.unary)
        ("row_power", np.int16, rows),  # power with the lowest deciding suit
        ("row_step", np.int8, rows),  # what each step of the deciding suit adds to the power, 0 where it does not count
        ("row_key", np.int8, rows),  # the value of the key rank
        ("row_suits", np.int8, rows),  # ANY, SAME or MIXED
        ("row_category", np.int16, rows),
        ("row_pattern", np.int16, rows),  # index among the ruleset's patterns
        ("row_size", np.int8, rows),  # number of cards, kickers included
        ("row_place", np.int16, rows),  # the row's index in the ruleset's own table
        ("row_last", np.int64, rows),  # what multiplies all payments if it is the winner's last play
        ("row_factor", np.int64, (rows, 2)),  # what multiplies the stake, [whether it opens a trick of a game begun]
        ("single_row", np.int16, VALUES + 1),  # the row of one card of a value
        # A ladder is the rows, SAME ones aside, of one category, tier and number of key cards; its rungs are their key values.
        ("ladder_category", np.int32, ladders),
        ("ladder_size", np.int32, ladders),  # number of cards
        ("ladder_held", np.int32, ladders),  # most_held of the category
        ("ladder_power", np.int32, ladders),  # power of the tier
        ("ladder_step", np.int32, ladders),  # as row_step
        ("ladder_count", np.int32, ladders),  # how many key cards
        ("ladder_values", sets, (ladders,)),  # the key values, as the lowest places of their ranks
        ("ladder_alone", np.int32, ladders),  # 1 if the key cards are all the cards, 2 if so and some rows are shared
        ("ladder_mixes", np.int32, ladders),  # 1 if rows of earlier ladders come between or after its rows in the ruleset
        ("rung_need", sets, (ladders, VALUES)),  # what all rows of a rung need
        ("rung_rows", np.int32, (ladders, VALUES, 2)),  # first row, and the one after the last
        ("beats", np.int8, (categories, categories)),  # [top, play]: 0, RIVAL or FULL
        ("bomb", np.int32, categories),  # the bomb level
        ("most_held", np.int32, categories),  # the largest hand that may make the play: its size if it must be the last one
        ("unbeatable", np.int32, categories),  # the power from which nothing beats
        # By the top's category + 1, 0 for a lead: the ladders that may answer, and the power of the tier there; so high that
        # no top reaches it where every play of the ladder beats.
        ("num_answers", np.int32, categories + 1),
        ("answers", np.int32, (categories + 1, ladders)),
        ("answer_power", np.int32, (categories + 1, ladders)),
        ("penalty", np.float64, (2, NUM_CARDS + 1)),  # what cards left cost, [whether several win, how many]
        ("penalty_factor", np.float64, NUM_CARDS + 1),  # what the cost with the dear cards is multiplied by, [how many]
        ("dear_cards", sets, (1,)),  # the cards that cost more, or less
        ("dear_penalty", np.float64, 128),  # how much more, by place
        # What multiplies the cost: cards that a hand holds, several lots of which may serve one doubling.
        ("num_lots", np.int64),
        ("lot_need", sets, (MAX_LOTS,)),  # numbers by rank in unary, or the cards for EXACTLY
        ("lot_suits", np.int8, MAX_LOTS),  # ANY, SAME, MIXED or EXACTLY
        ("lot_doubling", np.int32, MAX_LOTS),  # which doubling, ascending
        ("lot_factor", np.int64, MAX_LOTS),
        ("most_last", np.float64),  # the largest of row_last
        ("points", np.float64, 16),  # of each captured card of a value
    ]
    slots: Sequence[Any] = [
        ("row_parts", np.int8, rows),  # how many ranks
        ("row_ranks", np.int8, (rows, VALUES)),  # the values of the shape's ranks in the ruleset's order, the key first
        ("row_counts", np.int8, (rows, VALUES)),  # how many cards of each
        ("row_below", np.int8, (rows, VALUES)),  # how many cards of lower values
        ("suited_sizes", np.int32, bounds.suited),  # the numbers of cards that SAME rows have
        ("suited_row", np.int16, (bounds.suited, 1 << VALUES)),  # a SAME row of a set of values, -1 for none
        ("alone_plays", np.int32, 5),  # how few plays of one rank put down so many cards of it
        ("choices", np.uint8, (5, 5, 6)),  # [held, taken]: choices of one rank's held cards, ascending by the highest
        ("binomial", np.int32, (MAX_SLOTS + 1, MAX_SLOTS + 1)),
        ("part_id", np.int32, (MAX_SLOTS + 1, MAX_SLOTS, 16)),  # what a rank adds to an id: [first place, cards below, choice]
        (
            "alone_id",
            np.int32,
            (MAX_SLOTS + 1, 5, 5, 2 * MAX_CHOICES),
        ),  # of a play of one rank: [first place, held, taken, choice]
        ("size_offset", np.int32, MAX_SLOTS + 1),  # first action id of each number of cards
        ("action_slots", np.uint32, bounds.slot_actions),  # the places of each action, as bits
        ("hash_last", np.uint64),  # the table's last place: a small one stays in the cache
        ("hash_key", np.uint64, 8 * rows),  # open-addressed table of unary counts, EMPTY where free
        ("hash_row", np.int16, (8 * rows, 2)),  # the first row of those counts for cards of [mixed, one] suit, -1 for none
        ("row_next", np.int16, (rows, 2)),  # the next row that reads cards of [mixed, one] suit, in the order of the patterns
        ("row_shared", np.int8, rows),  # 1 if another row reads some of its cards first
    ]
    ranks: Sequence[Any] = [
        ("lowest", np.uint8, (256, 16)),  # [cards of a rank, number]: so many of the lowest
        ("row_body", np.uint64, rows),  # the body's numbers by value, as nibbles
        ("row_first", np.int32, rows),  # the first action id of its plays, 0 for a shape that no hand has
        ("row_kickers", np.int32, rows),  # which kickers, -1 for none
        ("kicker_units", np.int32, MAX_KICKERS),  # how many units are carried
        ("kicker_unit", np.int32, MAX_KICKERS),  # of how many cards each
        ("kicker_limits", np.uint8, (MAX_KICKERS, 16)),  # most cards of each value
        ("kicker_exclusive", np.uint64, MAX_KICKERS),  # values of which one at most may be there, as bits
        # [kickers, values below this one, units, whether an exclusive one is there]: how many choices the deck has
        ("kicker_choices", np.int32, (MAX_KICKERS, 16, MAX_UNITS + 1, 2)),
        ("action_row", np.int32, MAX_RANK_ACTIONS),
        ("action_counts", np.uint64, MAX_RANK_ACTIONS),  # numbers by value, as nibbles
    ]
    return np.dtype([*common, *(slots if by_slots else ranks), (END, np.int64)])


@cache
def scratch_dtype(by_slots: bool, bounds: Bounds = USUAL) -> np.dtype[Any]:
    """Return the dtype of a thread's working memory, which avoids allocations inside loops."""
    return np.dtype(
        [
            ("words", np.uint64, MAX_WORDS),  # an observation as bits
            ("ids", np.int32, (bounds.slot_actions if by_slots else MAX_RANK_ACTIONS) + SLACK),  # a list of legal moves
            ("deck", np.uint8, NUM_CARDS),
            *(
                []
                if by_slots
                else [
                    ("most", np.int64, 16),  # units of each value that may be carried
                    ("reach", np.int64, 16),  # units of all values below
                    ("stack", np.int64, 256),  # choices of kickers begun
                ]
            ),
            (END, np.int64),
        ]
    )


@cache
def game_dtype(words: int, seats: int, has_extras: bool, deals: int = MAX_DEALS) -> np.dtype[Any]:
    """Return the dtype of one game.

    Args:
        words: Words in a set of cards.
        seats: Maximum number of seats.
        has_extras: True to include the fields of the optional parts.
        deals: Maximum number of deals of an auction.
    """
    sets = card_set(words)
    parts = [
        ("captured", sets, (seats,)),  # the cards of the tricks won, by seat, where the settlement asks
        ("lead_over", sets, (1,)),  # with the lock for a round: what a lead has to beat to keep others out
        ("bottom", sets, (1,)),  # the cards left over for the landlord
        ("trick", sets, (1,)),  # the cards played in this trick, where the settlement asks
        ("stake", np.int64),
        ("factor", np.int64),
        *((name, np.int32) for name in ("lead_category", "lead_power", "lead_pattern")),
        ("bidding", np.int32),
        ("landlord", np.int32),  # -1 for none
        ("num_said", np.int32),
        ("num_finished", np.int32),
        ("num_pile", np.int32),
        ("num_redeals", np.int32),
        ("acted", np.int32, seats),  # how many hands each seat has played, in games with an auction
        ("said_seat", np.int8, seats + 2),
        ("said_value", np.int8, seats + 2),  # 0 for no
        ("finished", np.int8, seats),  # the seats that are out, the first one first
        ("pile", np.uint8, NUM_CARDS),  # the places of the cards to draw, the top one last
        ("redeals", np.uint8, (deals - 1, NUM_CARDS)),  # further decks, card ids from bottom to top, the next one first
    ]
    return np.dtype(
        [
            ("hands", sets, (seats,)),  # the cards held, by seat
            ("played", sets, (seats,)),  # the cards played, by seat
            ("top", sets, (1,)),  # the top play, none when the seat to move leads
            ("obligation", sets, (1,)),  # the card that the first play must contain, none once it was played
            ("rng", np.uint64),  # state of the game's own stream
            ("turn", np.int32),  # the seat to move
            ("top_category", np.int32),  # of the top play, -1 when the seat to move leads
            ("top_power", np.int32),
            ("top_pattern", np.int32),
            ("top_seat", np.int32),  # who made the last actual play, -1 before the first
            ("last_factor", np.int64),  # what the winner's last play multiplies all payments by, 1 before it
            ("highest_single", np.int32),  # 1 if a single must be the highest one that may be played
            ("passed", np.int32),  # the seats that have passed and are not asked again for now, as bits
            ("winner", np.int32),  # -1 while the game goes on; as many as there are seats where an illegal move ended it
            ("actor", np.int32),  # who moved last, -1 before the first move
            ("steps", np.int32),  # moves so far
            ("players", np.int32),  # how many seats there are
            *(parts if has_extras else []),
            (END, np.int64),
        ],
        align=True,
    )


LEARNER: Final = np.dtype(
    [
        ("seat", np.int32),  # the learner's seat, -1 where every seat is the learner's
        ("deals", np.int32),  # how many games were dealt
        ("first", np.int32),  # the learner's seat in the first of them
        ("asked", np.int32),  # 1 once the learner has been asked in this game
        ("salts", np.uint64),  # state of the stream of salts (big2_env.base.salts)
        ("salt", np.uint64),  # the salt of this game
        ("skipped_games", np.int32),  # games that the last call dealt and that ended before the learner was asked
        ("skipped_payoff", np.float32),  # the sum of their payoffs for the learner
    ]
)
"""Record of the learner's seat in a game and of what agents draw, separate from the game's record."""
OUTSIDE, RANDOM = 0, 1
"""Player of an opponent's seat: the caller, or a random legal action inside the loop."""
SHOW, DEAL, STEP, ANSWER = 0, 1, 2, 3
"""Commands of a call: only show; deal and show; make a move and show; make a move if it is legal, and show."""
DENSE, CHANGES, BITS = 1, 2, 3
"""Kinds of masks: all entries are written, only the entries that changed, packed bits."""
ADDRESSES: Final = (
    *("tables", "scratch", "games", "learners", "kinds", "actions", "chosen", "seeds", "rows", "viewers"),
    *("obs", "mask", "marks", "reward", "status", "payoffs", "paid", "final_obs", "counts", "ids", "seats", "actor"),
)
"""Fields with addresses of records and arrays."""
NUMBERS: Final = (
    *("num_games", "num_actions", "obs_size", "num_players", "capacity", "mask_size", "mark_size"),  # sizes of the arrays
    *("reset", "skip_forced", "fixed_seat"),  # how games go on
    *(
        "by_row",
        "by_seed",
        "by_viewer",
        "writes_obs",
        "writes_mask",
        "writes_ids",
        "shows",
    ),  # what is asked, 0 or 1 (a mask by its kind)
)


@cache
def arguments_dtype(variant: str) -> np.dtype[Any]:
    """Return the dtype of a call's arguments for the variant of that name."""
    return np.dtype([*((name, np.int64) for name in (*ADDRESSES, *NUMBERS)), (variant, np.int64), (END, np.int64)])
