"""What installed packages announce under an entry-point group. All entry points are read here."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from big2_env.errors import ConfigError, failure_text

AGENTS: Final = "big2_env.agents"
AGENT_FILES: Final = "big2_env.agent_files"
"""Agents that are made from a file, `NAME:PATH`, and not without."""
COMMANDS: Final = "big2_env.commands"
PATTERNS: Final = "big2_env.patterns"
REVIEWERS: Final = "big2_env.reviewers"
RULESETS: Final = "big2_env.rulesets"
UNO_PLAYERS: Final = "big2_env.uno_players"


class Plugin(NamedTuple):
    """A thing that an installed package announces."""

    name: str
    group: str
    entry: Any

    def __str__(self) -> str:
        return f"entry point {self.name} = {self.entry.value!r} of group {self.group}"

    def load(self) -> Any:
        """The thing.

        Raises:
            ConfigError: importing it fails, whatever its module raises; the message names the entry point.
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
        """Return True if a record, which may come from a stranger, may name the thing with this argument.

        Only its class knows whether an argument opens a file: a static method `takes_from_record(argument) -> bool` says so.
        Without that method no argument is taken.

        Raises:
            ConfigError: as `load`.
        """
        takes = getattr(self.load(), "takes_from_record", None)
        return takes is not None and takes(argument) is True


def plugins(group: str) -> dict[str, Plugin]:
    """The things of a group by name, sorted; nothing is loaded. Of two with one name the one found first counts."""
    from importlib.metadata import entry_points  # a sixth of the whole import; most processes never ask

    found: dict[str, Plugin] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, Plugin(entry.name, group, entry))
    return dict(sorted(found.items()))
