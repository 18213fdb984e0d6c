"""Whole loops over many games: one call from Python each, on games `start` to `stop - 1`, without the interpreter's lock.

What a call reads and writes is told in `arguments.py`. Opponents that play at random act inside the loop (seat mode).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.agent_streams import move_stream
from big2_env.kernels.batch import DEALT, DRAWN, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.arguments import LEARNER, carray, pointer, record_at
from big2_env.kernels.dialect.bits import U, below, borrowed, by_type, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.legal import game_ids, judge
from big2_env.kernels.observe import observe, write_mask
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import act, deal, make, viewer
from big2_env.kernels.variants import variant_named

OUTSIDE, RANDOM = 0, 1
"""Who plays for an opponent: the caller, or a random legal act in the loop."""
SHOW, DEAL, STEP, ANSWER = 0, 1, 2, 3
"""What `serve` does: nothing but showing; deal and show; make an act and show; make an act, if it is legal, and show."""

_learner_at, _LEARNER_SIZE = record_at(LEARNER), LEARNER.itemsize


def tables_of(a: Any) -> Any:
    """The compiled ruleset of a call's arguments."""


@by_type(tables_of)
def _tables_of(a: Any) -> Any:
    at = record_at(variant_named(a.fields).tables)
    return lambda a: at(a.tables)


def scratch_of(a: Any) -> Any:
    """The thread's scratch."""


@by_type(scratch_of)
def _scratch_of(a: Any) -> Any:
    at = record_at(variant_named(a.fields).scratch)
    return lambda a: at(a.scratch)


def game_of(a: Any, i: Any) -> Any:
    """The record of a game."""


@by_type(game_of)
def _game_of(a: Any, i: Any) -> Any:
    dtype = variant_named(a.fields).game
    at, size = record_at(dtype), dtype.itemsize
    return lambda a, i: at(a.games + i * size)


@kernel
def _learner_of(a: Any, i: Any) -> Any:
    return _learner_at(a.learners + i * _LEARNER_SIZE)


def seen_rows(a: Any, place: Any) -> Any:
    """The observations that begin at an address, int8 or float32 (N, size)."""


@by_type(seen_rows)
def _seen_rows(a: Any, place: Any) -> Any:
    dtype = np.float32 if variant_named(a.fields).is_float else np.int8
    return lambda a, place: carray(pointer(place), (a.num_games, a.obs_size), dtype)


@kernel
def _keep_ids(acts: Any, count: Any, counts: Any, ids: Any, i: Any) -> None:
    """Write a list of acts into row `i` of `ids`, as far as the row reaches, and its length into `counts`."""
    counts[i] = count
    for k in range(0, min(count, ids.shape[1] & ~3), 4):  # four at a time, as `write_mask` does
        ids[i, U(k)], ids[i, U(k + 1)] = acts[U(k)], acts[U(k + 1)]
        ids[i, U(k + 2)], ids[i, U(k + 3)] = acts[U(k + 2)], acts[U(k + 3)]


@kernel
def redeal(t: Tables, g: Any, s: Any, fixed_seat: Any, scratch: Any) -> None:
    """Deal a game by the next seed of its own stream; a learner gets its seat: a fixed one, each in turn, or one drawn."""
    g.rng, seed = random_next(g.rng)
    deal(t, g, seed, scratch)
    if s.seat >= 0:
        if fixed_seat == DRAWN:
            state, _ = random_next(~seed)
            _, number = random_next(state)
            s.seat = below(number, t.num_players)
        else:
            s.seat = fixed_seat if fixed_seat >= 0 else (s.first + s.deals) % t.num_players
        s.asked = 0
    s.deals += 1


@kernel
def _advance(t: Tables, g: Any, s: Any, kinds: Any, skip: Any, scratch: Any) -> Any:
    """Play for the opponents until the learner or an outside opponent is to move, or the game is over.

    Forced passes are made as well where they are skipped. Only its first turn of a game is a single learner always asked about:
    so every game is its own to win or to lose. Returns how many legal acts are listed in `scratch`, -1 where none are.
    """
    if s.seat < 0 and not skip:
        return np.int64(-1)
    while g.winner < 0:
        kind = np.int64(OUTSIDE)
        if s.seat >= 0:
            distance = np.int64(g.turn) - s.seat
            distance = distance if distance >= 0 else distance + t.num_players
            if distance == 0 and not (skip and s.asked != 0):
                s.asked = 1
                return np.int64(-1)
            kind = np.int64(kinds[U(distance)]) if distance else kind
            if kind == OUTSIDE and not skip:
                return np.int64(-1)
        count = game_ids(t, g, scratch)
        chosen = np.int64(0)
        if count > 1 or (kind == OUTSIDE and scratch.ids[0] != 0):
            if kind == OUTSIDE:
                return count
            _, number = random_next(move_stream(g))
            chosen = below(number, count)
        act(t, g, np.int64(scratch.ids[U(chosen)]), scratch)
    return np.int64(-1)


