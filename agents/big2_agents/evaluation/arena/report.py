"""Report of an arena run: results of agents against each other, paired differences, and ratings.

A report holds numbers. Functions turn it into tables for people and into files for programs: CSV, Parquet, and a heat map as
PNG. `Report.records` describes the columns of these files.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from rich.table import Table
from rich.text import Text

from big2_agents.evaluation.arena.answer_counts import AnswerRow, answer_rows, answers_tables
from big2_agents.evaluation.arena.results import Config, UnitResult, load
from big2_agents.evaluation.arena.schedule import Kind
from big2_agents.evaluation.arena.stats import (
    Difference,
    Rating,
    Sample,
    Standing,
    can_rate,
    differences,
    ratings,
    samples,
    seats_won,
)
from big2_agents.evaluation.parquet import pyarrow
from big2_env.base.errors import ConfigError, needing
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import FinishingOrder, WinnerTakesOne
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.intervals import NORMAL_95, Estimate, Interval, known
from big2_env.runs.rows import figures_table

Order: TypeAlias = Callable[[str, str], Iterable[str]]
"""Function that returns the texts of win rate and payoff in the order of a table."""
Record: TypeAlias = dict[str, str | int | float | None]
T = TypeVar("T")

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
"""Columns of a report's records and their types; values that do not apply are null."""


class Row(NamedTuple):
    """Results of an agent against others."""

    kind: Kind
    agent: int
    others: tuple[int, ...]
    """Agents of the other chairs, without repetition."""
    against: str
    """Agents of the other chairs, as text."""
    standing: Standing


class Report(NamedTuple):
    """Contents of a results file; agents are indices into `config.agents`."""

    config: Config
    rows: list[Row]
    differences: list[Difference]
    ratings: list[Rating] | None
    """By agent; `None` if openskill is not installed."""
    seats_won: list[list[tuple[int, int]]]
    """Number of games won and played, by agent and seat."""
    last_deal: int
    """Index of the last deal played, -1 without deals. A shard lacks some of the deals before it."""
    played_out: list[Row] | None = None
    """The rows without deals in which a game was forfeited; None if no game was."""
    forfeits: int = 0
    """Number of games that were forfeited."""
    answers: Sequence[AnswerRow] = ()
    """Answers of language models."""

    @classmethod
    def of(cls, path: Path, rulesets: Mapping[str, RuleSet] | None = None) -> Report:
        """Return the report of a results file.

        Args:
            path: The file.
            rulesets: Rulesets by name that take precedence over the available ones.

        Raises:
            NotationError: A line is malformed; the message has its number.
        """
        config, results = load(path, rulesets)
        contests = config.contests()
        forfeits = [0]
        by_contest = samples(_counting_forfeits(results, forfeits), contests)
        rated = ratings(load(path, rulesets)[1], contests, len(config.agents)) if can_rate() else None
        won = seats_won(load(path, rulesets)[1], contests, len(config.agents))
        answers = answer_rows(load(path, rulesets)[1], contests) if config.protocols else []
        whole = None
        if forfeits[0]:
            kept = (unit for unit in load(path, rulesets)[1] if all(game.forfeited_by is None for game in unit.games))
            whole = list(_rows(config, samples(kept, contests)))
        last = max((max(sample.deals, default=-1) for each in by_contest for sample in each.values()), default=-1)
        rows = list(_rows(config, by_contest))
        return cls(config, rows, list(differences(by_contest, contests)), rated, won, last, whole, forfeits[0], answers)

    @property
    def seats(self) -> int:
        """Number of players in a game."""
        return len(self.config.contests()[0].chairs)

    def in_order(self, wins: T, score: T) -> tuple[T, T]:
        """Return wins and score in the order of tables: the score first, unless games are only won or lost."""
        return (wins, score) if pays_only_wins(self.config.rules(), self.seats) else (score, wins)

    def place(self, row: Row) -> float:
        """Return the key by which tables sort rows, best first."""
        return -self.in_order(*row.standing)[0].mean

    @property
    def deals(self) -> int:
        """Number of deals played, the maximum over the rows."""
        return max((row.standing.wins.number for row in self.rows), default=0)

    def strongest_first(self) -> list[int]:
        """Return the agents by rating, or by mean score without ratings."""
        if self.ratings is not None:
            return sorted(range(len(self.ratings)), key=[-rating.mean for rating in self.ratings].__getitem__)
        means: list[list[float]] = [[] for _ in self.config.agents]
        for row in self.rows:
            means[row.agent].append(row.standing.score.mean)
        return sorted(range(len(means)), key=[-math.fsum(each) / max(1, len(each)) for each in means].__getitem__)

    def records(self) -> list[Record]:
        """Return a record for each row, followed by one for each difference, with the keys of `COLUMNS` in their order."""
        names = self.config.agents
        found = [self.record(row) for row in self.rows]
        for pair in self.differences:
            against = None if pair.against is None else against_text(pair.kind, names[pair.against], self.seats)
            numbers = *pair.wins, *pair.score, None, None
            found.append(self._record(pair.kind, names[pair.agent], names[pair.minus], against, pair.deals, numbers))
        return found

    def record(self, row: Row) -> Record:
        """Return the record of a row; `minus` is null."""
        wins, score = row.standing
        rated = self.ratings[row.agent] if self.ratings else (None, None)
        numbers = *_ends(wins), *_ends(score), *rated
        return self._record(row.kind, self.config.agents[row.agent], None, row.against, wins.number, numbers)

    def _record(self, kind: Kind, agent: str, minus: str | None, against: str | None, deals: int, numbers: Any) -> Record:
        given = (None if number is None else known(number) for number in numbers)
        config = self.config
        values = config.ruleset, config.scoring, str(config.seed), kind.value, agent, minus, against, deals, *given
        return dict(zip(COLUMNS, values, strict=True))


