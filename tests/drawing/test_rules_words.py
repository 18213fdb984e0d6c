"""The rules in words say what the values of a ruleset say, in one language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest
from one_language import strangers

from big2_env import BIG2, Doubling, RuleSet, When
from big2_env.base.cards import DECK_54, Card, Rank, as_mask
from big2_env.base.language import Language, words
from big2_env.base.scene import RulesPage, columns
from big2_env.climbing.auction import Bid
from big2_env.climbing.order import CardOrder
from big2_env.climbing.parts import Chop, Ending, Multiplier, PassLock, PatternRule, Refill, RefillOrder, Rest
from big2_env.climbing.patterns import Pattern
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PenaltySettlement, StepTable
from big2_env.climbing.shapes import Shape
from big2_env.text.names import pattern_name
from big2_env.text.rules import rules_page

RULES = available_rulesets()
EXAMPLE = re.compile(r"Example: ([^.]+)\.")


def lines_of(page: RulesPage) -> list[str]:
    return [line for section in page.sections for line in section.lines]


def text_of(rules: RuleSet, lang: Language = Language.EN) -> str:
    return "\n".join(lines_of(rules_page(rules, lang)))


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("name", sorted(RULES))
def test_page__of_every_ruleset_is_in_one_language_and_fits(name: str, lang: Language) -> None:
    rules, tr = RULES[name], words(lang)
    page = rules_page(rules, lang)
    assert strangers(page.text(), lang) == []
    assert strangers(page.markdown(), lang) == []
    assert all(columns(line) <= 80 for line in page.text().splitlines())
    assert all(section.lines for section in page.sections)
    for rule in rules.patterns:
        assert any(line.startswith(pattern_name(rules, rule.pattern.name, tr)) for line in lines_of(page))
    sections = json.loads(json.dumps(page.as_json()))["sections"]
    assert [(one["title"], tuple(one["lines"])) for one in sections] == [(one.title, one.lines) for one in page.sections]


@pytest.mark.parametrize("name", sorted(RULES))
def test_page__gives_an_example_of_every_pattern_that_is_one(name: str) -> None:
    rules = RULES[name]
    [section] = [one for one in rules_page(rules, Language.EN).sections if one.title == "Patterns"]
    shown = [line for line in section.lines if "Example" in line]
    assert len(shown) == len(rules.patterns)
    for rule, line in zip(rules.patterns, shown, strict=True):
        found = EXAMPLE.search(line)
        assert found is not None
        mask = as_mask(found[1]) if not rules.ranks_only else mask_of_ranks(rules, found[1].split())
        assert rule.pattern.name in [play.pattern for play in rules.table.classify(mask)], line


def mask_of_ranks(rules: RuleSet, ranks: list[str]) -> int:
    left, mask = list(rules.order.cards), 0
    for rank in ranks:
        card = next(card for card in left if str(card) == rank or str(card)[2:-1] == rank)
        left.remove(card)
        mask |= 1 << card
    return mask


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("big2", "straight (5 cards): 5 consecutive ranks, one card of each, runs go from A-2-3-4-5 to K-A-2-3-4."),
        ("big2", "full house (5 cards): triple + pair, of different ranks. Strength: rank of the triple."),
        ("big2", "Strength: highest rank (in A-2-3-4-5 the 2), then the suit of that card."),
        ("big2", "With all cards dealt that is C[3]"),
        ("big2", "When all others have passed in a row, the trick is over."),
        ("hong_kong", "The first play must be that card alone."),
        ("hong_kong", "straight < flush < full house < straight flush"),
        ("chu_da_di", "With 10 to 12 cards left, each card counts 3."),
        ("chu_da_di", "S[2] left in hand counts 50 more."),
        ("taiwan", "Strength: highest rank (in A-2-3-4-5 the 5; 2-3-4-5-6 is the strongest), then the suit of that card."),
        ("taiwan", "Among bombs: four of a kind with a kicker < straight flush."),
        ("taiwan", "A player who passes is out until the trick is over."),
        ("pusoy_dos", "With 3 players: 17 cards each."),
        ("pusoy_dos", "With 3 players one card is left over. The holder of the lowest dealt card takes it."),
        ("pusoy_dos", "A = 1, 2 to 9 face value, 10 J Q K = 10."),
        ("pusoy_dos", "clubs (C) < spades (S) < hearts (H) < diamonds (D)"),
        ("capsa", "The holder of D[3] makes the first play."),
        ("capsa", "flush (5 cards): all of one suit, but no straight flush."),
        ("capsa", "straight < flush < full house < four of a kind with a kicker < straight flush"),
        ("dou_dizhu", "airplane with singles (8, 12, 16 or 20 cards): 2 to 5 consecutive ranks, 3 cards of each"),
        ("dou_dizhu", "at most 3 of one rank, at most 2 of a rank next to the run, not both jokers"),
        ("dou_dizhu", "Among bombs: bomb < rocket."),
        ("dou_dizhu_x", "if several remain, the player names one"),
        ("dou_dizhu_4p", "bomb of 8 cards < joker bomb"),
        ("dou_dizhu_4p", "Each bomb of 6 or 7 cards multiplies the stake by 2."),
        ("dou_dizhu_4p", "A bid of 3 ends the auction."),
        ("pao_de_kuai", "Left out of the deck: S[A] C[2] D[2] S[2]."),
        ("pao_de_kuai", "A player who can beat the top play must do so."),
        ("pao_de_kuai", "With 1 card left, each card counts 0."),
        ("three_two_one", "A player who passes is out for the rest of the round."),
        ("three_two_one", "Strength: top rank of the run."),
        ("three_two_one", "Also beaten: triple, pair and single by consecutive triples with the same number of cards"),
        ("three_two_one", "With fewer than 2 cards left: nothing."),
        ("tien_len", "Also beaten: pair of rank 2 by consecutive pairs of 8, 10 or 12 cards."),
        ("tien_len", "A player who passes is out until the trick is over."),
        ("wu_gua_pi", "straight (3 to 5 cards)"),
        ("wu_gua_pi", "its winner draws up to 5 cards"),
        ("qi_gui_521", "are compared like one pattern: pair = joker pair"),
        ("qi_gui_523", "10 < J < Q < K < A < 3 < 2 < 5 < LJ < BJ < 7"),
    ],
)
def test_page__says_what_the_source_says(name: str, said: str) -> None:
    assert said in text_of(RULES[name])


def test_page__says_only_what_holds() -> None:
    assert "several ways" not in text_of(RULES["dou_dizhu"])
    assert "BJ" not in text_of(BIG2)
    assert "draw" not in text_of(BIG2)
    assert "Auction" not in [section.title for section in rules_page(BIG2, Language.EN).sections]


class ByShares(PenaltySettlement):
    """A settlement of one's own."""

    def penalty(self, cards_left: int, num_players: int) -> float:
        """Nothing."""
        return 0.0


