"""What may be done in a game: legal acts as action ids, what an action names, whether a play covers another."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.compare import does_cover, power_of
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.cardsets import get, no_cards
from big2_env.kernels.dialect.features import BY_SLOTS
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.legal_ranks import rank_ids, ranked_cards
from big2_env.kernels.legal_slots import row_of, slot_cards, slot_ids
from big2_env.kernels.optional_parts import call_ids, is_bidding, is_legal_call
from big2_env.kernels.tables import Tables


@kernel
def _read_slots(t: Tables, action: Any, hand: Any) -> Any:
    cards = slot_cards(t, action, hand)
    return cards, row_of(t, cards) if cards else np.int64(-1)


@kernel
def _read_ranks(t: Tables, action: Any, hand: Any) -> Any:
    cards = ranked_cards(t, action, hand)
    return cards, np.int64(t.action_row[U(action)]) if cards else np.int64(-1)


play_ids = either(BY_SLOTS, slot_ids, rank_ids)
"""(t, hand, top_category, top_power, obligation, scratch): write the id of every play that a hand may make into `scratch.ids`,
ascending by group and strength; return how many. `top_category` is -1 for a leading seat."""
read_action = either(BY_SLOTS, _read_slots, _read_ranks)
"""(t, action, hand): the cards that an action names in a hand and the row that they make, -1 where there are no such cards or
no row."""


@kernel
def legal_ids(t: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, scratch: Any) -> Any:
    """Write the id of every legal act of a hand into `scratch.ids`, a legal pass last; return how many there are."""
    count = play_ids(t, hand, top_category, top_power, obligation, scratch)
    if top_category >= 0 and (t.must_cover == 0 or count == 0):
        scratch.ids[U(count)] = 0
        count += 1
    return count


@kernel
def game_ids(t: Tables, g: Any, scratch: Any) -> Any:
    """Write the id of every legal act of the seat to move into `scratch.ids`; return how many, 0 when the game is over."""
    if g.winner >= 0:
        return np.int64(0)
    if is_bidding(t, g):
        return call_ids(t, g, scratch)
    return legal_ids(t, get(g.hands, g.turn), g.top_category, g.top_power, get(g.obligation, 0), scratch)


@kernel
def judge(t: Tables, g: Any, action: Any, scratch: Any) -> Any:
    """Whether a game may go on by an action, any int64; the cards that it names, and their row: -1 for none."""
    hand = get(g.hands, g.turn)
    nothing, no_row = no_cards(hand), np.int64(-1)
    if action < 0 or action >= t.num_actions or g.winner >= 0:
        return False, nothing, no_row
    if is_bidding(t, g):
        return is_legal_call(t, g, action), nothing, no_row
    top_category, obligation = g.top_category, get(g.obligation, 0)
    if action == 0:
        may_pass = top_category >= 0
        if may_pass and t.must_cover:
            may_pass = play_ids(t, hand, top_category, g.top_power, obligation, scratch) == 0
        return may_pass, nothing, no_row
    if action >= t.first_call:
        return False, nothing, no_row
    cards, row = read_action(t, action, hand)
    if row < 0:
        return False, nothing, no_row
    if top_category >= 0:
        return does_cover(t, t.row_category[U(row)], power_of(t, row, cards), top_category, g.top_power), cards, row
    return (cards == obligation if t.lead == 2 and obligation else not obligation & ~cards), cards, row
