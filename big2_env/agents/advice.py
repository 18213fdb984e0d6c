"""Evaluations of legal moves by agents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from big2_env.agents.interface import Agent, agents_with, check_seats, make_agent, move_text
from big2_env.base.errors import ConfigError, failure_text, repr_text
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View


@dataclass(frozen=True)
class Basis:
    """Basis of values of moves.

    Args:
        version: Version of the evaluator.
        players: Player of each seat in playouts; the seat to move is played by the evaluator's own.
        substitutes: Seats of people, and of agents that playouts cannot run; their player is a substitute.
        deals: Number of sampled deals.
    """

    version: int
    players: tuple[str, ...]
    substitutes: tuple[int, ...]
    deals: int


@dataclass(frozen=True)
class Advice:
    """Evaluation of one legal move. Values that the agent does not provide are None.

    Args:
        play: The move.
        score: The agent's own measure, such as the heuristic's number of turns or a network's output. Only differences are
            meaningful.
        probability: Probability of the move under a stochastic policy.
        value: Mean payoff of the game in playouts, under the ruleset's settlement.
        interval: 95% confidence interval of the value, from the spread of the playouts.
        playouts: Number of playouts behind the value.
        stakes: Root mean square of all seats' payoffs in them; 0 if it was not measured.
        behind: 95% interval of the best move's value minus this one's, on the same deals; `None` if it was not measured.
        basis: Basis of the value, if an evaluator has computed it.
        sure: True if the agent has found a forced win.
        alike: Further legal moves with the same evaluation, which differ only in suits that the agent ignores.
    """

    play: Play
    score: float | None = None
    probability: float | None = None
    value: float | None = None
    interval: tuple[float, float] | None = None
    playouts: int = 0
    stakes: float = 0.0
    behind: tuple[float, float] | None = None
    basis: Basis | None = None
    sure: bool = False
    alike: tuple[Play, ...] = field(default=(), repr=False)


@runtime_checkable
class Adviser(Agent, Protocol):
    """Agent that can evaluate every legal move."""

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return an evaluation of each legal move, best first.

        The first is the move that `act` makes, unless the advice takes more time for it than `act` does.

        Args:
            view: View of the seat to move.
            legal: Legal moves, in one evaluation each.
        """


ADVISERS: Final = ("learned", "heuristic")
"""Agents that give advice by default: the first one that plays the game."""


def default_adviser(ruleset: RuleSet, num_players: int | None = None) -> str:
    """Return the name of the agent that advises by default: `learned` if it has weights for the game, else `heuristic`.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.
    """
    for name in ADVISERS[:-1]:
        with suppress(ConfigError):
            check_seats([make_agent(name)], ruleset, ruleset.seats(num_players))
            return name
    return ADVISERS[-1]


def adviser(agent: str | Agent) -> Adviser:
    """Return an agent that gives advice, made by `make_agent`.

    Args:
        agent: Name of an agent, or an agent.

    Raises:
        ConfigError: The agent gives no advice, or does not exist.
    """
    made = make_agent(agent)
    if isinstance(made, Adviser):
        return made
    name = agent if isinstance(agent, str) else type(agent).__name__
    raise ConfigError(f"agent {name!r} gives no advice; expected one of {', '.join(advising_agents())}")


def advice_of(agent: Agent, view: View, legal: LegalPlays, players: Sequence[str | None] | None = None) -> list[Advice]:
    """Return an agent's evaluation of the legal moves, best first. An agent without advice names only its move.

    Args:
        agent: The agent.
        view: View of the seat to move.
        legal: Legal moves.
        players: As in `seat_players`, which is not called for `None`.

    Raises:
        ConfigError: The agent fails, or its advice is not about legal moves.
    """
    try:
        if players is not None:
            seat_players(agent, players)
        given = agent.advise(view, legal) if isinstance(agent, Adviser) else [Advice(agent.act(view, legal))]
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"agent {repr_text(agent)} fails: {failure_text(error)}") from error
    if not isinstance(given, list) or not given or not all(isinstance(one, Advice) for one in given):
        raise ConfigError(f"agent {repr_text(agent)}: expected a list of advice, got {move_text(given)}")
    for one in given:
        if one.play not in legal:
            raise ConfigError(f"agent {repr_text(agent)}: expected advice on legal moves, got {move_text(one.play)}")
    return given


def seat_players(agent: Agent, players: Sequence[str | None]) -> None:
    """Tell an agent who sits at the table, if it has a method `seat_players(players)` to make use of that.

    Args:
        agent: The agent.
        players: Name of the agent in each seat, `None` for a person; none if nothing is known.
    """
    listener = getattr(agent, "seat_players", None)
    if listener is not None:
        listener(players)


def advising_agents() -> list[str]:
    """Return the names of the installed agents that give advice, sorted."""
    return agents_with("advise")
