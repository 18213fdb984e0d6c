"""What an agent is, and how agents are found by name. The package that ships them registers under an entry-point group."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol, runtime_checkable

from big2_env.announced import AGENTS, announced
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, quoted
from big2_env.rng import derived


@runtime_checkable
class Agent(Protocol):
    """A player of any strategy, for any ruleset: one act from one seat's view."""

    def reset(self, seed: int) -> None:
        """Start a game: forget the one before; all randomness of the game follows from `seed`."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act to make, one of `legal` (never empty). `view.seat` is the agent's own seat."""
        ...


def available_agents() -> list[str]:
    """The names under which installed packages offer agents, sorted."""
    return list(announced(AGENTS))


def agents_with(method: str) -> list[str]:
    """The names of the installed agents that have a method, sorted; a package that is broken offers none."""
    found = []
    for name, entry in announced(AGENTS).items():
        with suppress(ConfigError):
            if hasattr(entry.load(), method):
                found.append(name)
    return found


def make_agent(spec: str | Agent) -> Agent:
    """A new agent by name, `NAME` or `NAME:ARGUMENT`; an agent given is returned as it is.

    The argument, where there is one, is handed to the agent's constructor as its only positional argument, a string.

    Raises:
        ConfigError: no agent has that name, it cannot be loaded or made, or it takes no argument.
    """
    if not isinstance(spec, str):
        return spec
    name, colon, argument = spec.partition(":")
    entries = announced(AGENTS)
    if name not in entries:
        raise ConfigError(f"agent {name!r}: allowed are {', '.join(entries)}")
    factory = entries[name].load()
    if not callable(factory):
        raise ConfigError(f"{entries[name]}: expected a class or function that makes an agent, got a {type(factory).__name__}")
    if colon and not _takes_argument(factory):
        raise ConfigError(f"agent {quoted(spec)}: {name} takes no argument")
    try:
        agent = factory(argument) if colon else factory()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        raise ConfigError(f"agent {quoted(spec)} cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(agent, Agent):
        raise ConfigError(f"agent {name!r} is a {type(agent).__name__} without reset and act")
    return agent


def check_seats(agents: Sequence[Agent], ruleset: RuleSet, num_players: int) -> None:
    """Ask each agent of a table, before anything is dealt, if it can play the game.

    An agent that cannot play every game may have a method `check(ruleset, num_players)` that says so; the others are not asked.

    Raises:
        ConfigError: one cannot, with its reason.
    """
    for agent in agents:
        if (check := getattr(agent, "check", None)) is not None:
            check(ruleset, num_players)


def _takes_argument(factory: Callable[..., object]) -> bool:
    """True if a positional argument can be handed to what makes an agent."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # some built-in classes have no signature
        return True
    return any(given.kind not in (given.KEYWORD_ONLY, given.VAR_KEYWORD) for given in parameters)


def reset_seats(agents: Sequence[Agent], seed: int) -> None:
    """Start a game for the agents of a table: each seat's randomness follows from the seed and the seat."""
    for seat, agent in enumerate(agents):
        agent.reset(derived(seed, seat))


def play_turn(game: Game, agents: Sequence[Agent]) -> Play:
    """The act that the agent to move makes, made.

    Raises:
        ConfigError: the agent fails, or gives what is no legal act; nothing is done.
    """
    view = game.view()
    legal = view.legal_plays()
    try:
        play = agents[game.turn].act(view, legal)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"agent {agents[game.turn]!r} at seat {game.turn} fails: {type(error).__name__}: {error}") from error
    if play not in legal:
        given = str(play) if isinstance(play, Play) else repr(play)
        raise ConfigError(f"agent {agents[game.turn]!r} at seat {game.turn} gives {quoted(given)}: allowed is a legal act")
    game.push(play)
    return play


def play_out(game: Game, agents: Sequence[Agent]) -> Outcome:
    """How a game ends that agents play on from here, one at each seat; they have been reset.

    Raises:
        ConfigError: as `play_turn`.
    """
    while (outcome := game.outcome) is None:
        play_turn(game, agents)
    return outcome
