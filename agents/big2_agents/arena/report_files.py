"""A report written to files for other programs: CSV, Parquet, a heat map as PNG. `Report.records` says what the columns are."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from big2_agents.arena.report import COLUMNS, Report, against_text
from big2_agents.arena.schedule import Kind
from big2_agents.parquet import pyarrow
from big2_env.errors import ConfigError
from big2_env.runs.replacing import replacing


def write_csv(report: Report, path: Path) -> None:
    """Write the records with a header line; null is an empty field, numbers keep every digit."""
    with replacing(path) as new, new.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(report.records())


def write_parquet(report: Report, path: Path) -> None:
    """Write the records as a Parquet table: strings, int64 and float64, all of them nullable.

    Raises:
        ImportError: pyarrow is not installed.
    """
    pa = pyarrow()
    from pyarrow import parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    made = pa.Table.from_pylist(report.records(), schema=schema)
    with replacing(path) as new, new.open("wb") as stream:  # pyarrow opens no names that are not UTF-8
        parquet.write_table(made, stream)


def write_png(report: Report, path: Path) -> None:
    """Draw the cross tables side by side, coloured by score: who beats whom.

    Raises:
        ConfigError: the agents sat at one table, so there is no cross table.
        ImportError: matplotlib is not installed.
    """
    check_png(report.rows[0].kind)
    figure = _figure(report)
    with replacing(path) as new:
        figure.savefig(new, format="png", dpi=150)


def check_png(kind: Kind) -> None:
    """Refuse a heat map of what has none, or without matplotlib.

    Raises:
        ConfigError: of one table.
        ImportError: matplotlib is not installed.
    """
    if kind is Kind.TABLE:
        raise ConfigError("--png: expected a schedule of pairs, alone, teams or cross, got one table")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ImportError("heat maps need matplotlib: pip install 'big2_env[plots]'") from None


def draw_cross(axes: Any, scores: Sequence[Sequence[float]], texts: Sequence[Sequence[str]], most: float) -> Any:
    """Draw a cross table into axes of matplotlib, white text on dark fields; returns the image, for a colour bar.

    Args:
        axes: where it is drawn.
        scores: a row for each agent, a column for each opponent; NaN where nothing was measured.
        texts: what stands in each field.
        most: the score of the darkest colour, its negative that of the darkest one on the other side.
    """
    image = axes.imshow(scores, cmap="RdBu", vmin=-most, vmax=most)
    for y, row in enumerate(scores):
        for x, score in enumerate(row):
            colour = "white" if abs(score) > 0.6 * most else "black"
            axes.text(x, y, texts[y][x], ha="center", va="center", color=colour, fontsize=8)
    return image


def _figure(report: Report) -> Any:
    from matplotlib.figure import Figure  # without pyplot: no windows, no state of the process

    names = report.config.agents
    order = report.strongest_first()
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    means = [abs(row.standing.score.mean) for row in report.rows if not math.isnan(row.standing.score.mean)]
    most = max(means, default=1.0) or 1.0
    side = 1.6 + 1.1 * len(names)
    figure = Figure(figsize=(len(kinds) * (side + 1.4), side), layout="constrained")
    figure.suptitle(f"{report.config.ruleset}, scoring {report.config.scoring}: score / wins % of the row's agent")
    for at, kind in enumerate(kinds):
        axes = figure.add_subplot(1, len(kinds), at + 1)
        cells = {(row.agent, row.others[0]): row.standing for row in report.rows if row.kind is kind}
        scores = [[cells[a, b].score.mean if (a, b) in cells else math.nan for b in order] for a in order]
        texts = {pair: f"{score.mean:+.2f}\n{100 * wins.mean:.1f} %" for pair, (wins, score) in cells.items()}
        image = draw_cross(axes, scores, [[texts.get((a, b), "") for b in order] for a in order], most)
        axes.set_xticks(range(len(order)), [against_text(kind, names[b], report.seats) for b in order], rotation=30, ha="right")
        axes.set_yticks(range(len(order)), [names[agent] for agent in order])
        axes.set_title("alone against copies" if kind is Kind.ALONE else "two against two")
    figure.colorbar(image, ax=figure.axes, label="score", shrink=0.8)
    return figure
