"""Examples of the rules page, right and wrong, for every pattern of every game; among them the defects not to be copied.

Cards are told by points, `333 444 5 6 LJ`; of each point the cards are taken in the order of the suits.
"""

from __future__ import annotations

import re

import pytest

from big2_env import AmbiguousPlayError, Game, IllegalPlayError, LegalPlays, Rank, RuleSet, ruleset
from big2_env.base.cards import NUM_FACES, RANK_NAMES, as_mask

DD, X, FOUR, TTO, CDD, WGP, Q1, Q3 = map(
    ruleset,
    ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one", "chu_da_di", "wu_gua_pi", "qi_gui_521", "qi_gui_523"],
)
TOKEN = re.compile("LJ|BJ|10|[2-9JQKA]")


def named(item: object) -> str:
    if isinstance(item, set):
        item = sorted(item)  # the order of a set differs from process to process, and pytest-xdist compares the names
    return item.name if isinstance(item, RuleSet) else str(item)[:40]


def cards(rules: RuleSet, text: str) -> int:
    """The cards of a text of points; `S[3]` is that card."""
    mask = as_mask(re.findall(r"[CDHS]\[\w+\]", text) and " ".join(re.findall(r"[CDHS]\[\w+\]", text)))
    for name in TOKEN.findall(re.sub(r"[CDHS]\[\w+\]", "", text)):
        held = rules.order.sort(rules.order.rank_masks[Rank(RANK_NAMES.index(name))] & ~mask)
        mask |= 1 << held[0]
    return mask


def names(rules: RuleSet, text: str) -> list[str]:
    return [play.pattern for play in rules.table.classify(cards(rules, text))]


