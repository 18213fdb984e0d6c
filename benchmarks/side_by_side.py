"""Timing of loops in interleaved rounds, with tables and a raw report; shared by the scripts of this folder.

Each round times every loop once, so that a slow moment of the machine affects all loops alike. The median of the rounds
counts.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from big2_env.runs.origin import machine, versions

SecondsOption = Annotated[float, typer.Option(help="Seconds per loop, all rounds together.", min=0.01)]
RoundsOption = Annotated[int, typer.Option(help="Number of rounds; results are their medians.", min=1)]


@dataclass
class Contestant:
    """A loop to time, with its results.

    Args:
        name: Name of its row.
        package: Package that it needs; the loop is left out if that is not installed.
        make: Function that sets the loop up and returns a function which does some work and returns the number of units done.
    """

    name: str
    package: str
    make: Callable[[], Callable[[], int]]
    rates: list[float] = field(default_factory=list)
    """Units per wall-clock second, by round."""
    missing: str = ""
    """The reason why it was left out."""

    @property
    def median(self) -> float:
        """The median of the rounds in units per second."""
        return statistics.median(self.rates)


def step_by_numpy(envs: Any, steps: int, seed: int) -> Callable[[], int]:
    """Return work on a vector environment: steps with random legal actions that numpy draws outside of it."""
    import numpy as np

    envs.reset(seed=seed)
    rng, rows = np.random.default_rng(seed), np.arange(envs.num_envs)

    def work() -> int:
        for _ in range(steps):
            counts, ids = envs.legal_ids()
            envs.step(ids[rows, (rng.random(len(rows)) * counts).astype(np.intp)])
        return steps * len(rows)

    return work


def run_for(work: Callable[[], int], seconds: float) -> float:
    """Repeat work for at least the given seconds and return units per second."""
    units, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        units += work()
    return units / elapsed


def measure(contestants: Sequence[Contestant], seconds: float, rounds: int) -> None:
    """Time every contestant once per round.

    Args:
        contestants: The loops; their rates are added to them.
        seconds: Seconds per loop, all rounds together.
        rounds: Number of rounds.
    """
    loops = []
    for contestant in contestants:
        try:
            work = contestant.make()
        except ImportError as error:
            contestant.missing = f"not installed: {error.name or error}"
            continue
        work()  # first calls build tables and caches
        loops.append((contestant, work))
    for number in track(range(rounds * len(loops)), "measuring", console=Console(stderr=True)):
        contestant, work = loops[number % len(loops)]
        contestant.rates.append(run_for(work, seconds / rounds))


def pairwise_ratio(one: Contestant, other: Contestant) -> float:
    """Return the median over the rounds of one rate divided by another."""
    return statistics.median(a / b for a, b in zip(one.rates, other.rates, strict=True))


def rulesets_asked(names: Sequence[str] | None) -> list[str]:
    """Return the given names of rulesets, or all names for none.

    Raises:
        BadParameter: A name is not a ruleset.
    """
    from big2_env.climbing.rulesets import available_rulesets

    known = sorted(available_rulesets())
    if unknown := sorted(set(names or ()) - set(known)):
        raise typer.BadParameter(f"unknown: {', '.join(unknown)}; expected some of {', '.join(known)}")
    return list(names or known)


def print_table(contestants: Sequence[Contestant], title: str, unit: str) -> None:
    """Print a row for each contestant; the last column is its speed relative to the first contestant."""
    table = Table(title=title)
    table.add_column("loop", no_wrap=True)
    for column in (f"{unit}s/s", "min", "max", "µs each", "of first"):
        table.add_column(column, justify="right")
    console = wide_console()
    timed = [one for one in contestants if one.rates]
    for one in timed:
        rates = [f"{rate:,.0f}" for rate in (one.median, min(one.rates), max(one.rates))]
        each = 1e6 / one.median
        table.add_row(one.name, *rates, f"{each:,.{1 if each >= 10 else 3}f}", f"{one.median / timed[0].median:.2f}")
    console.print(table)
    for one in contestants:
        if one.missing:
            console.print(f"left out: {one.name} ({one.missing})", markup=False, soft_wrap=True)


def print_figures(figures: Mapping[str, float], title: str, decimals: int = 2) -> None:
    """Print a row for each number."""
    table = Table(title=title)
    table.add_column("measured", no_wrap=True)
    table.add_column("result", justify="right")
    for what, figure in figures.items():
        table.add_row(what, f"{figure:,.{decimals}f}")
    wide_console().print(table)


def wide_console(stderr: bool = False) -> Console:
    """Return a console that does not fold tables if the output is a file or a pipe."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(width=120, stderr=stderr)


def report(contestants: Sequence[Contestant], unit: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the raw report of a measurement, ready for JSON."""
    return {
        "command": " ".join(sys.argv),
        "unit": unit,
        "settings": settings,
        "machine": machine(),
        "versions": versions({"big2_env", "numpy", "numba", *(contestant.package for contestant in contestants)}),
        "results": [
            {"name": one.name} | ({"median": one.median, "rounds": one.rates} if one.rates else {"missing": one.missing})
            for one in contestants
        ],
    }


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write a report as JSON."""
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
