"""Par of a deal: the results of a policy that plays the person's hand many times against the same agents.

In each playthrough the policy samples its moves, so a deal has a distribution of results, in which a person's has a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from big2_env.agents.interface import make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet

PLAYTHROUGHS: Final = 200
"""Number of playthroughs of a deal."""
TEMPERATURE: Final = 3.0
"""Divisor of the policy's scores from whose softmax moves are sampled."""
POLICY: Final = "learned"
"""The policy: the agent in the other seats, if the game has weights."""


def standing_of(game: Game, seat: int) -> tuple[float, int]:
    """Return the payoff of a seat, and what ranks equal payoffs: the losers' cards after a win, else minus the own cards."""
    outcome = game.outcome
    assert outcome is not None
    payoffs, left = outcome.payoffs, outcome.cards_left
    others = sum(cards for cards, payoff in zip(left, payoffs, strict=True) if payoff < 0)
    return round(payoffs[seat], 7), others if payoffs[seat] > 0 else -left[seat]


@dataclass(frozen=True)
class Par:
    """Distribution of results.

    Args:
        temperature: Temperature of the policy.
        standings: Each result, as of `standing_of`, with the number of its playthroughs.
    """

    temperature: float
    standings: tuple[tuple[float, int, int], ...]

    @property
    def playthroughs(self) -> int:
        """Number of playthroughs."""
        return sum(count for *_, count in self.standings)

    def share_below(self, standing: tuple[float, int]) -> float:
        """Return the share of playthroughs with a worse result.

        >>> Par(1.0, ((-1.0, -3, 3), (1.0, 9, 1))).share_below((1.0, 9))
        0.75
        """
        return sum(count for payoff, tie, count in self.standings if (payoff, tie) < standing) / self.playthroughs


def par_of(standings: Iterable[tuple[float, int]]) -> Par:
    """Return the distribution of results."""
    return Par(TEMPERATURE, tuple((*standing, count) for standing, count in sorted(Counter(standings).items())))


def can_play_through(opponent: str) -> bool:
    """Return whether this process can compute pars against an agent: it needs compiled code and weights for the game."""
    return opponent == POLICY and find_spec("numba") is not None


class ParPlayers:
    """Compiled players of many playthroughs of deals of one game at once.

    Args:
        ruleset: The rules.
    """

    def __init__(self, ruleset: RuleSet) -> None:
        agent: Any = make_agent(POLICY)
        self.players = agent.playthroughs(ruleset, ruleset.default_players, PLAYTHROUGHS, TEMPERATURE)
        """The players, see `big2_agents.learned.playthroughs`."""

    def par(self, seed: int, seat: int) -> Par:
        """Return the results of a seat in the playthroughs of a deal; the same ones at each call.

        Raises:
            ConfigError: An agent fails.
        """
        return par_of(standing_of(game, seat) for game in self.players.games(seed, seat))
