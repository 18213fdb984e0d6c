"""Sure wins: a way to go out that no distribution of the hidden cards can stop."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.kernels.outlook import pile_left
from big2_agents.kernels.plays import can_be_covered, find_candidates
from big2_agents.kernels.track import unseen_by
from big2_env.kernels.dialect.cardsets import get, no_cards, put
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import CAPTURED, Tables

DEPTH: Final = 7
"""How many plays ahead a sure win is looked for."""
NODES: Final = 48
"""How many positions are looked at before giving up."""


@kernel
def _is_certain(tab: Tables, row: Any, power: Any, unseen: Any, most: Any) -> Any:
    """Whether nobody can cover a play: what covers it takes more cards than the others hold, or is not unseen."""
    return not can_be_covered(tab, unseen, np.int64(tab.row_category[row]), np.int64(power), most)


@kernel
def _opens(tab: Tables, hand: Any, cand: Any) -> Any:
    """List what a leading hand can play into a level of the search; whether one play puts it all down."""
    find_candidates(tab, hand, np.int64(-1), np.int64(-1), no_cards(hand), cand)
    put(cand.hand, 0, hand)
    cand.next = 0
    whole = False
    for i in range(cand.count):
        whole = whole or get(cand.mask, i) == hand
    return whole


@kernel
def _leads_out(tab: Tables, hand: Any, unseen: Any, most: Any, stack: Any, nodes: Any) -> Any:
    """Whether a leading hand goes out with nothing but its last play coverable; and how many nodes are left.

    A depth-first search with its own stack: numba cannot cache a function that calls itself.
    """
    depth = 0
    if _opens(tab, hand, stack[0]):
        return True, nodes
    while depth >= 0:
        cand = stack[depth]
        if cand.next >= cand.count or depth + 1 >= len(stack) or nodes <= 0:
            depth -= 1
            continue
        i = cand.next
        cand.next += 1
        if _is_certain(tab, cand.row[i], cand.power[i], unseen, most):
            nodes -= 1
            depth += 1
            if _opens(tab, get(cand.hand, 0) & ~get(cand.mask, i), stack[depth]):
                return True, nodes
    return False, nodes


@kernel(entry=True)
def find_finish(tab: Tables, game: Any, left: Any, cand: Any, stack: Any) -> Any:
    """The candidate that begins a sure win for the seat to move, -1 where none is found.

    Sound for every ruleset; not complete. In an auction, and while there are cards to draw, nothing is sure. `stack` is
    scratch: `DEPTH` records of the type of `cand`.
    """
    if is_bidding(tab, game) or pile_left(game) > 0:
        return np.int64(-1)
    seat = np.int64(game.turn)
    hand = get(game.hands, seat)
    unseen = unseen_by(tab, game, seat)
    most = np.int64(0)
    for who in range(tab.num_players):
        if who != seat and left[who] > most:
            most = np.int64(left[who])
    for i in range(cand.count):
        if get(cand.mask, i) == hand:
            return np.int64(i)
    nodes = np.int64(NODES)
    for i in range(cand.count):
        if cand.row[i] >= 0 and _is_certain(tab, cand.row[i], cand.power[i], unseen, most):
            found, nodes = _leads_out(tab, hand & ~get(cand.mask, i), unseen, most, stack, nodes)
            if found:
                return np.int64(i)
    return np.int64(-1)


@kernel(entry=True)
def finish_of(tab: Tables, game: Any, left: Any, cand: Any, stack: Any) -> Any:
    """The candidate that begins a sure win which is no choice, -1 for none: it is one where captured points are paid."""
    if tab.settlement == CAPTURED:
        return np.int64(-1)
    return np.int64(find_finish(tab, game, left, cand, stack))
