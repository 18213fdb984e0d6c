"""The arena's report as tables for people: a list of a table's agents, or a cross table; then the paired differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from big2_agents.arena.report import Report, Row, against_text
from big2_agents.arena.schedule import Kind
from big2_agents.arena.stats import Standing
from big2_env.cli._tables import let_be_wide
from big2_env.runs.intervals import NORMAL_95, Estimate, Interval

TITLES: Final = {
    Kind.ALONE: "each row's agent alone against copies of the column's",
    Kind.TEAMS: "two of each row's agent, opposite each other, against two of the column's",
}


def tables(report: Report) -> Iterator[Table]:
    """The tables of a report, in the order of its rows."""
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    for kind in kinds:
        rows = [row for row in report.rows if row.kind is kind]
        yield _list(report, rows) if kind is Kind.TABLE else _cross(report, kind, rows)
    for kind in kinds:
        if any(pair.kind is kind for pair in report.differences):
            yield _differences(report, kind)


def show(found: Iterable[Table]) -> None:
    """Print tables; nothing is cut off."""
    for table in found:
        console = Console()
        let_be_wide(console, table)
        console.print(table)


def _title(report: Report) -> str:
    return f"{report.config.ruleset}, scoring {report.config.scoring}"


def par(report: Report) -> float:
    """The share of games that a seat wins among equals; of teams, where one wins whatever its size, it says nothing."""
    return 1 / report.seats


def _caption(report: Report) -> str:
    shown = "0" if report.config.rules().auction else f"0 and {par(report):.0%}"
    return f"95 % intervals over deals, each in all its rotations; par is {shown}"


def _rated(report: Report) -> str:
    return "rating: Plackett-Luce over deals" if report.ratings is not None else "rating: needs the extra arena"


def _list(report: Report, rows: list[Row]) -> Table:
    """The agents of one table, the best share of wins first."""
    made = Table(title=f"{_title(report)}: all at one table", caption=f"{_caption(report)}; {_rated(report)}")
    made.add_column("agent")
    made.add_column("against")
    for name in ("deals", "wins %", "score", "rating"):
        made.add_column(name, justify="right", no_wrap=True)
    for row in sorted(rows, key=lambda row: -row.standing.wins.mean):
        wins, score = row.standing
        texts = str(wins.number), percent(wins), signed(score), rating(report, row.agent)
        made.add_row(Text(report.config.agents[row.agent]), Text(row.against), *texts)
    return made


def _cross(report: Report, kind: Kind, rows: list[Row]) -> Table:
    """The agents against each other, the highest rating first."""
    names = report.config.agents
    cells = {(row.agent, row.others[0]): row.standing for row in rows}
    order = report.strongest_first()
    deals = sorted({standing.wins.number for standing in cells.values()})
    counted = " to ".join(f"{number:,}" for number in deals[:: max(1, len(deals) - 1)])
    made = Table(
        title=f"{_title(report)}: {TITLES[kind]}",
        caption=f"score, and wins % of a seat; {counted} deals\n{_caption(report)}\n{_rated(report)}",
        show_lines=True,
    )
    made.add_column("agent", no_wrap=True)
    columns = [other for other in order if any(key[1] == other for key in cells)]
    for other in columns:
        made.add_column(Text(against_text(kind, names[other], report.seats)), justify="right", no_wrap=True)
    made.add_column("rating", justify="right", no_wrap=True)
    for agent in order:
        if any(key[0] == agent for key in cells):
            texts = (cell(cells.get((agent, other))) for other in columns)
            made.add_row(Text(names[agent]), *texts, rating(report, agent))
    return made


def _differences(report: Report, kind: Kind) -> Table:
    """Two agents in a row; the differences of their scores by column, with a star where the interval leaves out 0."""
    names = report.config.agents
    pairs = [pair for pair in report.differences if pair.kind is kind]
    made = Table(
        title="Paired differences of the score, on the same deals",
        caption="95 % bootstrap intervals; * where they leave out 0",
        show_lines=True,
    )
    made.add_column("agents", no_wrap=True)
    met = {pair.against for pair in pairs}
    columns = [other for other in (None, *report.strongest_first()) if other in met]
    for other in columns:
        head = "at one table" if other is None else against_text(kind, names[other], report.seats)
        made.add_column(Text(head), justify="right", no_wrap=True)
    found = {(pair.agent, pair.minus, pair.against): pair.score for pair in pairs}
    for agent, minus in sorted({key[:2] for key in found}):
        texts = (_with_ends(found.get((agent, minus, other))) for other in columns)
        made.add_row(Text(f"{names[agent]} - {names[minus]}"), *texts)
    return made


def percent(value: Estimate, digits: int = 1) -> str:
    """A share in percent."""
    return _shown(Estimate(100 * value.mean, 100 * value.half_width, value.number), f".{digits}f")


def signed(value: Estimate) -> str:
    """A payoff; what rounding errors leave of 0 is 0."""
    return _shown(value._replace(mean=round(value.mean, 9) + 0.0), "+.2f")


def cell(standing: Standing | None, between: str = "\n") -> str:
    """A payoff and a share of wins; a dash where nothing was played."""
    return "-" if standing is None else f"{signed(standing.score)}{between}{percent(standing.wins)} %"


def rating(report: Report, agent: int) -> str:
    """A rating with its interval; a dash where there are none."""
    if report.ratings is None:
        return "-"
    found = report.ratings[agent]
    return f"{found.mean:.1f} ± {NORMAL_95 * found.deviation:.1f}"


def _shown(value: Estimate, form: str) -> str:
    if math.isnan(value.mean):
        return "-"
    return f"{value.mean:{form}} ± {value.half_width:{form.lstrip('+')}}" if value.number > 1 else f"{value.mean:{form}}"


def _with_ends(value: Interval | None) -> str:
    if value is None or math.isnan(value.mean):
        return "-"
    if math.isnan(value.low):
        return f"{value.mean:+.2f}"
    star = "*" if value.low > 0 or value.high < 0 else ""
    return f"{value.mean:+.2f}{star}\n{value.low:+.2f} to {value.high:+.2f}"
