"""Kernels for batches with one learner per game: opponents move inside a step.

All loops run over the games `start` to `stop - 1`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.uno.kernels.automatic import automatic_turn
from big2_env.games.uno.kernels.dtypes import ONE
from big2_env.games.uno.kernels.hands import hand_word, legal_of_hand, legal_word, seat_seed
from big2_env.games.uno.kernels.loops import any_of
from big2_env.games.uno.kernels.observe import observe, write_mask
from big2_env.games.uno.kernels.turn import deal, make_move, write_payoffs
from big2_env.kernels.batch import DEALT, DRAWN, ENDED, ILLEGAL, IN_TURN, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import clear, kernel


@kernel(entry=True)
def advance(rules: Any, game: Any, learner: Any, kinds: Any) -> None:
    """Play for the opponents until it is the learner's turn or the game is over."""
    while game.winner < 0 and game.turn != learner.seat:
        distance = np.int64(game.turn) - learner.seat
        distance = distance if distance > 0 else distance + rules.players
        if kinds[U(distance - 1)] == 0:
            make_move(rules, game, any_of(legal_word(rules, game), seat_seed(game, np.int64(game.turn), learner.salt)))
        else:
            automatic_turn(rules, game)


@kernel(entry=True)
def deal_seated(rules: Any, game: Any, learner: Any, kinds: Any, fixed: Any) -> None:
    """Deal the next game of a stream up to the learner's first turn; games that end earlier are skipped.

    The learner's seat is `fixed`, random or rotating, as in `big2_env.kernels.loops`.
    """
    game.winner, paid = 0, np.zeros(rules.players, np.float32)
    while game.winner >= 0:
        game.rng, seed = random_next(game.rng)
        learner.salts, learner.salt = random_next(learner.salts)
        deal(rules, game, seed)
        if fixed == DRAWN:
            state, _ = random_next(~seed)
            _, number = random_next(state)
            learner.seat = below(number, rules.players)
        else:
            learner.seat = (learner.first + learner.deals) % rules.players if fixed == IN_TURN else fixed
        learner.deals += 1
        advance(rules, game, learner, kinds)
        if game.winner >= 0:
            write_payoffs(rules, game, paid)
            learner.skipped_games += 1
            learner.skipped_payoff += paid[learner.seat]


@kernel(entry=True)
def show_seat(rules: Any, game: Any, seat: Any, words: Any, obs: Any, mask: Any, legal: Any, seats: Any, i: Any) -> None:
    """Write the observation, the mask and the number of a seat into row `i`."""
    seats[i] = seat
    hand = hand_word(game, seat)
    observe(rules, game, seat, hand, words, obs, i)
    legal[i] = legal_of_hand(rules, game, hand)
    write_mask(legal[i], mask, i)


@kernel(entry=True)
def show_seats(
    rules: Any, games: Any, words: Any, learners: Any, kinds: Any, fixed: Any, chosen: Any, anew: Any, obs: Any, mask: Any,
    legal: Any, seats: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Write the learners' observations of the chosen games, bool (N,). With `anew`, deal these games first."""
    games, words, learners, kinds, chosen = (
        borrowed(games), borrowed(words), borrowed(learners), borrowed(kinds), borrowed(chosen),
    )  # fmt: skip
    obs, mask, legal, seats = borrowed(obs), borrowed(mask), borrowed(legal), borrowed(seats)
    for i in range(start, stop):
        game, learner = games[i], learners[i]
        if anew:
            learner.skipped_games, learner.skipped_payoff = 0, 0.0
        if chosen[i]:
            if anew:
                deal_seated(rules, game, learner, kinds, fixed)
            show_seat(rules, game, learner.seat, words, obs, mask, legal, seats, i)


@kernel(entry=True)
def step_seats(
    rules: Any, games: Any, words: Any, learners: Any, kinds: Any, fixed: Any, actions: Any, reset: Any, obs: Any, mask: Any,
    reward: Any, status: Any, payoffs: Any, final_obs: Any, legal: Any, seats: Any, actors: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Make the learner's move and the opponents' replies in each game, and write the outputs.

    Same contract as `big2_env.games.uno.kernels.loops.step_games`, but `reward` is always the learner's payoff.
    """
    games, words, learners, kinds = borrowed(games), borrowed(words), borrowed(learners), borrowed(kinds)
    actions, obs, mask, reward = borrowed(actions), borrowed(obs), borrowed(mask), borrowed(reward)
    status, payoffs, final_obs = borrowed(status), borrowed(payoffs), borrowed(final_obs)
    legal, seats, actors = borrowed(legal), borrowed(seats), borrowed(actors)
    for k in range(start, stop):
        i = U(k)  # indices without a sign are not looked at twice
        reward[i], status[i] = 0.0, RUNNING
        clear(payoffs, k)
        game, learner, move = games[i], learners[i], actions[i]
        seat = learner.seat
        learner.skipped_games, learner.skipped_payoff = 0, 0.0
        actors[i] = seat
        if game.winner >= 0:  # it was over before
            actors[i] = -1
            if reset == NEXT_STEP:
                deal_seated(rules, game, learner, kinds, fixed)
                status[i] = DEALT
        elif 0 <= move < 62 and (legal[i] >> U(move)) & ONE != U(0):
            make_move(rules, game, move)
            advance(rules, game, learner, kinds)
            if game.winner >= 0:
                status[i] = ENDED
                write_payoffs(rules, game, payoffs[i])
                reward[i] = payoffs[i, seat]
        else:
            game.winner = rules.players
            status[i] = ILLEGAL
            reward[i] = payoffs[i, seat] = -1.0
        if status[i] == ENDED or status[i] == ILLEGAL:
            observe(rules, game, seat, hand_word(game, seat), words, final_obs, k)
            if reset == SAME_STEP:
                deal_seated(rules, game, learner, kinds, fixed)
        show_seat(rules, game, learner.seat, words, obs, mask, legal, seats, k)
