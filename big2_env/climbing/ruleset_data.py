"""Rulesets as data: digests, differences between rulesets, ruleset files, and lookup by name.

A ruleset file is a JSON or TOML table: a preset with changes, or a whole ruleset. `plain_data` lists how values are written. An
example is `strict.toml`, in which a player who passes is locked out for the round:

    preset = "big2"
    pass_lock = "round"
    scoring = { kind = "CardsLeft", steps = [[8, 2], [10, 3]] }
    patterns = ["single", "pair", { pattern = { kind = "straight", suits = "mixed" }, group = "five" }]

Without `name`, the ruleset is called after its file, here `strict`.

Names may be identifiers, titles or synonyms, in English or either Chinese script. Case, spaces, `_`, `-`, commas and
brackets are ignored. A name is looked up as given and then with digits replaced by Chinese numerals, so `7鬼523` finds
七鬼五二三. Titles and synonyms are in the catalogue under `game` and `game_synonyms`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError, one_line, quoted
from big2_env.base.json_values import parse_object, parse_toml
from big2_env.base.language import folded
from big2_env.base.language.words import catalogue
from big2_env.base.outside import read_text
from big2_env.base.validated import hints_of
from big2_env.climbing.parts import MAX_NAME
from big2_env.climbing.plain_data import Data, built, decoded, differing_fields, encoded
from big2_env.climbing.ruleset import RuleSet

PRESET: Final = "preset"
"""Key of the ruleset that the changes apply to."""
DIGEST_DIGITS: Final = 16
_LABELS: Final = frozenset({"zh"})
"""Fields that only name something and do not affect the game."""
SUFFIXES: Final = (".json", ".toml")
MAX_BYTES: Final = 1 << 16
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
NEAREST: Final = 3
"""Number of names suggested for an unknown one."""
ALIKE: Final = 0.65
"""Similarity required of a suggested name, from 0 to 1."""
_NUMERALS: Final = str.maketrans("0123456789", "〇一二三四五六七八九")


def find_ruleset(name: str, rulesets: Mapping[str, RuleSet]) -> RuleSet | None:
    """Return the ruleset with a given name, or None. An exact identifier takes precedence over other names.

    Args:
        name: Identifier, title or synonym.
        rulesets: Rulesets by identifier.

    >>> from big2_env.climbing.rulesets import available_rulesets
    >>> rules = find_ruleset("7鬼523", available_rulesets())
    >>> rules.name
    'qi_gui_523'
    """
    if name in rulesets:
        return rulesets[name]
    if len(name) > MAX_NAME:
        return None
    names, asked = _names(rulesets), folded(name)
    found = names.get(asked) or names.get(asked.translate(_NUMERALS))
    return None if found is None else rulesets[found]


def unknown_ruleset(name: str, rulesets: Mapping[str, RuleSet], more: Sequence[str] = (), others: Sequence[str] = ()) -> str:
    """Return the error text for an unknown ruleset name. It suggests similar names if there are any, else lists all.

    Args:
        name: The unknown name.
        rulesets: Rulesets by identifier.
        more: Further names that are allowed.
        others: Descriptions of other allowed values, such as a file.
    """
    names = _names(rulesets) | {folded(one): one for one in more}
    asked = folded(name[:MAX_NAME])
    close = [one for form in (asked, asked.translate(_NUMERALS)) for one in get_close_matches(form, names, NEAREST, ALIKE)]
    if nearest := list(dict.fromkeys(names[one] for one in close))[:NEAREST]:
        return f"unknown ruleset {quoted(name)}; did you mean {_listed(nearest)}? (big2 games lists all)"
    return f"unknown ruleset {quoted(name)}; expected {_listed([*rulesets, *more, *others])}"


def _listed(names: Sequence[str]) -> str:
    """Return names separated by commas, with `or` before the last."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _names(rulesets: Mapping[str, RuleSet]) -> dict[str, str]:
    """Return the identifiers by every folded name. For shared names, identifiers win over titles, and titles over synonyms."""
    found: dict[str, str] = {}
    titles = [(name, [rules.zh, *catalogue().get(f"game.{name}", {}).values()]) for name, rules in rulesets.items()]
    synonyms = [(name, catalogue().get(f"game_synonyms.{name}", {}).values()) for name in rulesets]
    for name, called in [
        *((name, [name]) for name in rulesets),
        *titles,
        *((name, [one for text in texts for one in text.split(",")]) for name, texts in synonyms),
    ]:
        for one in called:
            found.setdefault(folded(one), name)
    return found


