"""Entry points of installed packages, such as agents, commands, rulesets and side games. All are read here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from big2_env.base.errors import ConfigError, failure_text

AGENTS: Final = "big2_env.agents"
AGENT_FILES: Final = "big2_env.agent_files"
"""Agents that are made from a file, `NAME:PATH`."""
COMMANDS: Final = "big2_env.commands"
OWN_GAMES: Final = "big2_env.own_games"
"""Functions that print the games of the user in a language, for `big2 games --mine`."""
PATTERNS: Final = "big2_env.patterns"
REVIEWERS: Final = "big2_env.reviewers"
RULESETS: Final = "big2_env.rulesets"
SIDE_GAMES: Final = "big2_env.side_games"
UNO_PLAYERS: Final = "big2_env.uno_players"


class Plugin(NamedTuple):
    """Entry point of an installed package.

    Args:
        name: Name of the entry point.
        group: Its group.
        entry: The entry point of `importlib.metadata`.
    """

    name: str
    group: str
    entry: Any

    def __str__(self) -> str:
        return f"entry point {self.name} = {self.entry.value!r} of group {self.group}"

    def load(self) -> Any:
        """Import and return the object.

        Raises:
            ConfigError: The import fails; the message names the entry point.
        """
        try:
            return self.entry.load()
        except ConfigError as error:
            raise ConfigError(f"{self} cannot be loaded: {error}") from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise ConfigError(f"{self} cannot be loaded: {failure_text(error)}") from error

    def takes_from_record(self, argument: str) -> bool:
        """Return True if a record from an untrusted source may name this object with an argument.

        Only the class knows whether an argument opens a file. It may have a static method `takes_from_record(argument) ->
        bool`. Without that method no argument is accepted.

        Raises:
            ConfigError: The import fails.
        """
        takes = getattr(self.load(), "takes_from_record", None)
        return takes is not None and takes(argument) is True


def plugins(group: str) -> dict[str, Plugin]:
    """Return the entry points of a group by name, sorted, without loading them. Of two with the same name the first counts."""
    from importlib.metadata import entry_points  # a sixth of the whole import; most processes never ask

    return dict(_found(group, entry_points, tuple(map(_state, sys.path))))


@lru_cache(maxsize=32)
def _found(group: str, read: Callable[..., Any], state: tuple[object, ...]) -> dict[str, Plugin]:
    """Return the entry points of a group. They are read again, which takes 10 ms, only when `state` changes."""
    found: dict[str, Plugin] = {}
    for entry in read(group=group):
        found.setdefault(entry.name, Plugin(entry.name, group, entry))
    return dict(sorted(found.items()))


def _state(folder: str) -> tuple[object, ...]:
    """Return what changes about a folder of `sys.path` when a package is installed into it or removed."""
    try:
        found = os.stat(folder or os.curdir)
    except OSError:
        return (folder,)
    return folder, found.st_dev, found.st_ino, found.st_mtime_ns
