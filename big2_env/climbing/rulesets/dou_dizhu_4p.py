"""Dou Dizhu for four players (四人斗地主): two decks, bids of one to three, bombs of four to eight cards and of four jokers."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import DECK_108, Rank, Suit
from big2_env.climbing.auction import Bid
from big2_env.climbing.parts import Lead, Multiplier, PatternRule, pattern_rules
from big2_env.climbing.patterns.bomb import Bomb
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.joker_quad import JokerQuad
from big2_env.climbing.patterns.pair import Pair
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple_straight import TripleStraight
from big2_env.climbing.patterns.triple_straight_pairs import TripleStraightPairs
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import TeamStake

_RUNS: Final = ValueRuns(cap=Rank.ACE)  # neither 2 nor a joker

DOU_DIZHU_4P: Final = RuleSet(
    name="dou_dizhu_4p",
    zh="四人斗地主",
    patterns=(
        *pattern_rules(
            "single",
            Pair(jokers=True),
            "triple",
            Straight(length=5, longest=12, runs=_RUNS),
            PairStraight(length=3, longest=12, runs=_RUNS),
            TripleStraight(length=2, longest=11, runs=_RUNS),
        ),
        PatternRule(FullHouse(jokers="same"), zh="三帶二"),
        PatternRule(TripleStraightPairs(length=2, longest=6, runs=_RUNS, jokers=True), zh="飛機帶翅膀"),
        PatternRule(Bomb(size=4, largest=8), bomb_per_card=1),
        PatternRule(JokerQuad(), bomb=9),
    ),
    deck=DECK_108,
    min_players=4,
    max_players=4,
    hand_size=25,
    auction=Bid(),
    ranks=tuple(Rank),
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    suits_compare=False,
    ranks_only=True,
    lead=Lead.ANY,
    scoring=TeamStake(),
    multipliers=(
        Multiplier("bomb", 2, sizes=(6, 7)),
        Multiplier("bomb", 3, sizes=(8, 8)),
        Multiplier("joker_quad", 3),
    ),
    spring=2,
    anti_spring=2,
)
"""Rules for four players, one against three. Larger bombs beat smaller ones. Large bombs, springs and anti-springs multiply the
stake.
"""
