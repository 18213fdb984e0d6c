"""Means over deals with 95% intervals, paired differences and ratings.

The games of a deal share their cards, so the deal is the observation, not the game.

*Paired differences* subtract the results of two agents against the same opponents on the same deals. The luck of the cards is
common to both and cancels, so a difference has a narrower interval than the two results. The intervals are percentile bootstrap
intervals: deals are resampled with replacement, and both agents' results of a deal stay together.

*Ratings* use openskill's Plackett-Luce model, which ranks any number of players at once. Source: R. C. Weng, C.-J. Lin, "A
Bayesian approximation method for online ranking", JMLR 12, 2011.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from typing import NamedTuple

import numpy as np

from big2_agents.evaluation.arena.results import GameResult, UnitResult
from big2_agents.evaluation.arena.schedule import Contest, Kind
from big2_env.climbing.settlement import team_of
from big2_env.runs.intervals import Estimate, Interval, bootstrap, student


class Standing(NamedTuple):
    """Results of an agent in a contest, per seat and game: two copies at a table give two observations per game."""

    wins: Estimate
    """Fraction of games won by a seat of the agent."""
    score: Estimate
    """Mean payoff of a seat of the agent, in points per game."""


def deal_means(result: UnitResult, contest: Contest) -> Mapping[int, tuple[float, float]]:
    """Return each agent's mean wins and payoff over its seats in all rotations of one deal."""
    wins: dict[int, float] = {}
    paid: dict[int, list[float]] = {}
    for rotation, game in enumerate(result.games):
        for seat, agent in enumerate(contest.seating(rotation)):
            wins[agent] = wins.get(agent, 0) + win_share(game, seat)
            paid.setdefault(agent, []).append(game.payoffs[seat])
    return {agent: (wins[agent] / len(amounts), math.fsum(amounts) / len(amounts)) for agent, amounts in paid.items()}


def win_share(game: GameResult, seat: int) -> float:
    """Return a seat's share of a win.

    It is 1 if the seat finished first or is paid like the winner: as its teammate, or in a game with a single loser. A forfeit
    is a win of the other team, or of all other seats in equal shares.
    """
    paid, loser = game.payoffs, game.forfeited_by
    if loser is None:
        return float(seat == game.winner or paid[seat] == paid[game.winner] > 0)
    landlord = None if game.notes is None else game.notes.get("landlord")
    if seat in team_of(loser, landlord, len(paid)):
        return 0.0
    return 1 / (len(paid) - 1) if landlord is None else 1.0


def seats_won(results: Iterable[UnitResult], contests: Sequence[Contest], num_agents: int) -> list[list[tuple[int, int]]]:
    """Return the number of games won and played, by agent and seat. Shared wins are left out."""
    seats = len(contests[0].chairs)
    won, played = ([[0] * seats for _ in range(num_agents)] for _ in range(2))
    for result in results:
        contest = contests[result.unit.contest]
        for rotation, game in enumerate(result.games):
            for seat, agent in enumerate(contest.seating(rotation)):
                played[agent][seat] += 1
                won[agent][seat] += win_share(game, seat) == 1
    return [list(zip(won[agent], played[agent], strict=True)) for agent in range(num_agents)]


class Sample:
    """Results of an agent in a contest, deal by deal."""

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
        """Return the means over all deals with their intervals."""
        return Standing(student(self.wins), student(self.scores))


def samples(results: Iterable[UnitResult], contests: Sequence[Contest]) -> list[dict[int, Sample]]:
    """Return the results of each agent, by contest."""
    found = [{agent: Sample() for agent in contest.chairs} for contest in contests]
    for result in results:
        for agent, means in deal_means(result, contests[result.unit.contest]).items():
            found[result.unit.contest][agent].add(result.unit.deal, *means)
    return found


class Difference(NamedTuple):
    """Results of one agent minus the results of another."""

    kind: Kind
    agent: int
    minus: int
    against: int | None
    """The opponent of both, `None` if both sat at the same table."""
    deals: int
    wins: Interval
    """Difference of the fraction of games won."""
    score: Interval
    """Difference of the mean payoff, in points per game."""


def difference(kind: Kind, agents: tuple[int, int], against: int | None, one: Sample, other: Sample) -> Difference:
    """Return the first sample minus the second, over the deals in both.

    Args:
        kind: Way in which the agents meet their opponent.
        agents: The two agents.
        against: Their opponent, `None` for agents at the same table.
        one: Results of the first agent.
        other: Results of the second agent.
    """
    deals, of_one, of_other = np.intersect1d(one.deals, other.deals, assume_unique=True, return_indices=True)
    wins = np.asarray(one.wins)[of_one] - np.asarray(other.wins)[of_other]
    scores = np.asarray(one.scores)[of_one] - np.asarray(other.scores)[of_other]
    return Difference(kind, *agents, against, len(deals), bootstrap(wins), bootstrap(scores))


def differences(by_contest: Sequence[Mapping[int, Sample]], contests: Sequence[Contest]) -> Iterator[Difference]:
    """Yield the differences of every two agents; the first is earlier in the list of agents.

    Agents are compared if they sat at the same table, or met the same opponent in the same way, alone or in teams.
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
    """Estimate of an agent's strength as a normal distribution."""

    mean: float
    deviation: float


def can_rate() -> bool:
    """Return True if openskill (extra `arena`) is installed, which ratings need."""
    return find_spec("openskill") is not None


def ratings(results: Iterable[UnitResult], contests: Sequence[Contest], num_agents: int) -> list[Rating]:
    """Return each agent's rating after all units. Ratings start at mean 25 and deviation 25/3.

    A unit is one match of its agents. They are ranked by mean payoff over all rotations of the deal, which removes most of the
    luck of the cards; equal means are draws. Agents do not change during a run, so drift is off (tau 0).

    Raises:
        ImportError: openskill is not installed.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    found = [model.rating() for _ in range(num_agents)]
    for result in results:
        means = deal_means(result, contests[result.unit.contest])
        paid = {agent: round(mean, 9) for agent, (_, mean) in means.items()}  # equal means may differ by rounding errors
        # Places and not payoffs, because openskill cuts off decimals.
        ranks: list[float] = [sum(other > own for other in paid.values()) for own in paid.values()]
        teams = model.rate([[found[agent]] for agent in paid], ranks=ranks)
        for agent, [rating] in zip(paid, teams, strict=True):
            found[agent] = rating
    return [Rating(rating.mu, rating.sigma) for rating in found]
