"""Endings: forced wins that hold for every distribution of the hidden cards, and exact solving with all hands open.

In a solved ending every seat maximizes its own payoff, knowing that the others do too (max-n; Luckhardt and Irani, AAAI 1986).
Among moves with equal payoff a seat takes the first: the cheapest play, a pass last.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.beat_odds import pile_left
from big2_agents.kernels.plays import can_be_beaten, candidates_dtype, find_candidates, find_moves, keep_highest, make_move
from big2_agents.kernels.track import unseen_by
from big2_env.base.cards import NUM_CARDS
from big2_env.kernels.dialect import HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, mix
from big2_env.kernels.dialect.cardsets import get, no_cards, put, word_of
from big2_env.kernels.dialect.kernel import copied, kernel, specialized, store
from big2_env.kernels.dialect.records import END
from big2_env.kernels.optional_extras import is_bidding, landlord_of, stake_factor
from big2_env.kernels.tables import CAPTURED, PAIRWISE, PENALTY, ROUND_LOCK, Tables
from big2_env.kernels.turn import hand_cost, payoff
from big2_env.kernels.variants import Variant

DEPTH: Final = 7
"""Maximum number of plays in a forced win."""
NODES: Final = 48
"""Maximum number of positions examined for a forced win."""


@kernel(inline=True)
def _is_certain(tab: Tables, cand: Any, i: Any, unseen: Any, most: Any) -> Any:
    """Return True if no one can beat a candidate.

    Covering it then needs cards that are not unseen, or more cards than the others hold.
    """
    return not can_be_beaten(tab, unseen, np.int64(tab.row_category[cand.row[i]]), np.int64(cand.power[i]), most)


@kernel
def _opens(tab: Tables, hand: Any, highest_single: Any, cand: Any) -> Any:
    """List the plays of a leading hand at a level of the search, and return True if a single play empties it."""
    find_candidates(tab, hand, np.int64(-1), np.int64(-1), no_cards(hand), cand)
    if highest_single:
        keep_highest(tab, cand)
    put(cand.hand, 0, hand)
    cand.next = 0
    whole = False
    for i in range(cand.count):
        whole = whole or get(cand.mask, i) == hand
    return whole


@kernel
def _leads_out(tab: Tables, hand: Any, unseen: Any, most: Any, highest_single: Any, stack: Any, nodes: Any) -> Any:
    """Return whether a leading hand can go out with at most its last play being coverable, and the number of nodes left.

    This is a depth-first search with its own stack, because numba cannot cache recursive functions.
    """
    depth = 0
    if _opens(tab, hand, highest_single, stack[0]):
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
            if _opens(tab, get(cand.hand, 0) & ~get(cand.mask, i), highest_single, stack[depth]):
                return True, nodes
    return False, nodes


@kernel(inline=True)
def _factor(tab: Tables, game: Any, cand: Any, i: Any, leads: Any) -> Any:
    """Return by what a candidate multiplies the stake; 0 for a pass."""
    return np.int64(stake_factor(tab, game, np.int64(cand.row[i]), leads) if cand.row[i] >= 0 else 0)


@kernel
def _binds_leads(tab: Tables, seat: Any, left: Any) -> Any:
    """Return whether singles that a seat leads must be its highest. With a lock for the round, passed seats count as in."""
    for step in range(1, tab.num_players if tab.last_card else 0):
        held = left[(seat + step) % tab.num_players]
        if held == 1:
            return True
        if held and tab.lock != ROUND_LOCK:
            return False
    return False


@kernel(entry=True)
def find_finish(tab: Tables, game: Any, left: Any, cand: Any, stack: Any) -> Any:
    """Return the index of the candidate that starts a forced win for the seat to move, -1 if none is found.

    Every win found is forced, but some are missed. None is found in an auction, or while cards remain to be drawn. A win
    that begins with a play of a larger factor on the stake is preferred.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        left: Number of cards of each seat.
        cand: Candidates of the seat to move.
        stack: Scratch, `DEPTH` records of the type of `cand`.
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
    bound = _binds_leads(tab, seat, left)
    leads, last, wanted = game.top_category < 0, np.int64(-1), np.int64(0)
    for i in range(cand.count):
        if get(cand.mask, i) == hand:
            last = np.int64(i)
        wanted = max(wanted, _factor(tab, game, cand, i, leads))
    while wanted > 0:
        if last >= 0 and _factor(tab, game, cand, last, leads) == wanted:
            return last
        nodes, lower = np.int64(NODES), np.int64(0)
        for i in range(cand.count):
            factor = _factor(tab, game, cand, i, leads)
            if factor < wanted:
                lower = max(lower, factor)
            elif factor == wanted and _is_certain(tab, cand, i, unseen, most):
                found, nodes = _leads_out(tab, hand & ~get(cand.mask, i), unseen, most, bound, stack, nodes)
                if found:
                    return np.int64(i)
        wanted = lower
    return np.int64(-1)


