"""The agent interface, and lookup of agents by name. Packages with agents register them under an entry-point group."""

from __future__ import annotations

import inspect
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from big2_env.agents.seeds import start_seed
from big2_env.base.errors import ConfigError, failure_text, quoted, repr_text
from big2_env.base.plugins import AGENT_FILES, AGENTS, Plugin, plugins
from big2_env.base.user_modules import imported
from big2_env.climbing.forfeit import ForfeitError, forfeit
from big2_env.climbing.game import Game, Outcome
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

log = logging.getLogger(__name__)
_HURRIED: Final = ContextVar("hurried", default=False)


@runtime_checkable
class Agent(Protocol):
    """Interface of a player for any ruleset. An agent sees one seat's view and chooses a legal move.

    An agent whose moves do not depend on its seed has the attribute `is_stochastic = False` (see `is_stochastic`).

    >>> class First:
    ...     def reset(self, seed): pass
    ...     def act(self, view, legal): return next(iter(legal))
    >>> isinstance(First(), Agent)
    True
    """

    def reset(self, seed: int) -> None:
        """Start a new game and forget the previous one. All randomness in the game follows from `seed`.

        The seed is computed from the seat's own knowledge (`big2_env.agents.seeds`), so it reveals nothing about hidden cards.

        Args:
            seed: Seed of the agent's random choices.
        """

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the move to make, one of `legal`.

        Args:
            view: View of the agent's own seat, `view.seat`.
            legal: Legal moves, never empty.
        """


def is_stochastic(agent: object) -> bool:
    """Return False if an agent's moves follow from its views alone; True if they may depend on its seed.

    Agents and opponents say so by an attribute `is_stochastic`. One without the attribute counts as stochastic.

    Args:
        agent: The agent, or a function that plays as one.
    """
    return bool(getattr(agent, "is_stochastic", True))


def available_agents() -> list[str]:
    """Return the names of the installed agents, sorted, without agents that are made from a file; then `named_agents`."""
    return [*plugins(AGENTS), *_NAMED]


ALIKE: Final = 0.7
"""Smallest similarity of a name that the error about an unknown agent suggests."""
_NAMED: Final[dict[str, str]] = {}
"""Specifications of the agents that were named in this process, by name."""
MAX_NAME: Final = 24
"""Most characters of a name in `named_agents`."""


def is_named_here(name: str) -> bool:
    """Return True if a name was given by `named_agents`. Pages see only such names."""
    return name in _NAMED


@contextmanager
def named_agents(specs: Mapping[str, str]) -> Iterator[None]:
    """Give agents short names that count as installed inside the block.

    Pages and records that may name installed agents may use these names too, so they play an agent's file without naming it.

    Args:
        specs: Specifications of agents, as for `make_agent`, by name: a letter, then up to 23 letters, digits, `-` and `_`.

    Raises:
        ConfigError: A name is not valid or is taken, or an agent cannot be made.
        ImportError: An agent needs an extra; the message names it.
    """
    for name, spec in specs.items():
        if not _NAME.fullmatch(name) or not name.isprintable():
            raise ConfigError(
                f"expected a name of a letter and up to {MAX_NAME - 1} letters, digits, - and _, got {quoted(name)}"
            )
        if name in _NAMED or name in _agent_plugins():
            raise ConfigError(f"expected a name that no agent has, got {quoted(name)}")
        make_agent(spec)
    _NAMED.update(specs)
    try:
        yield
    finally:
        for name in specs:
            del _NAMED[name]


def agents_with(method: str) -> list[str]:
    """Return the names of the installed agents that have a method, sorted. Broken packages are skipped."""
    found = []
    for name, entry in plugins(AGENTS).items():
        with suppress(ConfigError):
            if hasattr(entry.load(), method):
                found.append(name)
    return found


def make_agent(spec: str | Agent | Callable[[], Agent]) -> Agent:
    """Return a new agent from a name, a class or a function. An agent is returned unchanged.

    Installed names take precedence over modules. The argument in a name is passed as a single string.

    Args:
        spec: `NAME` or `NAME:ARGUMENT` of an installed agent, `NAME:PATH` of an agent that is made from a file or a model, or
            `MODULE:CLASS[:ARGUMENT]` of a class or function, imported also from the current directory; or a name of
            `named_agents`. Alternatively an object: an agent, a class or a function.

    Raises:
        ConfigError: The agent does not exist, cannot be loaded or made, or takes no argument.
        ImportError: The agent needs an extra; the message names it.
    """
    if not isinstance(spec, str):
        return spec if isinstance(spec, Agent) and not isinstance(spec, type) else _made(spec, None, repr(spec))
    if not spec.isprintable():  # it is written to records, logs and results
        raise ConfigError(f"expected an agent's name of printable characters in UTF-8, got {quoted(spec)}")
    if spec in _NAMED:
        try:
            return make_agent(_NAMED[spec])
        except (ConfigError, ImportError) as error:
            log.warning("agent %s: %s", spec, error)
            raise ConfigError(f"agent {quoted(spec)} cannot be made") from error
    name, colon, argument = spec.partition(":")
    entries = _agent_plugins()
    if name in entries:
        if not colon and entries[name].group == AGENT_FILES:
            argument = _argument(entries[name])
            what = "file" if argument == "PATH" else argument.lower()
            raise ConfigError(f"agent {name}: expected a {what}, {name}:{argument}, got none")
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
        raise ConfigError(_unknown(spec))
    if colon and not _takes_argument(factory):
        raise ConfigError(f"agent {quoted(spec)}: {name} takes no argument")
    return _made(factory, argument if colon else None, quoted(spec))


def takes_from_record(spec: str) -> bool:
    """Return True if a record from an untrusted source may name this agent.

    Making the agent then opens no file that the record names. The agent is installed, and has either no argument or one that
    its class accepts from records (`Plugin.takes_from_record`), such as `search:400`. Agents made from a file or a module are
    named only by users, also as `named_agents`.

    Args:
        spec: Name of the agent, with its argument.
    """
    if spec in _NAMED:
        return True
    name, colon, argument = spec.partition(":")
    entry = plugins(AGENTS).get(name)
    return entry is not None and (not colon or entry.takes_from_record(argument))


def _agent_plugins() -> dict[str, Plugin]:
    """Return the entry points of all agents, by name."""
    return plugins(AGENT_FILES) | plugins(AGENTS)


def _known() -> str:
    """Return the possible names of agents, for messages."""
    named = (f"{name}:{_argument(entry)}" for name, entry in plugins(AGENT_FILES).items())
    return ", ".join([*available_agents(), *named, "MODULE:CLASS"])


def _unknown(spec: str) -> str:
    """Return the error text for an unknown agent. It suggests a similar name or the form for a file, else lists all names.

    Args:
        spec: Name of the agent, with its argument.
    """
    name, colon, argument = spec.partition(":")
    if name.endswith(".py"):
        meant = f"{Path(name).stem}:{argument or 'CLASS'}"
        return f"unknown agent {quoted(spec)}; a class of a Python file is named {quoted(meant)}, in the folder of the file"
    if nearest := get_close_matches(name[:MAX_NAME], [*_agent_plugins(), *_NAMED], n=1, cutoff=ALIKE):
        return f"unknown agent {quoted(spec)}; did you mean {quoted(nearest[0] + colon + argument)}?"
    with suppress(OSError, ValueError):  # a name that no file can have
        if Path(spec).is_file():
            return f"unknown agent {quoted(spec)}; expected NAME:{spec}, with the agent's name, one of {_known()}"
    is_module = colon and _MODULE.fullmatch(name)
    return f"unknown agent {quoted(spec if is_module else name)}; expected one of {_known()}" + (
        " of a module that can be imported" if is_module else ""
    )


def _argument(entry: Plugin) -> str:
    """Return the name of the argument that an agent needs: its class attribute `argument`, or a path."""
    with suppress(ConfigError):
        return str(getattr(entry.load(), "argument", "PATH"))
    return "PATH"


_NAME = re.compile(rf"[^\W\d_][\w-]{{0,{MAX_NAME - 1}}}")
"""Name of an agent of the user's own."""
_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
"""Dotted name of a module."""


