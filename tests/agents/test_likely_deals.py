"""Deals that count by how likely the moves of the other seats are: earlier views, and the probability of each deal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from operator import or_

import numpy as np
import pytest
from outside_patterns import OUTSIDE
from random_games import random_games

from big2_agents.learned.likely_deals import SHARPNESS, SLIP, UNLISTED, past_views
from big2_agents.learned.playouts import PolicyPlayouts
from big2_agents.learned.policy import LearnedPolicy
from big2_env import BIG2, CapturedPoints, Game, Move, Play, RuleSet
from big2_env.base.cards import iter_cards
from big2_env.climbing.rulesets import available_rulesets, ruleset
from big2_env.climbing.view import View
from big2_env.kernels.compile import CardPlaces

RULES = [*available_rulesets().values(), OUTSIDE, replace(ruleset("three_two_one"), scoring=CapturedPoints())]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{type(rules.scoring).__name__}")
def test_past_views__are_those_of_the_game_except_for_the_hands(rules: RuleSet) -> None:
    compared = 0
    for players in {rules.min_players, rules.max_players}:
        views: list[View] = []
        for game in random_games(rules, range(3), players):
            if not game.history:
                views = []
            if game.is_over:
                continue
            if len(game.history) % 5 == 4:
                view, found = game.view(), past_views(game.view())
                expected = [one for one in views if one.seat != view.seat and not one.bidding]
                expected = [] if rules.draw_pile else expected[len(expected) - len(found) :]
                assert [replace(one, hand=0) for one in found] == [replace(one, hand=0) for one in expected]
                assert [one.hand.bit_count() for one in found] == [one.hand.bit_count() for one in expected]
                first = next((i for i, (_, play) in enumerate(view.history) if play.mask), len(view.history))
                others = [seat for seat, _ in view.history[first:] if seat != view.seat]
                assert [one.seat for one in found] == ([] if rules.draw_pile else others)
                compared += len(found)
            views.append(game.view())
    assert compared > 30 or rules.draw_pile


def test_past_views__of_a_game_that_began_at_a_position_are_none() -> None:
    game = Game.deal(BIG2, 3)
    for _ in range(12):
        game.push(next(iter(game.legal_plays())))
    later = Game.from_position(BIG2, game.position)
    for _ in range(4):
        later.push(next(iter(later.legal_plays())))
    assert past_views(later.view()) == []
    assert past_views(game.view())


def ranks_of(play: Play) -> list[int]:
    return sorted(card.rank for card in iter_cards(play.mask))


def fit(policy: LearnedPolicy, hands: tuple[int, ...], history: tuple[Move, ...], weighed: Collection[int]) -> float:
    """The log probability of the moves of some seats if these were the hands at the start, with softened choices."""
    game, total = Game.from_hands(BIG2, hands), 0.0
    for seat, play in history:
        if seat in weighed:
            rated = policy.rated(game.view(), game.legal_plays())
            if len(rated) > 1:
                scores = np.array([score for _, score in rated], np.float64)
                odds = np.exp(scores - scores.max())
                alike = [i for i, (move, _) in enumerate(rated) if ranks_of(move) == ranks_of(play)]
                made = next((i for i in alike if rated[i][0] == play), alike[-1] if alike else None)
                softened = math.nan if made is None else SLIP / len(rated) + (1 - SLIP) * odds[made] / odds.sum()
                total += UNLISTED if made is None else math.log(softened)
            elif rated[0][0] != play:
                total += UNLISTED
        game.push(play)
    return total


def shares_of(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Each way to share cards out, as masks."""
    if not sizes:
        yield ()
        return
    for first in combinations(cards, sizes[0]):
        for rest in shares_of([card for card in cards if card not in first], sizes[1:]):
            yield sum(1 << card for card in first), *rest


@pytest.mark.parametrize(("seed", "networks"), [(3, (0, 1, 2, 3)), (8, (0, 2, 3)), (5, (0, 1))])
def test_deals__are_as_frequent_as_the_moves_of_networks_make_them(seed: int, networks: tuple[int, ...]) -> None:
    policy, game = LearnedPolicy(), Game.deal(BIG2, seed)
    while game.view().unseen.bit_count() > 7 or game.turn not in networks:
        game.push(policy.act(game.view(), game.legal_plays()))
        if game.is_over:
            seed += 1
            game = Game.deal(BIG2, seed)
    view = game.view()
    others = [seat for seat in range(4) if seat != view.seat]
    weighed = [seat for seat in others if seat in networks]
    odds = {}
    for shares in shares_of(
        [card for card in range(64) if view.unseen >> card & 1], [view.cards_left[seat] for seat in others]
    ):
        hands = dict(zip(others, shares, strict=True)) | {view.seat: view.hand}
        now = tuple(hands[seat] for seat in range(4))
        full = tuple(map(or_, now, view.played))
        odds[now] = math.exp(SHARPNESS * fit(policy, full, view.history, weighed))
    number, places = 6000, CardPlaces(BIG2)
    playouts = PolicyPlayouts(BIG2, 4)
    playouts.open(view, 1, networks)
    deals = playouts._deals.more(number, playouts._scorer)
    drawn = Counter(tuple(map(places.cards, hands)) for hands in deals.tolist())
    expected = {hands: weight / sum(odds.values()) for hands, weight in odds.items()}
    distance = sum(abs(share - drawn[hands] / number) for hands, share in expected.items()) / 2
    from_uniform = sum(abs(share - 1 / len(expected)) for share in expected.values()) / 2
    assert sum(drawn.values()) == sum(drawn[hands] for hands in expected)
    assert distance < 0.12 < from_uniform
