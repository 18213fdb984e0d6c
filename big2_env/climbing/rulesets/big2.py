"""Big Two (大老二): the first ruleset and the default."""

from __future__ import annotations

from typing import Final

from big2_env.climbing.ruleset import Rest, RuleSet, pattern_rules

BIG2: Final = RuleSet(
    name="big2",
    zh="大老二",
    patterns=pattern_rules("single", "pair", "straight", "full_house"),
    min_players=2,
    max_players=4,
    players=4,
    rest=Rest.ASIDE,
)
"""Rules for two to four players with 13 cards each; the other cards are set aside. The holder of the lowest card (C[3] with
four players) leads with it. The four patterns do not beat each other, and the first empty hand wins.
"""
