"""Sure wins: a way to go out that no distribution of the hidden cards can stop."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_agents.compiled.outlook import pile_left
from big2_agents.compiled.plays import can_be_covered, find_candidates
from big2_agents.compiled.track import unseen_by
from big2_env.kernels.dialect.cardsets import get, no_cards, put
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import is_bidding
from big2_env.kernels.tables import CAPTURED, Tables

DEPTH: Final = 7
"""How many plays ahead a sure win is looked for."""
NODES: Final = 48
"""How many positions are looked at before giving up."""


@kernel
def _is_certain(t: Tables, row: Any, power: Any, unseen: Any, most: Any) -> Any:
    """Whether nobody can cover a play: what covers it takes more cards than the others hold, or is not unseen."""
    return not can_be_covered(t, unseen, np.int64(t.row_category[row]), np.int64(power), most)


@kernel
def _opens(t: Tables, hand: Any, c: Any) -> Any:
    """List what a leading hand can play into a level of the search; whether one play puts it all down."""
    find_candidates(t, hand, np.int64(-1), np.int64(-1), no_cards(hand), c)
    put(c.hand, 0, hand)
    c.next = 0
    whole = False
    for i in range(c.count):
        whole = whole or get(c.mask, i) == hand
    return whole


@kernel
def _leads_out(t: Tables, hand: Any, unseen: Any, most: Any, stack: Any, nodes: Any) -> Any:
    """Whether a leading hand goes out with nothing but its last play coverable; and how many nodes are left.

    A depth-first search with its own stack: numba cannot cache a function that calls itself.
    """
    depth = 0
    if _opens(t, hand, stack[0]):
        return True, nodes
    while depth >= 0:
        c = stack[depth]
        if c.next >= c.count or depth + 1 >= len(stack) or nodes <= 0:
            depth -= 1
            continue
        i = c.next
        c.next += 1
        if _is_certain(t, c.row[i], c.power[i], unseen, most):
            nodes -= 1
            depth += 1
            if _opens(t, get(c.hand, 0) & ~get(c.mask, i), stack[depth]):
                return True, nodes
    return False, nodes


@kernel(entry=True)
def find_finish(t: Tables, g: Any, left: Any, c: Any, stack: Any) -> Any:
    """The candidate that begins a sure win for the seat to move, -1 where none is found.

    Sound for every ruleset; not complete. In an auction, and while there are cards to draw, nothing is sure. `stack` is
    scratch: `DEPTH` records of the type of `c`.
    """
    if is_bidding(t, g) or pile_left(g) > 0:
        return np.int64(-1)
    seat = np.int64(g.turn)
    hand = get(g.hands, seat)
    unseen = unseen_by(t, g, seat)
    most = np.int64(0)
    for who in range(t.num_players):
        if who != seat and left[who] > most:
            most = np.int64(left[who])
    for i in range(c.count):
        if get(c.mask, i) == hand:
            return np.int64(i)
    nodes = np.int64(NODES)
    for i in range(c.count):
        if c.row[i] >= 0 and _is_certain(t, c.row[i], c.power[i], unseen, most):
            found, nodes = _leads_out(t, hand & ~get(c.mask, i), unseen, most, stack, nodes)
            if found:
                return np.int64(i)
    return np.int64(-1)


@kernel(entry=True)
def finish_of(t: Tables, g: Any, left: Any, c: Any, stack: Any) -> Any:
    """The candidate that begins a sure win which is no choice, -1 for none: it is one where captured points are paid."""
    if t.settlement == CAPTURED:
        return np.int64(-1)
    return np.int64(find_finish(t, g, left, c, stack))
