"""Simulation of the game with parts of its memory shuffled away after every capture. It shows which parts make games long.

All results are measured. Levels that have a Markov chain in `chain.py` must agree with it, which checks both implementations.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from big2_env.base.rng import MASK_64
from big2_env.games.fishing.cards import DECK_54, JACK, FishingDeck
from big2_env.kernels.dialect.bits import shuffle
from big2_env.kernels.dialect.kernel import kernel


class Kept(IntEnum):
    """Information that survives a capture. Everything else is shuffled."""

    NOTHING = 0
    """Nothing: the cards of both hands are pooled, as in `Memory.EXCHANGEABLE`."""
    OWNERS = 1
    """Number of J's in each hand, as in `Memory.OWNERS`."""
    OWNERS_APART = 2
    """Number of J's in each hand, and no J right after a capture by a J, as in `Memory.OWNERS_APART`."""
    JACK_PLACES = 3
    """Places of the J's; the other cards of both hands are pooled."""
    JACK_PLACES_AND_HANDS = 4
    """Places of the J's, and the cards of each hand without their order."""
    CAPTURES = 5
    """Everything except the order within the captured cards."""
    EVERYTHING = 6
    """Everything: the real game."""


@kernel(entry=True)
def _play_games(deck: Any, jack: Any, kept: Any, stream: Any, plays: Any) -> None:
    half = len(deck) // 2
    hands, sizes = np.zeros((2, 64), np.int64), np.zeros(2, np.int64)
    board, pool, jacks = np.zeros(16, np.int64), np.zeros(64, np.int64), np.zeros(64, np.int64)
    for g in range(len(plays)):
        pool[: 2 * half] = deck
        stream = shuffle(pool, 2 * half, stream)
        hands[0, :half], hands[1, :half] = pool[:half], pool[half : 2 * half]
        sizes[:] = half
        laid = seat = number = 0
        while True:
            hand = hands[seat]
            card = hand[0]
            number += 1
            sizes[seat] -= 1
            for i in range(sizes[seat]):
                hand[i] = hand[i + 1]
            start = -1
            for i in range(laid):
                if board[i] == card or card == jack:
                    start = i
                    break
            board[laid] = card
            laid += 1
            if start < 0:
                if not sizes[seat]:
                    break
                seat = 1 - seat
                continue
            if kept == 5:
                stream = shuffle(board[start:laid], laid - start, stream)
            hand[sizes[seat] : sizes[seat] + laid - start] = board[start:laid]
            sizes[seat] += laid - start
            laid = start
            if kept >= 5:
                continue
            if kept == 1 or kept == 2:  # new places for the J's in each hand
                for s in range(2):
                    total = size = 0
                    for i in range(sizes[s]):
                        if hands[s, i] == jack:
                            total += 1
                        else:
                            pool[size] = hands[s, i]
                            size += 1
                    if kept == 2 and s == seat and card == jack and size:
                        jacks[: sizes[s] - 1] = 0
                        jacks[:total] = 1
                        stream = shuffle(jacks, sizes[s] - 1, stream)
                        jacks[1 : sizes[s]] = jacks[: sizes[s] - 1].copy()
                        jacks[0] = 0
                    else:
                        jacks[: sizes[s]] = 0
                        jacks[:total] = 1
                        stream = shuffle(jacks, sizes[s], stream)
                    size = 0
                    for i in range(sizes[s]):
                        if jacks[i]:
                            hands[s, i] = jack
                        else:
                            hands[s, i] = pool[size]
                            size += 1
            size = 0
            for s in range(2):  # the other cards, or all of them, go round the places that are not J's
                first = size if kept != 4 else 0
                for i in range(sizes[s]):
                    if not kept or hands[s, i] != jack:
                        pool[first] = hands[s, i]
                        first += 1
                size = first
                if kept == 4:
                    stream = shuffle(pool, size, stream)
                    size = 0
                    for i in range(sizes[s]):
                        if hands[s, i] != jack:
                            hands[s, i] = pool[size]
                            size += 1
            if kept != 4:
                stream = shuffle(pool, size, stream)
                size = 0
                for s in range(2):
                    for i in range(sizes[s]):
                        if not kept or hands[s, i] != jack:
                            hands[s, i] = pool[size]
                            size += 1
        plays[g] = number


def lengths(kept: Kept, games: int, *, deck: FishingDeck = DECK_54, seed: int = 0) -> NDArray[np.int64]:
    """Simulate games that keep only part of their memory and return their lengths in plays, int64 of shape (games,).

    Args:
        kept: Information that survives a capture.
        games: Number of games.
        deck: Deck to deal from.
        seed: Seed of the sample.

    >>> lengths(Kept.EVERYTHING, 3).tolist()
    [739, 384, 1349]
    """
    plays = np.zeros(games, np.int64)
    _play_games(np.array(deck.cards, np.int64), JACK, int(kept), np.uint64(seed & MASK_64), plays)
    return plays