def _counting_forfeits(results: Iterable[UnitResult], forfeits: list[int]) -> Iterator[UnitResult]:
    """Yield results, and add the number of forfeited games to the first element of a list."""
    for result in results:
        forfeits[0] += sum(game.forfeited_by is not None for game in result.games)
        yield result


def against_text(kind: Kind, other: str, seats: int) -> str:
    """Return the number of seats and the name of an opponent."""
    return f"{seats - 1 if kind is Kind.ALONE else seats // 2} x {other}"


def _rows(config: Config, by_contest: Sequence[Mapping[int, Sample]]) -> Iterator[Row]:
    """Yield results by contest and chair; against copies, only the single agent gets one."""
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
    """Return the report as JSON values."""
    config = report.config
    head = {"ruleset": config.ruleset, "scoring": config.scoring, "seed": str(config.seed), "schedule": config.schedule}
    models: dict[str, Any] = {}
    if report.answers:
        models["answers"] = [row.record(config.agents, config.protocols) for row in report.answers]
    if report.played_out is not None:
        other = {*head, "minus", "rating", "rating_deviation"}
        records = map(report.record, report.played_out)
        models["without_forfeits"] = [{key: row[key] for key in row if key not in other} for row in records]
    return head | models | {"rows": [{key: value for key, value in row.items() if key not in head} for row in report.records()]}


TITLES: Final = {
    Kind.ALONE: "each row's agent alone against copies of the column's",
    Kind.TEAMS: "two of each row's agent, opposite each other, against two of the column's",
}


def tables(report: Report) -> Iterator[Table]:
    """Yield the tables of a report, in the order of its rows."""
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    for kind in kinds:
        rows = [row for row in report.rows if row.kind is kind]
        if kind is Kind.TABLE:
            rows.sort(key=report.place)
            title, caption = f"{_title(report)}: all at one table", f"{_caption(report)}; {_rated(report)}"
            yield _list(report, rows, title, caption, is_rated=True)
        else:
            yield _cross(report, kind, rows)
    for kind in kinds:
        if any(pair.kind is kind for pair in report.differences):
            yield _differences(report, kind)
    if report.played_out is not None:
        title = "Without deals that have a forfeited game"
        yield _list(report, report.played_out, title, f"forfeited games: {report.forfeits:,}")
    if report.answers:
        yield from answers_tables(report.answers, report.config.agents, report.config.protocols)


def _title(report: Report) -> str:
    return f"{report.config.ruleset}, scoring {report.config.scoring}"


def pays_only_wins(rules: RuleSet, num_players: int | None = None) -> bool:
    """Return True if the payoffs of a game follow from its winner alone.

    Args:
        rules: Rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.
    """
    pays_alike = isinstance(rules.scoring, FinishingOrder) and (num_players or rules.default_players) == 2
    return rules.auction is None and (pays_alike or isinstance(rules.scoring, WinnerTakesOne))


def par(report: Report) -> float:
    """Return the fraction of games that a seat wins among equals. It is meaningless in games with teams of different sizes."""
    return 1 / report.seats


