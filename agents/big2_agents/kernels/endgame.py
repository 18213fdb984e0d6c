"""The end of a game with all hands open, solved: every seat does what pays it most, knowing that the others do so too (max-n).

Where several acts pay a seat the same, it makes the first: the cheapest play, a pass last. Luckhardt and Irani, AAAI 1986.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.mark import AGENTS_MARK
from big2_agents.kernels.plays import candidates_dtype, find_acts, make_act
from big2_agents.kernels.track import PLAIN
from big2_env.cards import NUM_CARDS
from big2_env.kernels.dialect.bits import U, mix
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
            level.most += cost(tab, get(game.hands, seat))


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
                    if positions < 0 or depth + 2 >= DEPTH:
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
