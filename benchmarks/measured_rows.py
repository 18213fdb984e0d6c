"""Measurements as rows of JSON, the source of every number and table on the pages.

A row has `name`, `value`, `interval` (95% unless the name says otherwise; null if there is none), `unit`, and its origin:
`command`, `commit`, `processor`, `load` (runnable processes at the start), `date`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from side_by_side import machine

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = Path(__file__).parent / "results"


class Recorder:
    """Collects the rows of one run of a script and adds them to a file of `benchmarks/results`.

    Create it before the measurement: the load is read then.

    Args:
        name: Name of the file, without its suffix.
        command: Command line that repeats the measurement; the one of this process by default.
    """

    def __init__(self, name: str, command: str = "") -> None:
        self.path = RESULTS / f"{name}.json"
        self._rows: list[dict[str, Any]] = []
        commit = subprocess.run(
            ["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip()
        here = machine()
        self._origin = {
            "command": command or command_line(),
            "commit": commit or None,
            "processor": here["processor"],
            "load": None if here["load"] is None else round(here["load"], 2),
            "date": datetime.now(UTC).date().isoformat(),
        }

    def add(self, name: str, value: float, unit: str, interval: Iterable[float] | None = None) -> None:
        """Add a row.

        Args:
            name: What was measured; unique within the file.
            value: The result.
            unit: Its unit, such as "ratio", "%", "points per game", "ms".
            interval: Lower and upper bound.
        """
        bounds = None if interval is None else [significant(bound) for bound in interval]
        self._rows.append({"name": name, "value": significant(value), "interval": bounds, "unit": unit, **self._origin})

    def write(self) -> None:
        """Write the rows to the file, in place of earlier rows of the same names."""
        earlier = json.loads(self.path.read_text("utf-8")) if self.path.exists() else []
        new = {row["name"]: row for row in self._rows}
        rows = [new.pop(row["name"], row) for row in earlier]
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps([*rows, *new.values()], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def significant(value: float) -> float:
    """Return a number with four significant digits, all of them before the decimal point."""
    return round(value) if abs(value) >= 1000 else float(f"{value:.4g}")


def command_line() -> str:
    """Return the command of this process as it is typed in the root of the repository."""
    script = Path(sys.argv[0]).resolve()
    shown = script.relative_to(ROOT).as_posix() if script.is_relative_to(ROOT) else script.name
    return " ".join(["python", shown, *sys.argv[1:]])
