"""Candidate acts of a seat: its legal acts with those merged between which there is nothing to choose.

By places those are plays that differ in suits that do not decide (`slot_plays`), by ranks such that differ in kickers
(`rank_plays`). That is a choice of the agents; the environment keeps every play apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.rank_plays import list_rank_plays, rank_action, ranks_cover
from big2_agents.kernels.slot_plays import MAX_CANDIDATES, list_slot_plays, slot_id, slots_cover
from big2_agents.kernels.sources import AGENTS_SOURCES
from big2_env.kernels.dialect import BY_SLOTS
from big2_env.kernels.dialect.cardsets import get, no_cards, put
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.dialect.records import card_set
from big2_env.kernels.optional_parts import call_ids, is_bidding
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import make

MAX_RANK_CANDIDATES: Final = 256
"""Most candidates that are listed where actions are ranks."""
MAX_COMBOS: Final = 128
"""Most shapes of several ranks that the count of plays looks at."""


@cache
def candidates_dtype(by_slots: bool = True, words: int = 1) -> np.dtype[Any]:
    """Scratch of one decision: the candidates and the combinations of the hand, for sets of cards of so many words."""
    most = MAX_CANDIDATES if by_slots else MAX_RANK_CANDIDATES
    return np.dtype(
        [
            ("count", np.int64),
            (
                "mask",
                card_set(words),
                (most,),
            ),  # the cards, none for the pass and in an auction
            ("row", np.int16, most),  # the row of the tables, -1 for the pass and in an auction
            ("power", np.int16, most),
            ("ids", np.int32, most),  # in an auction: the action ids
            ("score", np.float64, most),  # left to whoever chooses
            ("hand", card_set(words), (1,)),  # of a search through the candidates: whose they are
            ("next", np.int64),  # and which is next
            *(
                [
                    ("num_combos", np.int64),
                    ("combo", np.int16, MAX_COMBOS),  # rows of several ranks that the hand holds
                    ("combo_counts", np.uint64, MAX_COMBOS),  # their cards by rank, as nibbles
                ]
                if by_slots
                else []
            ),
            (AGENTS_SOURCES, np.int64),
        ]
    )


CANDIDATES: Final = candidates_dtype()
"""The same where actions are places."""


_list_plays = either(BY_SLOTS, list_slot_plays, list_rank_plays)
"""(tab, hand, top_category, top_power, obligation, cand): fill `cand` with the candidates of a hand, without a pass."""
_can_be_covered = either(BY_SLOTS, slots_cover, ranks_cover)
"""(tab, unseen, category, power, most): whether some play covers."""


@kernel(entry=True)
def find_candidates(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, cand: Any) -> None:
    """Fill `cand` with the candidates of a hand, the pass last where it is legal. `top_category` is -1 for a leading seat."""
    _list_plays(tab, hand, top_category, top_power, obligation, cand)
    if top_category >= 0 and (tab.must_cover == 0 or cand.count == 0):
        put(cand.mask, cand.count, no_cards(hand))
        cand.row[cand.count] = cand.power[cand.count] = -1
        cand.count += 1


@kernel(entry=True)
def find_acts(tab: Tables, game: Any, cand: Any) -> None:
    """Fill `cand` with the candidates of the seat to move; in an auction with what it may say, no being the last."""
    if is_bidding(tab, game):
        cand.count = call_ids(tab, game, cand)
        for i in range(cand.count):
            put(cand.mask, i, no_cards(get(game.top, 0)))
            cand.row[i] = cand.power[i] = -1
    else:
        find_candidates(
            tab,
            get(game.hands, game.turn),
            np.int64(game.top_category),
            np.int64(game.top_power),
            get(game.obligation, 0),
            cand,
        )


play_id = either(BY_SLOTS, slot_id, rank_action)
"""(tab, hand, cards, row): the action id of cards of a hand that make a row."""


@kernel
def act_id(tab: Tables, game: Any, cand: Any, i: Any) -> Any:
    """The action id of a candidate of the seat to move, listed by `find_acts`."""
    if is_bidding(tab, game):
        return np.int64(cand.ids[i])
    if cand.row[i] < 0:
        return np.int64(0)
    return play_id(tab, get(game.hands, game.turn), get(cand.mask, i), np.int64(cand.row[i]))


@kernel
def make_act(tab: Tables, game: Any, cand: Any, i: Any, scratch: Any) -> None:
    """Make a candidate of the seat to move, listed by `find_acts`; `scratch` is that of the ruleset's variant."""
    make(tab, game, np.int64(cand.ids[i]), get(cand.mask, i), np.int64(cand.row[i]), scratch)


@kernel(entry=True)
def can_be_covered(tab: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one of a category and power."""
    return _can_be_covered(tab, unseen, category, power, most)
