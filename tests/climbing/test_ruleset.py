from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import house_rules
import outside_patterns
import pytest
from house_rules import BOMBS, DEALS_AND_CHOPS, DRAWING, HOUSE_RULES, TIERS, Quad
from outside_patterns import OUTSIDE, Triple

import big2_env
from big2_env import (
    BIG2,
    DECK_54,
    CardsLeft,
    Chop,
    ConfigError,
    Ending,
    FinishingOrder,
    Game,
    Lead,
    Pattern,
    PatternRule,
    Rank,
    Rest,
    RuleSet,
    Shape,
    StepTable,
    Suit,
    Suits,
    WinnerTakesOne,
    available_rulesets,
    ruleset,
)
from big2_env.base.language.words import catalogue
from big2_env.climbing import order, runs
from big2_env.climbing.patterns import available_patterns
from big2_env.climbing.ruleset import pattern_rules
from big2_env.climbing.settlement import Standing, settlement


def test_big2__is_the_game_of_the_rules_page() -> None:
    assert (BIG2.name, BIG2.zh, BIG2.default_players, BIG2.hand_size) == ("big2", "大老二", 4, 13)
    assert (BIG2.min_players, BIG2.max_players, BIG2.rest) == (2, 4, Rest.ASIDE)
    assert [rule.pattern.zh for rule in BIG2.patterns] == ["單張", "對子", "順子", "葫蘆"]
    assert (BIG2.lead, BIG2.ending, BIG2.scoring) == (Lead.CONTAINS, Ending.FIRST_OUT, WinnerTakesOne())
    assert ruleset("big2") is ruleset(BIG2) is available_rulesets()["big2"] is BIG2
    with pytest.raises(ConfigError, match=r"unknown ruleset 'big3'; did you mean big2\?"):
        ruleset("big3")


@pytest.mark.parametrize("rules", [BIG2, OUTSIDE, *HOUSE_RULES, *DEALS_AND_CHOPS], ids=lambda rules: rules.name)
def test_ruleset__is_a_value(rules: RuleSet) -> None:
    classes = {cls.__name__: cls for cls in available_patterns().values()}
    names = classes | vars(big2_env) | vars(order) | vars(runs) | vars(house_rules) | vars(outside_patterns)
    rebuilt = eval(repr(rules), names)
    assert rebuilt == rules == pickle.loads(pickle.dumps(rules))
    assert hash(rebuilt) == hash(rules)
    assert "_hash" not in vars(pickle.loads(pickle.dumps(rules)))  # strings hash differently in another process
    assert replace(rules, name="another") != rules
    assert rules.with_scoring("cards") != rules.with_scoring("winner")
    assert rules.with_scoring(rules.scoring) == rules


@dataclass(frozen=True)
class Doubled(Pattern):
    name = "doubled"
    zh = "重"

    def shapes(self, order: object) -> list[Shape]:
        return [Shape.of([Rank.THREE], key=Rank.THREE)] * 2


class Unnamed(Pattern):
    def shapes(self, order: object) -> list[Shape]:
        return []