@lru_cache(maxsize=64)
def digest(ruleset: RuleSet) -> str:
    """Return sixteen hexadecimal digits that identify the rules: equal rules have equal digests in every process and version.

    The digest is the start of a SHA-256 over the canonical JSON (`plain_data`, sorted keys, no blanks, ASCII) of all fields
    that differ from their defaults. The ruleset's name and all Chinese names are left out.

    Raises:
        ConfigError: A part cannot be written as data.
    """
    data = encoded(ruleset, RuleSet, skip=_LABELS)
    assert isinstance(data, dict)
    del data["name"]
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def changes(ruleset: RuleSet, base: RuleSet) -> dict[str, Data]:
    """Return the fields in which a ruleset differs from another, as plain data without the name.

    Raises:
        ConfigError: A part cannot be written as data.
    """
    return {
        field.name: encoded(getattr(ruleset, field.name), hint)
        for field, hint in differing_fields(ruleset, base)
        if field.name != "name"
    }


def differences(ruleset: RuleSet, base: RuleSet) -> list[str]:
    """Return the names of the fields in which the rules of a ruleset differ from another's."""
    return [field.name for field, _ in differing_fields(ruleset, base) if field.name not in ("name", *_LABELS)]


def whole(ruleset: RuleSet) -> dict[str, Data]:
    """Return all fields that differ from their defaults, as plain data."""
    data = encoded(ruleset, RuleSet)
    assert isinstance(data, dict)
    return data


def from_data(data: Mapping[str, Data], presets: Mapping[str, RuleSet], name: str | None = None) -> RuleSet:
    """Return the ruleset of a table: a `preset` to start from, and the fields that differ from it.

    Args:
        data: The table. Without `preset` it must have every field that has no default.
        presets: Rulesets that `preset` may name.
        name: Name of the ruleset if the table gives none; None for the preset's.

    Raises:
        ConfigError: A key or preset is unknown, a value has the wrong type, or the parameters contradict each other.
    """
    given = dict(data)
    start = given.pop(PRESET, None)
    hints = hints_of(RuleSet)
    if extra := sorted(set(given) - set(hints)):
        raise ConfigError(f"unknown key {quoted(str(extra[0]))}; allowed: {', '.join([PRESET, *hints])}")
    values = {key: decoded(value, hints[key], key) for key, value in given.items()}
    if name is not None:
        values.setdefault("name", name)
    if start is None:
        if missing := [field.name for field in fields(RuleSet) if field.default is MISSING and field.name not in values]:
            raise ConfigError(f"{missing[0]} is missing: expected {PRESET} with what differs from it, or a whole ruleset")
        found: RuleSet = built(RuleSet, values, "")
        return found
    base = find_ruleset(start, presets) if isinstance(start, str) else None
    if base is None:
        raise ConfigError(f"{PRESET}: expected one of {', '.join(presets)}, got {quoted(str(start))}")
    return replace(base, **values)


def read_ruleset(path: Path, presets: Mapping[str, RuleSet]) -> RuleSet:
    """Read a ruleset file.

    Args:
        path: The file. Its suffix, `.json` or `.toml`, selects the format.
        presets: Rulesets that the file may start from, by name.

    Raises:
        OSError: The file cannot be read.
        ConfigError: The file does not hold a valid ruleset; the message gives file and location.
    """
    try:
        ruleset = from_data(_parsed(read_text(path, MAX_BYTES), path.suffix.lower()), presets, path.stem)
        if not _FILE_NAME.fullmatch(ruleset.name):
            taken = "" if ruleset.name != path.stem else ", the file's own; give it a name = ..."
            raise ConfigError(f"name: expected up to 60 letters, digits, _ and -, got {quoted(ruleset.name)}{taken}")
    except (ConfigError, NotationError) as error:
        raise ConfigError(f"{path}: {one_line(str(error), 600)}") from None
    return ruleset


def _parsed(text: str, suffix: str) -> dict[str, Any]:
    """Return the table of a text."""
    if suffix not in SUFFIXES:
        raise ConfigError(f"expected a file name that ends in {' or '.join(SUFFIXES)}")
    return parse_object(text) if suffix == ".json" else parse_toml(text)


def dump_ruleset(ruleset: RuleSet, base: RuleSet | None = None) -> str:
    """Return a ruleset as the text of a JSON file.

    Args:
        ruleset: The ruleset.
        base: Ruleset that the file starts from, by name; None for a complete file.

    Raises:
        ConfigError: A part cannot be written as data.
    """
    data = whole(ruleset) if base is None else {PRESET: base.name, "name": ruleset.name, **changes(ruleset, base)}
    rows = (f"  {json.dumps(key)}: {_row(value)}" for key, value in data.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _row(value: Any) -> str:
    """Return a value on one line, or a list of tables with one line each."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)
