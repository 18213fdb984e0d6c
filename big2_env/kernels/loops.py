"""Calls from Python that process many games, from `start` to `stop - 1`, without the interpreter's lock.

`tables.py` describes the arguments that a call reads and writes. Random opponents move inside the loop (seat mode).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.batch import DEALT, DRAWN, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next, row_at
from big2_env.kernels.dialect.kernel import array_at, array_in, clear, kernel, record_in
from big2_env.kernels.legal import check_action, game_ids
from big2_env.kernels.observe import move_stream, observe, write_mask
from big2_env.kernels.tables import ANSWER, DEAL, LEARNER, OUTSIDE, SHOW, STEP, Tables
from big2_env.kernels.turn import deal, make, make_move, payoff, viewer
from big2_env.kernels.variants import variant_named

tables_of = record_in("tables", lambda fields: variant_named(fields).tables)
"""Return the compiled ruleset of a call's arguments."""
scratch_of = record_in("scratch", lambda fields: variant_named(fields).scratch)
"""Return the thread's working memory."""
game_of = record_in("games", lambda fields: variant_named(fields).game)
"""Return the record of a game. Arguments are (call, i)."""
learner_of = record_in("learners", lambda fields: LEARNER)
"""Return the learner's record of a game. Arguments are (call, i)."""
seen_rows = array_in(lambda fields: np.dtype(variant_named(fields).entry))
"""Return observations, int8 or float32 (N, size) or uint8 (N, bytes). Arguments are (call, place, shape)."""


@kernel(inline=True)
def _keep_ids(moves: Any, count: Any, counts: Any, ids: Any, i: Any) -> None:
    """Write a list of actions to row `i` of `ids`, as far as the row has room, and its length to `counts`."""
    counts[i] = count
    for k in range(0, min(count, ids.shape[1] & ~3), 4):  # four at a time, as `write_mask` does
        ids[i, U(k)], ids[i, U(k + 1)] = moves[U(k)], moves[U(k + 1)]
        ids[i, U(k + 2)], ids[i, U(k + 3)] = moves[U(k + 2)], moves[U(k + 3)]


@kernel
def redeal(tab: Tables, game: Any, learner: Any, fixed_seat: Any, scratch: Any) -> None:
    """Deal a game from the next seed of its own stream, with its next salt, and assign the learner's seat."""
    game.rng, seed = random_next(game.rng)
    learner.salts, learner.salt = random_next(learner.salts)
    deal(tab, game, seed, scratch)
    if learner.seat >= 0:
        if fixed_seat == DRAWN:
            state, _ = random_next(~seed)
            _, number = random_next(state)
            learner.seat = below(number, tab.num_players)
        else:
            learner.seat = fixed_seat if fixed_seat >= 0 else (learner.first + learner.deals) % tab.num_players
        learner.asked = 0
    learner.deals += 1


@kernel
def _advance(tab: Tables, game: Any, learner: Any, kinds: Any, skip: Any, scratch: Any) -> Any:
    """Play for the opponents until the learner or an outside opponent is to move, or the game is over.

    Forced passes are made too if they are skipped. A learner is always asked on its first turn of a game, so that it
    makes at least one decision in every game. Returns the number of legal actions listed in `scratch`, -1 if none are
    listed.
    """
    if learner.seat < 0 and not skip:
        return np.int64(-1)
    while game.winner < 0:
        kind = np.int64(OUTSIDE)
        if learner.seat >= 0:
            distance = np.int64(game.turn) - learner.seat
            distance = distance if distance >= 0 else distance + tab.num_players
            if distance == 0 and not (skip and learner.asked != 0):
                learner.asked = 1
                return np.int64(-1)
            kind = np.int64(kinds[U(distance)]) if distance else kind
            if kind == OUTSIDE and not skip:
                return np.int64(-1)
        count = game_ids(tab, game, scratch)
        chosen = np.int64(0)
        if count > 1 or (kind == OUTSIDE and scratch.ids[0] != 0):
            if kind == OUTSIDE:
                return count
            _, number = random_next(move_stream(game, learner.salt))
            chosen = below(number, count)
        make_move(tab, game, np.int64(scratch.ids[U(chosen)]), scratch)
    return np.int64(-1)


