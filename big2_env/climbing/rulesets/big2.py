"""Big Two (大老二): the first ruleset and the default."""

from __future__ import annotations

from typing import Final

from big2_env.climbing.ruleset import RuleSet, pattern_rules

BIG2: Final = RuleSet(name="big2", zh="大老二", patterns=pattern_rules("single", "pair", "straight", "full_house"))
"""Four players, all 52 cards, the holder of C[3] leads with it; four patterns that never mix; first empty hand wins."""
