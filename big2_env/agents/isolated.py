"""Agents in separate processes. They receive views and return plays as data, so they share no memory with the game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from big2_env.agents.interface import Agent, make_agent
from big2_env.agents.isolated_child import COMPILING, receive, send
from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError, NotationError, RemoteError, one_line, quoted
from big2_env.base.json_values import shown
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.base.outside import Deadline
from big2_env.climbing.forfeit import ForfeitError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity, rules_here
from big2_env.climbing.view import View
from big2_env.climbing.view_data import play_of, view_data

MAX_START: Final = 300.0
"""Most seconds to make an agent."""
_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from big2_env.agents.isolated_child import serve; serve()"
)
"""Program of the child process, which finds the same modules as its parent."""


class IsolatedAgent:
    """Agent in a separate process.

    The process is a new interpreter that receives the rules, one seat's views and the seeds for `reset`. It ends with `close`,
    with this object, or with this process. It is not a sandbox: it has the user's rights.

    Args:
        spec: Name of the agent, as for `make_agent`.

    Attributes:
        close: Function that ends the process; it may be called repeatedly.

    Raises:
        ConfigError: The agent does not exist or cannot be made.
        ImportError: The agent needs an extra; the message names it.
    """

    def __init__(self, spec: str) -> None:
        self.one_call = OneCall()
        self._name = quoted(spec)
        self._rules: RuleSet | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps([place for place in sys.path if isinstance(place, str)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"OMP_NUM_THREADS": "1", **os.environ},
            start_new_session=True,  # Ctrl-C is for the parent, which then ends its children
        )
        self.close = weakref.finalize(self, _end, self._process)
        start = Deadline(MAX_START, self._process.kill)
        try:
            with start:
                made = self._ask({"make": spec})
        except BaseException as error:
            self.close()
            if isinstance(error, RemoteError):
                reason = f"expected it within {MAX_START:g} s, got none" if start.is_over else error
                raise ConfigError(f"agent {self._name} cannot be made: {reason}") from None
            raise
        match made:
            case {"name": str(name), "plays_by_time": bool() | None as by_time, "is_stochastic": bool(draws)}:
                self._name, self.is_stochastic = one_line(name), draws
                if by_time is not None:
                    self.plays_by_time = by_time
            case _:
                self.close()
                raise ConfigError(f"agent {self._name} cannot be made: {_garbage(made)}")

    @one_at_a_time
    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Raise an error if the rules cannot be sent as data, or the agent rejects them.

        Raises:
            ConfigError: The rules are not supported; the message gives the reason.
        """
        self._take(ruleset)
        self._ask({"check": num_players})

    @one_at_a_time
    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the agent's weights were made for; None if it has none, or they are not available here."""
        self._take(ruleset)
        found = self._ask({"trained_for": num_players})
        return rules_here(found) if isinstance(found, dict) else None

    @one_at_a_time
    def prepare(self, view: View) -> None:
        """Let the agent compile what it needs for views like this one.

        Raises:
            ConfigError: The agent fails.
        """
        self._take(view.ruleset)
        try:
            self._ask({"prepare": view_data(view)})
        except RemoteError as error:
            raise ConfigError(f"agent {self!r} fails to prepare: {error}") from None

    @one_at_a_time
    def reset(self, seed: int) -> None:
        """Start a game.

        Args:
            seed: Seed of the agent's random choices.

        Raises:
            ConfigError: The agent raised it.
            RemoteError: The agent failed in another way, or its process ended or violated the protocol.
        """
        self._ask({"reset": seed})

    @one_at_a_time
    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the agent's play, which may be illegal.

        Args:
            view: View of the agent's seat.
            legal: Legal moves. They are not sent; the process computes them.

        Raises:
            ConfigError: The agent raised it, or did not return a play.
            ForfeitError: The agent gives the game up.
            RemoteError: The agent failed in another way, or its process ended or violated the protocol.
        """
        self._take(view.ruleset)
        answer = self._ask({"act": view_data(view)})
        try:
            match answer:
                case {"play": data}:
                    return play_of(data)
                case {"other": str(text)}:
                    raise ConfigError(f"agent {self!r} at seat {view.seat}: expected a legal move, got {one_line(text)}")
        except NotationError as error:
            raise RemoteError(str(error)) from None
        raise RemoteError(_garbage(answer))

    def __repr__(self) -> str:
        return self._name

    def _take(self, ruleset: RuleSet) -> None:
        """Send the rules if the process does not have them yet."""
        if self._rules is not ruleset:
            self._ask({"rules": _rules_data(ruleset)})
            self._rules = ruleset

    def _ask(self, request: Mapping[str, Any]) -> Any:
        """Send a request and return the answer. A process that violates the protocol or is interrupted is ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not self.close.alive:
            raise RemoteError("its process has ended")
        try:
            send(self._process.stdin, request)
            answer = receive(self._process.stdout)
            if answer == COMPILING:
                NOTE.announce()
                answer = receive(self._process.stdout)
        except (OSError, EOFError):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            self.close()
            raise RemoteError(f"its process ended with exit status {self._process.returncode}") from None
        except NotationError as error:
            self.close()
            raise RemoteError(str(error)) from None
        except BaseException:
            self.close()
            raise
        match answer:
            case {"done": value}:
                return value
            case {"forfeits": str(text)}:
                raise ForfeitError(one_line(text))
            case {"refused": str(text)}:
                raise ConfigError(one_line(text))
            case {"missing": str(text)}:
                raise ImportError(one_line(text))
            case {"failed": str(text)}:
                raise RemoteError(one_line(text))
        self.close()
        raise RemoteError(_garbage(answer))


def _garbage(answer: Any) -> str:
    return f"expected an answer of the protocol from its process, got {shown(answer)}"


def _rules_data(ruleset: RuleSet) -> dict[str, Any]:
    """Return the rules as data that another process can rebuild.

    Raises:
        ConfigError: They contain classes from outside the package.
    """
    try:
        data = identity(ruleset)
        same = SavedRules().of(data) == ruleset
    except ConfigError:
        same = False
    if not same:
        raise ConfigError(
            f"an isolated agent gets its rules as data: expected a ruleset without classes from outside the package, "
            f"got {quoted(ruleset.name)}"
        )
    return data


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and wait until it has ended."""
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def agent_maker(isolate: bool) -> Callable[[str], Agent]:
    """Return the function that makes agents by name, in separate processes or in this one."""
    return IsolatedAgent if isolate else make_agent