@kernel(entry=True)
def finish_of(tab: Tables, game: Any, left: Any, cand: Any, stack: Any) -> Any:
    """Return the result of `find_finish`, but -1 if captured points are paid, since a win is then not always best."""
    if tab.settlement == CAPTURED:
        return np.int64(-1)
    return np.int64(find_finish(tab, game, left, cand, stack))


MAX_DEPTH: Final = 64
"""Maximum depth in moves: each play removes a card, and every other seat passes at most once between two plays."""
PLACES: Final = 1 << 14
"""Size of the transposition table; later positions replace earlier ones."""


@cache
def endgame_dtype(variant: Variant) -> np.dtype[Any]:
    """Return the record type for solving endings; one record per thread."""
    level = np.dtype(
        [
            ("game", variant.game),
            ("candidates", candidates_dtype(variant.by_slots, variant.words)),
            ("key", np.uint64),
            ("next", np.int64),
            ("most", np.float64),  # what the seat to move cannot exceed
            ("best", np.float64, variant.seats),  # payoffs of its best move so far
        ]
    )
    return np.dtype(
        [
            ("level", level, MAX_DEPTH),
            ("key", np.uint64, PLACES),  # 0 where free
            ("found", np.float64, (PLACES, variant.seats)),
            ("payoffs", np.float64, variant.seats),  # the last solution
            ("deck", np.uint8, NUM_CARDS),  # for an auction that ends in a new deal
            (END, np.int64),
        ]
    )


@kernel
def _key(tab: Tables, game: Any) -> Any:
    """Return a nonzero hash of a position."""
    key = U(0)
    for seat in range(tab.num_players):
        hand = get(game.hands, seat)
        key = mix(key ^ word_of(hand, 0))
        key = mix(key ^ word_of(hand, 1))
    key = mix(key ^ word_of(get(game.obligation, 0), 0))
    key = mix(key ^ _key_of_parts(tab, game))
    state = (U(game.top_category + 1) << U(32)) | (U(game.top_power + 1) << U(16)) | (U(game.top_seat + 1) << U(8))
    return mix(key ^ state ^ (U(game.turn) << U(4)) ^ (U(game.passed) << U(44))) | U(1)


@specialized(HAS_EXTRAS, otherwise=U(0))
def _key_of_parts(tab: Tables, game: Any) -> Any:
    """Return a hash of the optional parts that the ending may depend on."""
    key = mix(U(game.lead_category + 1) << U(32) | U(game.lead_power + 1))
    key = mix(key ^ U(game.factor) ^ (U(game.num_pile) << U(56)) ^ (U(game.num_finished) << U(48)))
    for seat in range(tab.num_players):
        captured = get(game.captured, seat)
        key = mix(key ^ word_of(captured, 0))
        key = mix(key ^ word_of(captured, 1) ^ (U(game.acted[seat]) << U(32)) ^ U(game.finished[seat]))
    return key


@kernel
def _open(tab: Tables, level: Any) -> None:
    """List the moves of the seat to move at a level."""
    game = level.game
    find_moves(tab, game, level.candidates)
    level.next = 0
    level.most = 0.0 if tab.settlement in (PENALTY, PAIRWISE) and landlord_of(game) < 0 else np.inf
    for seat in range(tab.num_players):
        level.best[seat] = -np.inf
        if seat != game.turn:
            level.most += hand_cost(tab, get(game.hands, seat)) * tab.most_last


@kernel(entry=True)
def solve(tab: Tables, game: Any, ends: Any, positions: Any) -> Any:
    """Solve an unfinished game with all cards in `game`, and write the payoffs to `ends.payoffs`.

    Returns:
        True if it was solved within the given number of positions.
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
            make_move(tab, below.game, level.candidates, level.next, ends.deck)
            level.next += 1
            if below.game.winner >= 0:
                for seat in range(tab.num_players):
                    ends.payoffs[seat] = payoff(tab, below.game, seat)
            else:
                key = _key(tab, below.game)
                place = (key >> U(1)) & U(PLACES - 1)
                if ends.key[place] == key:
                    store(ends.payoffs, ends.found[place])
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
            store(ends.found[place], level.best)
            store(ends.payoffs, level.best)
            if depth == 0:
                return True
            depth -= 1
            level = ends.level[depth]
            turn = level.game.turn
        if ends.payoffs[turn] > level.best[turn]:
            store(level.best, ends.payoffs)
