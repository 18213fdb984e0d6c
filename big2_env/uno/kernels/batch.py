"""Many games stepped together: observations, masks, lists of legal acts, rewards. Kernels on games `start` to `stop - 1`."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from big2_env.kernels.bits import U, below, borrowed, deposit, lowest_bit, popcount, random_next
from big2_env.kernels.loops import DEALT, ENDED, ILLEGAL, NEXT_STEP, RUNNING, SAME_STEP
from big2_env.kernels.observe import _append, _write_bits
from big2_env.uno.kernels.state import (
    ONE,
    deal,
    hand_word,
    legal_of_hand,
    make_act,
    write_payoffs,
)

BEFORE_SEATS = 240
"""Entries of the two windows of cards."""


@nb.njit(cache=True)
def observe(r: Any, g: Any, seat: Any, hand: Any, words: Any, out: Any, i: Any) -> None:
    """Write what `seat` sees into row `i` of `out`, int8 or float32 (N, size), in the order of `UnoLayout`.

    `hand` is its `hand_word`; `words` is scratch, uint64.
    """
    players = r.players
    word, low, high = _append(words, 0, U(0), U(0), 0, hand)
    word, low, high = _append(words, word, low, high, 60, g.twice[seat])
    word, low, high = _append(words, word, low, high, 120, g.played[0])
    word, low, high = _append(words, word, low, high, 180, g.played[1])
    flags = (ONE << U(g.colour)) | (ONE << U(5 + g.face)) | (U(g.naming) << U(20))
    flags |= U(g.drawn >= 0 and seat == g.turn) << U(21) | U(g.direction > 0) << U(22)
    pile = U(g.left)  # with all bits below its highest set
    pile |= pile >> ONE
    pile |= pile >> U(2)
    flags |= (pile | pile >> U(4)) << U(23)
    flags |= ((ONE << U(g.plain[seat])) - ONE) << U(30) | ((ONE << U(g.fours[seat])) - ONE) << U(34)
    flags |= ((ONE << U(g.wilds[0])) - ONE) << U(38) | ((ONE << U(g.wilds[1])) - ONE) << U(42)
    word, low, high = _append(words, word, low, high, BEFORE_SEATS, flags)
    start = BEFORE_SEATS + 46
    who = seat
    for _ in range(players):
        word, low, high = _append(words, word, low, high, start, (ONE << U(min(g.held[U(who)], 20))) - ONE)
        start += 20
        who = who + 1 if who + 1 < players else 0
    for _ in range(players):
        word, low, high = _append(words, word, low, high, start, g.fresh[U(who)])
        start += 40
        who = who + 1 if who + 1 < players else 0
    words[U(word)] = low
    words[U(word + 1)] = high
    _write_bits(words, out, i)


@intrinsic
def store_32_entries(typingctx: Any, array: Any, offset: Any, word: Any) -> Any:
    """Write the low 32 bits of a word over 32 entries of a C-ordered int8 array; the caller answers for the bounds."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bits = builder.bitcast(builder.trunc(args[2], ir.IntType(32)), ir.VectorType(ir.IntType(1), 32))
        entries = builder.zext(bits, ir.VectorType(ir.IntType(8), 32))
        place = builder.gep(data, [args[1]])
        builder.store(entries, builder.bitcast(place, entries.type.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(array, types.int64, types.uint64), codegen


@nb.njit(cache=True)
def write_mask(found: Any, mask: Any, i: Any) -> None:
    """Write legal acts, as bits, into row `i` of `mask`, int8 (N, 62)."""
    store_32_entries(mask, i * 62, found)
    store_32_entries(mask, i * 62 + 30, found >> U(30))  # two entries twice


@nb.njit(cache=True)
def show(r: Any, g: Any, seat: Any, words: Any, obs: Any, mask: Any, counts: Any, ids: Any, legal: Any, i: Any) -> None:
    """Write what `seat`, which is to move where the game goes on, sees into row `i` of the arrays."""
    hand = hand_word(g, seat)
    observe(r, g, seat, hand, words, obs, i)
    found = legal_of_hand(r, g, hand)
    legal[i] = found
    write_mask(found, mask, i)
    count = 0
    while found != U(0):
        ids[i, U(count)] = lowest_bit(found)
        count += 1
        found &= found - ONE
    counts[i] = count


@nb.njit(cache=True, nogil=True)
def show_games(
    r: Any, games: Any, words: Any, chosen: Any, anew: Any, obs: Any, mask: Any, counts: Any, ids: Any, legal: Any, seats: Any,
    start: Any, stop: Any,
) -> None:  # fmt: skip
    """Show the games that are chosen, bool (N,), dealt before by the next seed of their own stream if `anew`."""
    games, words, chosen, obs, mask = borrowed(games), borrowed(words), borrowed(chosen), borrowed(obs), borrowed(mask)
    counts, ids, legal, seats = borrowed(counts), borrowed(ids), borrowed(legal), borrowed(seats)
    for i in range(start, stop):
        if chosen[i]:
            g = games[i]
            if anew:
                g.rng, seed = random_next(g.rng)
                deal(r, g, seed)
            if g.winner < 0:
                seats[i] = g.turn
            show(r, g, np.int64(seats[i]), words, obs, mask, counts, ids, legal, i)


@nb.njit(cache=True, nogil=True)
def step_games(
    r: Any, games: Any, words: Any, actions: Any, reset: Any, obs: Any, mask: Any, reward: Any, status: Any, payoffs: Any,
    final_obs: Any, counts: Any, ids: Any, legal: Any, seats: Any, acted: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """Make one act in each game and show it; as `big2_env.kernels.loops.step_games`, with the legal acts as bits in `legal`."""
    games, words, actions, obs, mask = borrowed(games), borrowed(words), borrowed(actions), borrowed(obs), borrowed(mask)
    reward, status, payoffs, final_obs = borrowed(reward), borrowed(status), borrowed(payoffs), borrowed(final_obs)
    counts, ids, legal, seats, acted = borrowed(counts), borrowed(ids), borrowed(legal), borrowed(seats), borrowed(acted)
    for i in range(start, stop):
        g = games[i]
        seat = np.int64(g.turn)
        acted[i] = seat
        reward[i] = 0.0
        status[i] = RUNNING
        payoffs[i, :] = 0.0
        act = actions[i]
        if g.winner >= 0:
            seat = np.int64(seats[i])
            acted[i] = -1
            if reset == NEXT_STEP:
                g.rng, seed = random_next(g.rng)
                deal(r, g, seed)
                status[i] = DEALT
        elif 0 <= act < 62 and (legal[i] >> U(act)) & ONE != U(0):
            make_act(r, g, act)
            if g.winner >= 0:
                status[i] = ENDED
                write_payoffs(r, g, payoffs[i])
                reward[i] = payoffs[i, seat]
        else:
            g.winner = r.players
            status[i] = ILLEGAL
            reward[i] = payoffs[i, seat] = -1.0
        if g.winner >= 0 and status[i] != RUNNING:
            observe(r, g, seat, hand_word(g, seat), words, final_obs, i)
            if reset == SAME_STEP:
                g.rng, seed = random_next(g.rng)
                deal(r, g, seed)
        if g.winner < 0:
            seat = np.int64(g.turn)
        seats[i] = seat
        show(r, g, seat, words, obs, mask, counts, ids, legal, i)


@nb.njit(cache=True, nogil=True)
def play_random(r: Any, games: Any, words: Any, obs: Any, mask: Any, start: Any, stop: Any, steps: Any) -> Any:
    """Play random legal acts, `steps` in each game, observation and mask written at every decision.

    Finished games are dealt anew from their own stream. Returns how many games ended.
    """
    games, words, obs, mask = borrowed(games), borrowed(words), borrowed(obs), borrowed(mask)
    ended = 0
    for _ in range(steps):
        for i in range(start, stop):
            g = games[i]
            hand = hand_word(g, np.int64(g.turn))
            observe(r, g, np.int64(g.turn), hand, words, obs, i)
            found = legal_of_hand(r, g, hand)
            write_mask(found, mask, i)
            g.rng, number = random_next(g.rng)
            make_act(r, g, lowest_bit(deposit(ONE << U(below(number, popcount(found))), found)))
            if g.winner >= 0:
                ended += 1
                g.rng, seed = random_next(g.rng)
                deal(r, g, seed)
    return ended