def readings(rules: RuleSet, text: str) -> list[tuple[str, str]]:
    """(pattern, point that it is strong by) of each reading."""
    found = rules.table.classify(cards(rules, text))
    return [(play.pattern, RANK_NAMES[rules.order.ranks[play.power % 64 // 4]]) for play in found]


LEGAL = [
    *((rules, "3", "single") for rules in (DD, X, FOUR, TTO, CDD, WGP, Q1, Q3)),
    *((rules, "BJ", "single") for rules in (DD, X, FOUR, WGP, Q1, Q3)),
    *((rules, "77", "pair") for rules in (DD, X, FOUR, TTO, CDD, WGP, Q1, Q3)),
    *((rules, "777", "triple") for rules in (DD, X, FOUR, TTO, CDD, WGP, Q1, Q3)),
    *((rules, "LJ BJ", "joker_pair") for rules in (DD, X, WGP, Q1, Q3)),
    *((rules, "333 4", "triple_single") for rules in (DD, X)),
    *((rules, "333 BJ", "triple_single") for rules in (DD, X)),
    *((rules, "333 44", "full_house") for rules in (DD, X, FOUR, TTO, CDD, WGP)),
    *((rules, "C[10] J Q K A", "straight") for rules in (DD, X, FOUR, TTO, CDD, WGP)),
    *((rules, "3 4 5 6 7 8 9 10 J Q K A", "straight") for rules in (DD, X, FOUR, TTO)),
    *((rules, "33 44 55", "pair_straight") for rules in (DD, X, FOUR, TTO)),
    *((rules, "33 44 55 66 77 88 99 10 10 J J Q Q", "pair_straight") for rules in (DD, X, FOUR)),
    *((rules, "333 444", "triple_straight") for rules in (DD, X, FOUR)),  # two in a run
    *((rules, "KKK AAA", "triple_straight") for rules in (DD, X, FOUR)),
    *((rules, "999 888 777 222", "triple_straight_singles") for rules in (DD, X)),
    *((rules, "333 444 555 777", "triple_straight_singles") for rules in (DD, X)),  # a triple that is not next to the run
    *((rules, "333 444 5 LJ", "triple_straight_singles") for rules in (DD, X)),
    *((rules, "333 444 55", "triple_straight_singles") for rules in (DD, X)),
    *((rules, "333 444 55 66", "triple_straight_pairs") for rules in (DD, X, FOUR)),
    *((rules, "3333 4 5", "quad_two_singles") for rules in (DD, X)),
    *((rules, "3333 44", "quad_two_singles") for rules in (DD, X)),
    *((rules, "3333 4 BJ", "quad_two_singles") for rules in (DD, X)),
    *((rules, "3333 44 55", "quad_two_pairs") for rules in (DD, X)),
    *((rules, "3333", "bomb") for rules in (DD, X, FOUR)),  # and nothing else
    # The extended game: anything is carried.
    (X, "3333 LJ BJ", "quad_two_singles"),
    (X, "5555 33 33", "quad_two_pairs"),
    (X, "444 333 5555", "triple_straight_pairs"),
    (X, "333 444 LJ BJ", "triple_straight_singles"),
    (X, "3333 444 5", "triple_straight_singles"),  # the fourth card of the run
    (X, "444 555 3333 66", "triple_straight_singles"),  # twelve cards would be three triples: 3, 4, 5
    (X, "333 444 555 666 7777", "triple_straight_singles"),
    (X, "333 444 555 6666 77", "triple_straight_pairs"),
    (X, "3333 444 555 6 7", "triple_straight_singles"),  # what is there four times need not be the highest: of 12 cards,
    (X, "3333 444 555 666 7 8 9", "triple_straight_singles"),  # of 16,
    (X, "3333 444 555 666 777 8 9 J Q", "triple_straight_singles"),  # of 20
    (X, "3333 4444 5555 6666 777 K", "triple_straight_singles"),
    (X, "333 444 555 7777 88", "triple_straight_pairs"),  # a bomb as two pairs, of 15 cards
    (X, "333 444 555 666 8888 JJJJ", "triple_straight_pairs"),  # and two of them, of 20
    (X, "333 444 555 666 777 LJ BJ 8 9 10", "triple_straight_singles"),
    # Four players, two decks.
    (FOUR, "LJ LJ", "pair"),
    (FOUR, "333 LJ LJ", "full_house"),
    (FOUR, "33333", "bomb"),
    (FOUR, "33333333", "bomb"),
    (FOUR, "LJ LJ BJ BJ", "joker_quad"),
    (FOUR, "333 444 55 BJ BJ", "triple_straight_pairs"),
    (FOUR, "333 444 555 666 777 888 999", "triple_straight"),  # 21 cards
    # 三两一: runs of point, wrapping to the 2.
    (TTO, "A 2 3", "straight"),
    (TTO, "K A 2", "straight"),
    (TTO, "Q K A", "straight"),
    (TTO, "A A 2 2", "pair_straight"),
    (TTO, "22 33", "pair_straight"),
    (TTO, "KK AA 22", "pair_straight"),
    (TTO, "33 44 55 66 77", "pair_straight"),  # ten cards
    (TTO, "KKK AAA 222", "triple_straight"),
    (TTO, "3333 4444", "quad_straight"),
    (TTO, "3333", "four_of_a_kind"),
    (TTO, "333 55 9", "triple_pair_single"),
    (TTO, "4444 55", "triple_pair_single"),  # 444 + 55 + 4
    (TTO, "3333 5", "quad_single"),
    (TTO, "33 44 55 9", "pair_straight_single"),
    (TTO, "333 44 55", "pair_straight_single"),
    (TTO, "22 AA KK 9", "pair_straight_single"),
    (TTO, "3333 444", "triple_straight_single"),
    (TTO, "333 444 555 9", "triple_straight_single"),
    (TTO, "3333 4444 9", "quad_straight_single"),
    (TTO, "3333 4444 5555 9", "quad_straight_single"),  # 13 cards
    # 锄大地.
    (CDD, "D[A] C[2] H[3] S[4] D[5]", "straight"),
    (CDD, "D[3] D[5] D[7] D[9] D[J]", "flush"),
    (CDD, "3333 5", "quad_single"),
    (CDD, "S[10] S[J] S[Q] S[K] S[A]", "straight_flush"),
    # 五瓜皮.
    (WGP, "C[A] D[2] H[3]", "straight"),
    (WGP, "C[Q] D[K] H[A]", "straight"),
    (WGP, "C[4] D[5] H[6] S[7]", "straight"),
    (WGP, "D[6] D[9] D[J]", "flush"),
    (WGP, "D[6] D[9] D[J] D[K]", "flush"),  # of four and five cards too
    (WGP, "D[6] D[9] D[J] D[K] D[2]", "flush"),
    (WGP, "D[6] D[7] D[8] D[9]", "straight_flush"),
    (WGP, "7777", "four_of_a_kind"),
    (WGP, "777 LJ BJ", "full_house"),
    (WGP, "7777 BJ", "quad_single"),
    *((rules, "4444", "four_of_a_kind") for rules in (Q1, Q3)),
]

ILLEGAL = [
    *((rules, "LJ BJ") for rules in (FOUR,)),
    *((rules, "3 4") for rules in (DD, X, FOUR, TTO, CDD, WGP, Q1, Q3)),
    *((rules, "333 LJ BJ") for rules in (DD, X, FOUR)),  # the jokers are no pair
    *((rules, "333 4 5") for rules in (DD, X, FOUR, TTO)),
    *((rules, "3333 4") for rules in (DD, X)),  # four and one
    (DD, "3333 4444"),
    (DD, "3333 LJ BJ"),
    *((rules, "C[J] Q K A 2") for rules in (DD, X, FOUR, CDD, WGP)),
    *((rules, "3 4 5 6") for rules in (DD, X, FOUR)),
    *((rules, "33 44") for rules in (DD, X, FOUR)),
    *((rules, "KK AA 22") for rules in (DD, X, FOUR)),
    *((rules, "AAA 222") for rules in (DD, X, FOUR)),
    *((rules, "AAA 222 3333") for rules in (DD, X)),  # two that are no run, with a bomb
    *((rules, "333 555 777 999 JJJ 4 6 8 10 Q") for rules in (DD, X)),  # triples that are not next to each other
    (DD, "333 444 555 666 7"),
    (DD, "333 444 555 666 777 8"),
    (DD, "333 444 555 666 777 LJ BJ 8 9 10"),
    (DD, "333 444 LJ BJ"),
    (DD, "333 444 5555 6666"),
    (DD, "444 333 5555"),
    (DD, "333 444 555 6666"),
    (X, "333 444 55 LJ BJ"),
    (FOUR, "333 4"),
    (FOUR, "333 444 5 6"),
    (FOUR, "3333 44"),
    (FOUR, "333 444 5555"),
    (FOUR, "333 444 LJ LJ BJ BJ"),
    (FOUR, "LJ LJ BJ"),
    (FOUR, "333 444 33 55"),  # the wings repeat a point of the run
    (TTO, "A 2"),
    (TTO, "A 2 3 K"),  # never on to 3
    (TTO, "5 4 4 3 3 2"),  # uneven
    (TTO, "3333 5 6"),
    (TTO, "333 5"),
    (TTO, "33 44 5"),
    (CDD, "D[Q] C[K] H[A] S[2] D[3]"),
    (CDD, "D[K] C[A] H[2] S[3] D[4]"),
    (CDD, "3333"),
    (CDD, "33 44 5"),
    (WGP, "C[K] D[A] H[2]"),
    (WGP, "3 4 5 6 7 8"),
    (WGP, "LJ BJ 5"),
    (WGP, "D[6] D[9] LJ"),
    *((rules, "4 4 4 5") for rules in (Q1, Q3)),
    *((rules, "3 4 5") for rules in (Q1, Q3)),
    *((rules, "333 44") for rules in (Q1, Q3)),
]


@pytest.mark.parametrize(("rules", "text", "pattern"), LEGAL, ids=named)
def test_patterns__that_the_page_names(rules: RuleSet, text: str, pattern: str) -> None:
    assert pattern in names(rules, text)


@pytest.mark.parametrize(("rules", "text"), ILLEGAL, ids=named)
def test_patterns__that_the_page_refuses(rules: RuleSet, text: str) -> None:
    assert names(rules, text) == []


@pytest.mark.parametrize(
    ("rules", "text", "expected"),
    [
        (X, "4444 3333", {("triple_straight_singles", "4"), ("quad_two_pairs", "4"), ("quad_two_pairs", "3")}),
        (X, "4444 6666", {("quad_two_pairs", "6"), ("quad_two_pairs", "4")}),
        (X, "333 444 555 666", {("triple_straight", "6"), ("triple_straight_singles", "6"), ("triple_straight_singles", "5")}),
        (X, "333 444 555 666 777 8", {("triple_straight_singles", "7"), ("triple_straight_singles", "6")}),
        (
            X,
            "3333 444 555 666 777 22 8 8",
            {
                ("triple_straight_singles", "7"),
                ("triple_straight_pairs", "7"),
            },
        ),
        (DD, "333 444 555 666", {("triple_straight", "6")}),
        (DD, "3333", {("bomb", "3")}),
        (X, "3333", {("bomb", "3")}),
        (TTO, "333 444", {("triple_straight", "4"), ("triple_pair_single", "4"), ("triple_pair_single", "3")}),
        (TTO, "333 555", {("triple_pair_single", "5"), ("triple_pair_single", "3")}),
        (TTO, "222 333", {("triple_straight", "3"), ("triple_pair_single", "3"), ("triple_pair_single", "2")}),
        (TTO, "AAA 222", {("triple_straight", "2"), ("triple_pair_single", "A"), ("triple_pair_single", "2")}),
        (TTO, "KKK AAA", {("triple_straight", "A"), ("triple_pair_single", "K"), ("triple_pair_single", "A")}),
        (TTO, "A 2 3 4 5 6 7 8 9 10 J Q K", {("straight", "2")}),
    ],
    ids=named,
)
def test_readings__of_ambiguous_cards(rules: RuleSet, text: str, expected: set[tuple[str, str]]) -> None:
    found = readings(rules, text)
    assert len(found) == len(expected)
    assert set(found) == expected


LADDERS = [
    (DD, ["3", "K", "A", "2", "LJ", "BJ", "3333", "2222", "LJ BJ"]),
    (DD, ["3 4 5 6 7", "10 J Q K A", "3333", "LJ BJ"]),
    (DD, ["333 444 5 6", "QQQ KKK 3 3", "4444"]),
    (DD, ["3333 4 5", "AAAA KK", "2222 3 4", "3333"]),
    (FOUR, ["LJ LJ", "BJ BJ", "3333", "2222", "33333", "333333", "3333333", "33333333", "22222222", "LJ LJ BJ BJ"]),
    (FOUR, ["LJ", "BJ", "4444", "LJ LJ BJ BJ"]),
    (CDD, ["D[3]", "S[3]", "D[4]", "S[A]", "D[2]", "C[2]", "H[2]", "S[2]"]),
    (CDD, ["D[3] H[3]", "C[3] S[3]", "D[4] C[4]", "D[2] S[2]"]),
    (
        CDD,
        [
            *("D[3] C[4] D[5] D[6] D[7]", "D[10] C[J] D[Q] D[K] S[A]", "C[2] D[3] D[4] D[5] D[6]", "S[2] D[3] C[4] D[5] D[A]"),
            *("S[3] S[4] S[5] S[6] S[8]", "D[3] D[4] D[5] D[6] D[9]", "333 AA", "444 33", "3333 5", "4444 3"),
            *("D[3] D[4] D[5] D[6] D[7]", "S[10] S[J] S[Q] S[K] S[A]", "D[A] D[2] D[3] D[4] D[5]"),
        ],
    ),
    (TTO, ["A 2 3", "2 3 4", "Q K A", "K A 2"]),
    (TTO, ["22 33", "33 44", "KK AA", "AA 22"]),
    (TTO, ["333 44 5", "333 444", "444 555", "222 AAA"]),
    (WGP, ["6", "A", "2", "5", "LJ", "BJ"]),
    (WGP, ["66", "55", "LJ BJ"]),
    (WGP, ["D[6] C[7] D[8]", "D[A] C[2] D[3]", "D[5] C[6] D[7]", "H[5] C[6] D[7]", "D[6] D[8] D[9]", "666", "D[6] D[7] D[8]"]),
    (WGP, ["D[6] C[7] D[8] D[9]", "D[6] D[7] D[8] D[10]", "6666", "D[6] D[7] D[8] D[9]"]),
    (WGP, ["6 7 8 9 C[10]", "D[6] D[7] D[8] D[9] D[J]", "666 77", "777 LJ BJ", "6666 7", "D[6] D[7] D[8] D[9] D[10]"]),
    (Q1, ["D[3]", "D[4]", "S[4]", "D[6]", "2", "5", "LJ", "BJ", "D[7]", "S[7]"]),
    (Q1, ["D[4] C[4]", "D[4] S[4]", "55", "LJ BJ", "77"]),
    (Q3, ["4", "K", "A", "3", "2", "5", "LJ", "BJ", "7"]),
    (Q3, ["444", "333", "777"]),
]


@pytest.mark.parametrize(("rules", "rungs"), LADDERS, ids=named)
def test_ladders__each_rung_beats_every_lower_one_and_no_other(rules: RuleSet, rungs: list[str]) -> None:
    plays = [
        max(rules.table.classify(cards(rules, rung)), key=lambda play: (play.pattern == "triple_straight", play.power))
        for rung in rungs
    ]
    if rules is TTO and rungs[0] == "333 44 5":
        assert not rules.beats(rules.play(cards(rules, "KKK 44 5")), plays[1])  # never the other way round
    for i, low in enumerate(plays):
        for j, high in enumerate(plays):
            assert rules.beats(high, low) == (j > i), (rungs[j], rungs[i])


@pytest.mark.parametrize(
    ("rules", "high", "low"),
    [
        (DD, "444 555", "333"),
        (DD, "2", "33"),
        (DD, "4 5 6 7 8 9", "3 4 5 6 7"),
        (DD, "444 33", "333 2"),
        (CDD, "333", "44"),
        (CDD, "D[3] D[4] D[5] D[6] D[7]", "2"),
        (TTO, "4444", "33"),
        (WGP, "D[6] D[7] D[8]", "666 77"),
        (Q1, "7777", "3"),
        (Q3, "C[4]", "C[4]"),
    ],
    ids=named,
)
def test_beats__nothing_that_the_page_keeps_apart(rules: RuleSet, high: str, low: str) -> None:
    tops, plays = rules.table.classify(cards(rules, low)), rules.table.classify(cards(rules, high))
    assert tops
    assert plays
    assert not any(rules.beats(play, top) for play in plays for top in tops)


def test_ambiguity__is_asked_about_or_told_by_the_table() -> None:
    """44443333: three readings when leading; over a plane of two one reading is left and taken."""
    hand = cards(X, "4444 3333 5")
    both = cards(X, "4444 3333")
    lead = LegalPlays(X, hand, None)
    with pytest.raises(
        AmbiguousPlayError, match=r"in 3 ways: name one of triple_straight_singles, quad_two_pairs#1, quad_two_pairs#2$"
    ):
        lead.verify(both)
    assert lead.verify(both, "triple_straight_singles").pattern == "triple_straight_singles"
    first, second = (lead.verify(both, f"quad_two_pairs#{number}") for number in (1, 2))
    assert (first.pattern, second.pattern, first.power == second.power) == ("quad_two_pairs", "quad_two_pairs", False)
    assert sum(play.mask == both for play in lead) == 3
    (plane,) = (play for play in X.table.classify(cards(X, "999 101010 J J")) if "straight" in play.pattern)
    with pytest.raises(IllegalPlayError):
        LegalPlays(X, hand, plane).verify(both)
    quads = max(X.table.classify(cards(X, "3333 66 77")), key=lambda play: play.power)
    follow = LegalPlays(X, hand, quads).verify(cards(X, "4444 3333"))
    assert (follow.pattern, follow.power) == ("quad_two_pairs", 4)
    lower = [play for play in TTO.table.classify(cards(TTO, "333 444")) if play.pattern == "triple_pair_single"]
    top = TTO.play(cards(TTO, "KKK QQ J"))
    assert not any(TTO.beats(play, top) for play in lower)


def test_two_decks__have_each_face_twice_and_no_more() -> None:
    third = Game.deal(FOUR, 1).ruleset.order.sort(FOUR.order.rank_masks[Rank.THREE])
    assert len(third) == 8
    assert {card % NUM_FACES for card in third} == {0, 1, 2, 3}
