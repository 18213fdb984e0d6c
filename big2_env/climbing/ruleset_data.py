"""What makes a ruleset itself: a digest of the fields that decide the game, and what differs from another ruleset, as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from functools import lru_cache
from typing import Final

from big2_env.checked import hints_of
from big2_env.climbing.plain_data import Data, built, decoded, differing_fields, encoded
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_names import find
from big2_env.errors import ConfigError, quoted

PRESET: Final = "preset"
"""The key of the ruleset that changes are made to."""
DIGITS: Final = 16
"""Hexadecimal digits of a digest."""
_LABELS: Final = frozenset({"zh"})
"""Fields that name something and decide nothing."""


@lru_cache(maxsize=64)
def digest(ruleset: RuleSet) -> str:
    """Sixteen hexadecimal digits that stand for the rules: equal rules, equal digest, in every process and version.

    It is the start of the SHA-256 of the canonical JSON (`plain_data`, keys sorted, no blanks, ASCII) of all fields that differ
    from their defaults. Names decide nothing: the ruleset's own and all Chinese ones are left out.

    Raises:
        ConfigError: a part that cannot be written as data.
    """
    data = encoded(ruleset, RuleSet, skip=_LABELS)
    assert isinstance(data, dict)
    del data["name"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def changes(ruleset: RuleSet, base: RuleSet) -> dict[str, Data]:
    """The fields in which a ruleset differs from another, as plain data, without its name.

    Raises:
        ConfigError: a part that cannot be written as data.
    """
    return {
        field.name: encoded(getattr(ruleset, field.name), hint)
        for field, hint in differing_fields(ruleset, base)
        if field.name != "name"
    }


def whole(ruleset: RuleSet) -> dict[str, Data]:
    """All fields that differ from their defaults, as plain data."""
    data = encoded(ruleset, RuleSet)
    assert isinstance(data, dict)
    return data


def from_data(data: Mapping[str, Data], presets: Mapping[str, RuleSet], name: str | None = None) -> RuleSet:
    """The ruleset of a table: `preset`, the name of a ruleset to start from, and the fields that differ from it.

    Args:
        data: the table; without `preset` it has to have every field that has no default.
        presets: the rulesets that `preset` may name.
        name: the ruleset's name where the table gives none; by default the preset's.

    Raises:
        ConfigError: an unknown key or preset, a value that is none of its field, or parameters that contradict each other.
    """
    given = dict(data)
    start = given.pop(PRESET, None)
    hints = hints_of(RuleSet)
    if unknown := sorted(set(given) - set(hints)):
        raise ConfigError(f"unknown key {quoted(str(unknown[0]))}; allowed: {', '.join([PRESET, *hints])}")
    values = {key: decoded(value, hints[key], key) for key, value in given.items()}
    if name is not None:
        values.setdefault("name", name)
    if start is None:
        if missing := [field.name for field in fields(RuleSet) if field.default is MISSING and field.name not in values]:
            raise ConfigError(f"{missing[0]} is missing: expected {PRESET} with what differs from it, or a whole ruleset")
        found: RuleSet = built(RuleSet, values, "")
        return found
    base = find(start, presets) if isinstance(start, str) else None
    if base is None:
        raise ConfigError(f"{PRESET}: expected one of {', '.join(presets)}, got {quoted(str(start))}")
    return replace(base, **values)
