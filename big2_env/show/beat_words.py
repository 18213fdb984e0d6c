"""What beats what in a climbing game, in words."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env.cards import RANK_NAMES
from big2_env.climbing.parts import Chop, PatternRule
from big2_env.climbing.ruleset import RuleSet
from big2_env.language import Words
from big2_env.show.faces import pattern_name
from big2_env.show.pattern_words import card_numbers


def beating(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """The comparison groups with their tiers, bombs, chops and other edges."""
    yield tr("rules.beats")
    yield tr("rules.beats_strictly")
    yield from _groups(ruleset, tr)
    yield from _bombs(ruleset, tr)
    for group, over in ruleset.extra_covers:
        names = {name: " / ".join(_names(ruleset, name, tr)) for name in (group, over)}
        yield tr("rules.also_covers", group=names[group], over=names[over])
    for chop in ruleset.chops:
        yield _chop(ruleset, chop, tr)


def _names(ruleset: RuleSet, group: str, tr: Words) -> list[str]:
    return [pattern_name(ruleset, rule.pattern.name, tr) for rule in ruleset.patterns if rule.group_name == group]


def _sizes(ruleset: RuleSet, rule: PatternRule) -> list[int]:
    return sorted({row.shape.size for row in ruleset.table.rows if row.pattern == rule.pattern.name})


def _groups(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    """For each comparison group of several patterns and each number of cards: the patterns by their tiers."""
    groups: dict[str, list[PatternRule]] = {}
    for rule in ruleset.patterns:
        groups.setdefault(rule.group_name, []).append(rule)
    for rules in groups.values():
        for size in sorted({size for rule in rules for size in _sizes(ruleset, rule)}):
            tiers: dict[int, list[str]] = {}
            for rule in sorted(rules, key=lambda rule: rule.tier):
                if size in _sizes(ruleset, rule):
                    tiers.setdefault(rule.tier, []).append(pattern_name(ruleset, rule.pattern.name, tr))
            listed = " < ".join(" = ".join(names) for names in tiers.values())
            if len(tiers) > 1:
                yield tr("rules.tiers", cards=card_numbers([size], tr), tiers=listed)
            if any(len(names) > 1 for names in tiers.values()):
                yield tr("rules.same_tier", cards=card_numbers([size], tr), tiers=listed)


def _bombs(ruleset: RuleSet, tr: Words) -> Iterator[str]:
    levels: dict[int, list[str]] = {}
    for rule in ruleset.patterns:
        name = pattern_name(ruleset, rule.pattern.name, tr)
        for size in _sizes(ruleset, rule):
            if level := rule.bomb_level(size):
                sized = tr("rules.bomb_of", name=name, cards=card_numbers([size], tr)) if rule.bomb_per_card else name
                if sized not in levels.setdefault(level, []):
                    levels[level].append(sized)
    if not levels:
        return
    yield tr("rules.bombs")
    if len(levels) > 1:
        yield tr("rules.bomb_levels", levels=" < ".join(" = ".join(levels[level]) for level in sorted(levels)))


def _chop(ruleset: RuleSet, chop: Chop, tr: Words) -> str:
    """What one chop covers."""
    covering, covered = (pattern_name(ruleset, name, tr) for name in (chop.pattern, chop.over))
    own = {name: _sizes(ruleset, rule) for rule in ruleset.patterns for name in [rule.pattern.name]}
    if chop.sizes is not None:
        sizes = [size for size in own[chop.pattern] if chop.sizes[0] <= size <= chop.sizes[1]]
        covering = tr("rules.bomb_of", name=covering, cards=card_numbers(sizes or chop.sizes, tr))
    if chop.over_sizes is not None:
        sizes = [size for size in own[chop.over] if chop.over_sizes[0] <= size <= chop.over_sizes[1]]
        covered = tr("rules.bomb_of", name=covered, cards=card_numbers(sizes or chop.over_sizes, tr))
    if chop.rank is None:
        return tr("rules.chop", covering=covering, covered=covered)
    return tr("rules.chop_rank", covering=covering, covered=covered, rank=RANK_NAMES[chop.rank])
