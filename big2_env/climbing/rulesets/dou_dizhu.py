"""Dou Dizhu (斗地主): an auction finds the landlord, who picks up three more cards and plays against the other two."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import DECK_54, Rank, Suit
from big2_env.climbing.auction import CallRob
from big2_env.climbing.parts import Lead, Multiplier, PatternRule, pattern_rules
from big2_env.climbing.patterns.bomb import Bomb
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.joker_pair import JokerPair
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple_straight import TripleStraight
from big2_env.climbing.patterns.triple_straight_pairs import TripleStraightPairs
from big2_env.climbing.patterns.triple_straight_singles import TripleStraightSingles
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import TeamStake

_RUNS: Final = ValueRuns(cap=Rank.ACE)  # neither 2 nor a joker

DOU_DIZHU: Final = RuleSet(
    name="dou_dizhu",
    zh="斗地主",
    patterns=(
        *pattern_rules("single", "pair", "triple", "triple_single"),
        PatternRule(FullHouse(), zh="三帶一對"),
        *pattern_rules(
            Straight(length=5, longest=12, runs=_RUNS),
            PairStraight(length=3, longest=10, runs=_RUNS),
        ),
        PatternRule(TripleStraight(length=2, longest=6, runs=_RUNS), zh="飛機"),
        *pattern_rules(
            TripleStraightSingles(length=2, longest=5, runs=_RUNS),
            TripleStraightPairs(length=2, longest=4, runs=_RUNS),
            "quad_two_singles",
            "quad_two_pairs",
        ),
        PatternRule(Bomb(), bomb=1),
        PatternRule(JokerPair(), bomb=2, zh="火箭"),
    ),
    deck=DECK_54,
    min_players=3,
    max_players=3,
    hand_size=17,
    auction=CallRob(),
    ranks=tuple(Rank),
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    suits_compare=False,
    ranks_only=True,
    lead=Lead.ANY,
    scoring=TeamStake(),
    multipliers=(Multiplier("bomb"), Multiplier("joker_pair")),
    spring=2,
    anti_spring=2,
)
"""Rules for three players with calling and robbing. Each bomb, a spring and an anti-spring double the stake."""
