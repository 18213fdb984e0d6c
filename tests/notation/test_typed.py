from __future__ import annotations

import pytest

from big2_env import (
    BIG2,
    AmbiguousPlayError,
    Card,
    CardSet,
    Game,
    IllegalPlayError,
    LegalPlays,
    NotationError,
    RuleSet,
    ruleset,
)
from big2_env.cards import NUM_FACES, as_mask
from big2_env.climbing.position import lead_position
from big2_env.notation import typed

DD, X, FOUR, TTO = map(ruleset, ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one"])
HAND = "D[3] C[3] H[3] S[3] D[4] C[10] H[J] S[A] D[2] H[2] LJ BJ"


def asked(rules: RuleSet = DD, hand: str = HAND) -> LegalPlays:
    return LegalPlays(rules, as_mask(hand), None)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("334", "D[3] C[3] D[4]"),  # two threes and a four, the lowest suits
        ("3 3 3 3", "D[3] C[3] H[3] S[3]"),
        ("A", "S[A]"),
        ("1", "S[A]"),
        ("a22", "S[A] D[2] H[2]"),
        ("10J", "C[10] H[J]"),
        ("T", "C[10]"),  # and no jack
        ("t j", "C[10] H[J]"),
        ("B", "BJ"),  # the big one
        ("L b", "LJ BJ"),
        ("大王小鬼", "LJ BJ"),
        ("黑桃3", "S[3]"),
        ("红桃 3 3", "H[3] D[3]"),  # the suit goes with the first point only
        ("红心3", "H[3]"),
        ("H3 s3", "H[3] S[3]"),
        ("3黑桃3", "S[3] D[3]"),
        ("333方块3", "D[3] C[3] H[3] S[3]"),  # very cards first, so the points find others
        ("黑桃", "S[3]"),
        ("黑桃黑桃", "S[3] S[A]"),
        ("S[3] H[2] LJ", "S[3] H[2] LJ"),
        ("♥3 ♠", "H[3] S[3]"),
        ("3♥ 10♣ J", "H[3] C[10] H[J]"),
        ("3♠♥3", "S[3] H[3]"),
        ("三带一: 3,3,3 + 方块4!", "D[3] C[3] H[3] D[4]"),
    ],
)
def test_cards__are_what_was_meant(text: str, cards: str) -> None:
    assert CardSet(typed.cards_of(text, asked())) == CardSet(cards)


@pytest.mark.parametrize("text", ["33333", "5", "方块10", "黑桃黑桃黑桃", "B B", "222"])
def test_cards__that_the_hand_has_not_are_refused(text: str) -> None:
    with pytest.raises(IllegalPlayError, match="not, or not so often, in the hand"):
        typed.read(text, asked())


def test_read__gives_plays_passes_and_decisions() -> None:
    assert typed.read("3334", asked()).pattern == "triple_single"
    assert typed.read("3334 triple_single", asked()).pattern == "triple_single"
    with pytest.raises(IllegalPlayError, match=r"no pattern of dou_dizhu \(bomb\)"):
        typed.read("3334 bomb", asked())
    assert str(typed.read("小王 大王", asked())) == "joker_pair LJ BJ"
    follow = LegalPlays(DD, as_mask(HAND), DD.play("C[9]"))
    for text in ("/", "\\", "-", "--", "要不起", "不出", "不打", "", "  ", "PASS", "p"):
        assert typed.read(text, follow).is_pass
    with pytest.raises(IllegalPlayError):
        typed.read("/", asked())
    with pytest.raises(NotationError, match=r"^expected points \(334\), suits with points .*, got '\?!'$"):
        typed.read("?!", asked())
    with pytest.raises(NotationError, match="1000 characters"):
        typed.read("3" * 1001, asked())
    game = Game.deal(DD, 3)
    for word, act in (("叫地主", "call"), ("抢", "rob"), ("n", "pass"), ("Y", "rob")):
        assert typed.read(word, game.legal_plays()).pattern == act
        game.play(typed.read(word, game.legal_plays()))
    assert game.position.landlord is not None
    bids = Game.deal(FOUR, 3).legal_plays()
    assert [typed.read(word, bids).pattern for word in ("2", "3分", "bid 1", "bid_2", "不叫")] == [
        "bid_2",
        "bid_3",
        "bid_1",
        "bid_2",
        "pass",
    ]
    for word in ("4", "call", "黑桃"):
        with pytest.raises(IllegalPlayError):
            typed.read(word, bids)


def test_read__asks_for_the_reading() -> None:
    both = asked(X, "D[3] C[3] H[3] S[3] D[4] C[4] H[4] S[4] S[9]")
    with pytest.raises(AmbiguousPlayError):
        typed.read("44443333", both)
    assert typed.read("44443333", both, "triple_straight_singles").pattern == "triple_straight_singles"
    assert typed.read("C3", asked(BIG2, "C[3] D[3]")) == BIG2.play("C[3]")


def test_read__of_two_decks_takes_equal_cards_one_after_another() -> None:
    third = int(Card("S[3]"))
    hand = as_mask([third, third + NUM_FACES, int(Card("C[4]"))])
    legal = Game.from_position(FOUR, lead_position(FOUR, (hand, 1 << 20, 1 << 21, 1 << 22), 0)).legal_plays()
    assert typed.read("黑桃3黑桃3", legal).mask == as_mask([third, third + NUM_FACES])
    with pytest.raises(IllegalPlayError):
        typed.read("333", legal)
