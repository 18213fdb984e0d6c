"""Random streams of seats in compiled games, made of what the seat knows as in `big2_env.agent_seeds`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.dialect.bits import U, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, word_of
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.tables import Tables


@kernel
def _with_word(state: Any, word: Any) -> Any:
    """The hash of everything so far and one more word."""
    _, mixed_word = random_next(U(word))
    _, found = random_next(state ^ mixed_word)
    return found


@kernel
def start_stream(tab: Tables, game: Any, seat: Any, repetition: Any, salt: Any) -> Any:
    """Return `agent_seeds.start_seed` of a game that was just dealt, uint64; both arguments at the end are uint64.

    A first play that the deal forced is still part of the hand.
    """
    hand = get(game.hands, seat) | get(game.played, seat)
    low, high = U(0), U(0)
    for i in range(tab.deck_size):  # from the places of compiled code to card ids
        card = np.int64(tab.deck_cards[U(i)])
        if hand & card_at(no_cards(hand), tab.place_of[U(card)]):
            if card < 64:
                low |= U(1) << U(card)
            else:
                high |= U(1) << U(card - 64)
    state = _with_word(_with_word(U(0), 1), seat)
    state = _with_word(_with_word(state, 2 if high else 1), low)
    if high:
        state = _with_word(state, high)
    state = _with_word(_with_word(state, 1), 0)
    state = _with_word(_with_word(state, 1), repetition)
    return _with_word(_with_word(state, 1), salt)


@kernel
def move_stream(game: Any) -> Any:
    """Return the stream of the seat to move for this move alone, uint64: a hash of its hand, its seat and the moves so far."""
    seat = np.int64(game.turn)
    hand = get(game.hands, seat)
    state = _with_word(_with_word(U(0), seat), game.steps)
    return _with_word(_with_word(state, word_of(hand, 0)), word_of(hand, 1))
