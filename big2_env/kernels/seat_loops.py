"""Loops over games in which one seat learns and the others are opponents, of whom some play at random inside the loop.

A game is dealt, passed on and ended as in `loops.py`; here the opponents act up to the learner's next turn as well.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import MIX_1, U, below, borrowed, random_next
from big2_env.kernels.loops import DEALT, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP, keep_ids
from big2_env.kernels.observe import observe, write_mask
from big2_env.kernels.records import scratch_at, tables_at
from big2_env.kernels.state import act, deal, game_ids, is_legal, payoff
from big2_env.kernels.tables import Tables

OUTSIDE, RANDOM = 0, 1
"""Who plays for an opponent: the caller, or a random legal act in the loop."""

EACH_ACT: Final = MIX_1
"""From one act's stream to the next. An act's luck does not depend on who was asked before: forced passes may be skipped."""
LEARNER: Final = np.dtype(
    [
        ("luck", np.uint64),  # the opponents' luck in this game: each act's stream begins at luck + acts so far * EACH_ACT
        ("seat", np.int32),  # the learner's seat
        ("deals", np.int32),  # how many games were dealt
        ("first", np.int32),  # the learner's seat in the first of them
        ("asked", np.int32),  # 1 once the learner has been asked in this game
    ]
)
"""What belongs to a game besides its record."""


@nb.njit(cache=True)
def _deal_seat(t: Tables, g: Any, s: Any, fixed: Any, scratch: Any) -> None:
    """Deal a game by the next seed of its own stream, and give the learner its seat: a fixed one, or each in turn."""
    g.rng, seed = random_next(g.rng)
    deal(t, g, seed, scratch.deck)
    _, s.luck = random_next(~seed)
    s.seat = fixed if fixed >= 0 else (s.first + s.deals) % t.num_players
    s.deals += 1
    s.asked = 0


@nb.njit(cache=True)
def _advance(t: Tables, g: Any, s: Any, kinds: Any, skip: Any, scratch: Any) -> None:
    """Play for the opponents until the learner or an outside opponent is to move, or the game is over.

    Forced passes are made as well where they are skipped. Only its first turn of a game is the learner always asked about: so
    every game is its own to win or to lose.
    """
    while g.winner < 0:
        distance = np.int64(g.turn) - s.seat
        distance = distance if distance >= 0 else distance + t.num_players
        if distance == 0 and not (skip and s.asked != 0):
            s.asked = 1
            return
        kind = OUTSIDE if distance == 0 else kinds[U(distance)]
        if kind == OUTSIDE and not skip:
            return
        count = game_ids(t, g, scratch.ids)
        if count == 1 and (kind == RANDOM or scratch.ids[0] == 0):
            act(t, g, np.int64(scratch.ids[0]))
        elif kind == RANDOM:
            _, number = random_next(s.luck + U(g.steps) * EACH_ACT)
            act(t, g, np.int64(scratch.ids[U(below(number, count))]))
        else:
            return


@nb.njit(cache=True)
def _proceed(
    t: Tables,
    starts: Any,
    g: Any,
    s: Any,
    kinds: Any,
    fixed: Any,
    scratch: Any,
    reset: Any,
    skip: Any,
    reward: Any,
    status: Any,
    payoffs: Any,
    final_obs: Any,
    i: Any,
) -> None:
    """Go on until somebody outside the loop has to act, or the game is over and not dealt anew; write down an end.

    A game that ends before the learner's first turn is nobody's, and is dealt anew: 13 cards in one play, where there is such.
    """
    while True:
        if g.winner < 0:
            _advance(t, g, s, kinds, skip, scratch)
        if g.winner < 0:
            return
        if s.asked != 0:
            if status[i] != ILLEGAL:
                status[i] = ENDED
                for who in range(t.num_players):
                    payoffs[i, who] = payoff(t, g, who)
                reward[i] = payoffs[i, s.seat]
            observe(t, starts, g, np.int64(s.seat), scratch.words, final_obs, i)
            if reset != SAME_STEP:
                return
        _deal_seat(t, g, s, fixed, scratch)


@nb.njit(cache=True)
def _show(
    t: Tables, starts: Any, g: Any, s: Any, scratch: Any, obs: Any, mask: Any, counts: Any, ids: Any, seats: Any, i: Any
) -> None:
    """Write what the learner sees into row `i` of the arrays."""
    seats[i] = s.seat
    observe(t, starts, g, np.int64(s.seat), scratch.words, obs, i)
    count = game_ids(t, g, scratch.ids) if g.turn == s.seat else 0
    write_mask(scratch.ids, count, mask, i)
    keep_ids(scratch.ids, count, counts, ids, i)


@nb.njit(cache=True, nogil=True)
def step_learners(
    t: Any,
    starts: Any,
    games: Any,
    learners: Any,
    kinds: Any,
    fixed: Any,
    scratch: Any,
    actions: Any,
    reset: Any,
    skip: Any,
    obs: Any,
    mask: Any,
    reward: Any,
    status: Any,
    payoffs: Any,
    final_obs: Any,
    counts: Any,
    ids: Any,
    seats: Any,
    shown: Any,
    start: Any,
    stop: Any,
) -> None:
    """Make the learner's act in each game and go on as far as random opponents can; then show all, if `shown`.

    Read and written as in `loops.step_games`, but for the learner: `reward` is its own payoff whoever ended the game, and what
    is shown it sees. `kinds`, int8 (seats,), is `OUTSIDE` or `RANDOM` by the distance from the learner.
    """
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, learners, kinds, actions = (
        borrowed(starts), borrowed(games), borrowed(learners), borrowed(kinds), borrowed(actions),
    )  # fmt: skip
    obs, mask, reward, status = borrowed(obs), borrowed(mask), borrowed(reward), borrowed(status)
    payoffs, final_obs, counts, ids = borrowed(payoffs), borrowed(final_obs), borrowed(counts), borrowed(ids)
    seats = borrowed(seats)
    for i in range(start, stop):
        g, s = games[i], learners[i]
        reward[i] = 0.0
        status[i] = RUNNING
        payoffs[i, :] = 0.0
        go_on = True
        if g.winner >= 0:
            go_on = reset == NEXT_STEP
            if go_on:
                _deal_seat(t, g, s, fixed, scratch)
                status[i] = DEALT
        elif is_legal(t, g, actions[i]):
            act(t, g, actions[i])
        else:
            g.winner = t.num_players  # over, and nobody has won
            status[i] = ILLEGAL
            reward[i] = payoffs[i, s.seat] = -1.0
        if go_on:
            _proceed(t, starts, g, s, kinds, fixed, scratch, reset, skip, reward, status, payoffs, final_obs, i)
        if shown:
            _show(t, starts, g, s, scratch, obs, mask, counts, ids, seats, i)


@nb.njit(cache=True, nogil=True)
def answer_games(
    t: Any,
    starts: Any,
    games: Any,
    learners: Any,
    kinds: Any,
    fixed: Any,
    scratch: Any,
    rows: Any,
    actions: Any,
    reset: Any,
    skip: Any,
    reward: Any,
    status: Any,
    payoffs: Any,
    final_obs: Any,
    start: Any,
    stop: Any,
) -> Any:
    """Make the acts of outside opponents in the games `rows[start:stop]`, int64, and go on as `step_learners` does.

    Returns the place in `rows` of the first act that is not legal, -1 for none; nothing has been done there or after it.
    """
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, learners, kinds = borrowed(starts), borrowed(games), borrowed(learners), borrowed(kinds)
    rows, actions, reward, status = borrowed(rows), borrowed(actions), borrowed(reward), borrowed(status)
    payoffs, final_obs = borrowed(payoffs), borrowed(final_obs)
    for k in range(start, stop):
        i = rows[k]
        g, s = games[i], learners[i]
        if not is_legal(t, g, actions[k]):
            return k
        act(t, g, actions[k])
        _proceed(t, starts, g, s, kinds, fixed, scratch, reset, skip, reward, status, payoffs, final_obs, i)
    return -1


@nb.njit(cache=True, nogil=True)
def deal_learners(
    t: Any,
    starts: Any,
    games: Any,
    learners: Any,
    kinds: Any,
    fixed: Any,
    scratch: Any,
    chosen: Any,
    skip: Any,
    reward: Any,
    status: Any,
    payoffs: Any,
    final_obs: Any,
    start: Any,
    stop: Any,
) -> None:
    """Deal the games that are chosen, bool (N,), and go on as `step_learners` does."""
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, learners, kinds = borrowed(starts), borrowed(games), borrowed(learners), borrowed(kinds)
    chosen, reward, status = borrowed(chosen), borrowed(reward), borrowed(status)
    payoffs, final_obs = borrowed(payoffs), borrowed(final_obs)
    for i in range(start, stop):
        if chosen[i]:
            g, s = games[i], learners[i]
            status[i] = DEALT
            _deal_seat(t, g, s, fixed, scratch)
            _proceed(t, starts, g, s, kinds, fixed, scratch, np.int64(SAME_STEP), skip, reward, status, payoffs, final_obs, i)


@nb.njit(cache=True, nogil=True)
def show_learners(
    t: Any,
    starts: Any,
    games: Any,
    learners: Any,
    scratch: Any,
    chosen: Any,
    obs: Any,
    mask: Any,
    counts: Any,
    ids: Any,
    seats: Any,
    start: Any,
    stop: Any,
) -> None:
    """Write what the learner sees of each game that is chosen, bool (N,)."""
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, learners, chosen = borrowed(starts), borrowed(games), borrowed(learners), borrowed(chosen)
    obs, mask, counts, ids, seats = borrowed(obs), borrowed(mask), borrowed(counts), borrowed(ids), borrowed(seats)
    for i in range(start, stop):
        if chosen[i]:
            _show(t, starts, games[i], learners[i], scratch, obs, mask, counts, ids, seats, i)


@nb.njit(cache=True, nogil=True)
def show_rows(t: Any, starts: Any, games: Any, scratch: Any, rows: Any, obs: Any, mask: Any, start: Any, stop: Any) -> None:
    """Write what the seat to move sees of the games `rows[start:stop]`, int64, into the rows `start` to `stop - 1`."""
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, rows, obs, mask = borrowed(starts), borrowed(games), borrowed(rows), borrowed(obs), borrowed(mask)
    for k in range(start, stop):
        g = games[rows[k]]
        observe(t, starts, g, np.int64(g.turn), scratch.words, obs, k)
        write_mask(scratch.ids, game_ids(t, g, scratch.ids), mask, k)
