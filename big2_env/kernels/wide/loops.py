"""Whole loops over many games: one compiled function for all of them, so that what a game needs is compiled once.

The functions after it are called as those of `big2_env.kernels.loops`, with tables and scratch by their addresses.
"""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_env.kernels.bits import GOLDEN_GAMMA, MIX_1, MIX_2, U, below, borrowed, random_next
from big2_env.kernels.loops import DEALT, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.wide.deal import deal
from big2_env.kernels.wide.legal import legal_ids
from big2_env.kernels.wide.records import (
    BUFFERS,
    buffers_at,
    load_byte,
    load_long,
    scratch_at,
    store_byte,
    store_double,
    store_float,
    store_int,
    tables_at,
)
from big2_env.kernels.wide.show import observe, payoff, write_mask
from big2_env.kernels.wide.state import act, is_legal

Array = npt.NDArray[Any]
DEAL, SHOW, SHOW_SEATS, MASK, LIST, ASK, STEP, RANDOM, ROLLOUT = range(9)
"""What `work` is asked to do with each game."""


@nb.njit(cache=True, nogil=True, error_model="numpy")
def work(command: Any, tables: Any, games: Any, scratch: Any, buffers: Any, start: Any, stop: Any) -> Any:
    """Do what is asked with the games `start` to `stop - 1`; everything else by address. Returns how many games ended.

    Whatever is asked goes round one loop: make an act, deal, list what is legal, and perhaps choose the next act. So each of
    these is called, and compiled, in one place.
    """
    t, scratch, b, games = tables_at(tables), scratch_at(scratch), buffers_at(buffers), borrowed(games)
    is_float, players, ended = b.is_float, t.num_players, np.int64(0)
    row_size = t.obs_size * (4 if is_float else 1)
    for _ in range(b.steps):
        for i in range(start, stop):
            g = games[i]
            seat, action, status, reward = np.int64(g.turn), np.int64(-1), np.int64(RUNNING), 0.0
            number = U(load_long(b.actions, i)) if b.actions else U(0)
            is_chosen = load_byte(b.chosen, i) != 0 if b.chosen else True
            deals = is_chosen and (
                command == DEAL or (command == SHOW and b.anew != 0) or (command == RANDOM and g.winner >= 0)
            )
            if command == STEP:
                for who in range(players):
                    store_float(b.payoffs, i * players + who, np.float32(0.0))
                if g.winner >= 0:
                    seat, deals = np.int64(-1), b.reset == NEXT_STEP
                    status = np.int64(DEALT if deals else RUNNING)
                elif is_legal(t, g, np.int64(number)):
                    action = np.int64(number)
                else:
                    g.winner, g.actor = players, seat  # over, and nobody has won
                    status, reward = np.int64(ILLEGAL), -1.0
                    store_float(b.payoffs, i * players + seat, np.float32(-1.0))
            elif command == ASK:
                store_byte(b.answers, i, np.int8(is_legal(t, g, np.int64(number))))
                continue
            elif not is_chosen:
                continue
            count, acted, settled, is_fresh = np.int64(0), False, command != STEP or seat < 0, False
            while True:
                if action >= 0:
                    act(t, g, action, scratch)
                    action = np.int64(-1)
                if not settled:
                    settled = True
                    if g.winner >= 0 and status == RUNNING:
                        status = np.int64(ENDED)
                        for who in range(players):
                            amount = payoff(t, g, who)
                            store_float(b.payoffs, i * players + who, np.float32(amount))
                            reward = amount if who == seat else reward
                    if status != RUNNING:
                        observe(t, g, seat, b.final_obs + i * row_size, is_float)
                        deals = b.reset == SAME_STEP
                elif command == RANDOM and acted and g.winner >= 0:
                    ended += 1
                    deals = True
                if deals:
                    if command != DEAL:
                        g.rng, number = random_next(g.rng)
                    deal(t, g, number, scratch)
                    deals, is_fresh = False, t.auto_lead != 0
                elif command == RANDOM and acted:
                    break
                count = legal_ids(t, g, scratch)
                if is_fresh:
                    action, is_fresh = np.int64(scratch.ids[0]), False  # the one legal play
                elif b.skip and count == 1 and scratch.ids[0] == 0:
                    action = np.int64(0)
                elif command == ROLLOUT and count:
                    choice = np.int64(0)
                    if count > 1:
                        g.rng, number = random_next(g.rng)
                        choice = below(number, count)
                    action = np.int64(scratch.ids[choice])
                elif command == RANDOM and not acted:
                    acted = True
                    if b.obs:
                        observe(t, g, np.int64(g.turn), b.obs + i * row_size, is_float)
                    if b.mask:
                        write_mask(t, scratch.ids, count, b.mask + i * t.num_actions)
                    g.rng, number = random_next(g.rng)
                    action = np.int64(scratch.ids[below(number, count)])
                else:
                    break
            if command == STEP:
                store_int(b.acted, i, np.int32(seat))
                store_float(b.reward, i, np.float32(reward))
                store_byte(b.status, i, np.int8(status))
            if command == ROLLOUT:
                for who in range(players):
                    store_double(b.results, i * players + who, payoff(t, g, who))
            if command in (DEAL, RANDOM, ROLLOUT):
                continue
            if command == SHOW_SEATS:
                seat = np.int64(number)
                count = count if seat == g.turn else np.int64(0)
            else:
                seat = np.int64(g.turn if g.winner < 0 else g.actor)
            if b.seats:
                store_int(b.seats, i, np.int32(seat))
            if b.obs:
                observe(t, g, seat, b.obs + i * row_size, is_float)
            if b.mask:
                write_mask(t, scratch.ids, count, b.mask + i * t.num_actions)
            if b.counts:
                store_int(b.counts, i, np.int32(count))
                for k in range(min(count, b.capacity)):
                    store_int(b.ids, i * b.capacity + k, scratch.ids[k])
    return ended


