"""The rulesets, one file each, data only; found by scanning this folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.climbing.rulesets.hong_kong import HONG_KONG
from big2_env.errors import ConfigError

__all__ = ["BIG2", "HONG_KONG", "available_rulesets", "ruleset"]


@cache
def available_rulesets() -> dict[str, RuleSet]:
    """Every ruleset of this folder by its name."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        for item in vars(importlib.import_module(f"{__name__}.{info.name}")).values():
            if isinstance(item, RuleSet):
                found[item.name] = item
    return found


def ruleset(name: str | RuleSet) -> RuleSet:
    """The ruleset of that name, or the one given.

    Raises:
        ConfigError: no ruleset has that name.
    """
    if isinstance(name, RuleSet):
        return name
    if name not in available_rulesets():
        raise ConfigError(f"ruleset {name!r}: allowed are {', '.join(available_rulesets())}")
    return available_rulesets()[name]
