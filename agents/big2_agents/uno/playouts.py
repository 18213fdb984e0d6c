"""What the learned UNO player learns from: positions of its own games, and what each card it could play brings in play-outs."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from big2_agents.uno.features import describe, look_around
from big2_agents.uno.players import player_turn
from big2_env.kernels.bits import U, below, borrowed, popcount, random_next
from big2_env.uno.kernels.state import ONE, WILD, deal, legal_word, make_act, score


@nb.njit(cache=True)
def copy_game(a: Any, b: Any) -> None:
    """Make game `b` the same as game `a`."""
    b.deck[:] = a.deck
    b.card[:] = a.card
    b.low[:] = a.low
    b.high[:] = a.high
    b.face_low[:] = a.face_low
    b.face_high[:] = a.face_high
    b.colour_low[:] = a.colour_low
    b.colour_high[:] = a.colour_high
    b.word[:] = a.word
    b.twice[:] = a.twice
    b.plain[:] = a.plain
    b.fours[:] = a.fours
    b.fresh[:] = a.fresh
    b.played[:] = a.played
    b.wilds[:] = a.wilds
    b.held[:] = a.held
    b.shuffle, b.left, b.settled, b.taken, b.turn = a.shuffle, a.left, a.settled, a.taken, a.turn
    b.direction, b.colour, b.face, b.drawn, b.naming = a.direction, a.colour, a.face, a.drawn, a.naming
    b.turns, b.ended, b.winner = a.turns, a.ended, a.winner


@nb.njit(cache=True)
def recount(g: Any, seat: Any) -> None:
    """Make what is kept of a hand beside its ages fit them."""
    word, twice, plain, fours = U(0), U(0), 0, 0
    for age in range(g.taken):
        if (g.low[seat] if age < 64 else g.high[seat]) & (ONE << U(age & 63)):
            card = np.int64(g.card[age])
            if card < 60:
                twice |= word & (ONE << U(card))
                word |= ONE << U(card)
            elif card == 73:
                plain += 1
            else:
                fours += 1
    g.word[seat], g.twice[seat], g.plain[seat], g.fours[seat] = word, twice, plain, fours


@nb.njit(cache=True)
def guess_hidden(r: Any, g: Any, me: Any, rng: Any) -> Any:
    """Deal what seat `me` does not see anew: other hands and the pile. Returns the state of the random stream."""
    pool = np.empty(108, np.int8)
    ages = np.empty(108, np.int64)
    number, hidden = g.left, 0
    for place in range(number):
        pool[place] = g.deck[place]
    for seat in range(r.players):
        if seat != me:
            for age in range(g.taken):
                if (g.low[seat] if age < 64 else g.high[seat]) & (ONE << U(age & 63)):
                    ages[hidden] = age
                    pool[number] = g.card[age]
                    hidden += 1
                    number += 1
    for i in range(hidden):
        rng, drawn = random_next(rng)
        j = i + below(drawn, number - i)
        pool[i], pool[j] = pool[j], pool[i]
        age, new = ages[i], pool[i]
        old = g.card[age]
        bit = ONE << U(age & 63)
        if age < 64:
            g.face_low[old % 15] &= ~bit
            g.colour_low[old // 15] &= ~bit
            g.face_low[new % 15] |= bit
            g.colour_low[new // 15] |= bit
        else:
            g.face_high[old % 15] &= ~bit
            g.colour_high[old // 15] &= ~bit
            g.face_high[new % 15] |= bit
            g.colour_high[new // 15] |= bit
        g.card[age] = new
    for seat in range(r.players):
        if seat != me:
            recount(g, seat)
    for place in range(g.left):
        g.deck[place] = pool[hidden + place]
    g.settled = g.left
    rng, g.shuffle = random_next(rng)
    return rng


@nb.njit(cache=True, nogil=True)
def collect(
    r: Any, games: Any, scratch: Any, weights: Any, own: Any, other: Any, tries: Any, share: Any, shedding: Any, seed: Any,
    rows: Any, groups: Any, targets: Any,
) -> Any:  # fmt: skip
    """Play games of player `own` among players `other` until `rows` is full; returns how many rows were written.

    At a share of the decisions with a choice, each candidate is tried in the same `tries` guesses of the hidden cards; what it
    brings is 1 for a win less `shedding` for each point left. `rows` float64 (N, features), `groups` int64 (N,), `targets`
    float64 (N,).
    """
    games, weights = borrowed(games), borrowed(weights)
    rows, groups, targets = borrowed(rows), borrowed(groups), borrowed(targets)
    g, guess, trial, s = games[0], games[1], games[2], scratch[0]
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
                if popcount(plays) > 1 and g.held[me] > 1 and below(number, 1000) < share:
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
                        copy_game(g, guess)
                        rng = guess_hidden(r, guess, me, rng)
                        word = plays
                        for k in range(many):
                            act = popcount((word & (~word + ONE)) - ONE)
                            word &= word - ONE
                            copy_game(guess, trial)
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
