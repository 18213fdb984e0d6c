"""Variants of a game, which share a picture of the start page, and refusals that name the variants with a pattern."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from big2_env.base.language import Words
from big2_env.climbing.hands import readings
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.text.names import pattern_name


def page_data(name: str) -> dict[str, Any]:
    """Return the content of a JSON file of this package."""
    found: dict[str, Any] = json.loads((files(__package__) / "data" / f"{name}.json").read_text(encoding="utf-8"))
    return found


TILES: Final = page_data("tiles")
"""Pictures from which people choose, by the game that names them, with games, and with cards or the moves that play them."""


def elsewhere(rules: RuleSet, cards: int, tr: Words) -> str:
    """Return in words which variants have a pattern for cards that form none here; empty if no variant has one.

    Args:
        rules: Rules of the game at the table.
        cards: The cards as a mask.
        tr: Texts in the person's language.
    """
    others = [name for tile in TILES.values() if rules.name in tile["games"] for name in tile["games"] if name != rules.name]
    variants = {name: other for name, other in available_rulesets().items() if name in others and other.deck == rules.deck}
    found = {name: play[0].pattern for name in others if name in variants and (play := readings(variants[name], cards))}
    if not found:
        return ""
    first, pattern = next(iter(found.items()))
    games = tr("rules.list").join(tr.name("variant", name) for name in found if found[name] == pattern)
    return tr("look.elsewhere", pattern=pattern_name(variants[first], pattern, tr), games=games)