@kernel(entry=True)
def serve(args: Any, command: Any, start: Any, stop: Any) -> Any:
    """Deal games or make an act in each, go on until somebody outside has to act, and show what the one to act sees.

    Read, by game: `actions` int64, the act of the seat to move (or of the learner); `chosen` bool, the games that DEAL and SHOW
    are for; `seeds` uint64, of deals, if `by_seed`; `viewers` int64, the seats that are shown, if `by_viewer`. With `by_row`
    `start` to `stop - 1` are places in `rows`, int64, which name games; `actions`, `obs` and `mask` are by these places.

    Written: `reward` float32, the payoff of the seat that acted (the learner's whoever ended the game), -1 for an illegal act;
    `status` int8, `RUNNING`, `ENDED`, `ILLEGAL` or `DEALT`; `payoffs` float32 and `paid` float64 (N, seats), 0 where no game
    ended; `final_obs`, as `obs`, only where a game ended: the last position, seen by the seat that acted (the learner); `actor`
    int32, the seat that acted, -1 for none. If it `shows`: `seats` int32, the seat that sees; `obs`; `mask` int8; `counts`
    int32 and `ids` int32 (N, capacity), the legal acts as far as there is room.

    Returns the first place whose act is not legal, -1 for none: ANSWER does nothing there and after it.
    """
    a = borrowed(args)[0]
    t, scratch, players, skip, reset = tables_of(a), scratch_of(a), np.int64(a.num_players), a.skip_forced != 0, a.reset
    size = a.num_games
    kinds, chosen = carray(pointer(a.kinds), (players,), np.int8), carray(pointer(a.chosen), (size,), np.bool_)
    actions, rows = carray(pointer(a.actions), (size,), np.int64), carray(pointer(a.rows), (size,), np.int64)
    viewers, seeds = carray(pointer(a.viewers), (size,), np.int64), carray(pointer(a.seeds), (size,), np.uint64)
    reward, status = carray(pointer(a.reward), (size,), np.float32), carray(pointer(a.status), (size,), np.int8)
    payoffs = carray(pointer(a.payoffs), (size, players), np.float32)
    paid = carray(pointer(a.paid), (size, players), np.float64)
    counts, ids = carray(pointer(a.counts), (size,), np.int32), carray(pointer(a.ids), (size, a.capacity), np.int32)
    seats, actors = carray(pointer(a.seats), (size,), np.int32), carray(pointer(a.actor), (size,), np.int32)
    mask, obs, final_obs = (
        carray(pointer(a.mask), (size, a.num_actions), np.int8),
        seen_rows(a, a.obs),
        seen_rows(a, a.final_obs),
    )
    by_row, by_seed, by_viewer, fixed_seat = a.by_row != 0, a.by_seed != 0, a.by_viewer != 0, a.fixed_seat
    shows, writes_obs, writes_mask, writes_ids = a.shows != 0, a.writes_obs != 0, a.writes_mask != 0, a.writes_ids != 0
    for k in range(start, stop):
        i = rows[k] if by_row else np.int64(k)
        g, s = game_of(a, i), _learner_of(a, i)
        count, goes_on, deals = np.int64(-1), command != SHOW, command == DEAL
        if command >= STEP:
            if command == STEP or s.seat < 0:
                actors[i] = np.int64(g.turn if s.seat < 0 else s.seat)
                reward[i] = 0.0
                status[i] = RUNNING
                payoffs[i, :] = 0.0
                paid[i, :] = 0.0
            if command == STEP and g.winner >= 0:
                actors[i] = -1
                goes_on = deals = reset == NEXT_STEP
                if deals:
                    status[i] = DEALT
            else:
                is_legal, cards, row = judge(t, g, actions[k], scratch)
                if is_legal:
                    make(t, g, actions[k], cards, row, scratch)
                elif command == ANSWER:
                    return np.int64(k)
                else:
                    g.winner, g.actor = players, actors[i]  # over, and nobody has won
                    status[i] = ILLEGAL
                    reward[i] = payoffs[i, actors[i]] = paid[i, actors[i]] = -1.0
        elif not chosen[i]:
            continue
        elif deals:
            status[i] = DEALT
        while goes_on:
            if deals:
                if by_seed:
                    deal(t, g, seeds[i], scratch)
                else:
                    redeal(t, g, s, fixed_seat, scratch)
                deals = False
            count = _advance(t, g, s, kinds, skip, scratch)
            if g.winner < 0:
                break
            if s.seat < 0 or s.asked != 0:  # else a game that ended before the learner's first turn: it is nobody's
                seat = np.int64(s.seat if s.seat >= 0 else actors[i])
                if status[i] != ILLEGAL:
                    status[i] = ENDED
                    for who in range(players):
                        paid[i, who] = payoff(t, g, who) + 0.0
                        payoffs[i, who] = paid[i, who]
                    reward[i] = payoffs[i, seat]
                observe(t, g, seat, scratch.words, final_obs, i)
                if reset != SAME_STEP:
                    break
            deals = True
        if not shows:
            continue
        seat = np.int64(viewers[i]) if by_viewer else np.int64(s.seat) if s.seat >= 0 else np.int64(viewer(t, g))
        if writes_obs:
            seats[i] = seat
            observe(t, g, seat, scratch.words, obs, k)
        if seat != g.turn or g.winner >= 0:
            count = np.int64(0)
        elif count < 0:
            count = game_ids(t, g, scratch)
        if writes_mask:
            write_mask(scratch.ids, count, mask, k)
        if writes_ids:
            _keep_ids(scratch.ids, count, counts, ids, k)
    return np.int64(-1)


