"""Ruleset files: JSON or TOML tables of a preset with changes, or of a whole ruleset. `plain_data` says what stands for what.

A game of three with the passed locked out, as `strict.toml`:

    preset = "big2"
    pass_lock = "round"
    scoring = { kind = "CardsLeft", steps = [[8, 2], [10, 3]] }
    patterns = ["single", "pair", { pattern = { kind = "straight", suits = "mixed" }, group = "five" }]

Without `name` the ruleset is called as the file is, here `strict`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import PRESET, changes, from_data, whole
from big2_env.errors import ConfigError, NotationError, one_line, quoted
from big2_env.json_values import parse_object

SUFFIXES: Final = (".json", ".toml")
MAX_BYTES: Final = 1 << 16
"""Most bytes that a ruleset file may have."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


def read(path: Path, presets: Mapping[str, RuleSet]) -> RuleSet:
    """The ruleset of a file; its name says the form, `.json` or `.toml`.

    Args:
        path: the file.
        presets: the rulesets that it may start from, by name.

    Raises:
        OSError: the file cannot be read.
        ConfigError: it is no ruleset, with the file and the place.
    """
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)  # what a file says of its size does not bound a pipe
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path}: more than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
        ruleset = from_data(_parsed(text, path.suffix.lower()), presets, path.stem)
        if not _NAME.fullmatch(ruleset.name):
            taken = "" if ruleset.name != path.stem else ", the file's own; give it a name = ..."
            raise ConfigError(f"name: expected up to 60 letters, digits, _ and -, got {quoted(ruleset.name)}{taken}")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    except (ConfigError, NotationError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {one_line(str(error), 600)}") from None
    return ruleset


def _parsed(text: str, suffix: str) -> dict[str, Any]:
    """The table of a text."""
    if suffix not in SUFFIXES:
        raise ConfigError(f"expected a file name that ends in {' or '.join(SUFFIXES)}")
    if suffix == ".json":
        return parse_object(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError("too deeply nested") from None


def dumps(ruleset: RuleSet, base: RuleSet | None = None) -> str:
    """A ruleset as the text of a JSON file.

    Args:
        ruleset: what to write.
        base: the ruleset that the file starts from, under its name; `None` for a file that stands alone.

    Raises:
        ConfigError: a part that cannot be written as data.
    """
    data = whole(ruleset) if base is None else {PRESET: base.name, "name": ruleset.name, **changes(ruleset, base)}
    rows = (f"  {json.dumps(key)}: {_row(value)}" for key, value in data.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _row(value: Any) -> str:
    """A value on one line, or a list of tables with a line for each."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)
