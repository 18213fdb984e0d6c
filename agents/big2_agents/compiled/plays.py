"""Candidate acts of a seat: its legal acts with those merged between which there is nothing to choose.

By places those are plays that differ in suits that do not decide (`slot_plays`), by ranks such that differ in kickers
(`rank_plays`). That is a choice of the agents; the environment keeps every play apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.compiled.mark import AGENTS_MARK
from big2_agents.compiled.rank_plays import list_rank_plays, rank_action, ranks_cover
from big2_agents.compiled.slot_plays import MAX_CANDIDATES, list_slot_plays, slot_id, slots_cover
from big2_env.kernels.dialect.cardsets import get, no_cards, put
from big2_env.kernels.dialect.features import BY_SLOTS
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
            (AGENTS_MARK, np.int64),
        ]
    )


CANDIDATES: Final = candidates_dtype()
"""The same where actions are places."""


_list_plays = either(BY_SLOTS, list_slot_plays, list_rank_plays)
"""(t, hand, top_category, top_power, obligation, c): fill `c` with the candidates of a hand, without a pass."""
_can_be_covered = either(BY_SLOTS, slots_cover, ranks_cover)
"""(t, unseen, category, power, most): whether some play covers."""


@kernel(entry=True)
def find_candidates(t: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, c: Any) -> None:
    """Fill `c` with the candidates of a hand, the pass last where it is legal. `top_category` is -1 for a leading seat."""
    _list_plays(t, hand, top_category, top_power, obligation, c)
    if top_category >= 0 and (t.must_cover == 0 or c.count == 0):
        put(c.mask, c.count, no_cards(hand))
        c.row[c.count] = c.power[c.count] = -1
        c.count += 1


@kernel(entry=True)
def find_acts(t: Tables, g: Any, c: Any) -> None:
    """Fill `c` with the candidates of the seat to move; in an auction with what it may say, no being the last."""
    if is_bidding(t, g):
        c.count = call_ids(t, g, c)
        for i in range(c.count):
            put(c.mask, i, no_cards(get(g.top, 0)))
            c.row[i] = c.power[i] = -1
    else:
        find_candidates(t, get(g.hands, g.turn), np.int64(g.top_category), np.int64(g.top_power), get(g.obligation, 0), c)


play_id = either(BY_SLOTS, slot_id, rank_action)
"""(t, hand, cards, row): the action id of cards of a hand that make a row."""


@kernel
def act_id(t: Tables, g: Any, c: Any, i: Any) -> Any:
    """The action id of a candidate of the seat to move, listed by `find_acts`."""
    if is_bidding(t, g):
        return np.int64(c.ids[i])
    if c.row[i] < 0:
        return np.int64(0)
    return play_id(t, get(g.hands, g.turn), get(c.mask, i), np.int64(c.row[i]))


@kernel
def make_act(t: Tables, g: Any, c: Any, i: Any, scratch: Any) -> None:
    """Make a candidate of the seat to move, listed by `find_acts`; `scratch` is that of the ruleset's variant."""
    make(t, g, np.int64(c.ids[i]), get(c.mask, i), np.int64(c.row[i]), scratch)


@kernel(entry=True)
def can_be_covered(t: Tables, unseen: Any, category: Any, power: Any, most: Any) -> Any:
    """Whether some play of at most `most` of the unseen cards covers one of a category and power."""
    return _can_be_covered(t, unseen, category, power, most)
