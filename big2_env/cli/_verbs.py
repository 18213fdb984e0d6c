"""Discovery of verbs: the files of this folder, and entry points of installed packages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from pkgutil import iter_modules
from typing import TypeAlias

from big2_env.base.errors import ConfigError
from big2_env.base.plugins import COMMANDS, Plugin, plugins

Verb: TypeAlias = Callable[..., int | None]
"""Function of a verb: typer parameters in, exit status out."""


class Family:
    """Verbs under a common name.

    Args:
        doc: Help of the common name, with examples.
        verbs: Verbs by name; underscores become hyphens.
    """

    def __init__(self, doc: str, **verbs: Verb) -> None:
        self.__doc__ = doc
        self.verbs = {name.replace("_", "-"): verb for name, verb in verbs.items()}
        """Functions by the second word of the command."""


def available_verbs() -> list[str]:
    """Return the names of all verbs, sorted; a family counts as one."""
    return sorted({*_built_in(), *(name for name in _registered() if "." not in name)})


def load_verb(verb: str) -> Verb | Family | None:
    """Return the function or family of a verb, `None` if it does not exist. Built-in verbs read no entry points."""
    if verb in _built_in():
        found: Verb | Family = import_module(f"{__package__}.{verb}").command
        return found
    return _load_plugin(verb)


def documentation(verb: str) -> str | None:
    """Return the docstring of a verb, `None` if the verb does not exist.

    It is read from the source, so a list of verbs is made without imports. Only a verb that is neither a plain function nor a
    `Family` with a literal text is imported.

    Args:
        verb: Name of a verb; `FAMILY.NAME` for a verb that a package adds to a family.
    """
    module = name = ""
    if verb in _built_in():
        module, name = f"{__package__}.{verb}", "command"
    elif (plugin := _registered().get(verb)) is not None:
        module, name = plugin.entry.module, plugin.entry.attr
    try:
        found = _documentation_in(_source(module), name)
    except Exception:  # the import below reports what is wrong
        found = None
    if found is None and (function := load_verb(verb)) is not None:
        found = function.__doc__ or ""
    return found


def _source(module: str) -> str:
    """Return the source of a module, empty if it has none."""
    spec = _spec(module)
    get_source = getattr(spec and spec.loader, "get_source", None)
    return get_source(module) or "" if get_source else ""


def _spec(module: str) -> ModuleSpec | None:
    """Return the import spec of a module. Unlike `importlib.util.find_spec`, it does not import the packages around it."""
    path: Sequence[str] | None = None
    package, dot, _ = module.rpartition(".")
    if dot:
        parent = _spec(package)
        path = parent.submodule_search_locations if parent else None
        if path is None:
            return None
    specs = (finder.find_spec(module, path) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)


def _documentation_in(source: str, name: str) -> str | None:
    """Return the docstring of a function or `Family` at the top level of a source, `None` if the source does not show it."""
    for statement in reversed(ast.parse(source).body):
        match statement:
            case ast.FunctionDef(name=defined, decorator_list=[] | [ast.Name(id="grouped")]) if defined == name:
                return ast.get_docstring(statement, clean=False)
            case ast.Assign(
                targets=[ast.Name(id=defined)],
                value=ast.Call(func=ast.Name(id="Family"), args=[ast.Constant(value=str(text))]),
            ) if defined == name:
                return text
            case ast.Assign(targets=[ast.Name(id=defined)]) if defined == name:
                return None
    return None


def family_verbs(name: str, family: Family) -> list[str]:
    """Return the second words of all verbs of a family, sorted: its own, and registered ones of installed packages."""
    added = (full.partition(".")[2] for full in _registered() if full.startswith(f"{name}."))
    return sorted({*family.verbs, *added})


@cache
def _registered() -> dict[str, Plugin]:
    """Return the verbs of installed packages by name; finding them takes longer than reading one."""
    return plugins(COMMANDS)


def _load_plugin(verb: str) -> Verb | None:
    entry = _registered().get(verb)
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