def _imported(module: str, attribute: str, spec: str) -> Callable[..., object]:
    """Return a class or function of a module, imported also from the current directory."""
    try:
        found = imported(module)
    except ModuleNotFoundError as error:
        raise ConfigError(_unknown(spec)) from error
    except ConfigError as error:
        raise ConfigError(f"agent {quoted(spec)}: {error}") from error
    factory = getattr(found, attribute, None)
    if not callable(factory):
        got = f"a {type(factory).__name__}" if hasattr(found, attribute) else "no such name"
        raise ConfigError(f"agent {quoted(spec)}: expected a class or function {attribute!r} in {module}, got {got}")
    made: Callable[..., object] = factory
    return made


def _made(factory: Callable[..., object], argument: str | None, name: str) -> Agent:
    """Return the agent that a class or function makes, with or without an argument."""
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
    """Ask each agent of a table whether it can play the game, before anything is dealt.

    An agent that cannot play every game may have a method `check(ruleset, num_players)` that raises an error. Other agents are
    not asked.

    Raises:
        ConfigError: An agent cannot play the game; the message gives its reason.
    """
    for agent in agents:
        _ask(agent, "check", ruleset, num_players)


def rules_of_weights(agent: Agent, ruleset: RuleSet, num_players: int) -> RuleSet | None:
    """Return the rules that an agent's weights for a game were made for; None if it has no weights or does not know.

    An agent with weights may have a method `trained_for(ruleset, num_players)` that returns them.

    Raises:
        ConfigError: The agent cannot play the game, or fails.
    """
    made = _ask(agent, "trained_for", ruleset, num_players)
    return made if isinstance(made, RuleSet) else None


