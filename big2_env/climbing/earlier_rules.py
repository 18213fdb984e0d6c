"""Earlier rules of rulesets that have changed, for frozen benchmarks and for games saved under them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from big2_env.climbing.ruleset import LastCard, NextLead, RuleSet
from big2_env.climbing.rulesets.pao_de_kuai import PAO_DE_KUAI
from big2_env.climbing.rulesets.taiwan import TAIWAN
from big2_env.climbing.settlement import CardsLeft

EARLIER: Final[Mapping[str, RuleSet]] = {
    rules.name: rules
    for rules in (
        replace(PAO_DE_KUAI.without_patterns("triple_single", "triple"), last_card=LastCard.NONE, next_lead=NextLead.LOWEST),
        replace(TAIWAN, last_card=LastCard.NONE, scoring=CardsLeft(steps=((8, 2), (10, 3), (13, 4)))),
    )
}
"""Rules before the last-card rule and doublings, by name."""
