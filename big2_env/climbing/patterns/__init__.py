"""Card patterns, one per file. They are found by scanning this folder and the entry-point group `big2_env.patterns`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from big2_env.base.errors import ConfigError
from big2_env.base.plugins import PATTERNS, plugins
from big2_env.climbing.shapes import Pattern

__all__ = ["Pattern", "available_patterns", "pattern", "pattern_class"]


@cache
def _own_patterns() -> dict[str, type[Pattern]]:
    """Return the pattern classes of this folder by name, without loading other packages, which may import this one."""
    found: dict[str, type[Pattern]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for item in vars(module).values():
            own = isinstance(item, type) and issubclass(item, Pattern) and item.__module__ == module.__name__
            if own and item is not Pattern:
                _add(found, item, module.__name__)
    return found


@cache
def available_patterns() -> dict[str, type[Pattern]]:
    """Return every pattern class by name: patterns of this folder, then patterns announced by installed packages.

    Raises:
        ConfigError: Two classes share a name, or an entry point is not a pattern.
    """
    found = dict(_own_patterns())
    for source in plugins(PATTERNS).values():
        candidate = source.load()
        _add(found, candidate, source)
    return found


def _add(found: dict[str, type[Pattern]], candidate: object, source: object) -> None:
    if not (isinstance(candidate, type) and issubclass(candidate, Pattern)):
        raise ConfigError(f"{source}: expected a subclass of Pattern, got {candidate!r}")
    if found.setdefault(candidate.name, candidate) is not candidate:
        raise ConfigError(f"{source} names its pattern {candidate.name!r}, which {found[candidate.name]} has already")


def pattern_class(name: str) -> type[Pattern] | None:
    """Return the pattern class with a given name, or None. Other packages are loaded only if the name is not ours."""
    own = _own_patterns()
    return own[name] if name in own else available_patterns().get(name)


def pattern(name: str) -> Pattern:
    """Return the pattern with a given name and its default parameters.

    Raises:
        ConfigError: No pattern has that name.
    """
    found = pattern_class(name)
    if found is None:
        raise ConfigError(f"unknown pattern {name!r}; expected one of {', '.join(sorted(available_patterns()))}")
    return found()
