"""A ruleset on which something fails, made as small as it can be while that still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from typing import Any, Final

from big2_env import ConfigError, RuleSet
from big2_env.climbing.parts import Rest

LISTS: Final = ("patterns", "chops", "extra_covers", "multipliers")
"""Fields that get shorter, by one entry at a time."""
SIMPLER: Final[dict[str, Any]] = {
    field.name: field.default
    for field in fields(RuleSet)
    if field.name not in (*LISTS, "name", "zh", "hand_size", "min_players", "max_players") and field.default is not MISSING
}
"""What the other fields are set back to, where it goes."""


def shrunk(rules: RuleSet, fails: Callable[[RuleSet], bool]) -> RuleSet:
    """A ruleset that still fails and of which no single part can go.

    Args:
        rules: a ruleset that fails.
        fails: True where a ruleset fails; it may raise `ConfigError` for one that cannot be played.
    """
    while True:
        for smaller in _smaller(rules):
            try:
                if fails(smaller):
                    rules = smaller
                    break
            except ConfigError:
                continue
        else:
            return rules


def _smaller(rules: RuleSet) -> Iterator[RuleSet]:
    """The rulesets with one part less, those that are any."""
    for name in LISTS:
        entries = getattr(rules, name)
        for i in range(len(entries)):
            yield from _changed(rules, **{name: entries[:i] + entries[i + 1 :]})
    for name, simple in SIMPLER.items():
        if getattr(rules, name) != simple:
            yield from _changed(rules, **{name: simple})
    for i, rule in enumerate(rules.patterns):
        for change in ({"group": ""}, {"tier": 0}, {"bomb": 0, "bomb_per_card": 0}):
            if any(getattr(rule, name) != value for name, value in change.items()):
                plainer = (*rules.patterns[:i], replace(rule, **change), *rules.patterns[i + 1 :])  # type: ignore[arg-type]
                yield from _changed(rules, patterns=plainer)
    if rules.hand_size > 1:
        rest = {} if rules.draw_pile or rules.auction else {"rest": Rest.ASIDE}
        yield from _changed(rules, hand_size=rules.hand_size // 2, **rest)
    if rules.min_players != rules.max_players:
        yield from _changed(rules, max_players=rules.min_players, players=None)


def _changed(rules: RuleSet, **changes: Any) -> Iterator[RuleSet]:
    try:
        yield replace(rules, **changes)
    except ConfigError:  # parts that contradict each other
        return
