"""What the decisions of an auction are worth, in stakes: how a hand compares with the hands that might have been dealt."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from big2_agents.compiled.decompositions import best_decomposition, decompose, shown_of
from big2_agents.compiled.outlook import look_out
from big2_env.kernels.dialect.bits import U, below, popcount, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards
from big2_env.kernels.dialect.features import HAS_PARTS
from big2_env.kernels.dialect.kernel import kernel, when
from big2_env.kernels.tables import CALL_ROB, Tables

SAMPLE: Final = 60
"""How many random hands a hand is compared with."""


@kernel
def _value(t: Tables, g: Any, left: Any, h: Any, hand: Any) -> Any:
    """What a hand is worth, parted as well as it can be, when all other cards are unseen."""
    look_out(t, g, left, get(t.deck, 0) & ~hand, h)
    decompose(t, h, hand)
    return best_decomposition(t, h, shown_of(t, hand))[0]


@kernel
def _measure(t: Tables, g: Any, left: Any, h: Any) -> None:
    """Keep what random hands are worth: mean and deviation."""
    size, held, state = t.deck_size, popcount(get(g.hands, g.turn)), U(t.deck_size)
    total = squares = 0.0
    for _ in range(SAMPLE):
        hand = no_cards(get(t.deck, 0))
        for i in range(size):
            h.sampled[i] = t.deck_cards[i]
        for i in range(held):
            state, number = random_next(state)
            other = i + below(number, size - i)
            h.sampled[i], h.sampled[other] = h.sampled[other], h.sampled[i]
            hand |= card_at(hand, t.place_of[h.sampled[i]])
        value = _value(t, g, left, h, hand)
        total += value
        squares += value * value
    mean = total / SAMPLE
    deviation = math.sqrt(max(squares / SAMPLE - mean * mean, 0.0))
    h.weights.usual[0], h.weights.usual[1] = mean, deviation if deviation else 1.0


@when(HAS_PARTS, otherwise=0.0)
def strength(t: Tables, g: Any, left: Any, h: Any) -> Any:
    """How much better the hand of the seat to move is than usual, in standard deviations; all others may have any cards."""
    if h.weights.usual[1] == 0.0:
        _measure(t, g, left, h)
    return (_value(t, g, left, h, get(g.hands, g.turn)) - h.weights.usual[0]) / h.weights.usual[1]


@when(HAS_PARTS, otherwise=1.0)
def _price(t: Tables, g: Any, value: Any) -> Any:
    """The stake if the auction ended with a value being said, or now with 0."""
    yes, last = np.int64(0), np.int64(0)
    for i in range(g.num_said):
        if g.said_value[i]:
            yes += 1
            last = np.int64(g.said_value[i])
    if value:
        yes, last = yes + 1, np.int64(value)
    if yes == 0:
        return 1.0
    if t.auction != CALL_ROB:
        return np.float64(last)
    price = np.float64(t.stake)
    for _ in range(yes - 1):
        price *= t.rob_factor
    return price


@when(HAS_PARTS, otherwise=False)
def _somebody_wants_it(g: Any) -> Any:
    """Whether somebody has said yes."""
    yes = 0
    for i in range(g.num_said):
        yes += g.said_value[i] > 0
    return yes > 0


@kernel
def value_said(t: Tables, action: Any) -> Any:
    """The value that an action of the auction says, 0 for no."""
    if action == 0:
        return np.int64(0)
    return np.int64(1) if t.auction == CALL_ROB else action - t.first_call + 1


@when(HAS_PARTS, otherwise=0.0)
def score_call(t: Tables, g: Any, h: Any, better: Any, value: Any) -> Any:
    """What it is expected to pay the seat to move to say a value, in stakes: of a yes, as if it got the deal for that; 0 is no.

    `better` is the strength of its hand.
    """
    if not value:
        return -(2.0 * h.weights.rival - 1.0) * _price(t, g, value) if _somebody_wants_it(g) else 0.0
    chance = 1.0 / (1.0 + math.exp(-h.weights.even - h.weights.slope * better))
    return (t.num_players - 1) * (2.0 * chance - 1.0) * _price(t, g, value)
