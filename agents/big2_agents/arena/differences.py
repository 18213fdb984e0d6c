"""Paired differences: one agent's results minus another's, both against the same agents on the same deals.

What the cards decide is common to both and falls out, so a difference has a narrower interval than the two results it is made
of. The intervals are percentile bootstrap intervals over deals: deals are drawn with replacement, and the agents' results stay
together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from big2_agents.arena.schedule import Contest, Kind
from big2_agents.arena.stats import Sample
from big2_env.runs.intervals import Interval, bootstrap


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
