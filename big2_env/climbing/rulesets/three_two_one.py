"""Three, Two, One (三两一): runs of every kind, suits that never compare, and passes that last for the round."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Suit
from big2_env.climbing.parts import PassLock, pattern_rules
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.pair_straight_single import PairStraightSingle
from big2_env.climbing.patterns.quad_straight import QuadStraight
from big2_env.climbing.patterns.quad_straight_single import QuadStraightSingle
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple_straight import TripleStraight
from big2_env.climbing.patterns.triple_straight_single import TripleStraightSingle
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import StepTable

_RUNS: Final = PointRuns(wrap=2)  # A-2-3 to K-A-2

THREE_TWO_ONE: Final = RuleSet(
    name="three_two_one",
    zh="三两一",
    patterns=pattern_rules(
        *("single", "pair", "triple"),
        FourOfAKind(),
        Straight(length=3, longest=13, runs=_RUNS, top=True),
        PairStraight(length=2, longest=6, runs=_RUNS),
        TripleStraight(length=2, longest=4, runs=_RUNS),
        QuadStraight(length=2, longest=3, runs=_RUNS),
        FullHouse(),
        "triple_pair_single",
        "quad_single",
        PairStraightSingle(length=3, longest=6, runs=_RUNS),
        TripleStraightSingle(length=2, longest=4, runs=_RUNS),
        QuadStraightSingle(length=2, longest=3, runs=_RUNS),
    ),
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    suits_compare=False,
    ranks_only=True,
    extra_covers=(("triple_straight", "triple_pair_single"),),
    pass_lock=PassLock.ROUND,
    scoring=StepTable(((2, 1), (6, 2), (10, 3), (13, 5))),
)
"""Rules for four players. The holder of D[3] leads with it. A run of two triples also beats a weaker three-two-one."""