def _caption(report: Report) -> str:
    shown = "0" if report.config.rules().auction else " and ".join(report.in_order(f"{par(report):.0%}", "0"))
    return f"95% intervals over deals, each in all its rotations; par is {shown}"


def _rated(report: Report) -> str:
    return "rating: Plackett-Luce over deals" if report.ratings is not None else "rating: needs the extra arena"


def _list(report: Report, rows: Iterable[Row], title: str, caption: str, *, is_rated: bool = False) -> Table:
    """Return a table with a line for each result, with ratings if asked for."""
    made = Table(title=title, caption=caption)
    made.add_column("agent")
    made.add_column("against")
    for name in ("deals", *report.in_order("wins %", "score"), *(["rating"] if is_rated else [])):
        made.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        wins, score = row.standing
        texts = str(wins.number), *report.in_order(percent(wins), signed(score))
        rated = [rating(report, row.agent)] if is_rated else []
        made.add_row(Text(report.config.agents[row.agent]), Text(row.against), *texts, *rated)
    return made


def _cross(report: Report, kind: Kind, rows: list[Row]) -> Table:
    """Return the cross table, highest rating first."""
    names = report.config.agents
    cells = {(row.agent, row.others[0]): row.standing for row in rows}
    order = report.strongest_first()
    deals = sorted({standing.wins.number for standing in cells.values()})
    what = ", and ".join(report.in_order("wins % of a seat", "score"))
    counted = " to ".join(f"{number:,}" for number in deals[:: max(1, len(deals) - 1)])
    columns = [other for other in order if any(key[1] == other for key in cells)]
    return figures_table(
        ["agent"],
        [*(Text(against_text(kind, names[other], report.seats)) for other in columns), "rating"],
        (
            [
                Text(names[agent]),
                *(cell(cells.get((agent, other)), order=report.in_order) for other in columns),
                rating(report, agent),
            ]
            for agent in order
            if any(key[0] == agent for key in cells)
        ),
        title=f"{_title(report)}: {TITLES[kind]}",
        caption=f"{what}; {counted} deals\n{_caption(report)}\n{_rated(report)}",
        show_lines=True,
    )


def _differences(report: Report, kind: Kind) -> Table:
    """Return the table of score differences, with a star if the interval excludes 0."""
    names = report.config.agents
    pairs = [pair for pair in report.differences if pair.kind is kind]
    met = {pair.against for pair in pairs}
    columns = [other for other in (None, *report.strongest_first()) if other in met]
    found = {(pair.agent, pair.minus, pair.against): pair.score for pair in pairs}
    return figures_table(
        ["agents"],
        ["at one table" if other is None else Text(against_text(kind, names[other], report.seats)) for other in columns],
        (
            [Text(f"{names[agent]} - {names[minus]}"), *(_with_ends(found.get((agent, minus, other))) for other in columns)]
            for agent, minus in sorted({key[:2] for key in found})
        ),
        title="Paired differences of the score, on the same deals",
        caption="95% bootstrap intervals; * if the interval excludes 0",
        show_lines=True,
    )


def percent(value: Estimate, unit: str = "") -> str:
    """Return a fraction in percent, with a unit after the number."""
    return _shown(Estimate(100 * value.mean, 100 * value.half_width, value.number), ".1f", unit)


def signed(value: Estimate) -> str:
    """Return a payoff; rounding errors around 0 are removed."""
    return _shown(value._replace(mean=round(value.mean, 9) + 0.0), "+.2f")


def cell(standing: Standing | None, between: str = "\n", order: Order = lambda wins, score: (score, wins)) -> str:
    """Return payoff and win rate; a dash if nothing was played.

    Args:
        standing: The results.
        between: Text between the numbers.
        order: Order of win rate and payoff.
    """
    return "-" if standing is None else between.join(order(percent(standing.wins, "%"), signed(standing.score)))


def rating(report: Report, agent: int) -> str:
    """Return a rating with its interval; a dash if there is none."""
    if report.ratings is None:
        return "-"
    found = report.ratings[agent]
    return f"{found.mean:.1f} ± {NORMAL_95 * found.deviation:.1f}"


def _shown(value: Estimate, form: str, unit: str = "") -> str:
    """Return a mean with its interval, dashes if they are not known."""
    if math.isnan(value.mean):
        return "-"
    if not value.has_interval:
        return f"{value:{form}}{unit} ± -"
    return f"{value.mean:{form}} ± {value.half_width:{form.lstrip('+')}}{unit}"