def outside(name: str, zh: str = "重") -> Pattern:
    """A pattern with names that its author chose."""
    found: Pattern = type("Outside", (Doubled,), {"name": name, "zh": zh})()
    return found


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: replace(BIG2, patterns=()), r"expected at least one pattern, each once, got \[\]"),
        (
            lambda: replace(BIG2, patterns=pattern_rules("pair", "pair")),
            r"expected at least one pattern, each once, got \['pair', 'pair'\]",
        ),
        (lambda: BIG2.with_patterns("pear"), "unknown pattern 'pear'; expected one of bomb, flush, four_of_a_kind,"),
        (
            lambda: BIG2.without_patterns("single").table,
            "^big2: expected a pattern that plays any card alone, such as single, so that every leader can play, "
            "got pair, straight, full_house, .*which play no single 3, 4, 5, 6, 7, 8, 9, 10, J, Q, K, A, 2$",
        ),
        (lambda: Game.deal(BIG2.without_patterns("single"), 1), "^big2: expected a pattern that plays any card alone"),
        (lambda: Game.from_hands(BIG2.without_patterns("single"), ["C[3]", "D[3]"]), "plays any card alone, such as single"),
        (lambda: BIG2.with_patterns(Doubled()).table, "pattern 'doubled' gives the shape .* twice"),
        *(
            (
                lambda name=name: PatternRule(outside(name)),
                "pattern: expected an identifier of at most 100 characters as name, got",
            )
            for name in ("two pairs", "two\npairs", "", "pass", "x" * 101)
        ),
        *(
            (
                lambda zh=zh: PatternRule(outside("two", zh)),
                "two: expected a line of at most 100 characters as Chinese name, got",
            )
            for zh in ("", " ", "兩\n對", "兩" * 101)
        ),
        (
            lambda: PatternRule(outside("二" * 100, "兩" * 100)) and PatternRule(Triple(), zh="三" * 101),
            "triple: expected a line of",
        ),
        (lambda: PatternRule(Unnamed()), "pattern: expected an identifier of at most 100 characters as name, got ''"),
        (lambda: PatternRule(Triple(), tier=-1), "triple: expected tier from 0 to 1000, got -1"),
        (lambda: PatternRule(Triple(), bomb=-2), "triple: expected bomb from 0 to 1000, got -2"),
        (
            lambda: replace(BIG2, extra_covers=(("pair", "tripel"),)),
            r"extra_covers \('pair', 'tripel'\): unknown group 'tripel'; expected one of",
        ),
        (lambda: replace(BIG2, min_players=1), "expected at least 2 players, ascending, got 1 to 4"),
        (lambda: replace(BIG2, min_players=5), "expected at least 2 players, ascending, got 5 to 4"),
        (lambda: replace(BIG2, rest=Rest.NONE), "2 to 4 hands of 13 from 52 cards"),
        (lambda: replace(BIG2, hand_size=14), "2 to 4 hands of 14 from 52 cards"),
        (lambda: replace(BIG2, rest=Rest.NONE, hand_size=12), "use up the deck, or smaller ones with a rest, a draw pile"),
        (lambda: replace(DRAWING, rest=Rest.ASIDE), "rest 'aside' with a draw pile, which uses the cards left over itself"),
        (lambda: replace(BIG2, chops=(Chop("bomb", "single"),)), "Chop.*: no pattern 'bomb' in big2; it has single, pair"),
        (lambda: replace(BIG2, chops=(Chop("pair", "pair"),)).table, r"plays of 2 cards \(pair\) and of .* beat each other"),
        (
            lambda: replace(BIG2, chops=(Chop("pair", "single"), Chop("single", "pair"))).table,
            r"plays of 1 cards \(single\) and of 2 cards \(pair\) beat each other",
        ),
        (lambda: Chop("pair", "single", sizes=(3, 2)), r"chop of single by pair: expected sizes .* got \(3, 2\)"),
        (lambda: Shape.of([Rank.FOUR], key=Rank.FOUR, suit_first=True), "suit_first needs a shape of one suit"),
        (lambda: replace(DRAWING, hand_size=0), "2 to 10 hands of 0"),
        (lambda: replace(DRAWING, max_players=11), "2 to 11 hands of 5 from 54 cards"),
        (lambda: replace(DRAWING, ending=Ending.FIRST_OUT), "a draw pile needs ending=Ending.LAST_HOLDER, got 'first_out'"),
        (lambda: replace(BIG2, auto_lead=True), "auto_lead needs lead 'exact', got 'contains'"),
        (lambda: replace(BIG2, ranks=tuple(Rank)), r"value order: expected each rank of the deck once, got \['THREE', 'FOUR',"),
        (
            lambda: replace(DRAWING, ranks=BIG2.ranks),
            r"value order: expected each rank of the deck once, got \['THREE', 'FOUR',",
        ),
        (
            lambda: replace(BIG2, suits=(Suit.CLUB,) * 4),
            r"suit order: expected each of the four suits once, got \['CLUB', 'CLUB',",
        ),
        (lambda: BIG2.with_scoring("points"), "unknown scoring 'points'; expected winner, cards or a Settlement"),
        (
            lambda: CardsLeft(((8, 2), (8, 3))),
            r"expected steps of \(cards, value\), cards ascending, nothing negative, got \(\(",
        ),
        (
            lambda: StepTable(((5, 1), (2, 3))),
            r"expected steps of \(cards, value\), cards ascending, nothing negative, got \(\(",
        ),
        (lambda: StepTable(((5, -1),)), "nothing negative"),
        (lambda: BIG2.pattern("triple"), "pattern 'triple': big2 has single, pair, straight, full_house"),
        (lambda: Shape((1,) * 14, Rank.THREE), r"expected 15 counts of at least 0, got \(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,"),
        (lambda: Shape.of([Rank.FOUR], key=Rank.THREE), "key rank THREE is not among the shape's ranks"),
        (lambda: Shape.of([Rank.FOUR] * 2, key=Rank.FOUR, suits=Suits.SAME), "suits 'same' needs one card of each rank"),
        (lambda: runs.PointRuns(wrap=13), "expected wrap 0 to 12, or None for the full ring, got 13"),
    ],
)
def test_ruleset__refuses_what_contradicts_itself(make: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_pattern_rules__take_names_values_and_rules() -> None:
    rule = PatternRule(Quad(), bomb=1)
    assert pattern_rules("pair", Triple(), rule) == (
        PatternRule(available_patterns()["pair"]()),
        PatternRule(Triple()),
        rule,
    )
    assert BIG2.with_patterns(rule).table.categories[-1].bomb == 1
    assert (TIERS.sizes, BOMBS.sizes, replace(DRAWING, deck=DECK_54).sizes) == ((1, 2, 3, 5), (1, 2, 3, 4, 5), (1, 2, 3, 4))


# Settlements.


def standing(*cards_left: int) -> Standing:
    """Seats with so many cards; whoever has none is out, in the order of the seats."""
    return Standing(tuple((1 << n) - 1 for n in cards_left), tuple(seat for seat, n in enumerate(cards_left) if not n))


@pytest.mark.parametrize(
    ("scoring", "cards_left", "payoffs"),
    [
        (WinnerTakesOne(), (5, 0, 13, 1), (-1 / 3, 1, -1 / 3, -1 / 3)),
        (WinnerTakesOne(), (0, 7), (1, -1)),
        (CardsLeft(), (5, 0, 13, 1), (-5, 19, -13, -1)),
        (CardsLeft(((8, 2), (10, 3), (13, 4))), (7, 8, 0, 13), (-7, -16, 75, -52)),
        (CardsLeft(((8, 2), (10, 3), (13, 4))), (9, 10, 12, 0), (-18, -30, -36, 84)),
        (StepTable(((2, 1), (6, 2), (10, 3), (13, 5))), (1, 2, 5, 0), (0, -1, -1, 2)),
        (StepTable(((2, 1), (6, 2), (10, 3), (13, 5))), (0, 6, 9, 10), (7, -2, -2, -3)),
        (StepTable(((2, 1), (6, 2), (10, 3), (13, 5))), (0, 12, 13), (8, -3, -5)),
        (FinishingOrder(), (0, 4, 0, 0), (1, -3, 1, 1)),
        (FinishingOrder(), (2, 0), (-1, 1)),
    ],
)
def test_settlement__pays_to_the_letter(scoring: object, cards_left: tuple[int, ...], payoffs: tuple[float, ...]) -> None:
    assert scoring.payoffs(standing(*cards_left)) == pytest.approx(payoffs)
    assert sum(payoffs) == pytest.approx(0)
    assert settlement(scoring) is scoring


def test_finishing_order__the_last_of_all_pays_where_nobody_holds_cards() -> None:
    assert FinishingOrder().payoffs(Standing((0, 0, 0), (2, 0, 1))) == (1, -2, 1)


def test_seats__are_those_asked_for_or_the_nearest_to_the_usual_number() -> None:
    assert [BIG2.seats(), BIG2.seats(2), replace(BIG2, max_players=3).seats()] == [4, 2, 3]
    with pytest.raises(ConfigError, match="big2 needs 2 to 4 players, got 5"):
        BIG2.seats(5)
    for number in (4.0, "4"):
        with pytest.raises(ConfigError, match=f"^expected a whole number of players, got {number!r}$"):
            BIG2.seats(number)  # type: ignore[arg-type]


def test_ruleset__is_found_by_its_chinese_name_in_either_script() -> None:
    texts = catalogue()
    for name, rules in available_rulesets().items():
        for tag in ("zh-Hant", "zh-Hans"):
            assert ruleset(texts[f"game.{name}"][tag]) is rules
    with pytest.raises(ConfigError, match="ruleset '地主'"):
        ruleset("地主")
