"""Asking an agent for advice on the legal plays of a position."""

from __future__ import annotations

from big2_agents.models import shipped_weights
from big2_env.advice import Advice, advice_of, adviser
from big2_env.agent_seeds import agent_seed
from big2_env.agents import Agent
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


def advise(view: View, agent: str | Agent | None = None, *, salt: int = 0) -> list[Advice]:
    """What an agent thinks of the legal plays of a view, best first.

    Args:
        view: of the seat to move.
        agent: an agent, which is used as it stands, or its name, `NAME` or `NAME:ARGUMENT`: then a new one is made. By default
            the learned player where there is one for the ruleset, else the heuristic.
        salt: Another number gives a new agent other random choices.

    Raises:
        ConfigError: the seat is not to move, or the agent gives no advice.

    >>> from big2_env import BIG2, Game
    >>> best, *others = advise(Game.deal(BIG2, seed=1).view(), "heuristic")
    >>> str(best.play), round(best.score, 2), len(others)
    ('pair C[3] S[3]', -0.65, 9)
    """
    if not view.is_on_turn:
        raise ConfigError(f"expected a view of the seat to move, in a game that is not over, got one of seat {view.seat}")
    asked = adviser(default_agent(view.ruleset, view.num_players) if agent is None else agent)
    if agent is None or isinstance(agent, str):
        asked.reset(agent_seed(view, salt=salt))
    return advice_of(asked, view, view.legal_plays())


def default_agent(ruleset: RuleSet, num_players: int | None = None) -> str:
    """The agent that is asked where none is named."""
    try:
        shipped_weights(ruleset, num_players)
    except ConfigError:
        return "heuristic"
    return "learned"
