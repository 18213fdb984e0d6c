"""The folder of a training run: what it is made of, its CSV files, and what a kill left in them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any, Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.errors import ConfigError
from big2_env.json_values import shown
from big2_env.runs.replacing import append as add
from big2_env.runs.replacing import replacing

IDENTITY: Final = "identity"
"""The key of args.json that says which rules the name in `ruleset` means (`big2_env.climbing.saved_rules`)."""


def append(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a CSV file, and the columns that it does not have yet: they are empty in the rows before."""
    names = _header(path)
    if not set(row) <= set(names):
        names += [name for name in row if name not in names]
        with replacing(path) as new, new.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            if path.exists():
                with path.open(newline="") as before:
                    writer.writerows(csv.DictReader(before))
    line = StringIO(newline="")
    csv.DictWriter(line, names).writerow(row)
    add(path, line.getvalue())


def _header(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return next(csv.reader(file), [])


def forget_after(path: Path, iteration: int) -> None:
    """Drop the rows of a CSV file that were written after a checkpoint, 0 for none: the run makes those iterations again."""
    if not path.exists():
        return
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    kept = [row for row in rows[1:] if len(row) == len(rows[0]) and int(row[0]) <= iteration] if iteration else []
    if not kept:  # perhaps killed before the header was written
        path.unlink()
        return
    with replacing(path) as new, new.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *kept])


def read_args(folder: Path) -> dict[str, Any]:
    """What the run in a folder is made of.

    Raises:
        ConfigError: the folder has no run, or its args.json is broken.
    """
    path = folder / "args.json"
    try:
        made = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: what a run is made of cannot be read ({type(error).__name__})") from None
    if not isinstance(made, dict):
        raise ConfigError(f"{path}: expected what a run wrote there, a JSON object, got a {type(made).__name__}")
    return made


def note_args(args: Any, fixed: Iterable[str], checkpoint: str = "checkpoint.pt") -> None:
    """Write what a run is made of, a dataclass with its folder as `out`, into that folder.

    A folder without the file `checkpoint` holds no run yet.

    Raises:
        ConfigError: the folder holds another run: one of the `fixed` arguments differs; or its args.json is broken.
    """
    path = args.out / "args.json"
    made = {field.name: getattr(args, field.name) for field in fields(args)}
    if "ruleset" in made:
        rules = ruleset(made["ruleset"])
        made |= {"ruleset": rules.name, IDENTITY: identity(rules)}
    if (args.out / checkpoint).exists() and path.exists():
        before = read_args(args.out)
        for name in fixed:
            if before.get(name) != made[name]:
                given, held = made[name], before.get(name)
                raise ConfigError(f"expected {name} {held}, as the run in {args.out} has it, or another folder, got {given}")
        if "ruleset" in fixed and IDENTITY in before and before[IDENTITY] != made[IDENTITY]:
            raise ConfigError(
                f"ruleset {made['ruleset']}: the run in {args.out} was made under other rules, {shown(before[IDENTITY])}; "
                f"expected {shown(made[IDENTITY])}, or another folder"
            )
    with replacing(path) as new:
        new.write_text(json.dumps(made, default=str, indent=1))


def rules_of_run(made: Mapping[str, Any]) -> RuleSet:
    """The ruleset of a run, given what `read_args` says of it.

    Raises:
        NotationError, ConfigError: it names none, or one that is not known here.
    """
    return SavedRules().of(made.get(IDENTITY) or {"ruleset": made.get("ruleset")})
