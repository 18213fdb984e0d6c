"""Chu Da Di (锄大地): Big Two as played in a Chinese card program, with tiers of five-card plays and diamonds lowest."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Card, Suit
from big2_env.climbing.parts import PatternRule, pattern_rules
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.quad_single import QuadSingle
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import PairwiseDifference
from big2_env.climbing.shapes import Suits

_RUNS: Final = PointRuns(wrap=1)  # A-2-3-4-5 to 10-J-Q-K-A

POKER_PATTERNS: Final = (
    *pattern_rules("single", "pair", "triple"),
    PatternRule(Straight(runs=_RUNS, suits=Suits.MIXED), "five", 1),
    PatternRule(Flush(runs=_RUNS), "five", 2),
    PatternRule(FullHouse(), "five", 3),
    PatternRule(QuadSingle(), "five", 4),
    PatternRule(StraightFlush(runs=_RUNS), "five", 5),
)
"""Patterns in which plays of five cards rank as in poker."""

CHU_DA_DI: Final = RuleSet(
    name="chu_da_di",
    zh="锄大地",
    patterns=POKER_PATTERNS,
    min_players=2,
    max_players=4,
    players=4,
    rest=Rest.ASIDE,
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    scoring=PairwiseDifference(
        steps=((8, 2), (10, 3), (13, 4)),
        bonuses=((Card("S[2]"), 50), (Card("H[2]"), 30), (Card("C[2]"), 20), (Card("D[2]"), 10)),
    ),
)
"""Rules for two to four players with 13 cards each. The holder of the lowest card (D[3] with four players) leads with it. Each
pair of seats settles the difference of their cards left, and remaining twos cost extra.
"""
