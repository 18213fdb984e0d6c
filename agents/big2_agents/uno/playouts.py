"""Training data of the learned UNO player: positions of its own games, with the value of each playable card by playouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.uno.features import describe, look_around
from big2_agents.uno.players import player_turn
from big2_env.games.uno.kernels.dtypes import MOST_CODES, ONE, WILD
from big2_env.games.uno.kernels.hands import legal_word, score
from big2_env.games.uno.kernels.pile import hold, lay_sorted
from big2_env.games.uno.kernels.turn import deal, make_act
from big2_env.kernels.dialect.bits import U, below, borrowed, popcount, random_next
from big2_env.kernels.dialect.kernel import copied, kernel


@kernel(entry=True)
def recount(g: Any, seat: Any) -> None:
    """Recompute the stored counts of a hand from its ages."""
    s = g.seats[seat]
    s.word = s.twice = U(0)
    s.plain = s.fours = 0
    for age in range(g.taken):
        if (s.low if age < 64 else s.high) & (ONE << U(age & 63)):
            hold(s, np.int64(g.codes[age]))


@kernel(entry=True)
def guess_hidden(r: Any, g: Any, me: Any, rng: Any) -> Any:
    """Deal the cards hidden from seat `me` again, other hands and pile, and return the state of the random stream.

    The guess depends on the stream and on the set of hidden cards, not on their locations: they are sorted before they are
    dealt.
    """
    pool = np.empty(108, np.uint8)
    ages = np.empty(108, np.int64)
    number, hidden = np.int64(g.left), 0
    for place in range(number):
        pool[place] = g.deck[place]
    for seat in range(r.players):
        if seat != me:
            for age in range(g.taken):
                if (g.seats[seat].low if age < 64 else g.seats[seat].high) & (ONE << U(age & 63)):
                    ages[hidden] = age
                    pool[number] = g.codes[age]
                    hidden += 1
                    number += 1
    counts = np.zeros(MOST_CODES, np.int64)
    for place in range(number):
        counts[pool[place]] += 1
    lay_sorted(counts, pool)
    for i in range(hidden):
        rng, drawn = random_next(rng)
        j = i + below(drawn, number - i)
        pool[i], pool[j] = pool[j], pool[i]
        g.codes[ages[i]] = pool[i]
    for seat in range(r.players):
        if seat != me:
            recount(g, seat)
    for place in range(g.left):
        g.deck[place] = pool[hidden + place]
    g.settled = g.left
    rng, g.shuffle = random_next(rng)
    return rng


@kernel(entry=True)
def collect(
    r: Any, games: Any, scratch: Any, weights: Any, own: Any, other: Any, tries: Any, share: Any, shedding: Any, seed: Any,
    rows: Any, groups: Any, targets: Any,
) -> Any:  # fmt: skip
    """Play games of player `own` among players `other` until `rows` is full, and return the number of rows written.

    At a fraction `share` of the decisions with a choice, each candidate is played out on the same `tries` guesses of the hidden
    cards. Its target is 1 for a win, minus `shedding` per point left. `rows` is float64 (N, features), `groups` int64 (N,),
    `targets` float64 (N,).
    """
    games, weights = borrowed(games), borrowed(weights)
    rows, groups, targets = borrowed(rows), borrowed(groups), borrowed(targets)
    g, s = games[0], scratch[0]
    rng = U(seed)
    s.rng = U(seed) ^ U(77)
    at, group = 0, 0
    while True:
        rng, number = random_next(rng)
        me = below(number, r.players)
        rng, number = random_next(rng)
        deal(r, g, number)
        while g.winner < 0:
            if g.turn == me and not g.naming:
                plays = legal_word(r, g) & ((ONE << U(60)) - ONE)
                rng, number = random_next(rng)
                if popcount(plays) > 1 and g.seats[me].held > 1 and below(number, 1000) < share:
                    many = popcount(plays)
                    if at + many > len(rows):
                        return at
                    look_around(r, g, s.seen)
                    word = plays
                    for k in range(many):
                        act = popcount((word & (~word + ONE)) - ONE)
                        word &= word - ONE
                        describe(r, g, s.seen, act if act % 15 < WILD else 60 + act % 15, act // 15, rows[at + k])
                        groups[at + k] = group
                        targets[at + k] = 0.0
                    for _ in range(tries):
                        games[1] = copied(g)
                        guess = games[1]
                        rng = guess_hidden(r, guess, me, rng)
                        word = plays
                        for k in range(many):
                            act = popcount((word & (~word + ONE)) - ONE)
                            word &= word - ONE
                            games[2] = copied(guess)
                            trial = games[2]
                            make_act(r, trial, act)
                            while trial.winner < 0:
                                player_turn(r, trial, own if trial.turn == me else other, weights, s)
                            targets[at + k] += ((trial.winner == me) - shedding * score(trial, me)) / tries
                    at += many
                    group += 1
            if g.turn == me:
                player_turn(r, g, own, weights, s)
            else:
                player_turn(r, g, other, weights, s)
