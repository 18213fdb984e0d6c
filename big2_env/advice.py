"""What agents say of the legal plays of a position, and which agents do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from big2_env.agents import Agent, act_text, agents_with, make_agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, failure_text, repr_text


@dataclass(frozen=True)
class Advice:
    """What an agent thinks of one legal play; what it does not think about is `None`."""

    play: Play
    """The play, or the pass."""
    score: float | None = None
    """The agent's own measure: turns for the heuristic, the network's output for a learned player. Only differences count."""
    probability: float | None = None
    """How likely a policy that draws plays by its scores would make it, of all legal plays."""
    value: float | None = None
    """Mean payoff of the game in play-outs, as the ruleset pays."""
    interval: tuple[float, float] | None = None
    """95 % interval of the value, from the spread of the play-outs."""
    playouts: int = 0
    """How many play-outs the value comes from."""
    sure: bool = False
    """Whether the agent has found a way to win from here that nobody can stop."""
    alike: tuple[Play, ...] = field(default=(), repr=False)
    """Further legal plays to which the same applies: they differ in suits to which the agent pays no attention."""


@runtime_checkable
class Adviser(Agent, Protocol):
    """An agent that can say what it thinks of every legal play."""

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays, each in one piece of advice, best first: the first is what `act` plays."""
        ...


def adviser(agent: str | Agent) -> Adviser:
    """An agent that gives advice, made by `make_agent`.

    Raises:
        ConfigError: it does not, or there is none of that name.
    """
    made = make_agent(agent)
    if isinstance(made, Adviser):
        return made
    name = agent if isinstance(agent, str) else type(agent).__name__
    raise ConfigError(f"agent {name!r} gives no advice; expected one of {', '.join(advising_agents())}")


def advice_of(agent: Agent, view: View, legal: LegalPlays) -> list[Advice]:
    """What an agent thinks of the legal plays of a position, best first; one that gives no advice names its own act.

    Raises:
        ConfigError: the agent fails, or gives no advice on legal plays.
    """
    try:
        given = agent.advise(view, legal) if isinstance(agent, Adviser) else [Advice(agent.act(view, legal))]
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"agent {repr_text(agent)} fails: {failure_text(error)}") from error
    if not isinstance(given, list) or not given or not all(isinstance(one, Advice) for one in given):
        raise ConfigError(f"agent {repr_text(agent)}: expected a list of advice, got {act_text(given)}")
    for one in given:
        if one.play not in legal:
            raise ConfigError(f"agent {repr_text(agent)}: expected advice on legal acts, got {act_text(one.play)}")
    return given


def advising_agents() -> list[str]:
    """The names of the installed agents that give advice, sorted."""
    return agents_with("advise")