def _with_ends(value: Interval | None) -> str:
    if value is None or math.isnan(value.mean):
        return "-"
    if math.isnan(value.low):
        return f"{value.mean:+.2f}\n-"
    star = "*" if value.low > 0 or value.high < 0 else ""
    return f"{value.mean:+.2f}{star}\n{value.low:+.2f} to {value.high:+.2f}"


def write_csv(report: Report, path: Path) -> None:
    """Write the records with a header line; null is an empty field, and numbers keep every digit."""
    with replace_file(path) as new, new.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(report.records())


def write_parquet(report: Report, path: Path) -> None:
    """Write the records as a Parquet table with nullable columns of strings, int64 and float64.

    Raises:
        ImportError: pyarrow is not installed.
    """
    pa = pyarrow()
    from pyarrow import parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    made = pa.Table.from_pylist(report.records(), schema=schema)
    with replace_file(path) as new, new.open("wb") as stream:  # pyarrow opens no names that are not UTF-8
        parquet.write_table(made, stream)


def write_png(report: Report, path: Path) -> None:
    """Draw the cross tables next to each other, colored by score.

    Raises:
        ConfigError: The agents sat at one table, which has no cross table.
        ImportError: matplotlib is not installed.
    """
    check_png(report.rows[0].kind)
    figure = _figure(report)
    with replace_file(path) as new:
        figure.savefig(new, format="png", dpi=150)


def check_png(kind: Kind) -> None:
    """Raise if no heat map can be drawn.

    Raises:
        ConfigError: All agents sit at one table.
        ImportError: matplotlib is not installed.
    """
    if kind is Kind.TABLE:
        raise ConfigError("--png: expected a schedule of pairs, alone, teams or cross, got one table")
    with needing("heat maps need matplotlib: pip install 'big2_env[plots]'"):
        import matplotlib.figure  # noqa: F401


def draw_cross(axes: Any, scores: Sequence[Sequence[float]], texts: Sequence[Sequence[str]], most: float) -> Any:
    """Draw a cross table into matplotlib axes and return the image for a color bar.

    Args:
        axes: Axes to draw into.
        scores: A row per agent, a column per opponent; NaN if not measured.
        texts: Text of each cell; white on dark cells.
        most: Score of the darkest color; the negative score is darkest on the other side.
    """
    image = axes.imshow(scores, cmap="RdBu", vmin=-most, vmax=most)
    for y, row in enumerate(scores):
        for x, score in enumerate(row):
            colour = "white" if abs(score) > 0.6 * most else "black"
            axes.text(x, y, texts[y][x], ha="center", va="center", color=colour, fontsize=8)
    return image


def largest_score(rows: Iterable[Row]) -> float:
    """Return the largest mean score of some rows, without its sign, which has the most saturated color; 1 if all are 0."""
    means = [abs(row.standing.score.mean) for row in rows if not math.isnan(row.standing.score.mean)]
    return max(means, default=0.0) or 1.0


def _figure(report: Report) -> Any:
    from matplotlib.figure import Figure  # without pyplot: no windows, no state of the process

    names = report.config.agents
    order = report.strongest_first()
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    most = largest_score(report.rows)
    side = 1.6 + 1.1 * len(names)
    figure = Figure(figsize=(len(kinds) * (side + 1.4), side), layout="constrained")
    shown = " / ".join(report.in_order("wins %", "score"))
    figure.suptitle(f"{_title(report)}: {shown} of the row's agent")
    for at, kind in enumerate(kinds):
        axes = figure.add_subplot(1, len(kinds), at + 1)
        cells = {(row.agent, row.others[0]): row.standing for row in report.rows if row.kind is kind}
        scores = [[cells[a, b].score.mean if (a, b) in cells else math.nan for b in order] for a in order]
        texts = {
            pair: "\n".join(report.in_order(f"{100 * wins.mean:.1f} %", f"{score.mean:+.2f}"))
            for pair, (wins, score) in cells.items()
        }
        image = draw_cross(axes, scores, [[texts.get((a, b), "") for b in order] for a in order], most)
        axes.set_xticks(range(len(order)), [against_text(kind, names[b], report.seats) for b in order], rotation=30, ha="right")
        axes.set_yticks(range(len(order)), [names[agent] for agent in order])
        axes.set_title("alone against copies" if kind is Kind.ALONE else "two against two")
    figure.colorbar(image, ax=figure.axes, label="score", shrink=0.8)
    return figure
