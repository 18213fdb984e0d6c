"""Kernels for batches: observations, masks, rewards and random actions of the games `start` to `stop - 1`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.dtypes import ONE
from big2_env.games.uno.kernels.hands import hand_word, legal_of_hand
from big2_env.games.uno.kernels.observe import observe, observe_here, write_mask
from big2_env.games.uno.kernels.turn import deal, make_move, write_payoffs
from big2_env.kernels.batch import DEALT, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.bits import GOLDEN_GAMMA, U, below, borrowed, deposit, lowest_bit, popcount, random_next
from big2_env.kernels.dialect.kernel import clear, kernel


@kernel(entry=True)
def deal_next(rules: Any, game: Any) -> None:
    """Deal a game with the next seed of its stream."""
    game.rng, seed = random_next(game.rng)
    deal(rules, game, seed)


@kernel(entry=True)
def show_games(
    rules: Any,
    games: Any,
    words: Any,
    chosen: Any,
    anew: Any,
    obs: Any,
    mask: Any,
    legal: Any,
    seats: Any,
    start: Any,
    stop: Any,
) -> None:
    """Write observations and masks of the chosen games, bool (N,). With `anew`, deal each one first by its next seed."""
    games, words, chosen, obs, mask = borrowed(games), borrowed(words), borrowed(chosen), borrowed(obs), borrowed(mask)
    legal, seats = borrowed(legal), borrowed(seats)
    for i in range(start, stop):
        if chosen[i]:
            game = games[i]
            if anew:
                deal_next(rules, game)
            if game.winner < 0:
                seats[i] = game.turn
            hand = hand_word(game, seats[i])
            observe(rules, game, np.int64(seats[i]), hand, words, obs, i)
            legal[i] = legal_of_hand(rules, game, hand)
            write_mask(legal[i], mask, i)


@kernel(entry=True)
def close_game(
    rules: Any, game: Any, words: Any, legal: Any, reset: Any, reward: Any, status: Any, payoffs: Any, final_obs: Any,
    seats: Any, actors: Any, i: Any,
) -> None:  # fmt: skip
    """Finish a game that is over or received an action outside `legal`, the legal actions before it."""
    seat = np.int64(actors[i])
    if game.winner < 0:
        game.winner = rules.players
        status[i] = ILLEGAL
        reward[i] = payoffs[i, seat] = -1.0
    elif legal == U(0):  # it was over before
        actors[i] = -1
        if reset == NEXT_STEP:
            deal_next(rules, game)
            status[i] = DEALT
        return
    else:
        status[i] = ENDED
        write_payoffs(rules, game, payoffs[i])
        reward[i] = payoffs[i, seat]
    seats[i] = seat
    observe(rules, game, seat, hand_word(game, seat), words, final_obs, i)
    if reset == SAME_STEP:
        deal_next(rules, game)


@kernel(entry=True)
def step_games(
    rules: Any, games: Any, words: Any, actions: Any, reset: Any, obs: Any, mask: Any, reward: Any, status: Any, payoffs: Any,
    final_obs: Any, legal: Any, seats: Any, actors: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Make one move in each game and write the outputs.

    Same contract as STEP of `big2_env.kernels.loops.serve`; `legal` receives the legal actions as bits.
    """
    games, words, actions, obs, mask = borrowed(games), borrowed(words), borrowed(actions), borrowed(obs), borrowed(mask)
    reward, status, payoffs, final_obs = borrowed(reward), borrowed(status), borrowed(payoffs), borrowed(final_obs)
    legal, seats, actors = borrowed(legal), borrowed(seats), borrowed(actors)
    for k in range(start, stop):
        i = U(k)  # indices without a sign are not looked at twice
        reward[i], status[i] = 0.0, RUNNING
        clear(payoffs, k)
        game, move = games[i], actions[i]
        actors[i] = game.turn
        is_legal = 0 <= move < 62 and (legal[i] >> U(move)) & ONE != U(0)
        if is_legal:
            make_move(rules, game, move)
        if not is_legal or game.winner >= 0:
            close_game(rules, game, words, legal[i], reset, reward, status, payoffs, final_obs, seats, actors, k)
        seat = np.int64(game.turn) if game.winner < 0 else np.int64(seats[i])
        seats[i] = seat
        hand = hand_word(game, seat)
        observe_here(rules, game, seat, hand, words, obs, k)
        legal[i] = legal_of_hand(rules, game, hand)
        write_mask(legal[i], mask, k)


@kernel(entry=True)
def any_of(found: Any, number: Any) -> Any:
    """Return one of the actions in the bits of `found`, selected by a random number; 0 if there are none."""
    found |= U(found == U(0))
    return lowest_bit(deposit(ONE << U(below(number, popcount(found))), found))


@kernel(entry=True)
def choose_games(legal: Any, rng: Any, moves: Any, start: Any, stop: Any) -> None:
    """Write a random legal action for each game, int64 (N,); 0 if the game is over. Row i uses number i of the stream `rng`."""
    legal, moves = borrowed(legal), borrowed(moves)
    for i in range(start, stop):
        _, number = random_next(rng + U(i) * GOLDEN_GAMMA)
        moves[i] = any_of(legal[i], number)


@kernel(entry=True)
def list_games(legal: Any, counts: Any, ids: Any, start: Any, stop: Any) -> None:
    """Write the legal actions as lists: counts int32 (N,), and ids int32 (N, 64), filled from the left."""
    legal, counts, ids = borrowed(legal), borrowed(counts), borrowed(ids)
    for i in range(start, stop):
        found, count = legal[i], 0
        while found != U(0):
            ids[i, U(count)] = lowest_bit(found)
            count += 1
            found &= found - ONE
        counts[i] = count
