"""The rules of UNO in words, made from the values of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from big2_env.games.uno.cards import NUM_NUMBERS
from big2_env.games.uno.rules import HAND_SIZE, UnoRules
from big2_env.language import Language, Words, language, words
from big2_env.text.rules import RulesPage, RulesSection


def rules_page(rules: UnoRules | None = None, lang: Language | None = None) -> RulesPage:
    """The rules of UNO in words.

    Args:
        rules: the rules; by default the article's.
        lang: the language; by default the user's.
    """
    given, tr = UnoRules() if rules is None else rules, words(language() if lang is None else lang)
    subjects = {
        "cards": _cards(given, tr),
        "turns": _turns(given, tr),
        "end": _end(given, tr),
        "score": _score(given, tr),
        "automatic": _automatic(given, tr),
    }
    sections = tuple(RulesSection(tr.name("rules_title", name), tuple(lines)) for name, lines in subjects.items())
    return RulesPage("uno", tr.name("game", "uno"), tr.language, sections)


def _cards(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.players", players=rules.players, hand=HAND_SIZE)
    yield tr("rules_uno.deck")
    yield tr("rules_uno.first_official" if rules.official_first_card else "rules_uno.first_number")
    if not rules.official_first_card and HAND_SIZE * rules.players >= NUM_NUMBERS:
        yield tr("rules_uno.dealt_again")


def _turns(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.match")
    if not rules.match_zero:
        yield tr("rules_uno.no_match_zero")
    yield tr("rules_uno.wild_any" if rules.blank_is_any else "rules_uno.wild_colour")
    yield tr(f"rules_uno.wild_four_{rules.wild_four}")
    yield tr("rules_uno.draw" if rules.draw_when_able else "rules_uno.draw_unable")
    yield tr("rules_uno.drawn_playable" if rules.play_drawn else "rules_uno.drawn_ends")
    yield tr(f"rules_uno.effects_{rules.effects}")
    if rules.effects != "none" and rules.players == 2 and not rules.pure_direction:
        yield tr("rules_uno.reverse_skips")


def _end(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.end_hand")
    if rules.last_card_acts:
        yield tr("rules_uno.last_card_acts")
    if rules.empty_pile == "reshuffle":
        yield tr("rules_uno.reshuffle")
    else:
        yield tr("rules_uno.end_pile_at_once" if rules.pile_test == "at_once" else "rules_uno.end_pile_turn")


def _score(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.score")
    yield tr("rules_uno.ties_shared" if rules.ties == "shared" else "rules_uno.ties_lowest")


def _automatic(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.auto")
    if rules.match_wild:
        yield tr("rules_uno.auto_match_wild")
    if rules.colour_order != "draw_order":
        yield tr(f"rules_uno.auto_{rules.colour_order}")
    if rules.wild_order != "draw_order":
        yield tr(f"rules_uno.auto_{rules.wild_order}")
    yield tr(f"rules_uno.auto_{rules.pick}")
