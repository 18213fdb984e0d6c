"""Identity of the rules in a saved game: how records, positions and results files store their ruleset, and how it is read.

| key | value |
| --- | --- |
| `ruleset` | name of the ruleset |
| `scoring` | name of the settlement; absent if it has none, because it is the ruleset's own or among the changes |
| `rules` | table, see below |

| key of `rules` | value |
| --- | --- |
| `digest` | `ruleset_data.digest` of the ruleset |
| `preset` | ruleset that the changes apply to, unless it has the same name |
| `changes` | fields that differ from the preset, as in ruleset files; absent if there are none |

Games saved under the rules of `earlier_rules` keep them. Without `rules`, the name alone identifies the ruleset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import shown, text_at
from big2_env.climbing.parts import MAX_NAME
from big2_env.climbing.plain_data import Data
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import PRESET, changes, digest, from_data, unknown_ruleset
from big2_env.climbing.rulesets import available_rulesets, named, preset
from big2_env.climbing.settlement import SCORINGS, settlement

KEYS: Final = ("ruleset", "scoring", "rules")
MAX_MADE: Final = 64
"""Maximum number of rulesets that a reader keeps."""


def identity(ruleset: RuleSet) -> dict[str, Any]:
    """Return the keys that identify a ruleset in a JSON object.

    Raises:
        ConfigError: A part of the ruleset cannot be written as data.
    """
    return json.loads(_identity(ruleset))  # type: ignore[no-any-return]


@lru_cache(maxsize=64)
def _identity(ruleset: RuleSet) -> str:
    scoring = next((name for name, value in SCORINGS.items() if value == ruleset.scoring), None)
    found: dict[str, Any] = {"ruleset": ruleset.name} | ({} if scoring is None else {"scoring": scoring})
    rules: dict[str, Data] = {"digest": digest(ruleset)}
    base = preset(ruleset.name)
    if base is None:
        differing = {name: changes(ruleset, _scored(rules, scoring)) for name, rules in available_rulesets().items()}
        nearest = min(differing, key=lambda name: len(json.dumps(differing[name])))
        rules |= {PRESET: nearest, "changes": differing[nearest]}
    elif differs := changes(ruleset, _scored(base, scoring)):
        rules["changes"] = differs
    return json.dumps(found | {"rules": rules}, ensure_ascii=False)


def _scored(ruleset: RuleSet, scoring: str | None) -> RuleSet:
    return ruleset if scoring is None or settlement(scoring) == ruleset.scoring else ruleset.with_scoring(scoring)


class SavedRules:
    """Reader for the rules of saved games. Each ruleset is created once.

    Args:
        rulesets: Rules by name that take precedence over the package's rulesets, for house rules with classes of your own.
    """

    def __init__(self, rulesets: Mapping[str, RuleSet] | None = None) -> None:
        self._given = dict(rulesets or {})
        self._made: dict[str, RuleSet] = {}

    def of(self, data: Mapping[str, Any]) -> RuleSet:
        """Return the ruleset that the keys of an object identify.

        Args:
            data: The object, with the keys that `identity` writes.

        Raises:
            NotationError: A key has an invalid value.
            ConfigError: No ruleset has that name, or the game was recorded under unknown rules.
        """
        keys = json.dumps([data.get(key) for key in KEYS])
        if keys not in self._made:
            if len(self._made) >= MAX_MADE:
                self._made.clear()
            self._made[keys] = self._read(data)
        return self._made[keys]

    def _read(self, data: Mapping[str, Any]) -> RuleSet:
        name = text_at(dict(data), "ruleset", MAX_NAME)
        scoring = None if data.get("scoring") is None else text_at(dict(data), "scoring", MAX_NAME)
        given = self._given.get(name)
        rules = data.get("rules")
        if rules is None:
            found = given or named(name)
            if found is None:
                raise ConfigError(unknown_ruleset(name, {**self._given, **available_rulesets()}))
            return _scored(found, scoring)
        wanted = _checked(rules)
        if given is not None and digest(_scored(given, scoring)) == wanted["digest"]:
            return _scored(given, scoring)
        return self._rebuilt(name, scoring, wanted)

    def _rebuilt(self, name: str, scoring: str | None, rules: dict[str, Any]) -> RuleSet:
        """Return the ruleset made of its preset and the changes.

        Raises:
            ConfigError: The result does not match the digest.
        """
        start, differs = rules.get(PRESET, name), rules.get("changes", {})
        message = f"recorded under other rules: {quoted(name)}"
        if differs:
            message += f", which is {quoted(start)} with {_summary(differs)}"
        base = preset(start) or self._given.get(start)
        if base is None:
            raise ConfigError(f"{message}: unknown ruleset {quoted(start)}")
        # Imported where it is used: it makes two rulesets, which takes a fiftieth of a second.
        from big2_env.climbing.earlier_rules import EARLIER

        digests = []
        for one in filter(None, (base, EARLIER.get(start))):
            try:
                found = from_data({PRESET: start, **differs}, {start: _scored(one, scoring)}, name)
            except ConfigError as error:
                raise ConfigError(f"{message}: {error}") from None
            if digest(found) == rules["digest"]:
                return found
            digests.append(digest(found))
        raise ConfigError(f"{message}: their digest is {quoted(rules['digest'])}, here it is {digests[0]!r}")


def rules_here(data: Mapping[str, Any]) -> RuleSet | None:
    """Return the ruleset that the keys of an object identify; None if it is not available here.

    Args:
        data: The object, with the keys that `identity` writes.
    """
    with suppress(ConfigError, NotationError):
        return SavedRules().of(data)
    return None


def _checked(rules: Any) -> dict[str, Any]:
    """Return the value of the key `rules` after checking its types."""
    if not isinstance(rules, dict) or not set(rules) <= {"digest", PRESET, "changes"}:
        raise NotationError(f"rules: expected an object with the keys digest, {PRESET}, changes, got {shown(rules)}")
    text_at(rules, "digest", MAX_NAME)
    if PRESET in rules:
        text_at(rules, PRESET, MAX_NAME)
    if not isinstance(rules.get("changes", {}), dict) or PRESET in rules.get("changes", {}):
        raise NotationError(f"changes: expected an object of fields, got {shown(rules['changes'])}")
    return rules


def _summary(differs: Mapping[str, Data]) -> str:
    """Return the changes in one line."""
    values = {key: quoted(json.dumps(value, ensure_ascii=False), 100)[1:-1] for key, value in differs.items()}
    return ", ".join(f"{quoted(key)[1:-1]} {value}" for key, value in values.items())
