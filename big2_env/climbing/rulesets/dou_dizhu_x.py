"""Extended Dou Dizhu (斗地主拓展版): planes and quads may carry any kickers, so some cards have several readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from big2_env.climbing.patterns.quad_two_pairs import QuadTwoPairs
from big2_env.climbing.patterns.quad_two_singles import QuadTwoSingles
from big2_env.climbing.patterns.triple_straight_pairs import TripleStraightPairs
from big2_env.climbing.patterns.triple_straight_singles import TripleStraightSingles
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.dou_dizhu import _RUNS, DOU_DIZHU

DOU_DIZHU_X: Final[RuleSet] = replace(
    DOU_DIZHU.with_patterns(
        TripleStraightSingles(length=2, longest=5, runs=_RUNS, free=True),
        TripleStraightPairs(length=2, longest=4, runs=_RUNS, quads=True),
        QuadTwoSingles(both_jokers=True),
        QuadTwoPairs(quads=True),
    ),
    name="dou_dizhu_x",
    zh="斗地主拓展版",
)
"""Rules as in `DOU_DIZHU`, with free kickers. Wings may repeat ranks of the run, be bombs, adjacent triples or both jokers;
quads may carry these too.
"""
