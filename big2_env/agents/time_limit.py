"""Time limit for an agent's move. An agent that hangs is stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final, TypeVar

from big2_env.agents.interface import Agent, is_stochastic
from big2_env.base.errors import ConfigError, repr_text
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View

T = TypeVar("T")
_AGAIN: Final = 0.5
"""Seconds until the next alarm for an agent that caught the first."""


class _TimeIsUpError(BaseException):
    """Signal that the time is up. Not an `Exception`, so that agents do not catch it by mistake."""


class TimeLimit:
    """Time limit for calls, enforced by a system alarm.

    The alarm interrupts Python code. Compiled code that never returns is not stopped.

    Args:
        seconds: The limit, above 0.

    Raises:
        ConfigError: The system has no such alarm, or this is not the main thread.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._is_running = False
        self._has_rung = False
        if not hasattr(signal, "setitimer"):
            raise ConfigError("expected a system with interval timers for a time limit, got one without")
        try:
            signal.signal(signal.SIGALRM, self._ring)
        except ValueError:
            raise ConfigError("expected the main thread for a time limit, got another") from None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._is_running:
            self._has_rung = True
            raise _TimeIsUpError

    def run(self, act: Callable[[], T], what: str = "a move") -> T:
        """Call a function and return its result.

        Raises:
            ConfigError: The call took too long.
        """
        try:
            self._is_running, self._has_rung = True, False
            signal.setitimer(signal.ITIMER_REAL, self.seconds, _AGAIN)
            try:
                return act()
            finally:
                self._is_running = False
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except (_TimeIsUpError, ConfigError):
            if not self._has_rung:
                raise
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise ConfigError(f"expected {what} within {self.seconds:g} s, got none") from None


class Limited:
    """Agent with a time limit for each move."""

    def __init__(self, agent: Agent, limit: TimeLimit) -> None:
        self._agent, self._limit = agent, limit
        self.is_stochastic = is_stochastic(agent)

    def reset(self, seed: int) -> None:
        """Start a game within the limit.

        Args:
            seed: Seed of the agent's random choices.
        """
        self._limit.run(lambda: self._agent.reset(seed), "a start")

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the agent's move within the limit.

        Args:
            view: View of the agent's seat.
            legal: Legal moves.
        """
        return self._limit.run(lambda: self._agent.act(view, legal))

    def __repr__(self) -> str:
        return repr_text(self._agent)


def limited(agents: Sequence[Agent], seconds: float | None) -> list[Agent]:
    """Return agents with a time limit for each move.

    Args:
        agents: The agents.
        seconds: The limit; None for no limit.

    Raises:
        ConfigError: The limit cannot be enforced here.
    """
    if seconds is None:
        return list(agents)
    limit = TimeLimit(seconds)
    return [Limited(agent, limit) for agent in agents]
