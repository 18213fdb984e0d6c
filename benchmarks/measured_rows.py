"""Measurements as rows of JSON: the source of measured numbers and tables on pages.

A row has `name`, `value`, `interval`, `unit` and its origin: `command`, `commit`, `processor`, `load` (runnable processes
at the start of the run) and `date`. An interval is a 95% confidence interval unless the name ends in "range of rounds" or
"range of N rounds"; it is null if there is none.

Each script has a function `rows` that makes rows of its raw report. Its `--record` adds them to
`benchmarks/results/SCRIPT.json`, or to the folder that the environment variable `BENCHMARK_RESULTS` names.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from math import floor, log10
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final, NamedTuple

import typer
from side_by_side import write_json

from big2_env.runs.origin import commit, machine

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = Path(os.environ.get("BENCHMARK_RESULTS") or Path(__file__).parent / "results")

JsonOption = Annotated[Path | None, typer.Option("--json", help="JSON file for the raw report.")]
RecordOption = Annotated[bool, typer.Option("--record", help="Add rows to `benchmarks/results`.")]


class Row(NamedTuple):
    """One result of a measurement."""

    name: str
    """Quantity and conditions; unique within a file."""
    value: float
    unit: str
    """Such as "ratio", "%", "points per game", "ms"."""
    interval: tuple[float, float] | None = None


class Recorder:
    """Writer of a script's results: its raw report, and its rows in a file of `benchmarks/results`.

    Create it before the measurement, since it reads the load of the machine.

    Args:
        name: Name of the script and of the file, without suffix.
        origin: Command, commit, processor, load and date of a measurement made elsewhere; this process's own by default.
    """

    def __init__(self, name: str, origin: Mapping[str, Any] | None = None) -> None:
        self.path = RESULTS / f"{name}.json"
        self.origin = own_origin() if origin is None else dict(origin)

    def save(
        self, report: Mapping[str, Any], rows: Callable[[Any], Iterable[Row]], json_file: Path | None, record: bool
    ) -> None:
        """Write the outputs that a script was asked for.

        Args:
            report: The raw report.
            rows: Function that makes rows of it.
            json_file: File for the report, None for none.
            record: True to add the rows to the results.
        """
        if json_file is not None:
            write_json(json_file, {"origin": self.origin, **report})
        if record:
            self.add(rows(report))

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows to the file, replacing earlier rows of the same names."""
        new = {row.name: {**_rounded(row), **self.origin} for row in rows}
        earlier = json.loads(self.path.read_text("utf-8")) if self.path.exists() else []
        kept = [new.pop(row["name"], row) for row in earlier]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps([*kept, *new.values()], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(row: Row) -> dict[str, Any]:
    if row.interval is None:
        return {"name": row.name, "value": significant(row.value), "interval": None, "unit": row.unit}
    low, high = row.interval
    value, *interval = (significant(number, (high - low) / 2) for number in (row.value, low, high))
    return {"name": row.name, "value": value, "interval": interval, "unit": row.unit}


def significant(number: float, half: float = 0.0) -> float:
    """Return a number rounded to four significant digits, with two digits of the half width of its interval, if any.

    Digits before the decimal point are kept.
    """
    decimals = [wanted - 1 - floor(log10(abs(part))) for part, wanted in ((number, 4), (half, 2)) if part]
    digits = max([0, *decimals])
    return round(number, digits) if digits else round(number)


def own_origin() -> dict[str, Any]:
    """Return the origin of what this process measures."""
    here = machine()
    return {
        "command": command_line(),
        "commit": commit(),
        "processor": here["processor"],
        "load": None if here["load"] is None else round(here["load"], 2),
        "date": datetime.now(UTC).date().isoformat(),
    }


def command_line() -> str:
    """Return the command of this process as typed in the root of the repository, without its options for output."""
    script = Path(sys.argv[0]).resolve()
    words = [script.relative_to(ROOT).as_posix() if script.is_relative_to(ROOT) else script.name]
    given = iter(sys.argv[1:])
    for word in given:
        if word == "--json":
            next(given, None)
        elif word != "--record" and not word.startswith("--json="):
            words.append(f'"{word}"' if " " in word else word)
    threads = os.environ.get("OMP_NUM_THREADS")
    return " ".join([*([f"OMP_NUM_THREADS={threads}"] if threads else []), "python", *words])


def rounds_of(report: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return the rates by round of each timed loop in a report of `side_by_side.report`."""
    return {result["name"]: result["rounds"] for result in report["results"] if "rounds" in result}


def rates(report: Mapping[str, Any], names: Iterable[str] | None = None) -> Iterator[Row]:
    """Yield the rate of each loop: the median and the range of the rounds.

    Args:
        report: A report of `side_by_side.report`.
        names: The loops, all by default; missing ones are skipped.
    """
    found = rounds_of(report)
    for name in found if names is None else names:
        if name in found:
            value, interval = median(found[name]), (min(found[name]), max(found[name]))
            yield Row(f"rate of {name}, range of rounds", value, report["unit"], interval)


def relative(rounds: Mapping[str, list[float]], names: Iterable[str], peer: str) -> Iterator[Row]:
    """Yield the speed of loops relative to a peer, round by round: the median and the range.

    Args:
        rounds: Rates by loop and round, as `rounds_of` returns them.
        names: The loops; missing ones are skipped.
        peer: The loop to compare with; if it is missing, nothing is yielded.
    """
    for name in names:
        if peer in rounds and name in rounds:
            ratios = [own / other for own, other in zip(rounds[name], rounds[peer], strict=True)]
            interval = min(ratios), max(ratios)
            yield Row(f"speed of {name} relative to {peer}, range of rounds", median(ratios), "ratio", interval)


def around(value: float, half: float) -> tuple[float, float]:
    """Return the interval with a center and half of its width."""
    return value - half, value + half
