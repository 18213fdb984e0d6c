"""Laws of every ruleset: those of the package and those made for tests."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import or_

import pytest
from house_rules import DEALS_AND_CHOPS, HOUSE_RULES
from outside_patterns import OUTSIDE
from random_games import random_games

from big2_env import PASS, Ending, Game, Phase, RuleSet, available_rulesets
from big2_env.base.cards import as_mask

RULES = [*available_rulesets().values(), OUTSIDE, *HOUSE_RULES, *DEALS_AND_CHOPS]
NAMES = [f"{rules.name}-{len(rules.patterns)}-{rules.pass_lock.value}" for rules in RULES]


def numbers(rules: RuleSet) -> list[int]:
    return sorted({rules.min_players, (rules.min_players + rules.max_players) // 2, rules.max_players})


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_laws__of_every_position(rules: RuleSet) -> None:
    for number in numbers(rules):
        for game in random_games(rules, range(3), number):
            position, moves = game.position, list(game.legal_plays())
            hidden = position.bottom if position.bidding else 0
            places = [*position.hands, *position.played, as_mask(position.pile), hidden]
            union = reduce(or_, places)
            assert not union & ~rules.deck.mask
            assert sum(place.bit_count() for place in places) == union.bit_count()  # no card in two places
            assert union.bit_count() == rules.deck.size - rules.cards_aside(number)
            assert (game.outcome is None) == bool(moves) == (not game.is_over) == bool(game.legal_plays())
            assert len(set(moves)) == len(moves) == len(game.legal_plays())
            may_pass = (game.top is not None or position.bidding) and not (rules.must_cover and any(moves))
            assert (PASS in moves) == (PASS in game.legal_plays()) == game.can_pass == (may_pass and not game.is_over)
            assert position.bidding == (rules.auction is not None and position.landlord is None) == (game.phase is Phase.DEALT)
            for play in moves:
                assert play in game.legal_plays()
                if play:
                    assert play.mask & ~position.hands[game.turn] == 0
                    assert game.top is None or rules.beats(play, game.top)
                    assert play in rules.table.classify(play.mask)
            if moves:
                assert not position.passed >> game.turn & 1
                assert sorted(position.finished) == (
                    [] if position.pile else [s for s, h in enumerate(position.hands) if not h]
                )


@pytest.mark.parametrize("rules", RULES, ids=NAMES)
def test_laws__of_every_end(rules: RuleSet) -> None:
    for number in numbers(rules):
        for game in random_games(rules, range(10, 16), number):
            if not game.is_over:
                continue
            outcome = game.outcome
            assert outcome is not None
            assert sum(outcome.payoffs) == pytest.approx(0)
            assert outcome.payoffs[outcome.winner] == max(outcome.payoffs) >= 0
            assert outcome.cards_left == tuple(hand.bit_count() for hand in game.position.hands)
            assert outcome.winner == game.position.finished[0]
            empty = outcome.cards_left.count(0)
            assert empty == (1 if rules.ending is Ending.FIRST_OUT else number - 1)
            # Nobody plays twice in a row unless nobody else may act, and passes come only after a play.
            # Before the first play there is nothing but the auction, which takes a number of decisions in each deal.
            first = next(i for i, move in enumerate(game.history) if move.play)
            auction = rules.auction
            assert first <= (0 if auction is None else auction.deals * (number + 1))
            assert (first > 0) == (auction is not None)
            assert all(move.play for before, move in pairwise(game.history[first:]) if before.seat == move.seat)
            assert len(game.history) - first <= number * rules.deck.size  # as many passes as others, after each play of a card
            while game.history:
                game.undo()
            assert game.position == game.start
            assert game == Game.from_position(rules, game.start)
