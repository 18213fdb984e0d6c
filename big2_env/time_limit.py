"""A limit for the time that an agent takes for one act: one that hangs is stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final, TypeVar

from big2_env.agents import Agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, repr_text

T = TypeVar("T")
_AGAIN: Final = 0.5
"""Seconds until an agent that caught the first alarm gets the next."""


class _TimeIsUpError(BaseException):
    """Not an `Exception`, so that agents do not catch it by mistake."""


class TimeLimit:
    """Ends what takes longer than some seconds, by an alarm of the system.

    It is heard where Python code runs: compiled code that never returns is not ended.

    Args:
        seconds: the limit, above 0.

    Raises:
        ConfigError: the system has no such alarm, or this is not the main thread, which alone hears it.
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

    def run(self, act: Callable[[], T], what: str = "an act") -> T:
        """What a call gives; `what` names it in the message.

        Raises:
            ConfigError: it took too long.
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
    """An agent whose acts may take only so long."""

    def __init__(self, agent: Agent, limit: TimeLimit) -> None:
        self._agent, self._limit = agent, limit

    def reset(self, seed: int) -> None:
        """Start a game; within the limit."""
        self._limit.run(lambda: self._agent.reset(seed), "a start")

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The agent's act; within the limit."""
        return self._limit.run(lambda: self._agent.act(view, legal))

    def __repr__(self) -> str:
        return repr_text(self._agent)


def limited(agents: Sequence[Agent], seconds: float | None) -> list[Agent]:
    """Agents whose acts may take at most `seconds`, `None` for any time.

    Raises:
        ConfigError: a limit that cannot be kept here.
    """
    if seconds is None:
        return list(agents)
    limit = TimeLimit(seconds)
    return [Limited(agent, limit) for agent in agents]
