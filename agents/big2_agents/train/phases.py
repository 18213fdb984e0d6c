"""A training run of several phases from one TOML file: what lies beside each shipped model, and makes it again.

At the top are hyper-parameters of `CandidatePpoParameters` by name; each table `[[phase]]` changes some for the minutes that it
names. The ruleset, the seed and the widths are those of the whole run. A file without phases is a run of one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_type_hints

from big2_agents.models import models_folder
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_env.errors import ConfigError, quoted
from big2_env.json_values import shown

PHASE: Final = "phase"
MAX_BYTES: Final = 1 << 16
"""Size that a file may have."""
WHOLE: Final = ("ruleset", "seed", "width", "init", "out", "workers", "staleness")
"""What a phase cannot change."""


def config_path(name: str) -> Path:
    """The file of a name: a path, or the name of a shipped model that has one.

    Raises:
        ConfigError: there is no such file.
    """
    shipped = models_folder() / f"{name}.toml"
    if Path(name).is_file() or not shipped.is_file():
        return Path(name)
    return shipped


def read_phases(path: Path, changes: Mapping[str, Any]) -> list[CandidatePpoParameters]:
    """The phases that a file says, one after the other; the minutes of each count from the begin of the run.

    Args:
        path: the TOML file.
        changes: hyper-parameters that stand before those of the file, by name. `minutes` among them ends the run there.

    Raises:
        ConfigError: no such file, names that are no hyper-parameters, values of another type.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path}: expected at most {MAX_BYTES:,} bytes, got {path.stat().st_size:,}")
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: no training config ({type(error).__name__}: {error})") from None
    tables = data.pop(PHASE, [{}])
    if not (isinstance(tables, list) and tables and all(isinstance(table, dict) for table in tables)):
        raise ConfigError(f"{path}: expected tables [[{PHASE}]], got {shown(tables)}")
    found, begun, last = [], 0.0, float(changes.get("minutes", "inf"))
    for table in tables:
        if kept := set(table) & set(WHOLE):
            raise ConfigError(f"{path}: expected {', '.join(sorted(kept))} at the top of the file, got it in a phase")
        made = _parameters(path, {**data, **table, **{name: value for name, value in changes.items() if name != "minutes"}})
        begun += made.minutes
        made.minutes = min(begun, last)
        found.append(made)
        if begun >= last:
            break
    return found


def _parameters(path: Path, given: Mapping[str, Any]) -> CandidatePpoParameters:
    types = get_type_hints(CandidatePpoParameters)
    names = [each.name for each in fields(CandidatePpoParameters)]
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names:
            raise ConfigError(f"{path}: expected hyper-parameters ({', '.join(names)}), got {quoted(name)}")
        made[name] = _of_type(path, name, value, types[name])
        limits = next(each.metadata for each in fields(CandidatePpoParameters) if each.name == name)
        if limits.get("min") is not None and made[name] < limits["min"]:
            raise ConfigError(f"{path}: expected {name} from {limits['min']} on, got {shown(value)}")
        if limits.get("max") is not None and made[name] > limits["max"]:
            raise ConfigError(f"{path}: expected {name} up to {limits['max']}, got {shown(value)}")
    return CandidatePpoParameters(**made)


def _of_type(path: Path, name: str, value: Any, kind: type) -> Any:
    if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float and is_number:
        return float(value)
    if kind not in (int, float, bool) and isinstance(value, str):  # a path, or a name of a few
        try:
            return kind(value)
        except ValueError:
            pass
    expected = getattr(kind, "__name__", str(kind)).lower()
    raise ConfigError(f"{path}: expected a {expected} for {name}, got {shown(value)}")
