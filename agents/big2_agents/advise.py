"""Advice of an agent on the legal moves of a position."""

from __future__ import annotations

from big2_env.agents.advice import Advice, advice_of, adviser, default_adviser
from big2_env.agents.interface import Agent
from big2_env.agents.seeds import agent_seed
from big2_env.base.errors import ConfigError
from big2_env.climbing.view import View


def advise(view: View, agent: str | Agent | None = None, *, salt: int = 0) -> list[Advice]:
    """Return an agent's advice on the legal moves of a view, best first.

    Args:
        view: View of the seat to move.
        agent: An agent object, used as is, or a specification (`NAME` or `NAME:ARGUMENT`), from which a new agent is made. By
            default `learned` if there are weights for the ruleset, else `heuristic`.
        salt: Seed of a new agent's random choices.

    Raises:
        ConfigError: The seat is not to move, or the agent gives no advice.

    >>> from big2_env import BIG2, Game
    >>> best, *others = advise(Game.deal(BIG2, seed=1).view(), "heuristic")
    >>> str(best.play), round(best.score, 2), len(others)
    ('pair C[3] S[3]', -0.65, 9)
    """
    if not view.is_on_turn:
        raise ConfigError(f"expected a view of the seat to move, in a game that is not over, got one of seat {view.seat}")
    asked = adviser(default_adviser(view.ruleset, view.num_players) if agent is None else agent)
    if agent is None or isinstance(agent, str):
        asked.reset(agent_seed(view, salt=salt))
    return advice_of(asked, view, view.legal_plays())