@kernel(entry=True)
def serve(args: Any, command: Any, start: Any, stop: Any) -> Any:
    """Deal games or make a move in each, continue until an outside player must move, and show what the seat to move sees.

    Read, by game: `actions` int64, the move of the seat to move (or of the learner); `chosen` bool, the games for DEAL
    and SHOW; `seeds` uint64, of deals, if `by_seed`; `viewers` int64, the seats to show, if `by_viewer`. With `by_row`,
    `start` to `stop - 1` are indices into `rows`, int64, which names games; `actions`, `obs` and `mask` then use these
    indices.

    Written: `reward` float32, the payoff of the seat that moved (in seat mode the learner's), -1 for an illegal action;
    `status` int8, `RUNNING`, `ENDED`, `ILLEGAL` or `DEALT`; `payoffs` float32 and `paid` float64 (N, seats), 0 if no game
    ended; `final_obs`, like `obs`, only for games that ended: the last position as the seat that moved (the learner) sees
    it; `actor` int32, the seat that moved, -1 for none. With `shows`: `seats` int32, the seat shown; `obs`; `mask` int8;
    `counts` int32 and `ids` int32 (N, capacity), the legal actions as far as there is room. `writes_mask` is the kind of mask.

    Returns the first index whose action is illegal, -1 for none. ANSWER stops there without changing that game or later
    ones.
    """
    call = borrowed(args)[0]
    tab, scratch, players = tables_of(call), scratch_of(call), np.int64(call.num_players)
    skip, reset = call.skip_forced != 0, call.reset
    size = call.num_games
    kinds, chosen = array_at(call.kinds, (players,), np.int8), array_at(call.chosen, (size,), np.bool_)
    actions, rows = array_at(call.actions, (size,), np.int64), array_at(call.rows, (size,), np.int64)
    viewers, seeds = array_at(call.viewers, (size,), np.int64), array_at(call.seeds, (size,), np.uint64)
    reward, status = array_at(call.reward, (size,), np.float32), array_at(call.status, (size,), np.int8)
    payoffs = array_at(call.payoffs, (size, players), np.float32)
    paid = array_at(call.paid, (size, players), np.float64)
    counts, ids = array_at(call.counts, (size,), np.int32), array_at(call.ids, (size, call.capacity), np.int32)
    seats, actors = array_at(call.seats, (size,), np.int32), array_at(call.actor, (size,), np.int32)
    mask, marks, obs, final_obs = (
        array_at(call.mask, (size, call.mask_size), np.int8),
        array_at(call.marks, (size, call.mark_size), np.int32),
        seen_rows(call, call.obs, (size, call.obs_size)),
        seen_rows(call, call.final_obs, (size, call.obs_size)),
    )
    by_row, by_seed, by_viewer, fixed_seat = call.by_row != 0, call.by_seed != 0, call.by_viewer != 0, call.fixed_seat
    shows, writes_obs = call.shows != 0, call.writes_obs != 0
    writes_ids = call.writes_ids != 0
    for k in range(start, stop):
        i = rows[k] if by_row else np.int64(k)
        game, learner = game_of(call, i), learner_of(call, i)
        count, goes_on, deals = np.int64(-1), command != SHOW, command == DEAL
        if learner.seat >= 0 and (command == STEP or deals):
            learner.skipped_games, learner.skipped_payoff = 0, 0.0
        if command >= STEP:
            if command == STEP or learner.seat < 0:
                actors[i] = np.int64(game.turn if learner.seat < 0 else learner.seat)
                reward[i] = 0.0
                status[i] = RUNNING
                clear(payoffs, i)
                clear(paid, i)
            if command == STEP and game.winner >= 0:
                actors[i] = -1
                goes_on = deals = reset == NEXT_STEP
                if deals:
                    status[i] = DEALT
            else:
                is_legal, cards, row = check_action(tab, game, actions[k], scratch)
                if is_legal:
                    make(tab, game, actions[k], cards, row, scratch.deck)
                elif command == ANSWER:
                    return np.int64(k)
                else:
                    game.winner, game.actor = players, actors[i]  # over, and nobody has won
                    status[i] = ILLEGAL
                    reward[i] = payoffs[i, actors[i]] = paid[i, actors[i]] = -1.0
        elif not chosen[i]:
            continue
        elif deals:
            status[i] = DEALT
        while goes_on:
            if deals:
                if by_seed:
                    deal(tab, game, seeds[i], scratch)
                else:
                    redeal(tab, game, learner, fixed_seat, scratch)
                deals = False
            count = _advance(tab, game, learner, kinds, skip, scratch)
            if game.winner < 0:
                break
            if learner.seat >= 0 and learner.asked == 0:  # no reward can report this game
                learner.skipped_games += 1
                learner.skipped_payoff += payoff(tab, game, np.int64(learner.seat))
            else:
                seat = np.int64(learner.seat if learner.seat >= 0 else actors[i])
                if status[i] != ILLEGAL:
                    status[i] = ENDED
                    for who in range(players):
                        paid[i, who] = payoff(tab, game, who) + 0.0
                        payoffs[i, who] = paid[i, who]
                    reward[i] = payoffs[i, seat]
                observe(tab, game, seat, scratch, row_at(final_obs, i))
                if reset != SAME_STEP:
                    break
            deals = True
        if not shows:
            continue
        seat = (
            np.int64(viewers[i]) if by_viewer else np.int64(learner.seat) if learner.seat >= 0 else np.int64(viewer(tab, game))
        )
        if writes_obs:
            seats[i] = seat
            observe(tab, game, seat, scratch, row_at(obs, k))
        if seat != game.turn or game.winner >= 0:
            count = np.int64(0)
        elif count < 0:
            count = game_ids(tab, game, scratch)
        if call.writes_mask != 0:
            write_mask(call.writes_mask, scratch.ids, count, mask, marks, k)
        if writes_ids:
            _keep_ids(scratch.ids, count, counts, ids, k)
    return np.int64(-1)


