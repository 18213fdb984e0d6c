"""Seven, jokers, five, two, three (七鬼五二三): 七鬼五二一 with the ace and the three between king and two."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from big2_env.base.cards import Rank
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.qi_gui_521 import QI_GUI_521

QI_GUI_523: Final[RuleSet] = replace(
    QI_GUI_521,
    name="qi_gui_523",
    zh="七鬼五二三",
    ranks=(
        *(Rank.FOUR, Rank.SIX, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.JACK),
        *(Rank.QUEEN, Rank.KING, Rank.ACE, Rank.THREE, Rank.TWO, Rank.FIVE),
        *(Rank.LITTLE_JOKER, Rank.BIG_JOKER, Rank.SEVEN),
    ),
)
"""Rules for two to seven players. 7 is the highest rank, and 3 is between A and 2. The last holder of cards pays.

With points for 5, 10 and K: `replace(QI_GUI_523, scoring=CapturedPoints())`.
"""
