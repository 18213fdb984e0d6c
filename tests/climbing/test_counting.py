"""Plays are counted by products; the counts are those of the lists."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import product

import pytest
from house_rules import DEALS_AND_CHOPS, HOUSE_RULES
from outside_patterns import OUTSIDE

from big2_env import BIG2, DECK_52, ConfigError, Deck, Kickers, Rank, RuleSet, available_rulesets, ruleset
from big2_env.climbing.actions import RankTable, action_space
from big2_env.climbing.patterns.straight import Straight


def listed(rules: RuleSet) -> int:
    """How many plays there are, by every reading of their cards."""
    table = rules.table
    if rules.ranks_only:
        return sum(1 for _ in table.entries())
    return sum(len(table.classify(play.mask)) if table.shared else 1 for play in table.plays(rules.deck.mask, with_early=True))


SMALL = [
    rules for rules in [*available_rulesets().values(), OUTSIDE, *HOUSE_RULES, *DEALS_AND_CHOPS] if rules.name != "tien_len"
]
"""All but one with 30 million plays."""


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: f"{rules.name}-{rules.pass_lock.value}")
def test_num_plays__is_how_many_are_listed(rules: RuleSet) -> None:
    assert rules.num_plays == listed(rules)


def test_num_plays__of_rules_by_ranks_counts_suits_where_they_matter() -> None:
    """The plays with kickers of a small deck, suits and all."""
    few = Deck(without=DECK_52.cards[24:])  # 3 to 8
    for name in ("dou_dizhu_x", "three_two_one", "pao_de_kuai"):
        rules = replace(
            BIG2,
            patterns=tuple(rule for rule in ruleset(name).patterns if "joker" not in rule.pattern.name),
            deck=few,
            ranks=tuple(Rank)[:6],
            players=2,
            max_players=2,
            hand_size=12,
        )
        wide = [rule.pattern.name for rule in rules.patterns if "straight_" in rule.pattern.name]
        small = rules.without_patterns(*wide) if name != "pao_de_kuai" else rules
        assert small.num_plays == listed(small)


def test_num_plays__of_straights_of_twelve_cards_is_there_at_once() -> None:
    long = BIG2.with_patterns(Straight(length=3, longest=12))
    start = time.perf_counter()
    assert long.num_plays > 13 * 4**12
    assert ruleset("tien_len").num_plays > 4**12
    assert time.perf_counter() - start < 5


def test_rank_table__too_large_is_refused_before_it_is_listed() -> None:
    game = ruleset("dou_dizhu_x")
    large = replace(
        game.with_patterns(replace(game.pattern("triple_straight_singles"), each=2, longest=4)),
        hand_size=17,
    )
    start = time.perf_counter()
    with pytest.raises(ConfigError, match=r"dou_dizhu_x has too many actions: 1,411,615 \(limit 1,048,576\)"):
        RankTable(large)
    assert time.perf_counter() - start < 5
    assert action_space(ruleset("pao_de_kuai")).n < 131_072
    assert action_space(ruleset("tien_len")).n == 2**13 - 1


def test_kickers__are_counted_as_they_are_listed() -> None:
    limits = (0, 1, 2, 3, 4, *[1] * 8, 2, 2)
    held = (2, 2, 2, 3, 3, *[1] * 8, 1, 2)
    for size, unit, exclusive in product(
        range(1, 7), (1, 2), ((), (Rank.LITTLE_JOKER, Rank.BIG_JOKER), (Rank.FIVE, Rank.SIX, Rank.SEVEN))
    ):
        if size % unit == 0:
            kickers = Kickers(size, limits, unit, exclusive)
            one_each = [[1] * (number + 1) for number in held]
            assert kickers.count(one_each) == sum(1 for _ in kickers.choices(held))
