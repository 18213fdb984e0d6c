"""Kernels for batches: observations, masks, rewards and random actions of the games `start` to `stop - 1`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.klondike.cards import NUM_MOVES
from big2_env.games.klondike.kernels.dtypes import NOBODY, ONE, TRUNCATED, WON, WORDS
from big2_env.games.klondike.kernels.observe import observe
from big2_env.games.klondike.kernels.turn import deal, make_move, write_legal
from big2_env.kernels.batch import DEALT, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.bits import (
    GOLDEN_GAMMA,
    U,
    below,
    borrowed,
    deposit,
    lowest_bit,
    popcount,
    random_next,
    row_at,
    spread_bits,
)
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def deal_next(game: Any) -> None:
    """Deal a game with the next seed of its stream."""
    game.rng, seed = random_next(game.rng)
    deal(game, seed)


@kernel(entry=True)
def show_games(games: Any, words: Any, chosen: Any, anew: Any, obs: Any, mask: Any, legal: Any, start: Any, stop: Any) -> None:
    """Write observations and masks of the chosen games, bool (N,). With `anew`, deal each one first by its next seed."""
    games, words, chosen, obs, mask, legal = (
        borrowed(games), borrowed(words), borrowed(chosen), borrowed(obs), borrowed(mask), borrowed(legal),
    )  # fmt: skip
    for i in range(start, stop):
        if chosen[i]:
            game = games[i]
            if anew:
                deal_next(game)
            write_legal(game, legal, i)
            observe(game, words, obs, i)
            spread_bits(legal[i], row_at(mask, i), NUM_MOVES)


@kernel(entry=True)
def close_game(game: Any, words: Any, final_obs: Any, reset: Any, i: Any) -> None:
    """Finish a game that a step has ended: keep its results, and deal the next game if `reset` is set."""
    observe(game, words, final_obs, i)
    game.last_score = game.score
    game.last_won = game.winner == WON
    game.last_stuck = game.stuck
    if reset == SAME_STEP:
        deal_next(game)


@kernel(entry=True)
def step_games(
    games: Any, words: Any, actions: Any, by_score: Any, max_moves: Any, reset: Any, obs: Any, mask: Any, reward: Any,
    status: Any, final_obs: Any, legal: Any, actors: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Make one move in each game and write the outputs.

    Same contract as STEP of `big2_env.kernels.loops.serve`; `legal` receives the legal actions as bits.
    """
    games, words, actions, obs, mask = borrowed(games), borrowed(words), borrowed(actions), borrowed(obs), borrowed(mask)
    reward, status, final_obs = borrowed(reward), borrowed(status), borrowed(final_obs)
    legal, actors = borrowed(legal), borrowed(actors)
    for k in range(start, stop):
        i = U(k)  # indices without a sign are not looked at twice
        game, move = games[i], actions[i]
        reward[i], status[i], actors[i] = 0.0, RUNNING, 0
        if game.winner >= 0:  # it was over before
            actors[i] = -1
            if reset == NEXT_STEP:
                deal_next(game)
                status[i] = DEALT
            write_legal(game, legal, i)
        elif 0 <= move < 417 and (legal[i, U(move) >> U(6)] >> (U(move) & U(63))) & ONE:
            before = game.score
            make_move(game, move)
            stuck = write_legal(game, legal, i)
            if game.winner == WON:
                status[i] = ENDED
            elif stuck:
                game.stuck = True
                status[i] = ENDED
            elif game.moves >= max_moves:
                status[i] = TRUNCATED
            reward[i] = game.score - before if by_score else np.float32(game.winner == WON)
        else:
            reward[i], status[i] = -1.0, ILLEGAL
        if status[i] != RUNNING and status[i] != DEALT:
            if game.winner < 0:
                game.winner = NOBODY
            close_game(game, words, final_obs, reset, k)
            write_legal(game, legal, i)
        observe(game, words, obs, k)
        spread_bits(legal[i], row_at(mask, k), NUM_MOVES)


@kernel(entry=True)
def choose_games(legal: Any, rng: Any, moves: Any, start: Any, stop: Any) -> None:
    """Write a random legal action for each game, int64 (N,); 0 if the game is over. Row i uses number i of the stream `rng`."""
    legal, moves = borrowed(legal), borrowed(moves)
    for k in range(start, stop):
        i, total = U(k), 0
        for word in range(WORDS):
            total += popcount(legal[i, U(word)])
        _, number = random_next(rng + i * GOLDEN_GAMMA)
        place, move = below(number, total), 0
        for word in range(WORDS if total > 0 else 0):
            found = legal[i, U(word)]
            here = popcount(found)
            if place < here:
                move = 64 * word + lowest_bit(deposit(ONE << U(place), found))
                break
            place -= here
        moves[i] = move


@kernel(entry=True)
def list_games(legal: Any, counts: Any, ids: Any, start: Any, stop: Any) -> None:
    """Write the legal actions as lists: counts int32 (N,), and ids int32 (N, 64), filled from the left."""
    legal, counts, ids = borrowed(legal), borrowed(counts), borrowed(ids)
    for k in range(start, stop):
        i, count = U(k), 0
        for word in range(WORDS):
            found = legal[i, U(word)]
            while found != U(0):
                ids[i, U(count)] = 64 * word + lowest_bit(found)
                count += 1
                found &= found - ONE
        counts[i] = count
