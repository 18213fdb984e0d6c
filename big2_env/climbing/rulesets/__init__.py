"""The rulesets, one file each, data only; found by scanning this folder and the entry-point group `big2_env.rulesets`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from big2_env.announced import RULESETS, announced
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.climbing.rulesets.hong_kong import HONG_KONG
from big2_env.errors import ConfigError

__all__ = ["BIG2", "HONG_KONG", "available_rulesets", "ruleset"]


@cache
def _own_rulesets() -> dict[str, RuleSet]:
    """The rulesets of this folder by name. Packages from outside are not looked at: they may import this one."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        for item in vars(importlib.import_module(f"{__name__}.{info.name}")).values():
            if isinstance(item, RuleSet):
                found[item.name] = item
    return found


@cache
def available_rulesets() -> dict[str, RuleSet]:
    """Every ruleset by its name: those of this folder, then those that installed packages announce.

    Raises:
        ConfigError: two different rulesets under one name, or an entry point that gives no ruleset.
    """
    found = dict(_own_rulesets())
    for source in announced(RULESETS).values():
        candidate = source.load()
        if not isinstance(candidate, RuleSet):
            raise ConfigError(f"{source} gives {candidate!r}: allowed is a RuleSet")
        if found.setdefault(candidate.name, candidate) != candidate:
            raise ConfigError(f"{source} names its ruleset {candidate.name!r}, which there is already")
    return found


def ruleset(name: str | RuleSet) -> RuleSet:
    """The ruleset of that name, or the one given.

    Raises:
        ConfigError: no ruleset has that name.
    """
    if isinstance(name, RuleSet):
        return name
    own = _own_rulesets()
    if name in own:
        return own[name]
    if name not in available_rulesets():
        raise ConfigError(f"ruleset {name!r}: allowed are {', '.join(available_rulesets())}")
    return available_rulesets()[name]
