"""Big Two as played in Hong Kong (港式大老二): tiers, flushes, diamonds below clubs; the rules of arXiv 1808.10442."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Rank, Suit
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.patterns.two_pair import TwoPair
from big2_env.climbing.ruleset import Lead, PatternRule, Rest, RuleSet, pattern_rules
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import CardsLeft
from big2_env.climbing.shapes import Suits

_RUNS: Final = ValueRuns(cap=Rank.TWO)  # 3-4-5-6-7 to J-Q-K-A-2

HONG_KONG: Final = RuleSet(
    name="hong_kong",
    zh="港式大老二",
    patterns=(
        *pattern_rules("single", "pair", "triple"),
        PatternRule(TwoPair(), "four", 0),
        PatternRule(FourOfAKind(), "four", 1),
        PatternRule(Straight(runs=_RUNS, suits=Suits.MIXED), "five", 0),
        PatternRule(Flush(runs=_RUNS), "five", 1),
        PatternRule(FullHouse(), "five", 2),
        PatternRule(StraightFlush(runs=_RUNS), "five", 3),
    ),
    min_players=2,
    max_players=4,
    players=4,
    rest=Rest.ASIDE,
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    lead=Lead.EXACT,
    scoring=CardsLeft(),
)
"""Rules for two to four players. The holder of the lowest card (D[3] with four players) leads it alone. Four-card plays compare
with each other, and so do five-card plays. Each loser pays for its cards left.

The engine in the paper makes the forced first play itself. To compare with it, use `replace(HONG_KONG, auto_lead=True)`.
"""
