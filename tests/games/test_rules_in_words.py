"""The rules of the side games in words follow the values of their rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from one_language import strangers

from big2_env.base.language import Language
from big2_env.base.scene import RulesPage
from big2_env.games.fishing.rules import LISTING, READINGS, CaptureOrder, FishingRules
from big2_env.games.fishing.rules import rules_page as fishing_page
from big2_env.games.klondike.scene import rules_page as klondike_page
from big2_env.games.uno.rules import CHOICES, PRESETS, UnoRules
from big2_env.games.uno.rules import rules_page as uno_page

EVERY_UNO = [UnoRules(**{name: choice}) for name, choices in CHOICES.items() for choice in choices]


def text_of(page: RulesPage) -> str:
    assert all(section.lines for section in page.sections)
    return page.text(1000)


@pytest.mark.parametrize("lang", list(Language))
def test_pages__are_in_one_language(lang: Language) -> None:
    pages = [
        uno_page(rules, lang)
        for rules in [*PRESETS.values(), *EVERY_UNO, UnoRules(14), UnoRules(match_wild=True, match_zero=False)]
    ]
    pages += [fishing_page(rules, lang) for rules in READINGS.values()]
    for page in [*pages, klondike_page(lang)]:
        assert strangers(text_of(page), lang) == []


@pytest.mark.parametrize(
    ("changes", "said", "else_said"),
    [
        ({"players": 4}, "4 players", "2 players"),
        ({"players": 11}, "every number card, the cards are shuffled and dealt again", ""),
        ({"play_drawn": True}, "drawn may be played at once", "That ends the turn"),
        ({"official_first_card": True}, "does what it says", "first number card"),
        ({"match_zero": False}, "A 0 does not match", ""),
        ({"blank_is_any": True}, "any card fits", "names the color"),
        ({"wild_four": "last_resort"}, "if nothing else can be", "without a card of the color"),
        ({"effects": "none"}, "no effect", "a reverse is a skip"),
        ({"pure_direction": True}, "the direction of play turns", "a reverse is a skip"),
        ({"draw_when_able": False}, "has no card to play takes one", "Instead"),
        ({"empty_pile": "reshuffle"}, "become the pile", "when a turn begins and the pile is empty"),
        ({"pile_test": "at_once"}, "as soon as the last card of the pile", "when a turn begins and the pile is empty"),
        ({"ties": "lowest_seat"}, "the lowest seat wins", "win together"),
        ({"colour_order": "actions_first"}, "action cards before number cards", "number cards before action cards"),
        ({"wild_order": "four_first"}, "plays a wild draw four first", ""),
        ({"pick": "highest"}, "counts most in hand", "drawn first"),
        ({"pick": "hardest"}, "is least likely to follow", "drawn first"),
    ],
)
def test_uno__says_what_its_rules_are(changes: dict[str, object], said: str, else_said: str) -> None:
    usual, changed = (text_of(uno_page(rules, Language.EN)) for rules in (UnoRules(), UnoRules().having(**changes)))
    assert said in changed
    assert not else_said or (else_said in usual and else_said not in changed)


@pytest.mark.parametrize(
    ("rules", "said", "else_said"),
    [
        (LISTING.with_deck("52"), "52 cards", "54 cards"),
        (replace(LISTING, order=CaptureOrder.REVERSED), "the newest first", "the oldest first"),
        (FishingRules(empty_first=True), "even if it captures", "after taking"),
        (FishingRules(j_on_empty=True), "takes itself", "takes nothing"),
        (FishingRules(j_power=False), "A J is a card like any other", "A J takes the whole row"),
        (FishingRules(again=False), "after every card", "plays again"),
    ],
)
def test_fishing__says_what_its_rules_are(rules: FishingRules, said: str, else_said: str) -> None:
    usual, changed = (text_of(fishing_page(one, Language.EN)) for one in (LISTING, rules))
    assert said in changed
    assert else_said in usual
    assert else_said not in changed
