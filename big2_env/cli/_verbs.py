"""Discovery of verbs: the files of this folder, and entry points of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, TypeAlias

from big2_env.errors import ConfigError
from big2_env.plugins import COMMANDS, plugins

RULES_HELP: Final = "Ruleset: a name from big2 games, a .json or .toml file, or MODULE:NAME."
"""Help of every option that names a ruleset."""

Verb: TypeAlias = Callable[..., int | None]
"""Function of a verb: typer parameters in, exit status out."""


class Family:
    """Verbs under a common name.

    Args:
        doc: Help of the common name, with examples.
        aliases: Further names of some verbs, which the help does not list.
        old_options: Current names of renamed options by their old ones, without leading hyphens. The help does not list them.
        verbs: Verbs by name; underscores become hyphens.
    """

    def __init__(
        self,
        doc: str,
        *,
        aliases: Mapping[str, Verb] | None = None,
        old_options: Mapping[str, str] | None = None,
        **verbs: Verb,
    ) -> None:
        self.__doc__ = doc
        self.verbs = {name.replace("_", "-"): verb for name, verb in verbs.items()}
        """Functions by the second word of the command."""
        self.aliases = dict(aliases or {})
        """Functions by second words that the help does not list."""
        self.old_options = dict(old_options or {})


def available_verbs() -> list[str]:
    """Return the names of all verbs, sorted; a family counts as one."""
    return sorted({*_built_in(), *(name for name in plugins(COMMANDS) if "." not in name)})


def load_verb(verb: str) -> Verb | Family | None:
    """Return the function or family of a verb, `None` if it does not exist. Built-in verbs read no entry points."""
    if verb in _built_in():
        found: Verb | Family = import_module(f"{__package__}.{verb}").command
        return found
    return _load_plugin(verb)


def family_verbs(name: str, family: Family) -> dict[str, Verb]:
    """Return all verbs of a family by their second word, sorted: its own, and registered ones of installed packages.

    Args:
        name: Name of the family.
        family: The family.
    """
    members = dict(family.verbs)
    for full in plugins(COMMANDS):
        first, dot, second = full.partition(".")
        if dot and first == name and (verb := _load_plugin(full)) is not None:
            members.setdefault(second, verb)
    return dict(sorted(members.items()))


def _load_plugin(verb: str) -> Verb | None:
    entry = plugins(COMMANDS).get(verb)
    if entry is None:
        return None
    try:
        found: Verb = entry.load()
    except ConfigError as error:
        return _broken(str(error))
    return found


def _built_in() -> list[str]:
    return [info.name for info in iter_modules(sys.modules[__package__].__path__) if not info.name.startswith("_")]


def _broken(message: str) -> Verb:
    """Return a verb that reports why it cannot be loaded, so that the list of verbs still works."""

    def command() -> None:
        raise ConfigError(message)

    command.__doc__ = f"({message})"
    return command
