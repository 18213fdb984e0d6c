"""The rulesets, one file each, data only; found by scanning this folder and the entry-point group `big2_env.rulesets`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import SUFFIXES, find_ruleset, read_ruleset, unknown_ruleset
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.climbing.rulesets.hong_kong import HONG_KONG
from big2_env.errors import ConfigError, quoted
from big2_env.modules import imported
from big2_env.plugins import RULESETS, plugins

__all__ = ["BIG2", "HONG_KONG", "OTHERWISE", "available_rulesets", "named", "preset", "ruleset"]

OTHERWISE: Final = ("a file (*.json, *.toml)", "MODULE:NAME")
"""What names a ruleset that is not one of the available ones."""


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
    for source in plugins(RULESETS).values():
        candidate = source.load()
        if not isinstance(candidate, RuleSet):
            raise ConfigError(f"{source}: expected a RuleSet, got {candidate!r}")
        if found.setdefault(candidate.name, candidate) != candidate:
            raise ConfigError(f"{source} names its ruleset {candidate.name!r}, which there is already")
    return found


def preset(name: str) -> RuleSet | None:
    """The available ruleset with exactly that identifier, `None` where there is none. Packages from outside are asked last."""
    own = _own_rulesets()
    return own[name] if name in own else available_rulesets().get(name)


def named(name: str) -> RuleSet | None:
    """The available ruleset that a name stands for, as `find_ruleset` reads names; `None` if it stands for none.

    Names from files and messages may be given here: no file is read and no module imported for them.
    """
    return preset(name) or find_ruleset(name, available_rulesets())


def ruleset(name: str | Path | RuleSet) -> RuleSet:
    """The ruleset that somebody names.

    Args:
        name: a name of an available ruleset (`named`); the path of a ruleset file, `*.json` or `*.toml` (`ruleset_data`); or
            `MODULE:NAME`, a ruleset in a module whose code is run, from the current directory as well. A ruleset is given back
            as it is.

    Never give a name here that comes from a file or a message; `saved_rules` reads those.

    Raises:
        OSError: the file cannot be read.
        ConfigError: there is no such ruleset.
    """
    if isinstance(name, RuleSet):
        return name
    text = str(name)
    if text.lower().endswith(SUFFIXES):
        return read_ruleset(Path(text), available_rulesets())
    found = named(text)
    if found is not None:
        return found
    module, colon, attribute = text.partition(":")
    if colon:
        return _imported(module, attribute)
    raise ConfigError(unknown_ruleset(text, available_rulesets(), others=OTHERWISE))


def _imported(module: str, attribute: str) -> RuleSet:
    """The ruleset of that name in a module."""
    given = quoted(f"{module}:{attribute}")
    try:
        found = getattr(imported(module), attribute, None)
    except ModuleNotFoundError as error:
        raise ConfigError(f"ruleset {given}: {quoted(module)} cannot be imported: {error}") from None
    except ConfigError as error:
        raise ConfigError(f"ruleset {given}: {error}") from None
    if not isinstance(found, RuleSet):
        raise ConfigError(f"ruleset {given}: expected a RuleSet, got {'nothing' if found is None else type(found).__name__}")
    return found
