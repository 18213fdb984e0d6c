"""What an agent is, and how agents are found by name. The package that ships them registers under an entry-point group."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from typing import Final, Protocol, runtime_checkable

from big2_env.agent_seeds import start_seed
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, failure_text, quoted, repr_text
from big2_env.modules import imported
from big2_env.plugins import AGENT_FILES, AGENTS, Plugin, plugins


@runtime_checkable
class Agent(Protocol):
    """A player of any strategy, for any ruleset: one act from one seat's view."""

    def reset(self, seed: int) -> None:
        """Start a game: forget the one before; all randomness of the game follows from `seed`.

        The seed is made of what the seat knows (`big2_env.agent_seeds`) and tells nothing about the hidden cards.
        """

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act to make, one of `legal` (never empty). `view.seat` is the agent's own seat."""
        ...


FORMER_NAMES: Final = {"first": "lowest"}
"""What agents were called in earlier versions, and are called today."""


def available_agents() -> list[str]:
    """The names under which installed packages offer agents, sorted; those that are made from a file are not among them."""
    return list(plugins(AGENTS))


def agents_with(method: str) -> list[str]:
    """The names of the installed agents that have a method, sorted; a package that is broken offers none."""
    found = []
    for name, entry in plugins(AGENTS).items():
        with suppress(ConfigError):
            if hasattr(entry.load(), method):
                found.append(name)
    return found


def make_agent(spec: str | Agent | Callable[[], Agent]) -> Agent:
    """A new agent by name, or by the class or function that makes it; an agent given is returned as it is.

    Args:
        spec: `NAME` or `NAME:ARGUMENT` of an installed agent, `NAME:PATH` of one that is made from a file; `MODULE:CLASS` or
            `MODULE:CLASS:ARGUMENT` of any class or function that can be imported, from the current directory as well; or an
            object. The argument, where there is one, is handed over as the only positional argument, a string. An installed
            name comes before a module of that name.

    Raises:
        ConfigError: no agent has that name, it cannot be loaded or made, or it takes no argument.
        ImportError: the agent needs an extra; the message names it.
    """
    if not isinstance(spec, str):
        return spec if isinstance(spec, Agent) and not isinstance(spec, type) else _made(spec, None, repr(spec))
    if not spec.isprintable():  # it is written to records, logs and results
        raise ConfigError(f"expected an agent's name of printable characters in UTF-8, got {quoted(spec)}")
    name, colon, argument = current_name(spec).partition(":")
    entries = _agent_plugins()
    if name in entries:
        if not colon and entries[name].group == AGENT_FILES:
            raise ConfigError(f"agent {name}: expected a file, {name}:PATH, got none")
        factory = entries[name].load()
        if not callable(factory):
            raise ConfigError(
                f"{entries[name]}: expected a class or function that makes an agent, got a {type(factory).__name__}"
            )
    elif _MODULE.fullmatch(name) and colon:
        attribute, colon, argument = argument.partition(":")
        factory = _imported(name, attribute, spec)
        name = f"{name}:{attribute}"
    else:
        raise ConfigError(f"unknown agent {quoted(name)}; expected one of {_known()}")
    if colon and not _takes_argument(factory):
        raise ConfigError(f"agent {quoted(spec)}: {name} takes no argument")
    return _made(factory, argument if colon else None, quoted(spec))


def takes_from_record(spec: str) -> bool:
    """Return True if a record, which may come from a stranger, may name this agent.

    Making the agent then opens no file that the record names: it is installed, and has no argument or one that its class takes
    from records (`Plugin.takes_from_record`), such as `search:400`. Only users name agents made from a file or a module.
    """
    name, colon, argument = current_name(spec).partition(":")
    entry = plugins(AGENTS).get(name)
    return entry is not None and (not colon or entry.takes_from_record(argument))


def current_name(spec: str) -> str:
    """An agent's name as it is called today, for one that had another name once; records and scripts may still have that.

    >>> current_name("first"), current_name("search:400")
    ('lowest', 'search:400')
    """
    name, colon, argument = spec.partition(":")
    return f"{FORMER_NAMES[name]}{colon}{argument}" if name in FORMER_NAMES and name not in _agent_plugins() else spec


def _agent_plugins() -> dict[str, Plugin]:
    """The entry points of all agents, by name."""
    return plugins(AGENT_FILES) | plugins(AGENTS)


def _known() -> str:
    """What may be given where an agent is named, for messages."""
    return ", ".join([*plugins(AGENTS), *(f"{name}:PATH" for name in plugins(AGENT_FILES)), "MODULE:CLASS"])


_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
"""The dotted name of a module."""


