"""Seven, jokers, five, two, one (七鬼五二一): hands of seven cards, refilled from a pile, and plays of one rank only."""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import DECK_54, Rank, Suit
from big2_env.climbing.parts import Ending, PatternRule, pattern_rules
from big2_env.climbing.patterns.joker_pair import JokerPair
from big2_env.climbing.patterns.pair import Pair
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import FinishingOrder

QI_GUI_521: Final = RuleSet(
    name="qi_gui_521",
    zh="七鬼五二一",
    patterns=(
        *pattern_rules("single"),
        PatternRule(Pair(), "two"),
        PatternRule(JokerPair(), "two"),
        *pattern_rules("triple", "four_of_a_kind"),
    ),
    deck=DECK_54,
    min_players=2,
    max_players=7,
    hand_size=7,
    draw_pile=True,
    ranks=(
        *(Rank.THREE, Rank.FOUR, Rank.SIX, Rank.EIGHT, Rank.NINE, Rank.TEN),
        *(Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE, Rank.TWO, Rank.FIVE),
        *(Rank.LITTLE_JOKER, Rank.BIG_JOKER, Rank.SEVEN),
    ),
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    ending=Ending.LAST_HOLDER,
    scoring=FinishingOrder(),
)
"""Rules for two to seven players. 7 is the highest rank and 3 the lowest. The last holder of cards pays.

With points for 5, 10 and K: `replace(QI_GUI_521, scoring=CapturedPoints())`.
"""
