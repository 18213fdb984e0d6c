"""Ratings from the results of deals: openskill's Plackett-Luce model, which ranks any number of players at once.

Source: R. C. Weng, C.-J. Lin, "A Bayesian approximation method for online ranking", JMLR 12, 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from big2_agents.arena.results import UnitResult
from big2_agents.arena.schedule import Contest
from big2_agents.arena.stats import deal_means


class Rating(NamedTuple):
    """What the model believes of an agent's strength: a normal distribution."""

    mean: float
    deviation: float


def can_rate() -> bool:
    """True if ratings can be computed: they need openskill, of the extra `arena`."""
    try:
        import openskill.models  # noqa: F401
    except ImportError:
        return False
    return True


def ratings(results: Iterable[UnitResult], contests: Sequence[Contest], num_agents: int) -> list[Rating]:
    """The rating of each agent after all units, in the order given; it starts at 25 with deviation 25/3.

    A unit is one match of the agents of its contest: they rank by their mean payoff over all rotations of the deal, so that the
    cards decide as little as they can; equal means are draws. Agents do not learn here, so nothing is added for drift (tau 0).

    Raises:
        ImportError: openskill is not installed.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    found = [model.rating() for _ in range(num_agents)]
    for result in results:
        means = deal_means(result, contests[result.unit.contest])
        teams = model.rate([[found[agent]] for agent in means], ranks=[-paid for _, paid in means.values()])
        for agent, [rating] in zip(means, teams, strict=True):
            found[agent] = rating
    return [Rating(rating.mu, rating.sigma) for rating in found]
