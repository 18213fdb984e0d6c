"""Whole loops over many games: one call from Python each, on games `start` to `stop - 1`, without the interpreter's lock.

Tables and scratch are handed over by their addresses (`records.py`).
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, below, borrowed, random_next
from big2_env.kernels.observe import observe, write_mask
from big2_env.kernels.records import scratch_at, tables_at
from big2_env.kernels.state import act, deal, game_ids, is_legal, payoff, viewer
from big2_env.kernels.tables import Tables

NO_RESET, SAME_STEP, NEXT_STEP = 0, 1, 2
"""When `step_games` deals a finished game anew: never, in the step that ends it, in the step after."""
RUNNING, ENDED, ILLEGAL, DEALT = 0, 1, 2, 3
"""What became of a game in a step: it goes on, it ended, an illegal act ended it, it was dealt anew (the act was not used)."""


@nb.njit(cache=True, nogil=True)
def deal_games(t: Any, games: Any, scratch: Any, seeds: Any, start: Any, stop: Any) -> None:
    """Deal each game by the seed given for it, uint64 (N,)."""
    t, scratch = tables_at(t), scratch_at(scratch)
    games, seeds = borrowed(games), borrowed(seeds)
    for i in range(start, stop):
        deal(t, games[i], seeds[i], scratch.deck)


@nb.njit(cache=True)
def redeal(t: Tables, g: Any, scratch: Any) -> None:
    """Deal a game by the next seed of its own stream."""
    g.rng, seed = random_next(g.rng)
    deal(t, g, seed, scratch.deck)


@nb.njit(cache=True)
def pass_forced(t: Tables, g: Any, scratch: Any) -> Any:
    """Pass for every seat that can do nothing else; return how many acts the seat then to move has, listed in `scratch`."""
    count = game_ids(t, g, scratch.ids)
    while count == 1 and scratch.ids[0] == 0:
        act(t, g, np.int64(0))
        count = game_ids(t, g, scratch.ids)
    return count


@nb.njit(cache=True)
def keep_ids(acts: Any, count: Any, counts: Any, ids: Any, i: Any) -> None:
    """Write a list of acts into row `i` of `ids`, as far as the row reaches, and its length into `counts`."""
    counts[i] = count
    for k in range(0, min(count, ids.shape[1] & ~3), 4):  # four at a time, as `write_mask` does
        ids[i, U(k)], ids[i, U(k + 1)] = acts[U(k)], acts[U(k + 1)]
        ids[i, U(k + 2)], ids[i, U(k + 3)] = acts[U(k + 2)], acts[U(k + 3)]


@nb.njit(cache=True)
def show(
    t: Tables, starts: Any, g: Any, scratch: Any, skip: Any, obs: Any, mask: Any, counts: Any, ids: Any, seats: Any, i: Any
) -> None:
    """Write what the seat to move sees into row `i` of the arrays; forced passes are made first where they are skipped."""
    count = pass_forced(t, g, scratch) if skip else game_ids(t, g, scratch.ids)
    seats[i] = viewer(t, g)
    observe(t, starts, g, np.int64(seats[i]), scratch.words, obs, i)
    write_mask(scratch.ids, count, mask, i)
    keep_ids(scratch.ids, count, counts, ids, i)


@nb.njit(cache=True, nogil=True)
def redeal_games(
    t: Any,
    starts: Any,
    games: Any,
    scratch: Any,
    chosen: Any,
    anew: Any,
    skip: Any,
    obs: Any,
    mask: Any,
    counts: Any,
    ids: Any,
    seats: Any,
    start: Any,
    stop: Any,
) -> None:
    """Show the games that are chosen, bool (N,), dealt before by the next seed of their own stream if `anew`."""
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, chosen, obs, mask = borrowed(starts), borrowed(games), borrowed(chosen), borrowed(obs), borrowed(mask)
    counts, ids, seats = borrowed(counts), borrowed(ids), borrowed(seats)
    for i in range(start, stop):
        if chosen[i]:
            if anew:
                redeal(t, games[i], scratch)
            show(t, starts, games[i], scratch, skip, obs, mask, counts, ids, seats, i)


@nb.njit(cache=True, nogil=True)
def show_seats(t: Any, starts: Any, games: Any, scratch: Any, seats: Any, obs: Any, mask: Any, start: Any, stop: Any) -> None:
    """Write observation and mask of each game for a seat, int64 (N,). The mask is 0 off turn."""
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, seats, obs, mask = borrowed(starts), borrowed(games), borrowed(seats), borrowed(obs), borrowed(mask)
    for i in range(start, stop):
        g = games[i]
        observe(t, starts, g, seats[i], scratch.words, obs, i)
        write_mask(scratch.ids, game_ids(t, g, scratch.ids) if seats[i] == g.turn else 0, mask, i)


@nb.njit(cache=True, nogil=True)
def mask_games(t: Any, games: Any, scratch: Any, mask: Any, start: Any, stop: Any) -> None:
    """Write the mask of each game for the seat to move."""
    t, scratch = tables_at(t), scratch_at(scratch)
    games, mask = borrowed(games), borrowed(mask)
    for i in range(start, stop):
        write_mask(scratch.ids, game_ids(t, games[i], scratch.ids), mask, i)


@nb.njit(cache=True, nogil=True)
def list_ids(t: Any, games: Any, scratch: Any, counts: Any, ids: Any, capacity: Any, start: Any, stop: Any) -> Any:
    """Write the legal ids of each game into a row of `ids`, int32 (N, capacity), and their number into `counts`, int32 (N,).

    Returns False, with the count written all the same, when a list is longer than the row; the row then holds its beginning.
    """
    t, scratch = tables_at(t), scratch_at(scratch)
    games, counts, ids = borrowed(games), borrowed(counts), borrowed(ids)
    fits = True
    for i in range(start, stop):
        count = game_ids(t, games[i], scratch.ids)
        counts[i] = count
        fits = fits and count <= capacity
        for k in range(min(count, capacity)):
            ids[i, k] = scratch.ids[k]
    return fits


@nb.njit(cache=True, nogil=True)
def ask_games(t: Any, games: Any, actions: Any, answers: Any, start: Any, stop: Any) -> None:
    """Write whether each game may go on by the action given for it, any int64 (N,), into `answers`, bool (N,)."""
    t = tables_at(t)
    games, actions, answers = borrowed(games), borrowed(actions), borrowed(answers)
    for i in range(start, stop):
        answers[i] = is_legal(t, games[i], actions[i])


@nb.njit(cache=True, nogil=True)
def step_games(
    t: Any,
    starts: Any,
    games: Any,
    scratch: Any,
    actions: Any,
    reset: Any,
    skip_forced: Any,
    obs: Any,
    mask: Any,
    reward: Any,
    status: Any,
    payoffs: Any,
    final_obs: Any,
    counts: Any,
    ids: Any,
    seats: Any,
    acted: Any,
    start: Any,
    stop: Any,
) -> None:
    """Make one act in each game and write what the seat then to move sees; where the game is over, the seat that acted.

    Read: `actions`, int64 (N,), the act of the seat to move; `reset`, one of `NO_RESET`, `SAME_STEP`, `NEXT_STEP`.

    Written: `reward`, float32 (N,), the payoff of the seat that acted, -1 for an illegal act; `status`, int8 (N,), `RUNNING`,
    `ENDED`, `ILLEGAL` or `DEALT`; `payoffs`, float32 (N, seats), 0 where no game ended; `final_obs`, as `obs`, only where a
    game ended: the last position, seen by the seat that acted; `counts`, int32 (N,), and `ids`, int32 (N, capacity), the legal
    acts as far as there is room; `seats`, int32 (N,), the seat that sees; `acted`, int32 (N,), the one that acted, -1 for none.
    """
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, actions, obs, mask = borrowed(starts), borrowed(games), borrowed(actions), borrowed(obs), borrowed(mask)
    reward, status, payoffs, final_obs = borrowed(reward), borrowed(status), borrowed(payoffs), borrowed(final_obs)
    counts, ids, seats, acted = borrowed(counts), borrowed(ids), borrowed(seats), borrowed(acted)
    for i in range(start, stop):
        g = games[i]
        seat = np.int64(g.turn)
        acted[i] = seat
        reward[i] = 0.0
        status[i] = RUNNING
        payoffs[i, :] = 0.0
        if g.winner >= 0:
            acted[i] = -1
            if reset == NEXT_STEP:
                redeal(t, g, scratch)
                status[i] = DEALT
        elif is_legal(t, g, actions[i]):
            act(t, g, actions[i])
            if g.winner >= 0:
                status[i] = ENDED
                for who in range(t.num_players):
                    payoffs[i, who] = payoff(t, g, who)
                reward[i] = payoffs[i, seat]
        else:
            g.winner = t.num_players  # over, and nobody has won
            status[i] = ILLEGAL
            reward[i] = payoffs[i, seat] = -1.0
        if g.winner >= 0 and status[i] != RUNNING:
            observe(t, starts, g, seat, scratch.words, final_obs, i)
            if reset == SAME_STEP:
                redeal(t, g, scratch)
        show(t, starts, g, scratch, skip_forced, obs, mask, counts, ids, seats, i)


@nb.njit(cache=True, nogil=True)
def play_random(t: Any, starts: Any, games: Any, scratch: Any, obs: Any, mask: Any, start: Any, stop: Any, steps: Any) -> Any:
    """Play random legal acts, `steps` in each game, with observation and mask written at every decision.

    Finished games are dealt anew from their own stream. Returns how many games ended.
    """
    t, scratch = tables_at(t), scratch_at(scratch)
    starts, games, obs, mask = borrowed(starts), borrowed(games), borrowed(obs), borrowed(mask)
    ended = 0
    for _ in range(steps):
        for i in range(start, stop):
            g = games[i]
            observe(t, starts, g, np.int64(g.turn), scratch.words, obs, i)
            count = game_ids(t, g, scratch.ids)
            write_mask(scratch.ids, count, mask, i)
            g.rng, number = random_next(g.rng)
            act(t, g, np.int64(scratch.ids[below(number, count)]))
            if g.winner >= 0:
                ended += 1
                redeal(t, g, scratch)
    return ended


@nb.njit(cache=True, nogil=True)
def rollouts(t: Any, games: Any, scratch: Any, payoffs: Any, start: Any, stop: Any) -> None:
    """Play each game to its end by random legal acts from its own stream; write payoffs, float64 (N, seats)."""
    t, scratch = tables_at(t), scratch_at(scratch)
    games, payoffs = borrowed(games), borrowed(payoffs)
    for i in range(start, stop):
        g = games[i]
        while g.winner < 0:
            count = game_ids(t, g, scratch.ids)
            choice = np.int64(0)
            if count > 1:
                g.rng, number = random_next(g.rng)
                choice = below(number, count)
            act(t, g, np.int64(scratch.ids[choice]))
        for seat in range(t.num_players):
            payoffs[i, seat] = payoff(t, g, seat)


@nb.njit(cache=True, nogil=True)
def seed_streams(games: Any, seeds: Any, chosen: Any, start: Any, stop: Any) -> None:
    """Give the games that are chosen, bool (N,), the streams that begin with the first number of their seeds, uint64 (N,)."""
    games, seeds, chosen = borrowed(games), borrowed(seeds), borrowed(chosen)
    for i in range(start, stop):
        if chosen[i]:
            _, games[i].rng = random_next(seeds[i])
