"""The unit of a ruleset's payoffs, by which losses get their marks: measured already for the games that are shipped."""

from __future__ import annotations

import json
from functools import lru_cache

from big2_agents.models import models_folder
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets


@lru_cache(maxsize=1)
def measured() -> dict[tuple[str, int], float]:
    """What `prospects.measured_unit` found, by ruleset and number of players; a test measures it again."""
    by_ruleset = json.loads((models_folder() / "payoff_units.json").read_text(encoding="utf-8"))
    return {(name, int(number)): unit for name, units in by_ruleset.items() for number, unit in units.items()}


def payoff_unit(ruleset: RuleSet, num_players: int) -> float:
    """What a game is about: the standard deviation of what a seat is paid, in games of rule players from many deals.

    Measuring compiles play-outs, so it is done for rulesets alone that are not shipped as they are.

    Raises:
        ConfigError: a ruleset that is not shipped and cannot be compiled.
    """
    known = measured().get((ruleset.name, num_players))
    if known is not None and available_rulesets().get(ruleset.name) == ruleset:
        return known
    from big2_agents.review.prospects import measured_unit  # compiles play-outs

    return measured_unit(ruleset, num_players)
