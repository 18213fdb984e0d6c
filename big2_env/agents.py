"""What an agent is, and how agents are found by name. The package that ships them registers under an entry-point group."""

from __future__ import annotations

import inspect
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError

ENTRY_POINT_GROUP = "big2_env.agents"


@runtime_checkable
class Agent(Protocol):
    """A player of any strategy, for any ruleset: one act from one seat's view."""

    def reset(self, seed: int) -> None:
        """Start a game: forget the one before; all randomness of the game follows from `seed`."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act to make, one of `legal` (never empty). `view.seat` is the agent's own seat."""
        ...


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def available_agents() -> list[str]:
    """The names under which installed packages offer agents, sorted."""
    return sorted(_entries())


def make_agent(spec: str | Agent) -> Agent:
    """A new agent by name, `NAME` or `NAME:ARGUMENT`; an agent given is returned as it is.

    The argument, where there is one, is handed to the agent's constructor as its only positional argument, a string.

    Raises:
        ConfigError: no agent has that name, or it takes no argument.
    """
    if not isinstance(spec, str):
        return spec
    name, colon, argument = spec.partition(":")
    entries = _entries()
    if name not in entries:
        raise ConfigError(f"agent {name!r}: allowed are {', '.join(sorted(entries))}")
    factory = entries[name].load()
    if not colon:
        agent = factory()
    elif inspect.signature(factory).parameters:
        agent = factory(argument)
    else:
        raise ConfigError(f"agent {spec!r}: {name} takes no argument")
    if not isinstance(agent, Agent):
        raise ConfigError(f"agent {name!r} is a {type(agent).__name__} without reset and act")
    return agent
