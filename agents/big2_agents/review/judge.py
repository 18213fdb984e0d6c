"""Who judges a game: an agent that gives the acts of a decision values that can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

from big2_env.advice import Advice
from big2_env.agents import Agent, agents_with, make_agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError

DEFAULT_JUDGE: Final = "search:4000"
"""Who judges where nobody is named: 4,000 play-outs a decision are a game of `big2` in 5 to 12 s, once all is compiled."""
NOBODY: Final = "none"
"""The name that stands for no judge."""


@runtime_checkable
class Judge(Agent, Protocol):
    """An agent whose values can be compared: all acts that it tries to the end are tried on the same sampled deals."""

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """The legal acts, each in one piece of advice, the agent's favourite first; those of `also` are tried to the end."""
        ...


def prepare_many(judge: Judge, view: View) -> None:
    """Compile what many answers in games like that of a view need, for a judge that else gives some in plain Python first."""
    prepare = getattr(judge, "prepare", None)
    if prepare is not None:
        prepare(view)


def judge_named(spec: str) -> Judge:
    """A judge by name, `NAME` or `NAME:ARGUMENT`.

    Raises:
        ConfigError: no agent has that name, or it gives no values that can be compared.
    """
    agent = make_agent(spec)
    if isinstance(agent, Judge):
        return agent
    raise ConfigError(f"agent {spec!r} gives no values to compare: expected {', '.join([*agents_with('judge'), NOBODY])}")
