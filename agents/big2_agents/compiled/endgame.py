"""The end of a game with all hands open, solved: every seat does what pays it most, knowing that the others do so too (max-n).

Where several acts pay a seat the same, it makes the first: the cheapest play, a pass last. Luckhardt and Irani, AAAI 1986.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.compiled.mark import AGENTS_MARK
from big2_agents.compiled.plays import candidates_dtype, find_acts, make_act
from big2_agents.compiled.track import PLAIN
from big2_env.cards import NUM_CARDS
from big2_env.kernels.dialect.bits import U, mix, popcount
from big2_env.kernels.dialect.cardsets import get, word_of
from big2_env.kernels.dialect.features import HAS_PARTS
from big2_env.kernels.dialect.kernel import copied, kernel, when
from big2_env.kernels.optional_parts import landlord_of
from big2_env.kernels.settle import cost, payoff
from big2_env.kernels.tables import PAIRWISE, PENALTY, Tables
from big2_env.kernels.variants import Variant

DEPTH: Final = 64
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
            ("level", level, DEPTH),
            ("key", np.uint64, PLACES),  # 0 where free
            ("found", np.float64, (PLACES, variant.seats)),
            ("payoffs", np.float64, variant.seats),  # the last solution
            ("deck", np.uint8, NUM_CARDS),  # for an auction that ends in a new deal
            (AGENTS_MARK, np.int64),
        ]
    )


ENDGAME: Final = endgame_dtype(PLAIN)
"""The same for games without parts."""


@kernel
def _key(t: Tables, g: Any) -> Any:
    """A number of a position, never 0."""
    key = U(0)
    for seat in range(t.num_players):
        hand = get(g.hands, seat)
        key = mix(key ^ word_of(hand, 0))
        key = mix(key ^ word_of(hand, 1))
    key = mix(key ^ word_of(get(g.obligation, 0), 0))
    key = mix(key ^ _key_of_parts(t, g))
    state = (U(g.top_category + 1) << U(32)) | (U(g.top_power + 1) << U(16)) | (U(g.top_seat + 1) << U(8))
    return mix(key ^ state ^ (U(g.turn) << U(4)) ^ (U(g.passed) << U(44))) | U(1)


@when(HAS_PARTS, otherwise=U(0))
def _key_of_parts(t: Tables, g: Any) -> Any:
    """A number of what else the end may depend on."""
    key = mix(U(g.lead_category + 1) << U(32) | U(g.lead_power + 1))
    key = mix(key ^ U(g.factor) ^ (U(g.num_pile) << U(56)) ^ (U(g.num_finished) << U(48)))
    for seat in range(t.num_players):
        captured = get(g.captured, seat)
        key = mix(key ^ word_of(captured, 0))
        key = mix(key ^ word_of(captured, 1) ^ (U(g.acted[seat]) << U(32)) ^ U(g.finished[seat]))
    return key


@kernel
def _open(t: Tables, level: Any) -> None:
    """List the acts of a level's seat to move."""
    g = level.game
    find_acts(t, g, level.candidates)
    level.next = 0
    level.most = 0.0 if t.settlement in (PENALTY, PAIRWISE) and landlord_of(g) < 0 else np.inf
    for seat in range(t.num_players):
        level.best[seat] = -np.inf
        if seat != g.turn:
            level.most += cost(t, get(g.hands, seat))


@kernel
def cards_held(t: Tables, g: Any) -> Any:
    """How many cards are in all hands."""
    held = np.int64(0)
    for seat in range(t.num_players):
        held += popcount(get(g.hands, seat))
    return held


@kernel(entry=True)
def solve(t: Tables, g: Any, e: Any, positions: Any) -> Any:
    """Solve a game that goes on, with all cards in `g`; the payoffs are left in `e.payoffs`.

    Returns whether it was solved before so many positions had been looked at.
    """
    e.level[0].game = copied(g)
    e.level[0].key = _key(t, g)
    _open(t, e.level[0])
    depth = 0
    while True:
        level = e.level[depth]
        turn = level.game.turn
        if level.next < level.candidates.count and level.best[turn] < level.most:
            below = e.level[depth + 1]
            below.game = copied(level.game)
            make_act(t, below.game, level.candidates, level.next, e)
            level.next += 1
            if below.game.winner >= 0:
                for seat in range(t.num_players):
                    e.payoffs[seat] = payoff(t, below.game, seat)
            else:
                key = _key(t, below.game)
                place = (key >> U(1)) & U(PLACES - 1)
                if e.key[place] == key:
                    e.payoffs[:] = e.found[place]
                else:
                    positions -= 1
                    if positions < 0 or depth + 2 >= DEPTH:
                        return False
                    depth += 1
                    below.key = key
                    _open(t, below)
                    continue
        else:
            place = (level.key >> U(1)) & U(PLACES - 1)
            e.key[place] = level.key
            e.found[place][:] = level.best
            e.payoffs[:] = level.best
            if depth == 0:
                return True
            depth -= 1
            level = e.level[depth]
            turn = level.game.turn
        if e.payoffs[turn] > level.best[turn]:
            level.best[:] = e.payoffs
