"""The rules of the fishing game in words, made from the values of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env.games.fishing.cards import RANKS
from big2_env.games.fishing.rules import LISTING, CaptureOrder, FishingRules
from big2_env.language import Language, Words, language, words
from big2_env.text.rules import RulesPage, RulesSection


def rules_page(rules: FishingRules = LISTING, lang: Language | None = None) -> RulesPage:
    """The rules of the fishing game in words.

    Args:
        rules: the reading of the rules; by default the article's program.
        lang: the language; by default the user's.
    """
    tr = words(language() if lang is None else lang)
    subjects = {
        "aim": iter([tr("rules_fishing.aim")]),
        "cards": _cards(rules, tr),
        "turns": _turns(rules, tr),
        "end": iter([tr("rules_fishing.end_first" if rules.empty_first else "rules_fishing.end")]),
    }
    sections = tuple(RulesSection(tr.name("rules_title", name), tuple(lines)) for name, lines in subjects.items())
    return RulesPage("fishing", tr.name("game", "fishing"), tr.language, sections)


def _cards(rules: FishingRules, tr: Words) -> Iterator[str]:
    by_count: dict[int, list[str]] = {}
    for rank, count in zip(RANKS, rules.deck.counts, strict=True):
        by_count.setdefault(count, []).append(rank)
    by_count.pop(0, None)
    parts = [tr("rules_fishing.deck_part", ranks=" ".join(ranks), count=count) for count, ranks in by_count.items()]
    yield tr("rules_fishing.players")
    yield tr("rules_fishing.deck", number=sum(rules.deck.counts), cards=tr("rules_fishing.and").join(parts))
    if rules.deck.counts[RANKS.index("W")]:
        yield tr("rules_fishing.joker_ordinary")


def _turns(rules: FishingRules, tr: Words) -> Iterator[str]:
    yield tr("rules_fishing.play")
    yield tr("rules_fishing.capture")
    if not rules.j_power:
        yield tr("rules_fishing.jack_ordinary")
    else:
        yield tr("rules_fishing.jack")
        yield tr("rules_fishing.jack_empty_takes" if rules.j_on_empty else "rules_fishing.jack_empty")
    yield tr("rules_fishing.order_board" if rules.order is CaptureOrder.BOARD else "rules_fishing.order_reversed")
    yield tr("rules_fishing.again" if rules.again else "rules_fishing.not_again")