@kernel(entry=True)
def ask_games(args: Any, answers: Any, start: Any, stop: Any) -> None:
    """Write to `answers`, bool (N,), whether the action given for each game, any int64 (N,), is legal."""
    call = borrowed(args)[0]
    tab, scratch, actions = tables_of(call), scratch_of(call), array_at(call.actions, (call.num_games,), np.int64)
    for i in range(start, stop):
        answers[i] = check_action(tab, game_of(call, i), actions[i], scratch)[0]


@kernel(entry=True)
def write_streams(call: Any, rows: Any, streams: Any) -> None:
    """Write the stream of the seat to move in each of the games `rows`, int64 (M,), to `streams`, uint64 (M,)."""
    a = borrowed(call)[0]
    for n in range(len(rows)):
        streams[n] = move_stream(game_of(a, rows[n]), learner_of(a, rows[n]).salt)


@kernel(entry=True)
def write_waiting(args: Any, groups: Any, rows: Any) -> Any:
    """Write the games that wait for an outside opponent of the lowest possible group to `rows`, int64 (N,).

    `groups`, int8 (seats,), has the group of the opponent at each distance from the learner. Returns the group and the number
    of games.
    """
    call = borrowed(args)[0]
    players, group, number = np.int64(call.num_players), np.int64(call.num_players), np.int64(0)
    for i in range(call.num_games):
        game, learner = game_of(call, i), learner_of(call, i)
        distance = np.int64(game.turn) - learner.seat
        if game.winner >= 0 or distance == 0:
            continue
        own = np.int64(groups[U(distance if distance > 0 else distance + players)])
        if own < group:
            group, number = own, np.int64(0)
        if own == group:
            rows[number] = i
            number += 1
    return group, number


@kernel(entry=True)
def play_random(args: Any, steps: Any, start: Any, stop: Any) -> Any:
    """Play `steps` random legal moves in each game, writing observation and mask at every decision.

    Finished games are dealt again from their own stream. Returns the number of games that ended.
    """
    call = borrowed(args)[0]
    tab, scratch, writes_mask = tables_of(call), scratch_of(call), call.writes_mask
    obs = seen_rows(call, call.obs, (call.num_games, call.obs_size))
    mask, ended = array_at(call.mask, (call.num_games, call.mask_size), np.int8), np.int64(0)
    marks = array_at(call.marks, (call.num_games, call.mark_size), np.int32)
    for _ in range(steps):
        for i in range(start, stop):
            game = game_of(call, i)
            if game.winner >= 0:  # it was over before
                redeal(tab, game, learner_of(call, i), np.int64(-1), scratch)
            observe(tab, game, np.int64(game.turn), scratch, row_at(obs, i))
            count = game_ids(tab, game, scratch)
            if writes_mask != 0:
                write_mask(writes_mask, scratch.ids, count, mask, marks, i)
            game.rng, number = random_next(game.rng)
            make_move(tab, game, np.int64(scratch.ids[U(below(number, count))]), scratch)
            if game.winner >= 0:
                ended += 1
                redeal(tab, game, learner_of(call, i), np.int64(-1), scratch)
    return ended


@kernel(entry=True)
def rollouts(args: Any, start: Any, stop: Any) -> None:
    """Play each game to its end with random legal moves from its own stream; write `paid`, float64 (N, seats)."""
    call = borrowed(args)[0]
    tab, scratch = tables_of(call), scratch_of(call)
    paid = array_at(call.paid, (call.num_games, call.num_players), np.float64)
    for i in range(start, stop):
        game = game_of(call, i)
        while game.winner < 0:
            count = game_ids(tab, game, scratch)
            choice = np.int64(0)
            if count > 1:
                game.rng, number = random_next(game.rng)
                choice = below(number, count)
            make_move(tab, game, np.int64(scratch.ids[U(choice)]), scratch)
        for seat in range(tab.num_players):
            paid[i, seat] = payoff(tab, game, seat) + 0.0
