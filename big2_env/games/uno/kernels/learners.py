"""Kernels for batches with one learner per game: opponents move inside a step.

All loops run over the games `start` to `stop - 1`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.games.uno.kernels.automatic import automatic_turn
from big2_env.games.uno.kernels.dtypes import ONE
from big2_env.games.uno.kernels.hands import hand_word, legal_of_hand, legal_word, seat_seed
from big2_env.games.uno.kernels.loops import any_of
from big2_env.games.uno.kernels.observe import observe, write_mask
from big2_env.games.uno.kernels.turn import deal, make_act, write_payoffs
from big2_env.kernels.batch import DEALT, DRAWN, ENDED, ILLEGAL, IN_TURN, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel

OPPONENTS: Final = ("random", "automatic")
"""Names of the opponents, by number."""
LEARNER: Final = np.dtype(
    [
        ("salt", np.uint64),  # of what opponents draw
        ("seat", np.int64),  # the learner's
        ("first", np.int64),  # its seat in the first game, where it goes round
        ("deals", np.int64),  # how many games were dealt
    ]
)
"""Record of a game's learner."""


@kernel(entry=True)
def advance(r: Any, g: Any, s: Any, kinds: Any) -> None:
    """Play for the opponents until it is the learner's turn or the game is over."""
    while g.winner < 0 and g.turn != s.seat:
        distance = np.int64(g.turn) - s.seat
        distance = distance if distance > 0 else distance + r.players
        if kinds[U(distance - 1)] == 0:
            make_act(r, g, any_of(legal_word(r, g), seat_seed(g, np.int64(g.turn), s.salt)))
        else:
            automatic_turn(r, g)


@kernel(entry=True)
def deal_seated(r: Any, g: Any, s: Any, kinds: Any, fixed: Any) -> None:
    """Deal the next game of a stream up to the learner's first turn; games that end earlier are skipped.

    The learner's seat is `fixed`, random or rotating, as in `big2_env.kernels.loops`.
    """
    g.winner = 0
    while g.winner >= 0:
        g.rng, seed = random_next(g.rng)
        deal(r, g, seed)
        if fixed == DRAWN:
            state, _ = random_next(~seed)
            _, number = random_next(state)
            s.seat = below(number, r.players)
        else:
            s.seat = (s.first + s.deals) % r.players if fixed == IN_TURN else fixed
        s.deals += 1
        advance(r, g, s, kinds)


@kernel(entry=True)
def show_seat(r: Any, g: Any, seat: Any, words: Any, obs: Any, mask: Any, legal: Any, seats: Any, i: Any) -> None:
    """Write the observation, the mask and the number of a seat into row `i`."""
    seats[i] = seat
    hand = hand_word(g, seat)
    observe(r, g, seat, hand, words, obs, i)
    legal[i] = legal_of_hand(r, g, hand)
    write_mask(legal[i], mask, i)


@kernel(entry=True)
def show_seats(
    r: Any, games: Any, words: Any, learners: Any, kinds: Any, fixed: Any, chosen: Any, anew: Any, obs: Any, mask: Any,
    legal: Any, seats: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Write the learners' observations of the chosen games, bool (N,). With `anew`, deal these games first."""
    games, words, learners, kinds, chosen = (
        borrowed(games), borrowed(words), borrowed(learners), borrowed(kinds), borrowed(chosen),
    )  # fmt: skip
    obs, mask, legal, seats = borrowed(obs), borrowed(mask), borrowed(legal), borrowed(seats)
    for i in range(start, stop):
        if chosen[i]:
            g, s = games[i], learners[i]
            if anew:
                deal_seated(r, g, s, kinds, fixed)
            show_seat(r, g, s.seat, words, obs, mask, legal, seats, i)


@kernel(entry=True)
def step_seats(
    r: Any, games: Any, words: Any, learners: Any, kinds: Any, fixed: Any, actions: Any, reset: Any, obs: Any, mask: Any,
    reward: Any, status: Any, payoffs: Any, final_obs: Any, legal: Any, seats: Any, actors: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Make the learner's move and the opponents' replies in each game, and write the outputs.

    Same contract as `big2_env.games.uno.kernels.loops.step_games`, but `reward` is always the learner's payoff.
    """
    games, words, learners, kinds = borrowed(games), borrowed(words), borrowed(learners), borrowed(kinds)
    actions, obs, mask, reward = borrowed(actions), borrowed(obs), borrowed(mask), borrowed(reward)
    status, payoffs, final_obs = borrowed(status), borrowed(payoffs), borrowed(final_obs)
    legal, seats, actors = borrowed(legal), borrowed(seats), borrowed(actors)
    reward[start:stop] = 0.0
    status[start:stop] = RUNNING
    payoffs[start:stop] = 0.0
    for k in range(start, stop):
        i = U(k)  # indices without a sign are not looked at twice
        g, s, act = games[i], learners[i], actions[i]
        seat = s.seat
        actors[i] = seat
        if g.winner >= 0:  # it was over before
            actors[i] = -1
            if reset == NEXT_STEP:
                deal_seated(r, g, s, kinds, fixed)
                status[i] = DEALT
        elif 0 <= act < 62 and (legal[i] >> U(act)) & ONE != U(0):
            make_act(r, g, act)
            advance(r, g, s, kinds)
            if g.winner >= 0:
                status[i] = ENDED
                write_payoffs(r, g, payoffs[i])
                reward[i] = payoffs[i, seat]
        else:
            g.winner = r.players
            status[i] = ILLEGAL
            reward[i] = payoffs[i, seat] = -1.0
        if status[i] == ENDED or status[i] == ILLEGAL:
            observe(r, g, seat, hand_word(g, seat), words, final_obs, k)
            if reset == SAME_STEP:
                deal_seated(r, g, s, kinds, fixed)
        show_seat(r, g, s.seat, words, obs, mask, legal, seats, k)
