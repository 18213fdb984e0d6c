"""Rulesets as data: a digest of the fields that decide the game, tables of what differs from another ruleset, files, names.

A ruleset file is a JSON or TOML table of a preset with changes, or of a whole ruleset; `plain_data` says what stands for what.
A game of three with the passed locked out, as `strict.toml`:

    preset = "big2"
    pass_lock = "round"
    scoring = { kind = "CardsLeft", steps = [[8, 2], [10, 3]] }
    patterns = ["single", "pair", { pattern = { kind = "straight", suits = "mixed" }, group = "five" }]

Without `name` the ruleset is called as the file is, here `strict`.

People write identifiers, titles and synonyms, in English and in either Chinese script. Case, spaces, `_`, `-`, commas and
brackets make no difference. A name is looked up as it is, and then with its digits read as Chinese numerals, so `7鬼523` is
七鬼五二三. Titles are the catalogue's `game`, synonyms its `game_synonyms`.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_env.checked import hints_of
from big2_env.climbing.plain_data import Data, built, decoded, differing_fields, encoded
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, NotationError, one_line, quoted
from big2_env.json_values import parse_object
from big2_env.language.words import catalogue

PRESET: Final = "preset"
"""The key of the ruleset that changes are made to."""
DIGEST_DIGITS: Final = 16
_LABELS: Final = frozenset({"zh"})
"""Fields that name something and decide nothing."""
SUFFIXES: Final = (".json", ".toml")
MAX_BYTES: Final = 1 << 16
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
MAX_NAME: Final = 100
NEAREST: Final = 3
"""How many names are suggested for one that is unknown."""
ALIKE: Final = 0.65
"""How much a suggested name has to be like the one that is unknown, from 0 to 1."""
_NUMERALS: Final = str.maketrans("0123456789", "〇一二三四五六七八九")
_IGNORED: Final = re.compile(r"[\s_\-(),]+")


def folded(name: str) -> str:
    """A name without what makes no difference.

    >>> folded("Dou_Dizhu"), folded("竞技二打一（扑克）")
    ('doudizhu', '竞技二打一扑克')
    """
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name).casefold())


def find_ruleset(name: str, rulesets: Mapping[str, RuleSet]) -> RuleSet | None:
    """The ruleset that a name stands for, `None` if it stands for none. Its own identifier comes before all other names.

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
    """The error text for a name that stands for no ruleset: the nearest names if there are any, else all that are expected.

    Args:
        name: what was given.
        rulesets: the rulesets by their identifiers.
        more: further names that would do.
        others: what else would do and is no name.
    """
    names = _names(rulesets) | {folded(one): one for one in more}
    asked = folded(name[:MAX_NAME])
    close = [one for form in (asked, asked.translate(_NUMERALS)) for one in get_close_matches(form, names, NEAREST, ALIKE)]
    if nearest := list(dict.fromkeys(names[one] for one in close))[:NEAREST]:
        return f"unknown ruleset {quoted(name)}; did you mean {_listed(nearest)}? (big2 games lists all)"
    return f"unknown ruleset {quoted(name)}; expected {_listed([*rulesets, *more, *others])}"


def _listed(names: Sequence[str]) -> str:
    """Names with commas between, and `or` before the last."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _names(rulesets: Mapping[str, RuleSet]) -> dict[str, str]:
    """The identifiers by every folded name. Of a shared name, identifiers win over titles, and titles over synonyms."""
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
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


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
        if not _FILE_NAME.fullmatch(ruleset.name):
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


def dump_ruleset(ruleset: RuleSet, base: RuleSet | None = None) -> str:
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
