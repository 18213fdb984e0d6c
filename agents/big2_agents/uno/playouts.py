"""Training data of the learned UNO player: positions of its own games, with the value of each playable card by playouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.uno.features import describe, look_around
from big2_agents.uno.players import player_turn
from big2_env.games.uno.kernels.dtypes import MOST_CODES, ONE, WILD
from big2_env.games.uno.kernels.hands import legal_word, score
from big2_env.games.uno.kernels.pile import hold, lay_sorted
from big2_env.games.uno.kernels.turn import deal, make_move
from big2_env.kernels.dialect.bits import U, below, borrowed, lowest_bit, popcount, random_next
from big2_env.kernels.dialect.kernel import copied, kernel


@kernel(entry=True)
def recount(game: Any, seat: Any) -> None:
    """Recompute the stored counts of a hand from its ages."""
    hand = game.seats[seat]
    hand.word = hand.twice = U(0)
    hand.plain = hand.fours = 0
    for age in range(game.taken):
        if (hand.low if age < 64 else hand.high) & (ONE << U(age & 63)):
            hold(hand, np.int64(game.codes[age]))


@kernel(entry=True)
def guess_hidden(rules: Any, game: Any, me: Any, rng: Any) -> Any:
    """Deal the cards hidden from seat `me` again, other hands and pile, and return the state of the random stream.

    The guess depends on the stream and on the set of hidden cards, not on their locations: they are sorted before they are
    dealt.
    """
    pool = np.empty(108, np.uint8)
    ages = np.empty(108, np.int64)
    number, hidden = np.int64(game.left), 0
    for place in range(number):
        pool[place] = game.deck[place]
    for seat in range(rules.players):
        if seat != me:
            for age in range(game.taken):
                if (game.seats[seat].low if age < 64 else game.seats[seat].high) & (ONE << U(age & 63)):
                    ages[hidden] = age
                    pool[number] = game.codes[age]
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
        game.codes[ages[i]] = pool[i]
    for seat in range(rules.players):
        if seat != me:
            recount(game, seat)
    for place in range(game.left):
        game.deck[place] = pool[hidden + place]
    game.settled = game.left
    rng, game.shuffle = random_next(rng)
    return rng


@kernel(entry=True)
def collect(
    rules: Any, games: Any, scratch: Any, weights: Any, own: Any, other: Any, tries: Any, share: Any, shedding: Any, seed: Any,
    rows: Any, groups: Any, targets: Any,
) -> Any:  # fmt: skip
    """Play games of player `own` among players `other` until `rows` is full, and return the number of rows written.

    At a fraction `share` of the decisions with a choice, each candidate is played out on the same `tries` guesses of the hidden
    cards. Its target is 1 for a win, minus `shedding` per point left. `rows` is float64 (N, features), `groups` int64 (N,),
    `targets` float64 (N,).
    """
    games, weights = borrowed(games), borrowed(weights)
    rows, groups, targets = borrowed(rows), borrowed(groups), borrowed(targets)
    game, work = games[0], scratch[0]
    rng = U(seed)
    work.rng = U(seed) ^ U(77)
    at, group = 0, 0
    while True:
        rng, number = random_next(rng)
        me = below(number, rules.players)
        rng, number = random_next(rng)
        deal(rules, game, number)
        while game.winner < 0:
            if game.turn == me and not game.naming:
                plays = legal_word(rules, game) & ((ONE << U(60)) - ONE)
                rng, number = random_next(rng)
                if popcount(plays) > 1 and game.seats[me].held > 1 and below(number, 1000) < share:
                    many = popcount(plays)
                    if at + many > len(rows):
                        return at
                    look_around(rules, game, work.seen)
                    word = plays
                    for k in range(many):
                        move = lowest_bit(word)
                        word &= word - ONE
                        describe(rules, game, work.seen, move if move % 15 < WILD else 60 + move % 15, move // 15, rows[at + k])
                        groups[at + k] = group
                        targets[at + k] = 0.0
                    for _ in range(tries):
                        games[1] = copied(game)
                        guess = games[1]
                        rng = guess_hidden(rules, guess, me, rng)
                        word = plays
                        for k in range(many):
                            move = lowest_bit(word)
                            word &= word - ONE
                            games[2] = copied(guess)
                            trial = games[2]
                            make_move(rules, trial, move)
                            while trial.winner < 0:
                                player_turn(rules, trial, own if trial.turn == me else other, weights, work)
                            targets[at + k] += ((trial.winner == me) - shedding * score(trial, me)) / tries
                    at += many
                    group += 1
            player_turn(rules, game, own if game.turn == me else other, weights, work)
