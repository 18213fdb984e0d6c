"""What the decisions of an auction are worth, in stakes: how a hand compares with the hands that might have been dealt."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from big2_agents.formula import Weights
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

SAMPLE: Final = 60
"""How many random hands a hand is compared with."""


def usual(ruleset: RuleSet, held: int, value: Callable[[int], float]) -> tuple[float, float]:
    """Mean and standard deviation of what random hands of `held` cards are worth."""
    rng, size = SplitMix64(ruleset.deck.size), ruleset.deck.size
    total = squares = 0.0
    for _ in range(SAMPLE):
        cards = list(ruleset.deck.cards)
        for i in range(held):
            other = i + rng.below(size - i)
            cards[i], cards[other] = cards[other], cards[i]
        each = value(sum([1 << card for card in cards[:held]]))
        total += each
        squares += each * each
    mean = total / SAMPLE
    deviation = math.sqrt(max(squares / SAMPLE - mean * mean, 0.0))
    return mean, deviation or 1.0


def score_call(view: View, weights: Weights, strength: float, value: int) -> float:
    """What it is expected to pay the seat to move to say a value, in stakes: of a yes, as if it got the deal for that; 0 is no.

    `strength` is how much better than usual its hand is, in standard deviations.
    """
    if not value:
        wanted = any(said for _, said in view.said)
        return -(2.0 * weights.rival - 1.0) * _price(view, 0) if wanted else 0.0
    chance = 1.0 / (1.0 + math.exp(-weights.even - weights.slope * strength))
    return (view.num_players - 1) * (2.0 * chance - 1.0) * _price(view, value)


def _price(view: View, value: int) -> float:
    """The stake if the auction ended with a value being said, or now with 0."""
    auction = view.ruleset.auction
    assert auction is not None
    award = auction.award((*view.said, (view.seat, value)) if value else view.said)
    return 1.0 if award is None else float(award.stake * award.factor)
