"""Endings: sure wins that no distribution of the hidden cards can stop, and ends of games with all hands open, solved.

In a solved end every seat does what pays it most, knowing that the others do so too (max-n; Luckhardt and Irani, AAAI 1986).
Where several acts pay a seat the same, it makes the first: the cheapest play, a pass last.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.outlook import pile_left
from big2_agents.kernels.plays import can_be_covered, candidates_dtype, find_acts, find_candidates, make_act
from big2_agents.kernels.sources import AGENTS_SOURCES
from big2_agents.kernels.track import PLAIN, unseen_by
from big2_env.cards import NUM_CARDS
from big2_env.kernels.dialect import HAS_PARTS
from big2_env.kernels.dialect.bits import U, mix
from big2_env.kernels.dialect.cardsets import get, no_cards, put, word_of
from big2_env.kernels.dialect.kernel import copied, kernel, when
from big2_env.kernels.optional_parts import is_bidding, landlord_of
from big2_env.kernels.tables import CAPTURED, PAIRWISE, PENALTY, Tables
from big2_env.kernels.turn import hand_cost, payoff
from big2_env.kernels.variants import Variant

DEPTH: Final = 7
"""How many plays ahead a sure win is looked for."""
NODES: Final = 48
"""How many positions are looked at before giving up."""


@kernel
def _is_certain(tab: Tables, cand: Any, i: Any, unseen: Any, most: Any) -> Any:
    """Whether nobody can cover a candidate: what covers it takes more cards than the others hold, or is not unseen."""
    return not can_be_covered(tab, unseen, np.int64(tab.row_category[cand.row[i]]), np.int64(cand.power[i]), most)


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
        if _is_certain(tab, cand, i, unseen, most):
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
        if cand.row[i] >= 0 and _is_certain(tab, cand, i, unseen, most):
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


MAX_DEPTH: Final = 64
"""Acts ahead: each play takes a card, and a pass of every other seat at most comes between two plays."""
PLACES: Final = 1 << 14
"""Positions that are remembered; a later one takes the place of an earlier one."""


@cache
def endgame_dtype(variant: Variant) -> np.dtype[Any]:
    """What endings are solved with: not for two threads at once."""
    level = np.dtype(
        [
            ("game", variant.game),
            ("candidates", candidates_dtype(variant.by_slots, variant.words)),
            ("key", np.uint64),
            ("next", np.int64),
            ("most", np.float64),  # what the seat to move cannot exceed
            ("best", np.float64, variant.seats),  # payoffs of its best act so far
        ]
    )
    return np.dtype(
        [
            ("level", level, MAX_DEPTH),
            ("key", np.uint64, PLACES),  # 0 where free
            ("found", np.float64, (PLACES, variant.seats)),
            ("payoffs", np.float64, variant.seats),  # the last solution
            ("deck", np.uint8, NUM_CARDS),  # for an auction that ends in a new deal
            (AGENTS_SOURCES, np.int64),
        ]
    )


ENDGAME: Final = endgame_dtype(PLAIN)
"""The same for games without parts."""


@kernel
def _key(tab: Tables, game: Any) -> Any:
    """A number of a position, never 0."""
    key = U(0)
    for seat in range(tab.num_players):
        hand = get(game.hands, seat)
        key = mix(key ^ word_of(hand, 0))
        key = mix(key ^ word_of(hand, 1))
    key = mix(key ^ word_of(get(game.obligation, 0), 0))
    key = mix(key ^ _key_of_parts(tab, game))
    state = (U(game.top_category + 1) << U(32)) | (U(game.top_power + 1) << U(16)) | (U(game.top_seat + 1) << U(8))
    return mix(key ^ state ^ (U(game.turn) << U(4)) ^ (U(game.passed) << U(44))) | U(1)


@when(HAS_PARTS, otherwise=U(0))
def _key_of_parts(tab: Tables, game: Any) -> Any:
    """A number of what else the end may depend on."""
    key = mix(U(game.lead_category + 1) << U(32) | U(game.lead_power + 1))
    key = mix(key ^ U(game.factor) ^ (U(game.num_pile) << U(56)) ^ (U(game.num_finished) << U(48)))
    for seat in range(tab.num_players):
        captured = get(game.captured, seat)
        key = mix(key ^ word_of(captured, 0))
        key = mix(key ^ word_of(captured, 1) ^ (U(game.acted[seat]) << U(32)) ^ U(game.finished[seat]))
    return key


@kernel
def _open(tab: Tables, level: Any) -> None:
    """List the acts of a level's seat to move."""
    game = level.game
    find_acts(tab, game, level.candidates)
    level.next = 0
    level.most = 0.0 if tab.settlement in (PENALTY, PAIRWISE) and landlord_of(game) < 0 else np.inf
    for seat in range(tab.num_players):
        level.best[seat] = -np.inf
        if seat != game.turn:
            level.most += hand_cost(tab, get(game.hands, seat))


@kernel(entry=True)
def solve(tab: Tables, game: Any, ends: Any, positions: Any) -> Any:
    """Solve a game that goes on, with all cards in `game`; the payoffs are left in `ends.payoffs`.

    Returns whether it was solved before so many positions had been looked at.
    """
    ends.level[0].game = copied(game)
    ends.level[0].key = _key(tab, game)
    _open(tab, ends.level[0])
    depth = 0
    while True:
        level = ends.level[depth]
        turn = level.game.turn
        if level.next < level.candidates.count and level.best[turn] < level.most:
            below = ends.level[depth + 1]
            below.game = copied(level.game)
            make_act(tab, below.game, level.candidates, level.next, ends)
            level.next += 1
            if below.game.winner >= 0:
                for seat in range(tab.num_players):
                    ends.payoffs[seat] = payoff(tab, below.game, seat)
            else:
                key = _key(tab, below.game)
                place = (key >> U(1)) & U(PLACES - 1)
                if ends.key[place] == key:
                    ends.payoffs[:] = ends.found[place]
                else:
                    positions -= 1
                    if positions < 0 or depth + 2 >= MAX_DEPTH:
                        return False
                    depth += 1
                    below.key = key
                    _open(tab, below)
                    continue
        else:
            place = (level.key >> U(1)) & U(PLACES - 1)
            ends.key[place] = level.key
            ends.found[place][:] = level.best
            ends.payoffs[:] = level.best
            if depth == 0:
                return True
            depth -= 1
            level = ends.level[depth]
            turn = level.game.turn
        if ends.payoffs[turn] > level.best[turn]:
            level.best[:] = ends.payoffs
