"""The card patterns, one file each; found by scanning this folder and the entry-point group `big2_env.patterns`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from big2_env.climbing.patterns.base import Pattern
from big2_env.errors import ConfigError

ENTRY_POINT_GROUP = "big2_env.patterns"

__all__ = ["ENTRY_POINT_GROUP", "Pattern", "available_patterns", "pattern"]


@cache
def available_patterns() -> dict[str, type[Pattern]]:
    """Every pattern class by its name: those of this folder, then those that installed packages announce.

    Raises:
        ConfigError: two different classes under one name, or an entry point that is no pattern.
    """
    found: dict[str, type[Pattern]] = {}

    def add(candidate: object, source: str) -> None:
        if not (isinstance(candidate, type) and issubclass(candidate, Pattern)):
            raise ConfigError(f"{source} gives {candidate!r}: allowed is a subclass of Pattern")
        if found.setdefault(candidate.name, candidate) is not candidate:
            raise ConfigError(f"{source} names its pattern {candidate.name!r}, which {found[candidate.name]} has already")

    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for item in vars(module).values():
            own = isinstance(item, type) and issubclass(item, Pattern) and item.__module__ == module.__name__
            if own and item is not Pattern:
                add(item, module.__name__)
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        add(entry.load(), f"entry point {entry.value!r}")
    return found


def pattern(name: str) -> Pattern:
    """The pattern of that name with its default parameters.

    Raises:
        ConfigError: no pattern has that name.
    """
    try:
        return available_patterns()[name]()
    except KeyError:
        raise ConfigError(f"pattern {name!r}: allowed are {', '.join(sorted(available_patterns()))}") from None
