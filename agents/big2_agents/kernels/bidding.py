"""What the decisions of an auction are worth, in stakes: how a hand compares with the hands that might have been dealt."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from big2_agents.kernels.decompositions import as_parts, best_decomposition, decompose
from big2_agents.kernels.outlook import open_outlook
from big2_env.kernels.dialect.bits import U, below, popcount, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards
from big2_env.kernels.dialect.features import HAS_PARTS
from big2_env.kernels.dialect.kernel import kernel, when
from big2_env.kernels.tables import CALL_ROB, Tables

SAMPLE: Final = 60
"""How many random hands a hand is compared with."""


@kernel
def _value(tab: Tables, game: Any, left: Any, heur: Any, hand: Any) -> Any:
    """What a hand is worth, parted as well as it can be, when all other cards are unseen."""
    open_outlook(tab, game, left, get(tab.deck, 0) & ~hand, heur)
    decompose(tab, heur, hand)
    return best_decomposition(tab, heur, as_parts(tab, hand))[0]


@kernel
def _measure(tab: Tables, game: Any, left: Any, heur: Any) -> None:
    """Keep what random hands are worth: mean and deviation."""
    size, held, state = tab.deck_size, popcount(get(game.hands, game.turn)), U(tab.deck_size)
    total = squares = 0.0
    for _ in range(SAMPLE):
        hand = no_cards(get(tab.deck, 0))
        for i in range(size):
            heur.sampled[i] = tab.deck_cards[i]
        for i in range(held):
            state, number = random_next(state)
            other = i + below(number, size - i)
            heur.sampled[i], heur.sampled[other] = heur.sampled[other], heur.sampled[i]
            hand |= card_at(hand, tab.place_of[heur.sampled[i]])
        value = _value(tab, game, left, heur, hand)
        total += value
        squares += value * value
    mean = total / SAMPLE
    deviation = math.sqrt(max(squares / SAMPLE - mean * mean, 0.0))
    heur.weights.usual[0], heur.weights.usual[1] = mean, deviation if deviation else 1.0


@when(HAS_PARTS, otherwise=0.0)
def strength(tab: Tables, game: Any, left: Any, heur: Any) -> Any:
    """How much better the hand of the seat to move is than usual, in standard deviations; all others may have any cards."""
    if heur.weights.usual[1] == 0.0:
        _measure(tab, game, left, heur)
    return (_value(tab, game, left, heur, get(game.hands, game.turn)) - heur.weights.usual[0]) / heur.weights.usual[1]


@when(HAS_PARTS, otherwise=1.0)
def _price(tab: Tables, game: Any, value: Any) -> Any:
    """The stake if the auction ended with a value being said, or now with 0."""
    yes, last = np.int64(0), np.int64(0)
    for i in range(game.num_said):
        if game.said_value[i]:
            yes += 1
            last = np.int64(game.said_value[i])
    if value:
        yes, last = yes + 1, np.int64(value)
    if yes == 0:
        return 1.0
    if tab.auction != CALL_ROB:
        return np.float64(last)
    price = np.float64(tab.stake)
    for _ in range(yes - 1):
        price *= tab.rob_factor
    return price


@when(HAS_PARTS, otherwise=False)
def _somebody_wants_it(game: Any) -> Any:
    """Whether somebody has said yes."""
    yes = 0
    for i in range(game.num_said):
        yes += game.said_value[i] > 0
    return yes > 0


@kernel
def value_said(tab: Tables, action: Any) -> Any:
    """The value that an action of the auction says, 0 for no."""
    if action == 0:
        return np.int64(0)
    return np.int64(1) if tab.auction == CALL_ROB else action - tab.first_call + 1


@when(HAS_PARTS, otherwise=0.0)
def score_call(tab: Tables, game: Any, heur: Any, better: Any, value: Any) -> Any:
    """What it is expected to pay the seat to move to say a value, in stakes: of a yes, as if it got the deal for that; 0 is no.

    `better` is the strength of its hand.
    """
    if not value:
        return -(2.0 * heur.weights.rival - 1.0) * _price(tab, game, value) if _somebody_wants_it(game) else 0.0
    chance = 1.0 / (1.0 + math.exp(-heur.weights.even - heur.weights.slope * better))
    return (tab.num_players - 1) * (2.0 * chance - 1.0) * _price(tab, game, value)
