"""What an agent thinks of the legal plays of a position, for those who ask it for advice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from big2_env.agents import Agent, make_agent
from big2_env.announced import AGENTS, announced
from big2_env.cards import iter_cards
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.runs.intervals import NORMAL_95


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


def advise(view: View, agent: str | Agent | None = None, *, seed: int = 0) -> list[Advice]:
    """What an agent thinks of the legal plays of a view, best first.

    Args:
        view: of the seat to move.
        agent: an agent, which is used as it stands, or its name, `NAME` or `NAME:ARGUMENT`: then a new one is made. By default
            the learned player where there is one for the ruleset, else the heuristic.
        seed: what a new agent's randomness follows from.

    Raises:
        ConfigError: the seat is not to move, or the agent gives no advice.

    >>> from big2_env import BIG2, Game
    >>> best, *others = advise(Game.deal(BIG2, seed=1).view(), "heuristic")
    >>> str(best.play), round(best.score, 2), len(others)
    ('pair C[3] S[3]', -0.65, 9)
    """
    if not view.is_on_turn:
        raise ConfigError(f"a view of seat {view.seat}: allowed is one of the seat to move, in a game that is not over")
    asked = adviser(default_agent(view.ruleset) if agent is None else agent)
    if agent is None or isinstance(agent, str):
        asked.reset(seed)
    return asked.advise(view, view.legal_plays())


def adviser(agent: str | Agent) -> Adviser:
    """An agent that gives advice, made by `make_agent`.

    Raises:
        ConfigError: it does not, or there is none of that name.
    """
    made = make_agent(agent)
    if isinstance(made, Adviser):
        return made
    name = agent if isinstance(agent, str) else type(agent).__name__
    raise ConfigError(f"agent {name!r} gives no advice: allowed are {', '.join(advising_agents())}")


def advising_agents() -> list[str]:
    """The names of the installed agents that give advice, sorted."""
    found = []
    for name, entry in announced(AGENTS).items():
        with suppress(ConfigError):  # a package that is broken gives none
            if hasattr(entry.load(), "advise"):
                found.append(name)
    return found


def default_agent(ruleset: RuleSet) -> str:
    """The agent that is asked where none is named."""
    from big2_agents.learned.agent import shipped_weights  # slow to load, and not needed for an agent that is named

    try:
        shipped_weights(ruleset)
    except ConfigError:
        return "heuristic"
    return "learned"


def with_alike(advice: Sequence[Advice], legal: Iterable[Play]) -> list[Advice]:
    """The advice with every legal play in it once: beside the play of the same ranks and power, else alone at the end.

    The compiled agents merge plays that differ in suits which decide nothing; this puts them back.
    """
    given = {found.play.mask for found in advice}
    alike: dict[object, list[Play]] = {_kind(found.play): [] for found in advice}
    rest = []
    for play in legal:
        if play.mask in given:
            continue
        others = alike.get(_kind(play))
        if others is None:
            rest.append(Advice(play))
        else:
            others.append(play)
    # Of several pieces of advice of one kind the first takes what is alike.
    merged = [replace(found, alike=tuple(alike.pop(_kind(found.play), ()))) for found in advice]
    return [*merged, *rest]


def _kind(play: Play) -> object:
    """What is the same for plays that differ in suits that decide nothing."""
    return play.pattern, play.power, tuple(sorted(card.rank for card in iter_cards(play.mask)))


class Estimated(Protocol):
    """A play that a search has tried: `big2_agents.search.Estimate`."""

    @property
    def cards(self) -> int:
        """The play as a card mask, 0 for the pass."""
        ...

    @property
    def value(self) -> float:
        """Mean payoff; infinite for a sure win."""
        ...

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        ...

    @property
    def layouts(self) -> int:
        """How many play-outs there were."""
        ...


def of_estimates(found: Iterable[Estimated], legal: LegalPlays) -> list[Advice]:
    """What a search found out as advice on every legal play; those that it did not try come last."""
    advice = []
    for each in found:
        play = legal.verify(each.cards) if each.cards else PASS
        if each.layouts:
            low, high = each.value - NORMAL_95 * each.error, each.value + NORMAL_95 * each.error
            advice.append(Advice(play, value=each.value, interval=(low, high), playouts=each.layouts))
        else:
            advice.append(Advice(play, sure=math.isinf(each.value)))
    return with_alike(advice, legal)
