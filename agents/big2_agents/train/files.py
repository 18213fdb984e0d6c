"""The folder of a training run: what it is made of, its CSV files, and what a kill left in them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from big2_env.errors import ConfigError


def append(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a CSV file; the first one writes the header."""
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, row)
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def forget_after(path: Path, iteration: int) -> None:
    """Drop the rows of a CSV file that were written after a checkpoint: the run makes those iterations again."""
    if not path.exists():
        return
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    kept = [row for i, row in enumerate(rows) if i == 0 or (len(row) == len(rows[0]) and int(row[0]) <= iteration)]
    if not kept:  # killed before the header was written
        path.unlink()
        return
    with path.with_suffix(".new").open("w", newline="") as file:
        csv.writer(file).writerows(kept)
    path.with_suffix(".new").replace(path)


def note_args(args: Any, fixed: Iterable[str]) -> None:
    """Write what a run is made of, a dataclass with its folder as `out`, into that folder.

    Raises:
        ConfigError: the folder holds another run: one of the `fixed` arguments differs.
    """
    path = args.out / "args.json"
    if (args.out / "checkpoint.pt").exists() and path.exists():
        before = json.loads(path.read_text())
        for name in fixed:
            if before.get(name) != getattr(args, name):
                given, held = getattr(args, name), before.get(name)
                raise ConfigError(f"{name} {given}: the run in {args.out} has {held}; allowed is that, or another folder")
    path.write_text(json.dumps(asdict(args), default=str, indent=1))
