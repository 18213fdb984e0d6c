"""What the arena found, as numbers: who has done how against whom, paired differences, ratings; and all that as records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from big2_agents.arena.differences import Difference, differences
from big2_agents.arena.ratings import Rating, can_rate, ratings
from big2_agents.arena.results import Config, load
from big2_agents.arena.schedule import Kind
from big2_agents.arena.stats import Sample, Standing, samples, seats_won
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.intervals import Estimate, Interval

Record: TypeAlias = dict[str, str | int | float | None]

COLUMNS: Final[dict[str, type]] = {
    "ruleset": str,
    "scoring": str,
    "seed": str,
    "kind": str,  # alone: against copies of `against`; teams: with a copy, against two; table: everybody at one table
    "agent": str,
    "minus": str,  # the row is `agent` minus this agent, on the same deals; null for a result of `agent` itself
    "against": str,  # null where two at one table are compared
    "deals": int,
    "wins": float,  # share of the games that a seat won
    "wins_low": float,
    "wins_high": float,
    "score": float,  # mean payoff of a seat
    "score_low": float,
    "score_high": float,
    "rating": float,  # null for a difference, as the next one
    "rating_deviation": float,
}
"""The columns of a report's records and their types; a value that cannot be told from the results is null."""


class Row(NamedTuple):
    """How an agent has done against others."""

    kind: Kind
    agent: int
    others: tuple[int, ...]
    """The agents of the other chairs, each once."""
    against: str
    """The other chairs' agents, as text."""
    standing: Standing


class Report(NamedTuple):
    """What a results file says; agents are indices of `config.agents`."""

    config: Config
    rows: list[Row]
    differences: list[Difference]
    ratings: list[Rating] | None
    """By agent; `None` where openskill is not installed."""
    seats_won: list[list[tuple[int, int]]]
    """By agent and seat: how many games it won there, and how many it played there."""
    last_deal: int
    """The last deal that was played; -1 where none was. A shard has not all before it."""

    @classmethod
    def of(cls, path: Path, rulesets: Mapping[str, RuleSet] | None = None) -> Report:
        """The report of a results file. `rulesets` by name are tried before the available ones.

        Raises:
            NotationError: a line that is wrong, with its number.
        """
        config, results = load(path, rulesets)
        contests = config.contests()
        by_contest = samples(results, contests)
        rated = ratings(load(path, rulesets)[1], contests, len(config.agents)) if can_rate() else None
        won = seats_won(load(path, rulesets)[1], contests, len(config.agents))
        last = max((max(sample.deals, default=-1) for each in by_contest for sample in each.values()), default=-1)
        return cls(config, list(_rows(config, by_contest)), list(differences(by_contest, contests)), rated, won, last)

    @property
    def seats(self) -> int:
        """How many play a game."""
        return len(self.config.contests()[0].chairs)

    @property
    def deals(self) -> int:
        """How many deals have been played against somebody."""
        return max((row.standing.wins.number for row in self.rows), default=0)

    def strongest_first(self) -> list[int]:
        """The agents by rating; without ratings by the mean of their scores."""
        if self.ratings is not None:
            return sorted(range(len(self.ratings)), key=[-rating.mean for rating in self.ratings].__getitem__)
        means: list[list[float]] = [[] for _ in self.config.agents]
        for row in self.rows:
            means[row.agent].append(row.standing.score.mean)
        return sorted(range(len(means)), key=[-math.fsum(each) / max(1, len(each)) for each in means].__getitem__)

    def records(self) -> list[Record]:
        """A record for each row, then one for each difference; the keys are those of `COLUMNS`, in their order."""
        names = self.config.agents
        found: list[Record] = []
        numbers: tuple[float | None, ...]
        for row in self.rows:
            deals = row.standing.wins.number
            numbers = (
                *_ends(row.standing.wins),
                *_ends(row.standing.score),
                *(self.ratings[row.agent] if self.ratings else (None, None)),
            )
            found.append(self._record(row.kind, names[row.agent], None, row.against, deals, numbers))
        for pair in self.differences:
            against = None if pair.against is None else against_text(pair.kind, names[pair.against], self.seats)
            numbers = *pair.wins, *pair.score, None, None
            found.append(self._record(pair.kind, names[pair.agent], names[pair.minus], against, pair.deals, numbers))
        return found

    def _record(self, kind: Kind, agent: str, minus: str | None, against: str | None, deals: int, numbers: Any) -> Record:
        known = (None if number is None or math.isnan(number) else number for number in numbers)
        config = self.config
        values = config.ruleset, config.scoring, str(config.seed), kind.value, agent, minus, against, deals, *known
        return dict(zip(COLUMNS, values, strict=True))


def against_text(kind: Kind, other: str, seats: int) -> str:
    """How many seats another agent has, and its name."""
    return f"{seats - 1 if kind is Kind.ALONE else seats // 2} x {other}"


def _rows(config: Config, by_contest: Sequence[Mapping[int, Sample]]) -> Iterator[Row]:
    """By contest and chair: how each agent has done; where one sits alone against copies, only that one."""
    names = config.agents
    for contest, by_agent in zip(config.contests(), by_contest, strict=True):
        kind = contest.kind
        for agent, sample in by_agent.items():
            if kind is Kind.ALONE and agent != contest.chairs[0]:
                continue
            others = tuple(other for other in by_agent if other != agent)
            if kind is Kind.TABLE:
                texts = [names[other] for other in others]
                against = f"{len(others)} x {texts[0]}" if len(set(texts)) == 1 else ", ".join(texts)
            else:
                against = against_text(kind, names[others[0]], len(contest.chairs))
            yield Row(kind, agent, others, against, sample.standing())


def _ends(value: Estimate) -> Interval:
    return Interval(value.mean, value.mean - value.half_width, value.mean + value.half_width)


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    config = report.config
    head = {"ruleset": config.ruleset, "scoring": config.scoring, "seed": str(config.seed), "schedule": config.schedule}
    return head | {"rows": [{key: value for key, value in row.items() if key not in head} for row in report.records()]}