FOUR, QI = RULES["dou_dizhu_4p"], RULES["qi_gui_521"]
FIVE_RANKS = "C[3] C[5] C[7] C[9] C[J] S[3] S[5] S[7] S[9] S[J]"
TWO_RANKS = BIG2.with_deck("C[3] D[3] H[3] S[3] C[4] D[4] H[4] S[4]", hand_size=4, players=2)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (replace(BIG2, must_cover=True), "must do so"),
        (replace(BIG2, pass_lock=PassLock.TRICK), "out until the trick is over"),
        (replace(BIG2, auto_skip_unbeatable=True), "ends the trick at once"),
        (replace(BIG2, top_single_final=True), "Nothing beats S[2] played alone, not even a bomb."),
        (
            replace(BIG2, scoring=CardsLeft(doublings=(Doubling(When.LEFT, rank=Rank.TWO),))),
            "Each 2 left in hand multiplies the payment by 2.",
        ),
        (
            replace(BIG2, scoring=CardsLeft(((10, 2),), points=((Rank.KING, 5),))),
            "3 4 5 6 7 8 9 10 J Q A 2 = 1, K = 5.\nWith 10 to 13 cards left, the points are multiplied by 2.",
        ),
        (replace(BIG2, rest=Rest.LOWEST_HOLDER), "also takes the 0 to 26 cards"),
        (replace(BIG2, scoring=CardsLeft(((5, 2),))), "With 5 to 13 cards left, each card counts 2."),
        (replace(BIG2, scoring=StepTable(((3, 1.5),))), "With 3 to 13 cards left: 1.5."),
        (replace(BIG2, scoring=ByShares()), "The settlement ByShares of this ruleset"),
        (replace(BIG2, chops=(Chop("full_house", over="pair"),)), "Also beaten: pair by full house."),
        (replace(QI, scoring=CapturedPoints()), "Each K is worth 10 points."),
        (replace(QI, refill=Refill.AFTER_PLAY), "right after each play"),
        (replace(QI, refill_order=RefillOrder.ROUND_ROBIN), "one card each in turn"),
        (replace(FOUR, auction=Bid(most=5, deals=1)), "points from 1 to 5"),
        (replace(FOUR, auction=Bid(deals=1)), "decided first is the landlord"),
        (replace(FOUR, scoring=CardsLeft()), "A winning team shares"),
        (replace(FOUR, multipliers=(Multiplier("bomb", 2, led=4),)), "If it opens a trick, bomb multiplies it by 4 instead."),
        (replace(FOUR, spring=3), "the stake is multiplied by 3"),
        (RULES["hong_kong"].with_deck(FIVE_RANKS, hand_size=5, players=2), "flush (5 cards): all of one suit. Strength"),
        (TWO_RANKS.with_patterns("pair_straight_single"), "with one more card, of any rank"),
    ],
)
def test_page__of_house_rules(rules: RuleSet, said: str) -> None:
    assert said in text_of(rules)
    for lang in (Language.HANT, Language.HANS):
        assert strangers(text_of(rules, lang), lang, frozenset({"ByShares"})) == []


@dataclass(frozen=True)
class ThreeAndTwo(Pattern):
    """Somebody's own pattern: four kings, or three of a rank with both jokers."""

    name = "three_and_two"
    zh = "三配鬼"

    def shapes(self, order: CardOrder) -> Iterable[Shape]:
        """A shape for each rank."""
        for rank in order.suited_ranks:
            yield Shape.of([rank] * 3 + [Rank.LITTLE_JOKER, Rank.BIG_JOKER], key=rank, key_suit=False)


def test_page__of_a_pattern_from_outside() -> None:
    rules = replace(
        BIG2.with_patterns(ThreeAndTwo(), PatternRule(ThreeAndTwo())),
        deck=DECK_54,
        ranks=tuple(Rank),
        ending=Ending.FIRST_OUT,
        rest=Rest.ASIDE,
    )
    english = text_of(rules)
    assert "three and two (5 cards)" in english
    assert re.search(r"three and two.*Example: (.*BJ.*LJ)\.", english)
    assert "三配鬼（5 張）" in text_of(rules, Language.HANT)
    assert Card("C[3]") in rules.order.cards
