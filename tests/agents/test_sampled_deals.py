"""What a search samples of a game: positions that the rules allow, that agree with the view, and that are not all the same."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import pytest
from outside_patterns import OUTSIDE
from random_games import random_games
from sampled_deals import sample

from big2_agents.kernels.feature_layout import MAX_CATEGORIES
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.playouts import BROKEN, DOUBT, search_dtype
from big2_agents.kernels.track import NOTHING
from big2_env import BIG2, CapturedPoints, Play, RuleSet
from big2_env.climbing.rulesets import available_rulesets, ruleset
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions
from big2_env.kernels.variants import variant_of

RULES = [*available_rulesets().values(), OUTSIDE, replace(ruleset("qi_gui_523"), scoring=CapturedPoints())]


class Sampler:
    """Samples deals for views of one ruleset."""

    def __init__(self, rules: RuleSet, num_players: int) -> None:
        variant = variant_of(rules)
        self.tables = compile_tables(rules, num_players)
        self.positions = Positions(rules, variant.game)
        self.patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}
        self.s: Any = as_record(np.zeros((), search_dtype(variant)))
        self.scratch = as_record(np.zeros((), variant.scratch))

    def read(self, view: View, seed: int) -> None:
        Memory().update(self.tables, view, self.patterns, self.s.root, self.s.root_track)
        self.s.root.rng = seed

    def sample(self) -> tuple[Any, float]:
        """A position and its weight."""
        weight = sample(self.tables, self.s, self.scratch)
        return self.positions.unpack(self.s.sample), weight

    def weight(self, rules: RuleSet, view: View, hands: tuple[int, ...]) -> float:
        """The weight that these hands should have."""
        found = 1.0
        for seat, hand in enumerate(hands):
            for category in range(MAX_CATEGORIES):
                power = int(self.s.root_track.passed_on[seat, category])
                if seat != view.seat and power != NOTHING:
                    can = next(rules.table.plays(hand, Play("", 0, category, power)), None) is not None
                    found *= (BROKEN if rules.must_cover else DOUBT) ** can
        return found


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{type(rules.scoring).__name__}")
def test_sampled_deals__are_positions_that_agree_with_the_view(rules: RuleSet) -> None:
    several = 0
    for players in {rules.min_players, rules.default_players, rules.max_players}:
        sampler = Sampler(rules, players)
        for number, game in enumerate(random_games(rules, range(2), players)):
            if game.is_over or number % 3:
                continue
            view, position = game.view(), game.position
            sampler.read(view, number)
            seen = set()
            for _ in range(3):
                found, weight = sampler.sample()
                assert tuple(hand.bit_count() for hand in found.hands) == view.cards_left
                assert found.hands[view.seat] == view.hand
                cards = [*found.hands, *found.played, reduce(or_, (1 << card for card in found.pile), 0)]
                cards += [found.bottom] if found.bidding else []
                assert sum(cards) == reduce(or_, cards)  # each card once
                assert reduce(or_, cards) & ~rules.deck.mask == 0
                assert len(found.pile) == view.pile_left
                known = view.bottom & ~reduce(or_, found.played)
                assert view.landlord is None or known & ~found.hands[view.landlord] == 0
                assert (found.top, found.turn, found.passed, found.said) == (view.top, view.turn, view.passed, view.said)
                assert len(found.redeals) == view.redeals_left
                assert all(sorted(deck) == sorted(rules.deck.cards) for deck in found.redeals)
                assert (found.trick, found.captured, found.stake) == (position.trick, position.captured, position.stake)
                if not rules.draw_pile:
                    assert weight == pytest.approx(sampler.weight(rules, view, found.hands))
                seen.add(found.hands)
            several += len(seen) > 1
    assert several > 2


def test_sampled_deals__of_many_proposals_fit_the_passes() -> None:
    sampler = Sampler(BIG2, 4)
    better = 0
    for game in random_games(BIG2, range(8)):
        if game.is_over or len(game.history) != 30:
            continue
        view = game.view()
        sampler.read(view, 1)
        weights = []
        for proposals in (1, 30):
            sampler.s.proposals = proposals
            weights.append(np.mean([sampler.weight(BIG2, view, sampler.sample()[0].hands) for _ in range(40)]))
        better += weights[1] > weights[0]
    assert better > 4