def _ask(agent: Agent, method: str, *args: object) -> object:
    """Return the result of an optional method of an agent; None if the agent lacks it.

    Raises:
        ConfigError: The method fails.
    """
    try:
        asked = getattr(agent, method, None)
        return None if asked is None else asked(*args)
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"agent {repr_text(agent)} fails in {method}: {failure_text(error)}") from error


def can_play(agent: Agent, ruleset: RuleSet, num_players: int) -> bool:
    """Return whether `check_seats` lets an agent play the game."""
    try:
        check_seats([agent], ruleset, num_players)
    except ConfigError:
        return False
    return True


def _takes_argument(factory: Callable[..., object]) -> bool:
    """Return True if a class or function accepts a positional argument."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):  # some built-in classes have no signature
        return True
    return any(given.kind not in (given.KEYWORD_ONLY, given.VAR_KEYWORD) for given in parameters)


@contextmanager
def hurried(by: bool = True) -> Iterator[None]:
    """Have an agent that cannot answer before its kernels are compiled let a quicker one move for it during the block.

    Args:
        by: False for a block in which agents take their time.
    """
    token = _HURRIED.set(by)
    try:
        yield
    finally:
        _HURRIED.reset(token)


def is_hurried() -> bool:
    """Return whether the caller of an agent is in a `hurried` block."""
    return _HURRIED.get()


def aside() -> AbstractContextManager[object]:
    """Return a context manager that sends output to standard error, to keep agents' output out of logs and reports.

    It redirects the standard output of the whole process, so nothing else may print meanwhile.
    """
    return redirect_stdout(sys.stderr)


@contextmanager
def naming_game(where: str, specs: Sequence[str], game: Game | None = None) -> Iterator[None]:
    """Add the game and the agents to errors that are raised in the block.

    Args:
        where: Description of the game, with its seed.
        specs: Names of the agents by seat.
        game: Game that is played, to name its seat to move; None while agents are started.

    Raises:
        ConfigError: The block raised it; the message now names the game.
        ForfeitError: The block raised it; it is not changed.
    """
    try:
        yield
    except ForfeitError:
        raise
    except ConfigError as error:
        who = f"agents {', '.join(specs)}" if game is None else f"seat {game.turn}, agent {quoted(specs[game.turn])}"
        raise ConfigError(f"{where}, {who}: {error}") from error


def reset_seats(agents: Sequence[Agent], game: Game, *, repetition: int = 0, salt: int = 0) -> None:
    """Start a game for the agents of a table, each with the seed of `agents.seeds.start_seed`.

    Args:
        agents: Agent of each seat.
        game: The game that they will play. Each agent's seed follows from its own hand at the start.
        repetition: Number that varies the random choices when the same deal is played again.
        salt: Number that no deal depends on.

    Raises:
        ConfigError: An agent fails.
    """
    for seat, agent in enumerate(agents):
        try:
            agent.reset(start_seed(game, seat, repetition=repetition, salt=salt))
        except (ConfigError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise ConfigError(f"agent {repr_text(agent)} at seat {seat} fails to start: {failure_text(error)}") from error


def play_turn(game: Game, agents: Sequence[Agent]) -> Play:
    """Ask the agent to move, make its move and return it.

    Raises:
        ConfigError: The agent fails, or returns an illegal move. The game is unchanged.
        ForfeitError: The agent gives the game up. The game is unchanged.
    """
    view = game.view()
    legal = view.legal_plays()
    agent = agents[game.turn]
    try:
        play = agent.act(view, legal)
    except ForfeitError as error:
        raise ForfeitError(str(error), forfeit(game.ruleset, game.position, str(error))) from None
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"agent {repr_text(agent)} at seat {game.turn} fails: {failure_text(error)}") from error
    if play not in legal:
        raise ConfigError(f"agent {repr_text(agent)} at seat {game.turn}: expected a legal move, got {move_text(play)}")
    game.push(play)
    return play


def move_text(given: object) -> str:
    """Return text for an agent's invalid answer, for a message."""
    try:
        return quoted(str(given)) if type(given) is Play else repr_text(given)
    except (TypeError, ValueError, OverflowError):  # a play of no cards at all
        return f"a {type(given).__name__}"


def play_out(game: Game, agents: Sequence[Agent]) -> Outcome:
    """Play a game to its end with one agent per seat, and return the outcome.

    Args:
        game: The game.
        agents: Agent of each seat, already reset.

    Raises:
        ConfigError: An agent fails, or returns an illegal move.
        ForfeitError: An agent gives the game up.
    """
    while (outcome := game.outcome) is None:
        play_turn(game, agents)
    return outcome
