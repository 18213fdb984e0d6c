"""Mini games: Big Two for two players with 6, 8 or 12 cards, small enough to compute equilibria.

They have the rules of `big2` and are found by name, like every ruleset, but are not among `available_rulesets`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.big2 import BIG2


def _mini_game(cards: str, hand_size: int, zh: str) -> RuleSet:
    """Return Big Two for two players with some cards."""
    rules = BIG2.with_deck(cards, hand_size=hand_size, players=2)
    return replace(rules, name=f"mini{rules.deck.size}", zh=zh)


MINI6: Final = _mini_game("C[3] D[3] C[4] D[4] C[5] D[5]", 2, "六張大老二")
"""Two cards each of six, two set aside: 90 deals, 238 information sets."""
MINI8: Final = _mini_game("C[3] D[3] C[4] D[4] C[5] D[5] C[6] D[6]", 2, "八張大老二")
"""Two cards each of eight, four set aside: 420 deals, 650 information sets."""
MINI12: Final = _mini_game("C[3] D[3] H[3] S[3] C[4] D[4] H[4] S[4] C[5] D[5] H[5] S[5]", 5, "十二張大老二")
"""Five cards each of twelve, two set aside, with full houses: 16,632 deals, 280,177,096 information sets."""
MINI_GAMES: Final = {rules.name: rules for rules in (MINI6, MINI8, MINI12)}
"""The mini games by name."""
