"""What the arena prints: tables for people, or the same numbers as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from big2_agents.arena.ratings import Rating, ratings
from big2_agents.arena.results import Config, load
from big2_agents.arena.stats import Estimate, Standing, standings


class Row(NamedTuple):
    """One line of a report."""

    agent: str
    against: str
    """The other seats' agents."""
    standing: Standing
    rating: Rating


class Report(NamedTuple):
    """What a results file says."""

    config: Config
    rows: list[Row]

    @classmethod
    def of(cls, path: Path) -> Report:
        """The report of a results file."""
        config, results = load(path)
        by_contest = standings(results, config.contests())
        rated = ratings(load(path)[1], config.contests(), len(config.agents))
        return cls(config, list(_rows(config, by_contest, rated)))


def _rows(config: Config, by_contest: Sequence[Mapping[int, Standing]], rated: Sequence[Rating]) -> Iterator[Row]:
    """By contest and chair: how each agent has done; of a contest of pairs only the agent that sits alone."""
    for contest, by_agent in zip(config.contests(), by_contest, strict=True):
        single = len(by_agent) == len(contest.chairs)  # a table: everybody has one chair
        for agent, standing in by_agent.items():
            if single or contest.chairs.count(agent) == 1:
                others = [config.agents[other] for other in contest.chairs if other != agent]
                against = f"{len(others)} x {others[0]}" if len(set(others)) == 1 else ", ".join(others)
                yield Row(config.agents[agent], against, standing, rated[agent])


def table(report: Report) -> Table:
    """The report as a table, the best share of wins first."""
    config = report.config
    seats = config.contests()[0].rotations
    made = Table(
        title=f"{config.ruleset}, scoring {config.scoring}: each deal in all {seats} rotations",
        caption=f"95 % intervals over deals; par is {1 / seats:.0%} wins and score 0; rating: Plackett-Luce over deals",
    )
    made.add_column("agent")
    made.add_column("against")
    for name in ("deals", "wins %", "score", "rating"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in sorted(report.rows, key=lambda row: -row.standing.wins.mean):
        wins, score = row.standing
        made.add_row(
            Text(row.agent),
            Text(row.against),
            str(wins.deals),
            _shown(Estimate(100 * wins.mean, 100 * wins.half_width, wins.deals), ".1f"),
            _shown(score, "+.2f"),
            f"{row.rating.mean:.1f} ± {1.96 * row.rating.deviation:.1f}",
        )
    return made


def _shown(value: Estimate, form: str) -> str:
    if math.isnan(value.mean):
        return "-"
    return f"{value.mean:{form}} ± {value.half_width:{form.lstrip('+')}}" if value.deals > 1 else f"{value.mean:{form}}"


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON values; what cannot be told from the results is null."""

    def number(value: float) -> float | None:
        return None if math.isnan(value) else value

    def shown(value: Estimate) -> dict[str, Any]:
        return {"mean": number(value.mean), "half_width": number(value.half_width), "deals": value.deals}

    config = report.config
    return {
        "ruleset": config.ruleset,
        "scoring": config.scoring,
        "seed": config.seed,
        "schedule": config.schedule,
        "rows": [
            {
                "agent": row.agent,
                "against": row.against,
                "wins": shown(row.standing.wins),
                "score": shown(row.standing.score),
                "rating": row.rating._asdict(),
            }
            for row in report.rows
        ],
    }
