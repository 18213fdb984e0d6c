"""Means over deals with 95 % intervals. The games of a deal share their cards, so the deal is the observation, not the game."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from big2_agents.arena.results import GameResult, UnitResult
from big2_agents.arena.schedule import Contest
from big2_env.runs.intervals import Estimate, student


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
