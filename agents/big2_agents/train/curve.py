"""Learning curve of a run: win rates against rule-based agents by minutes, as a sparkline and as a picture."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from big2_env.base.errors import needing
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.atomic_files import check_writable, replace_file

BLOCKS: Final = "▁▂▃▄▅▆▇█"
LEAST_SPAN: Final = 0.1
"""Smallest difference of win rates that fills a sparkline, so that noise looks like noise."""


class Point(NamedTuple):
    """Evaluation of a run."""

    minutes: float
    iteration: int
    wins: dict[str, float]
    """Win rates by opponent."""


def csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file of a run, without empty cells; none if the file is missing.

    A run that continues may change its columns.
    """
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{name: text for name, text in row.items() if text} for row in csv.DictReader(file)]


def read_curve(folder: Path) -> list[Point]:
    """Return the evaluations of the run in a folder, oldest first."""
    rows = csv_rows(folder / "curve.csv")
    return [Point(float(row["minutes"]), int(row["iteration"]), wins_in(row)) for row in rows]


def wins_in(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the win rates by opponent among the values of an evaluation, a row of `curve.csv` or numbers."""
    return {name.removeprefix("wins_"): float(value) for name, value in row.items() if name.startswith("wins_")}


def opponents_in(evaluations: Iterable[Mapping[str, float]]) -> list[str]:
    """Return the opponents of evaluations, each with its win rates by opponent; a run that continues may change its rivals."""
    return list(dict.fromkeys(name for wins in evaluations for name in wins))


def par(ruleset: RuleSet) -> float | None:
    """Return the fraction of games that equal agents win; `None` if teams make it depend on the auction."""
    return None if ruleset.auction is not None else 1 / ruleset.default_players


def sparkline(values: Sequence[float]) -> str:
    """Return a line of blocks, one per value.

    >>> sparkline([0.1, 0.2, 0.45])
    '▁▃█'
    """
    low = min(values, default=0.0)
    span = max(max(values, default=0.0) - low, LEAST_SPAN)
    return "".join(BLOCKS[round((value - low) / span * (len(BLOCKS) - 1))] for value in values)


def check_plots(path: Path) -> None:
    """Refuse a picture that cannot be drawn or written.

    Raises:
        ImportError: matplotlib is not installed.
        ConfigError: The file cannot be written.
    """
    with needing("--png needs matplotlib: pip install 'big2_env[plots]'"):
        import matplotlib.figure  # noqa: F401
    check_writable(path)


def draw_curve(points: Sequence[Point], path: Path, ruleset: RuleSet, title: str) -> None:
    """Draw win rates by minutes of training as a PNG file.

    Args:
        points: Evaluations of the run, oldest first.
        path: The file.
        ruleset: Rules of the games; without an auction a dashed line shows equal strength.
        title: Title of the picture.
    """
    from matplotlib.figure import Figure  # without pyplot: no windows, no state of the process

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for name in opponents_in(point.wins for point in points):
        minutes = [point.minutes for point in points if name in point.wins]
        wins = [100 * point.wins[name] for point in points if name in point.wins]
        axes.plot(minutes, wins, marker="o", markersize=3, label=f"{name}: {wins[-1]:.1f}%")
    if (equal := par(ruleset)) is not None:
        axes.axhline(100 * equal, color="gray", linestyle="--", linewidth=1, label="equal strength")
    axes.set(title=title, xlabel="minutes of training", ylabel="games won, in %", ylim=(0, 100))
    axes.legend(title="one seat against copies of", loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.grid(alpha=0.3)
    with replace_file(path) as new:
        figure.savefig(new, format="png", dpi=150)