def _imported(module: str, attribute: str, spec: str) -> Callable[..., object]:
    """What stands under a name in a module, which is looked for in the current directory as well."""
    try:
        found = imported(module)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"unknown agent {quoted(spec)}; expected one of {_known()} of a module that can be imported"
        ) from error
    except ConfigError as error:
        raise ConfigError(f"agent {quoted(spec)}: {error}") from error
    factory = getattr(found, attribute, None)
    if not callable(factory):
        got = f"a {type(factory).__name__}" if hasattr(found, attribute) else "no such name"
        raise ConfigError(f"agent {quoted(spec)}: expected a class or function {attribute!r} in {module}, got {got}")
    made: Callable[..., object] = factory
    return made


def _made(factory: Callable[..., object], argument: str | None, name: str) -> Agent:
    """The agent that a class or function makes, with an argument or without."""
    if not callable(factory):
        raise ConfigError(f"expected the name of an agent, an agent or what makes one, got {name}")
    try:
        agent = factory() if argument is None else factory(argument)
        made = agent if not isinstance(agent, type) and isinstance(agent, Agent) else None
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(error, ImportError) and "pip install" in str(error):
            raise
        raise ConfigError(f"agent {name} cannot be made: {failure_text(error)}") from error
    if made is None:
        raise ConfigError(f"agent {name}: expected an object with reset and act, got a {type(agent).__name__}")
    return made


def check_seats(agents: Sequence[Agent], ruleset: RuleSet, num_players: int) -> None:
    """Ask each agent of a table, before anything is dealt, if it can play the game.

    An agent that cannot play every game may have a method `check(ruleset, num_players)` that says so; the others are not asked.

    Raises:
        ConfigError: one cannot, with its reason.
    """
    for agent in agents:
        try:
            check = getattr(agent, "check", None)
            if check is not None:
                check(ruleset, num_players)
        except (ConfigError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ConfigError(f"agent {repr_text(agent)} fails in check: {failure_text(error)}") from error


def _takes_argument(factory: Callable[..., object]) -> bool:
    """True if a positional argument can be handed to what makes an agent."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # some built-in classes have no signature
        return True
    return any(given.kind not in (given.KEYWORD_ONLY, given.VAR_KEYWORD) for given in parameters)


def aside() -> AbstractContextManager[object]:
    """While the block runs, what is printed goes to standard error: an agent's words do not spoil a log or a report.

    Standard output is the whole process's, so nothing else may print meanwhile.
    """
    return redirect_stdout(sys.stderr)


@contextmanager
def naming_game(where: str, specs: Sequence[str], game: Game | None = None) -> Iterator[None]:
    """While agents start or play a game, name it in what goes wrong.

    Args:
        where: the game and its seed.
        specs: the agents by seat.
        game: the game that is played, so that its seat to move is named; `None` where agents start it.

    Raises:
        ConfigError: that of the block, with the game before it.
    """
    try:
        yield
    except ConfigError as error:
        who = f"agents {', '.join(specs)}" if game is None else f"seat {game.turn}, agent {quoted(specs[game.turn])}"
        raise ConfigError(f"{where}, {who}: {error}") from error


def reset_seats(agents: Sequence[Agent], game: Game, *, repetition: int = 0, salt: int = 0) -> None:
    """Start a game for the agents of a table, each with the seed of `agent_seeds.start_seed`.

    Args:
        agents: one for each seat.
        game: The game that they will play; each agent's seed follows from its own hand at the start.
        repetition: 1, 2, ... give other random choices when the same deal is played again.
        salt: A number that no deal depends on.

    Raises:
        ConfigError: an agent fails.
    """
    for seat, agent in enumerate(agents):
        try:
            agent.reset(start_seed(game, seat, repetition=repetition, salt=salt))
        except (ConfigError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ConfigError(f"agent {repr_text(agent)} at seat {seat} fails to start: {failure_text(error)}") from error


def play_turn(game: Game, agents: Sequence[Agent]) -> Play:
    """The act that the agent to move makes, made.

    Raises:
        ConfigError: the agent fails, or gives what is no legal act; nothing is done.
    """
    view = game.view()
    legal = view.legal_plays()
    agent = agents[game.turn]
    try:
        play = agent.act(view, legal)
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"agent {repr_text(agent)} at seat {game.turn} fails: {failure_text(error)}") from error
    if play not in legal:
        raise ConfigError(f"agent {repr_text(agent)} at seat {game.turn}: expected a legal act, got {act_text(play)}")
    game.push(play)
    return play


def act_text(given: object) -> str:
    """What an agent gave in place of a legal act, for a message."""
    try:
        return quoted(str(given)) if type(given) is Play else repr_text(given)
    except (TypeError, ValueError, OverflowError):  # a play of no cards at all
        return f"a {type(given).__name__}"


def play_out(game: Game, agents: Sequence[Agent]) -> Outcome:
    """How a game ends that agents play on from here, one at each seat; they have been reset.

    Raises:
        ConfigError: as `play_turn`.
    """
    while (outcome := game.outcome) is None:
        play_turn(game, agents)
    return outcome
