"""Rulesets, one per file of the same name, data only: in this folder, and by entry points `big2_env.rulesets`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Final

from big2_env.base.errors import ConfigError, quoted
from big2_env.base.plugins import RULESETS, plugins
from big2_env.base.user_modules import imported
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import SUFFIXES, find_ruleset, read_ruleset, unknown_ruleset
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.climbing.rulesets.hong_kong import HONG_KONG
from big2_env.climbing.vocabulary import INVENTED

__all__ = ["BIG2", "HONG_KONG", "OTHERWISE", "available_rulesets", "named", "own_rulesets", "preset", "ruleset"]

OTHERWISE: Final = ("invented:SEED", "a file (*.json, *.toml)", "MODULE:NAME")
"""Descriptions of the other ways to specify a ruleset, for messages."""


@cache
def _own_names() -> tuple[str, ...]:
    return tuple(info.name for info in pkgutil.iter_modules(__path__))


@cache
def _own_ruleset(name: str) -> RuleSet | None:
    """Return the ruleset of this folder's file with that name, or None. No other ruleset or package is loaded."""
    found = vars(importlib.import_module(f"{__name__}.{name}")).values() if name in _own_names() else ()
    return next((item for item in found if isinstance(item, RuleSet) and item.name == name), None)


def own_rulesets() -> dict[str, RuleSet]:
    """Return the rulesets of this folder by name, without loading other packages, which may import this one."""
    return {name: rules for name in _own_names() if (rules := _own_ruleset(name)) is not None}


@cache
def available_rulesets() -> dict[str, RuleSet]:
    """Return every ruleset by name: rulesets of this folder, then rulesets announced by installed packages.

    Raises:
        ConfigError: Two rulesets share a name, or an entry point is not a ruleset.
    """
    found = own_rulesets()
    for source in plugins(RULESETS).values():
        candidate = source.load()
        if not isinstance(candidate, RuleSet):
            raise ConfigError(f"{source}: expected a RuleSet, got {candidate!r}")
        if found.setdefault(candidate.name, candidate) != candidate:
            raise ConfigError(f"{source} names its ruleset {candidate.name!r}, which there is already")
    return found


def preset(name: str) -> RuleSet | None:
    """Return the ruleset with exactly that identifier, or None. `invented_7` names the invented ruleset of seed 7.

    Mini games are among them. Other packages are loaded only if the name is not ours.
    """
    return _own_ruleset(name) or _mini_game_named(name) or _invented_named(name) or available_rulesets().get(name)


def named(name: str) -> RuleSet | None:
    """Return the installed ruleset with a given name, or None. Names are matched as in `find_ruleset`.

    It reads no file and imports no module for a name, so names from untrusted files and messages are safe here.

    Args:
        name: Identifier, title or synonym.
    """
    return preset(name) or find_ruleset(name, available_rulesets())


def ruleset(name: str | Path | RuleSet) -> RuleSet:
    """Return the ruleset with a given name, file or import path.

    Never pass a name from an untrusted file or message, because `MODULE:NAME` runs code. `saved_rules` reads those.

    Args:
        name: Identifier, title or synonym of an installed ruleset; `invented:SEED`; path of a ruleset file, `*.json` or
            `*.toml`; or `MODULE:NAME`, imported also from the current directory. A `RuleSet` is returned unchanged.

    Raises:
        OSError: The file cannot be read.
        ConfigError: The ruleset does not exist.
    """
    if isinstance(name, RuleSet):
        return name
    text = str(name)
    if text.startswith("invented:"):
        return _invented(text)
    if text.lower().endswith(SUFFIXES):
        return read_ruleset(Path(text), available_rulesets())
    found = named(text)
    if found is not None:
        return found
    module, colon, attribute = text.partition(":")
    if colon:
        return _imported(module, attribute)
    raise ConfigError(unknown_ruleset(text, available_rulesets(), others=OTHERWISE))


def _invented_named(name: str) -> RuleSet | None:
    """Return the invented ruleset with exactly that name, or None."""
    if not name.startswith(INVENTED):
        return None
    from big2_env.climbing.invented import invented_named  # all patterns, which most games do not need

    return invented_named(name)


def _mini_game_named(name: str) -> RuleSet | None:
    """Return the mini game with exactly that name, or None."""
    from big2_env.climbing.mini_games import MINI_GAMES  # which are made of a ruleset of this folder

    return MINI_GAMES.get(name)


def _invented(text: str) -> RuleSet:
    found = _invented_named(INVENTED + text.partition(":")[2])
    if found is None:
        raise ConfigError(f"expected invented:SEED with a whole number of at most 18 digits, got {quoted(text)}")
    return found


def _imported(module: str, attribute: str) -> RuleSet:
    """Return the ruleset with that name in a module."""
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
