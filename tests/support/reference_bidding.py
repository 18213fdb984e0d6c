"""What the decisions of an auction are worth, in stakes: how a hand compares with the hands that might have been dealt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, pstdev
from typing import Final

from reference_formula import Reference

from big2_agents.formula import BidWeights
from big2_env.cards import as_mask
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

SAMPLE: Final = 60
"""How many random hands a hand is compared with."""


class Bidding:
    """The decisions of the auctions of a ruleset.

    A hand's strength is what the best decomposition of it is worth, in standard deviations from the mean of random hands.
    """

    def __init__(self, ruleset: RuleSet, formula: Reference, weights: BidWeights | None = None) -> None:
        self._ruleset = ruleset
        self._formula = formula
        self._weights = weights or BidWeights()
        self._usual: tuple[float, float] | None = None

    def scores(self, view: View, acts: Sequence[Play]) -> list[float]:
        """What each decision is expected to pay this seat, in stakes: of a yes, as if it got the deal for that."""
        weights, others = self._weights, view.num_players - 1
        chance = 1.0 / (1.0 + math.exp(-weights.even - weights.slope * self.strength(view)))
        said = any(value for _, value in view.said)
        left = -(2.0 * weights.rival - 1.0) * self._price(view) if said else 0.0
        return [left if act.is_pass else others * (2.0 * chance - 1.0) * self._price(view, act) for act in acts]

    def _price(self, view: View, act: Play | None = None) -> float:
        """The stake if the auction ended now, or after an act: what the seat asked first would have to play for."""
        auction = self._ruleset.auction
        assert auction is not None
        said = view.said if act is None else (*view.said, (view.seat, act.power))
        award = auction.award(said)
        return float(award.stake * award.factor) if award else 1.0

    def strength(self, view: View) -> float:
        """How much better a view's hand is than usual, in standard deviations."""
        if self._usual is None:
            rng, size = SplitMix64(self._ruleset.deck.size), view.hand.bit_count()
            values = []
            for _ in range(SAMPLE):
                cards = list(self._ruleset.deck.cards)
                rng.shuffle(cards)
                values.append(self._value(replace(view, hand=as_mask(cards[:size]))))
            self._usual = fmean(values), pstdev(values) or 1.0
        mean, deviation = self._usual
        return (self._value(view) - mean) / deviation

    def _value(self, view: View) -> float:
        return self._formula.turn(view).value