_NAMES: Final = BUFFERS.names or ()


def _call(command: int, t: int, games: Array, scratch: int, start: int, stop: int, **given: Array | int) -> int:
    """Call `work` with arrays and numbers; an array without entries is none."""
    fields = {"steps": 1}
    for name, what in given.items():
        if isinstance(what, np.ndarray):
            assert what.flags.c_contiguous
            fields[name] = what.__array_interface__["data"][0] if what.size else 0
        else:
            fields[name] = int(what)
    buffers = np.array([fields.get(name, 0) for name in _NAMES], np.int64)
    return int(work(command, t, games, scratch, buffers.__array_interface__["data"][0], start, stop))


def _is_float(array: Array) -> bool:
    return array.dtype == np.float32


def deal_games(t: int, games: Array, scratch: int, seeds: Array, start: int, stop: int) -> None:
    """Deal each game by the seed given for it, uint64 (N,)."""
    _call(DEAL, t, games, scratch, start, stop, actions=np.ascontiguousarray(seeds))


def seed_streams(games: Any, seeds: Array, chosen: Array, start: int, stop: int) -> None:
    """Give the games that are chosen, bool (N,), the streams that begin with the first number of their seeds, uint64 (N,)."""
    z = seeds + GOLDEN_GAMMA
    z = (z ^ (z >> U(30))) * MIX_1
    z = (z ^ (z >> U(27))) * MIX_2
    games.rng[start:stop][chosen[start:stop]] = (z ^ (z >> U(31)))[start:stop][chosen[start:stop]]


def redeal_games(
    t: int, starts: Array, games: Array, scratch: int, chosen: Array, anew: bool, skip: bool,
    obs: Array, mask: Array, counts: Array, ids: Array, seats: Array, start: int, stop: int,
) -> None:  # fmt: skip
    """Show the games that are chosen, bool (N,), dealt before by the next seed of their own stream if `anew`."""
    _call(
        SHOW, t, games, scratch, start, stop, chosen=np.ascontiguousarray(chosen), anew=anew, skip=skip, obs=obs, mask=mask,
        counts=counts, ids=ids, seats=seats, is_float=_is_float(obs), capacity=ids.shape[1],
    )  # fmt: skip


def show_seats(
    t: int, starts: Array, games: Array, scratch: int, seats: Array, obs: Array, mask: Array, start: int, stop: int
) -> None:
    """Write observation and mask of each game for a seat, int64 (N,). The mask is 0 off turn."""
    asked = np.ascontiguousarray(seats, np.int64)
    _call(SHOW_SEATS, t, games, scratch, start, stop, actions=asked, obs=obs, mask=mask, is_float=_is_float(obs))


def mask_games(t: int, games: Array, scratch: int, mask: Array, start: int, stop: int) -> None:
    """Write the mask of each game for the seat to move."""
    _call(MASK, t, games, scratch, start, stop, mask=mask)


def list_ids(t: int, games: Array, scratch: int, counts: Array, ids: Array, capacity: int, start: int, stop: int) -> bool:
    """Write the legal ids of each game and their number; returns False where a list is longer than a row."""
    _call(LIST, t, games, scratch, start, stop, counts=counts, ids=ids, capacity=capacity)
    return bool((counts[start:stop] <= capacity).all())


def ask_games(t: int, games: Array, actions: Array, answers: Array, start: int, stop: int) -> None:
    """Write whether each game may go on by the action given for it, int64 (N,), into `answers`, bool (N,)."""
    _call(ASK, t, games, 0, start, stop, actions=np.ascontiguousarray(actions), answers=answers)


def step_games(
    t: int, starts: Array, games: Array, scratch: int, actions: Array, reset: int, skip_forced: bool,
    obs: Array, mask: Array, reward: Array, status: Array, payoffs: Array, final_obs: Array,
    counts: Array, ids: Array, seats: Array, acted: Array, start: int, stop: int,
) -> None:  # fmt: skip
    """Make one act in each game and write what the seat then to move sees, as `big2_env.kernels.loops.step_games`."""
    _call(
        STEP, t, games, scratch, start, stop, actions=actions, reset=reset, skip=skip_forced, obs=obs, mask=mask, reward=reward,
        status=status, payoffs=payoffs, final_obs=final_obs, counts=counts, ids=ids, seats=seats, acted=acted,
        is_float=_is_float(obs), capacity=ids.shape[1],
    )  # fmt: skip


def play_random(
    t: int, starts: Array, games: Array, scratch: int, obs: Array, mask: Array, start: int, stop: int, steps: int
) -> int:
    """Play random legal acts, `steps` in each game, observation and mask written at every decision where they have room.

    Finished games are dealt anew from their own stream. Returns how many games ended.
    """
    return _call(RANDOM, t, games, scratch, start, stop, obs=obs, mask=mask, is_float=_is_float(obs), steps=steps)


def rollouts(t: int, games: Array, scratch: int, payoffs: Array, start: int, stop: int) -> None:
    """Play each game to its end by random legal acts from its own stream; write payoffs, float64 (N, seats)."""
    _call(ROLLOUT, t, games, scratch, start, stop, results=payoffs)
