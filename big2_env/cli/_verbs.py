"""How verbs are found: the files of this folder, and what installed packages announce."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, TypeAlias

from big2_env.errors import ConfigError
from big2_env.plugins import COMMANDS, plugins

RULES_HELP: Final = "The games' rules: a name that big2 games lists, a file (*.json, *.toml) or MODULE:NAME."
"""The help of every option that names a ruleset."""

Verb: TypeAlias = Callable[..., int | None]
"""What does a verb: typer parameters in, the exit status out."""


class Family:
    """Verbs under one name.

    Args:
        doc: the help of the name itself, with examples.
        aliases: other names of some of the verbs, which the help does not list.
        old_options: earlier names of options, which the help does not list, and their present names, without hyphens in front.
        verbs: the verbs; an underscore in a name is typed as a hyphen.
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
        """The functions by the second word."""
        self.aliases = dict(aliases or {})
        """The functions by second words that the help does not list."""
        self.old_options = dict(old_options or {})


def available_verbs() -> list[str]:
    """The names of all verbs, sorted; a family is one of them."""
    return sorted({*_built_in(), *(name for name in plugins(COMMANDS) if "." not in name)})


def load_verb(verb: str) -> Verb | Family | None:
    """The function or family of a verb, `None` where there is no such verb. Built-in verbs look at no entry points."""
    if verb in _built_in():
        found: Verb | Family = import_module(f"{__package__}.{verb}").command
        return found
    return _load_plugin(verb)


def family_verbs(name: str, family: Family) -> dict[str, Verb]:
    """All verbs of a family by their second word, sorted: its own, and those that installed packages announce."""
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
    """A verb that says why it cannot be had, so that the list of verbs is still there for those that can."""

    def command() -> None:
        raise ConfigError(message)

    command.__doc__ = f"({message})"
    return command
