"""Wu Gua Pi (五瓜皮): hands of five cards, refilled from a pile, and plays of one to five cards with tiers for each size."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import DECK_54, Rank, Suit
from big2_env.climbing.parts import Ending, PatternRule
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.joker_pair import JokerPair
from big2_env.climbing.patterns.pair import Pair
from big2_env.climbing.patterns.quad_single import QuadSingle
from big2_env.climbing.patterns.single import Single
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.patterns.triple import Triple
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import FinishingOrder
from big2_env.climbing.shapes import Suits

_RUNS: Final = PointRuns(wrap=1)  # A-2-3 to Q-K-A

WU_GUA_PI: Final = RuleSet(
    name="wu_gua_pi",
    zh="五瓜皮",
    patterns=(
        PatternRule(Single(), "all"),
        PatternRule(Pair(), "all", 0),
        PatternRule(JokerPair(), "all", 1),
        PatternRule(Straight(length=3, longest=5, runs=_RUNS, suits=Suits.MIXED), "all", 0),
        PatternRule(Flush(length=3, longest=5, runs=_RUNS), "all", 1),
        PatternRule(Triple(), "all", 2),
        PatternRule(FourOfAKind(), "all", 2),
        PatternRule(FullHouse(jokers="both"), "all", 2),
        PatternRule(QuadSingle(), "all", 3),
        PatternRule(StraightFlush(length=3, longest=5, runs=_RUNS), "all", 4),
    ),
    deck=DECK_54,
    min_players=2,
    max_players=10,
    hand_size=5,
    draw_pile=True,
    ranks=(
        *(Rank(rank) for rank in range(Rank.SIX, Rank.TWO + 1)),
        *(Rank.THREE, Rank.FOUR, Rank.FIVE, Rank.LITTLE_JOKER, Rank.BIG_JOKER),
    ),
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    ending=Ending.LAST_HOLDER,
    scoring=FinishingOrder(),
)
"""Rules for two to ten players. 5 is the highest rank, the holder of the lowest dealt card leads with it, and the last holder
of cards pays.
"""
