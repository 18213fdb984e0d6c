"""Folder of a training run: args.json and CSV files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError, quoted, reason_text
from big2_env.base.json_values import parse_object
from big2_env.base.outside import read_text
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.saved_rules import identity
from big2_env.runs.atomic_files import append_text, replace_file
from big2_env.runs.origin import commit, machine, versions
from big2_env.runs.resumable import check_same

CHECKPOINT: Final = "checkpoint.pt"
"""Name of the checkpoint; a folder without it holds no run yet."""
MAX_ARGS: Final = 1 << 20
"""Maximum size of args.json in bytes."""
IDENTITY: Final = "identity"
"""Key in args.json of the rules' identity (`big2_env.climbing.saved_rules`)."""
ORIGIN: Final = "origin"
"""Key in args.json of commit, versions and processor of the last call."""


def fraction_done(done: float, budget: float) -> float:
    """Return the completed fraction of a budget, at most 1; a budget of 0 is complete."""
    return min(1.0, done / budget) if budget > 0 else 1.0


def append_row(path: Path, row: Mapping[str, float]) -> None:
    """Add a row to a CSV file, rounded to five decimals; earlier rows get empty cells in new columns."""
    row = {name: round(value, 5) for name, value in row.items()}
    names = _header(path)
    if not set(row) <= set(names):
        names += [name for name in row if name not in names]
        with replace_file(path) as new, new.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            if path.exists():
                with path.open(newline="") as before:
                    writer.writerows(csv.DictReader(before))
    line = StringIO(newline="")
    csv.DictWriter(line, names).writerow(row)
    append_text(path, line.getvalue())


def _header(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return next(csv.reader(file), [])


def drop_rows_after(path: Path, iteration: int) -> None:
    """Drop the rows of a CSV file after a checkpoint's iteration (0: all rows); the run will write them again.

    Raises:
        ConfigError: A row does not begin with a number.
    """
    if not path.exists():
        return
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    whole = [row for row in rows[1:] if len(row) == len(rows[0])] if iteration else []
    if strange := [row for row in whole if not "".join(row[:1]).isdecimal()]:
        raise ConfigError(
            f"{path}: expected rows of a run that begin with an iteration, got {quoted(','.join(strange[0]), 40)}"
        )
    kept = [row for row in whole if int(row[0]) <= iteration]
    if not kept:  # perhaps killed before the header was written
        path.unlink()
        return
    with replace_file(path) as new, new.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *kept])


def read_args(folder: Path) -> dict[str, Any]:
    """Return the hyper-parameters of the run in a folder.

    Raises:
        ConfigError: The folder has no run, or its args.json is broken.
    """
    path = folder / "args.json"
    try:
        return parse_object(read_text(path, MAX_ARGS))
    except (OSError, NotationError) as error:
        raise ConfigError(f"{path}: expected the arguments of a run: {reason_text(error)}") from None


def saved_bfloat16(folder: Path) -> bool | None:
    """Return the precision with which the run in a folder began; `None` if unknown.

    Args:
        folder: The folder. Without a checkpoint it holds no run yet.

    Raises:
        ConfigError: args.json is broken.
    """
    if not ((folder / CHECKPOINT).exists() and (folder / "args.json").exists()):
        return None
    saved = read_args(folder).get("bfloat16")
    return saved if isinstance(saved, bool) else None


def checked_args(args: Any, fixed: Iterable[str]) -> str:
    """Return the text of args.json for the hyper-parameters of a run, a dataclass, after a look into its folder `args.out`.

    Args:
        args: The hyper-parameters.
        fixed: Names of hyper-parameters that must not change when a run continues.

    Raises:
        ConfigError: The folder holds a run with other `fixed` hyper-parameters, or its args.json is broken.
    """
    path = args.out / "args.json"
    rules = ruleset(args.ruleset)
    made = vars(args) | {ORIGIN: origin(), "ruleset": rules.name, IDENTITY: identity(rules)}
    if (args.out / CHECKPOINT).exists() and path.exists():
        before, names = read_args(args.out), [*fixed, IDENTITY]
        check_same({name: made[name] for name in names}, {name: before.get(name) for name in names}, f"{args.out}: ")
    return json.dumps(made, default=str, indent=1)


def origin() -> dict[str, Any]:
    """Return commit, package versions and processor, on which the result of a run may depend."""
    packages = versions(["big2_env", "numba", "numpy", "torch"])
    return {"commit": commit(), "versions": packages, "processor": machine()["processor"]}
