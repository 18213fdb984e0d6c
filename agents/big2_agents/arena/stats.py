"""Means over deals with 95 % intervals. The games of a deal share their cards, so the deal is the observation, not the game.

*Paired differences* are one agent's results minus another's, both against the same agents on the same deals. What the cards
decide is common to both and falls out, so a difference has a narrower interval than the two results it is made of. These are
percentile bootstrap intervals over deals: deals are drawn with replacement, and the agents' results stay together.

*Ratings* come from openskill's Plackett-Luce model, which ranks any number of players at once. Source: R. C. Weng, C.-J. Lin,
"A Bayesian approximation method for online ranking", JMLR 12, 2011.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from big2_agents.arena.results import GameResult, UnitResult
from big2_agents.arena.schedule import Contest, Kind
from big2_env.runs.intervals import Estimate, Interval, bootstrap, student


class Standing(NamedTuple):
    """How an agent has done in a contest, by seat and game: two of its copies at a table are two observations of a game."""

    wins: Estimate
    """Share of the games that a seat of the agent won."""
    score: Estimate
    """Mean payoff of a seat of the agent."""


def deal_means(result: UnitResult, contest: Contest) -> Mapping[int, tuple[float, float]]:
    """For each agent of a contest its mean (wins, payoff) over its seats in all rotations of one deal."""
    wins: dict[int, int] = {}
    paid: dict[int, list[float]] = {}
    for rotation, game in enumerate(result.games):
        for seat, agent in enumerate(contest.seating(rotation)):
            wins[agent] = wins.get(agent, 0) + _has_won(game, seat)
            paid.setdefault(agent, []).append(game.payoffs[seat])
    return {agent: (wins[agent] / len(amounts), math.fsum(amounts) / len(amounts)) for agent, amounts in paid.items()}


def _has_won(game: GameResult, seat: int) -> bool:
    """True if a seat finished first, or is paid as much for that: it is on the same team, or only the last one loses."""
    paid = game.payoffs
    return seat == game.winner or paid[seat] == paid[game.winner] > 0


def seats_won(results: Iterable[UnitResult], contests: Sequence[Contest], num_agents: int) -> list[list[tuple[int, int]]]:
    """By agent and seat: how many games it won there, and how many it played there."""
    seats = len(contests[0].chairs)
    won, played = ([[0] * seats for _ in range(num_agents)] for _ in range(2))
    for result in results:
        contest = contests[result.unit.contest]
        for rotation, game in enumerate(result.games):
            for seat, agent in enumerate(contest.seating(rotation)):
                played[agent][seat] += 1
                won[agent][seat] += _has_won(game, seat)
    return [list(zip(won[agent], played[agent], strict=True)) for agent in range(num_agents)]


class Sample:
    """What an agent did in a contest, deal by deal."""

    def __init__(self) -> None:
        self.deals = array("q")
        self.wins = array("d")
        self.scores = array("d")

    def add(self, deal: int, wins: float, score: float) -> None:
        """Add the means of one deal."""
        self.deals.append(deal)
        self.wins.append(wins)
        self.scores.append(score)

    def standing(self) -> Standing:
        """The means over all deals."""
        return Standing(student(self.wins), student(self.scores))


def samples(results: Iterable[UnitResult], contests: Sequence[Contest]) -> list[dict[int, Sample]]:
    """By contest: what each of its agents did."""
    found = [{agent: Sample() for agent in contest.chairs} for contest in contests]
    for result in results:
        for agent, means in deal_means(result, contests[result.unit.contest]).items():
            found[result.unit.contest][agent].add(result.unit.deal, *means)
    return found


class Difference(NamedTuple):
    """What the first of two agents did minus what the second did."""

    kind: Kind
    agent: int
    minus: int
    against: int | None
    """The agent that both met; none where both sat at one table."""
    deals: int
    wins: Interval
    """Of the share of games that a seat won."""
    score: Interval
    """Of the mean payoff of a seat."""


def difference(kind: Kind, agents: tuple[int, int], against: int | None, one: Sample, other: Sample) -> Difference:
    """The first sample minus the second, over the deals that both have."""
    deals, of_one, of_other = np.intersect1d(one.deals, other.deals, assume_unique=True, return_indices=True)
    wins = np.asarray(one.wins)[of_one] - np.asarray(other.wins)[of_other]
    scores = np.asarray(one.scores)[of_one] - np.asarray(other.scores)[of_other]
    return Difference(kind, *agents, against, len(deals), bootstrap(wins), bootstrap(scores))


def differences(by_contest: Sequence[Mapping[int, Sample]], contests: Sequence[Contest]) -> Iterator[Difference]:
    """The differences of every two agents, the first of them earlier in the list of agents.

    Of two that met the same third agent, alone against copies of it or with a copy of themselves against two of it; and of two
    at one table.
    """
    met: dict[tuple[Kind, int], dict[int, Sample]] = {}
    for contest, by_agent in zip(contests, by_contest, strict=True):
        if contest.kind is Kind.TABLE:
            for one, other in combinations(sorted(by_agent), 2):
                yield difference(Kind.TABLE, (one, other), None, by_agent[one], by_agent[other])
            continue
        for agent in by_agent:
            if contest.kind is Kind.TEAMS or agent == contest.chairs[0]:
                [against] = by_agent.keys() - {agent}
                met.setdefault((contest.kind, against), {})[agent] = by_agent[agent]
    for (kind, against), by_agent in met.items():
        for one, other in combinations(sorted(by_agent), 2):
            yield difference(kind, (one, other), against, by_agent[one], by_agent[other])


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
