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
def _read_slots(tab: Tables, action: Any, hand: Any) -> Any:
    cards = slot_cards(tab, action, hand)
    return cards, row_of(tab, cards) if cards else np.int64(-1)


@kernel
def _read_ranks(tab: Tables, action: Any, hand: Any) -> Any:
    cards = ranked_cards(tab, action, hand)
    return cards, np.int64(tab.action_row[U(action)]) if cards else np.int64(-1)


play_ids = either(BY_SLOTS, slot_ids, rank_ids)
"""(tab, hand, top_category, top_power, obligation, scratch): write the id of every play that a hand may make into
`scratch.ids`,
ascending by group and strength; return how many. `top_category` is -1 for a leading seat."""
read_action = either(BY_SLOTS, _read_slots, _read_ranks)
"""(tab, action, hand): the cards that an action names in a hand and the row that they make, -1 where there are no such cards or
no row."""


@kernel
def legal_ids(tab: Tables, hand: Any, top_category: Any, top_power: Any, obligation: Any, scratch: Any) -> Any:
    """Write the id of every legal act of a hand into `scratch.ids`, a legal pass last; return how many there are."""
    count = play_ids(tab, hand, top_category, top_power, obligation, scratch)
    if top_category >= 0 and (tab.must_cover == 0 or count == 0):
        scratch.ids[U(count)] = 0
        count += 1
    return count


@kernel
def game_ids(tab: Tables, game: Any, scratch: Any) -> Any:
    """Write the id of every legal act of the seat to move into `scratch.ids`; return how many, 0 when the game is over."""
    if game.winner >= 0:
        return np.int64(0)
    if is_bidding(tab, game):
        return call_ids(tab, game, scratch)
    return legal_ids(tab, get(game.hands, game.turn), game.top_category, game.top_power, get(game.obligation, 0), scratch)


@kernel
def judge(tab: Tables, game: Any, action: Any, scratch: Any) -> Any:
    """Whether a game may go on by an action, any int64; the cards that it names, and their row: -1 for none."""
    hand = get(game.hands, game.turn)
    nothing, no_row = no_cards(hand), np.int64(-1)
    if action < 0 or action >= tab.num_actions or game.winner >= 0:
        return False, nothing, no_row
    if is_bidding(tab, game):
        return is_legal_call(tab, game, action), nothing, no_row
    top_category, obligation = game.top_category, get(game.obligation, 0)
    if action == 0:
        may_pass = top_category >= 0
        if may_pass and tab.must_cover:
            may_pass = play_ids(tab, hand, top_category, game.top_power, obligation, scratch) == 0
        return may_pass, nothing, no_row
    if action >= tab.first_call:
        return False, nothing, no_row
    cards, row = read_action(tab, action, hand)
    if row < 0:
        return False, nothing, no_row
    if top_category >= 0:
        return does_cover(tab, tab.row_category[U(row)], power_of(tab, row, cards), top_category, game.top_power), cards, row
    return (cards == obligation if tab.lead == 2 and obligation else not obligation & ~cards), cards, row