@kernel(entry=True)
def ask_games(args: Any, answers: Any, start: Any, stop: Any) -> None:
    """Write whether each game may go on by the action given for it, any int64 (N,), into `answers`, bool (N,)."""
    a = borrowed(args)[0]
    t, scratch, actions = tables_of(a), scratch_of(a), carray(pointer(a.actions), (a.num_games,), np.int64)
    for i in range(start, stop):
        answers[i] = judge(t, game_of(a, i), actions[i], scratch)[0]


@kernel(entry=True)
def write_streams(args: Any, rows: Any, streams: Any) -> None:
    """Write the stream of the seat to move in each of the games `rows`, int64 (M,), into `streams`, uint64 (M,)."""
    a = borrowed(args)[0]
    for n in range(len(rows)):
        streams[n] = move_stream(game_of(a, rows[n]))


@kernel(entry=True)
def play_random(args: Any, steps: Any, start: Any, stop: Any) -> Any:
    """Play random legal acts, `steps` in each game, with observation and mask written at every decision.

    Finished games are dealt anew from their own stream. Returns how many games ended.
    """
    a = borrowed(args)[0]
    t, scratch, obs, writes_mask = tables_of(a), scratch_of(a), seen_rows(a, a.obs), a.writes_mask != 0
    mask, ended = carray(pointer(a.mask), (a.num_games, a.num_actions), np.int8), np.int64(0)
    for _ in range(steps):
        for i in range(start, stop):
            g = game_of(a, i)
            if g.winner >= 0:  # it was over before
                redeal(t, g, _learner_of(a, i), np.int64(-1), scratch)
            observe(t, g, np.int64(g.turn), scratch.words, obs, i)
            count = game_ids(t, g, scratch)
            if writes_mask:
                write_mask(scratch.ids, count, mask, i)
            g.rng, number = random_next(g.rng)
            act(t, g, np.int64(scratch.ids[U(below(number, count))]), scratch)
            if g.winner >= 0:
                ended += 1
                redeal(t, g, _learner_of(a, i), np.int64(-1), scratch)
    return ended


@kernel(entry=True)
def rollouts(args: Any, start: Any, stop: Any) -> None:
    """Play each game to its end by random legal acts from its own stream; write what is `paid`, float64 (N, seats)."""
    a = borrowed(args)[0]
    t, scratch = tables_of(a), scratch_of(a)
    paid = carray(pointer(a.paid), (a.num_games, a.num_players), np.float64)
    for i in range(start, stop):
        g = game_of(a, i)
        while g.winner < 0:
            count = game_ids(t, g, scratch)
            choice = np.int64(0)
            if count > 1:
                g.rng, number = random_next(g.rng)
                choice = below(number, count)
            act(t, g, np.int64(scratch.ids[U(choice)]), scratch)
        for seat in range(t.num_players):
            paid[i, seat] = payoff(t, g, seat) + 0.0
