from __future__ import annotations

import random
import time
import unicodedata
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from big2_env import (
    BIG2,
    Card,
    CardSet,
    Game,
    IllegalPlayError,
    LegalPlays,
    RuleSet,
    ruleset,
)
from big2_env.base.cards import NUM_FACES, RANK_NAMES, as_mask
from big2_env.base.language import Language, words
from big2_env.climbing.play import Play
from big2_env.climbing.position import lead_position
from big2_env.notation.written_cards import Reading, parsed, readings
from big2_env.testing.random_positions import random_positions
from big2_env.text.answers import Ambiguous, Illegal, Played, Unreadable, read_line

DD, X, FOUR, TTO = map(ruleset, ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one"])
HAND = "D[3] C[3] H[3] S[3] D[4] C[10] H[J] S[A] D[2] H[2] LJ BJ"


SAY = words(Language.EN)


def cards_of(text: str, legal: LegalPlays) -> list[Reading]:
    return readings(parsed(text, by_hand=True), legal)


def read(text: str, legal: LegalPlays) -> Play | Illegal | Unreadable | Ambiguous:
    found = read_line(text, legal, SAY, by_index=False)
    return found.play if isinstance(found, Played) else found


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
        ("♥ ♠", "H[3] S[3]"),
        ("3♥ 10♣ J", "H[3] C[10] H[J]"),
        ("3♠♥3", "S[3] H[3]"),
        ("3D", "D[3]"),
        ("3h3s", "H[3] S[3]"),
        ("10C JH", "C[10] H[J]"),
        ("TCJH", "C[10] H[J]"),
        ("3S 4", "S[3] D[4]"),  # the suit goes with the point that it touches
        ("3 H", "H[3]"),
        ("3 (H)", "H[3]"),
        ("3（红桃）", "H[3]"),
        ("3红桃", "H[3]"),
        ("3 of hearts", "H[3]"),
        ("three (hearts)", "H[3]"),
        ("一对3", "D[3] C[3]"),
        ("两个3", "D[3] C[3]"),
        ("pair of threes (H, S)", "H[3] S[3]"),
        ("pair of threes of hearts and spades", "H[3] S[3]"),
        ("333 (♥ ♠ ♦)", "D[3] H[3] S[3]"),
        ("大小王", "LJ BJ"),
        ("as", "S[A]"),
        ("a 2 3", "S[A] D[2] D[3]"),
        ("hJ", "H[J]"),
        ("tc", "C[10]"),
        ("3 D4", "D[3] D[4]"),
        ("3方块4", "D[3] D[4]"),
        ("3H[2]", "D[3] H[2]"),
        ("3,3,3 + 方块4", "D[3] C[3] H[3] D[4]"),
    ],
)
def test_cards__are_what_was_meant(text: str, cards: str) -> None:
    assert [CardSet(one.mask) for one in cards_of(unicodedata.normalize("NFKC", text), asked())] == [CardSet(cards)]


@pytest.mark.parametrize("text", ["33333", "5", "方块10", "黑桃黑桃黑桃", "B B", "222"])
def test_cards__that_the_hand_has_not_are_refused(text: str) -> None:
    with pytest.raises(IllegalPlayError, match="not, or not often enough, in the hand"):
        cards_of(text, asked())


@pytest.mark.parametrize(
    "text",
    [
        "不要3",
        "3 🔴",
        "3 x2",
        "3 and",
        "with 3",
        "♥3 ♠",
        "3, H",
        "3 3 (H)",
        "3-7",
        "a 3",
        "2 3s",
        "3 of",
        "3 H S",
        "三",
        "王",
        "3张",
        "4th",
        "of hearts",
        "pair of hearts",
    ],
)
def test_cards__have_no_meaning_with_anything_else_beside_them(text: str) -> None:
    assert not parsed(text, by_hand=True)
    assert isinstance(read(text, asked()), Unreadable)


def test_cards__of_one_suit_may_be_all_of_it() -> None:
    legal = asked(BIG2, "H[3] H[4] H[5] H[6] H[7] C[3] C[4] C[5] C[6] C[7]")
    for text in ("红桃34567", "34567 hearts", "♥34567", "hearts 3 4 5 6 7"):
        assert [len(CardSet(one.mask) & CardSet("H[3] H[4] H[5] H[6] H[7]")) for one in cards_of(text, legal)] == [1, 5], text
        assert isinstance(read(text, legal), Ambiguous)


def test_read__gives_plays_passes_and_decisions() -> None:
    assert getattr(read("3334", asked()), "pattern", "") == "triple_single"
    assert getattr(read("3334 triple_single", asked()), "pattern", "") == "triple_single"
    assert getattr(read("三带一: 3,3,3 + 方块4!", asked()), "pattern", "") == "triple_single"
    assert read("3334 bomb", asked()) == Illegal("triple with a single H[3] C[3] D[3] D[4]: not bomb here")
    assert str(read("小王 大王", asked())) == "joker_pair LJ BJ"
    assert str(read("王炸", asked())) == "joker_pair LJ BJ"
    follow = LegalPlays(DD, as_mask(HAND), DD.play("C[9]"))
    for text in ("/", "\\", "-", "--", "要不起", "不出", "不打", "", "  ", "PASS", "p"):
        found = read(text, follow)
        assert isinstance(found, Play)
        assert found.is_pass
    assert isinstance(read("/", asked()), Illegal)
    for text in ("?!", "3" * 1001):
        assert isinstance(read(text, asked()), Unreadable)
    game = Game.deal(DD, 3)
    for word, move in (("叫地主", "call"), ("抢", "rob"), ("n", "pass"), ("Y", "rob")):
        found = read(word, game.legal_plays())
        assert isinstance(found, Play)
        assert found.pattern == move
        game.play(found)
    assert game.position.landlord is not None
    bids = Game.deal(FOUR, 3).legal_plays()
    assert [getattr(read(word, bids), "pattern", "") for word in ("2", "3分", "bid 1", "bid_2", "不叫", "三分", "叫两分")] == [
        "bid_2",
        "bid_3",
        "bid_1",
        "bid_2",
        "pass",
        "bid_3",
        "bid_2",
    ]
    for word in ("4", "call", "黑桃"):
        assert isinstance(read(word, bids), Illegal)


def test_read__asks_for_the_reading() -> None:
    both = asked(X, "D[3] C[3] H[3] S[3] D[4] C[4] H[4] S[4] S[9]")
    assert isinstance(read("44443333", both), Ambiguous)
    assert getattr(read("44443333 triple_straight_singles", both), "pattern", "") == "triple_straight_singles"
    assert read("C3", asked(BIG2, "C[3] D[3]")) == BIG2.play("C[3]")


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("5H", "single H[5]"),
        ("H5", "single H[5]"),
        ("5♥", "single H[5]"),
        ("♥5", "single H[5]"),
        ("9h", "single H[9]"),
        ("5D", "single D[5]"),
        ("5", "single D[5]"),
        ("5H5", "pair D[5] H[5]"),
        ("5D5H", "pair D[5] H[5]"),
        ("9H 9C", "pair C[9] H[9]"),
        ("9 H", "single H[9]"),
        ("9 (H)", "single H[9]"),
        ("一对9", "pair C[9] H[9]"),
    ],
)
def test_read__takes_a_suit_with_the_point_before_it(text: str, play: str) -> None:
    assert str(read(text, asked(BIG2, "C[3] D[5] H[5] C[9] H[9]"))) == play


RUN = "C[3] D[3] C[4] D[4] S[5] S[6] S[7]"


def test_read__names_both_readings_of_a_suit_between_two_points() -> None:
    for text in ("3D4567", "3D4567 straight"):
        found = read(text, asked(BIG2, RUN))
        assert found == Ambiguous(("D[3] C[4] S[5] S[6] S[7]", "C[3] D[4] S[5] S[6] S[7]"))
        assert isinstance(found, Ambiguous)
        assert [line.split("(")[0].strip() for line in found.question.splitlines()[1:]] == ["3D 4 5 6 7", "3 D4 5 6 7"]
    assert str(read("3D 4 5 6 7", asked(BIG2, RUN))) == "straight D[3] C[4] S[5] S[6] S[7]"
    assert str(read("3 D4 5 6 7", asked(BIG2, RUN))) == "straight C[3] D[4] S[5] S[6] S[7]"
    assert str(read("3方块4567", asked(BIG2, RUN))) == "straight C[3] D[4] S[5] S[6] S[7]"


def test_read__takes_the_one_reading_that_is_legal() -> None:
    only = "C[3] C[4] D[4] S[5] S[6] S[7]"  # no three of diamonds
    assert str(read("3D4567", asked(BIG2, only))) == "straight C[3] D[4] S[5] S[6] S[7]"
    first = LegalPlays(BIG2, as_mask(RUN), None, as_mask("C[3]"))  # the first play of a game
    assert str(read("3D4567", first)) == "straight C[3] D[4] S[5] S[6] S[7]"
    with pytest.raises(IllegalPlayError, match=r"^'3D': not, or not often enough, in the hand"):
        cards_of("3D4", asked(BIG2, only))
    assert read("3D4", asked(BIG2, only)) == Illegal("you do not hold enough of '3D4'")
    assert read("3D4", asked(BIG2, RUN)) == Illegal("D[3] C[4] is not a pattern of this game")


@given(rules=st.sampled_from([BIG2, X, FOUR]), seed=st.integers(0, 2**32))
def test_read__gives_back_every_legal_play(rules: RuleSet, seed: int) -> None:
    """Written in both orders, by letters and by signs, with and without blanks, each card in its own order too."""
    rng, signs = random.Random(seed), "♣♦♥♠"
    position = next(random_positions(rules, 1, seed))
    legal = LegalPlays(rules, position.hands[position.turn], position.top)
    plays = [play for play in islice(legal, 200) if not play.is_pass]
    for play in rng.sample(plays, min(len(plays), 20)):
        cards = rng.sample(list(play.cards), len(play))
        ranks = [RANK_NAMES[card.rank] for card in cards]
        letters, marks = (["" if card.suit is None else one[card.suit] for card in cards] for one in ("CDHS", signs))
        for suits in (letters, [letter.lower() for letter in letters], marks):
            behind = [rank + suit for rank, suit in zip(ranks, suits, strict=True)]
            before = [suit + rank for rank, suit in zip(ranks, suits, strict=True)]
            mixed = [rng.choice(pair) for pair in zip(behind, before, strict=True)]
            for text in (" ".join(behind), "".join(behind), " ".join(before), "".join(before), " ".join(mixed)):
                assert read(f"{text} {rules.reading_name(play)}", legal) == play


@given(seed=st.integers(0, 2**32))
def test_readings__are_what_their_texts_say(seed: int) -> None:
    """Of a text with a suit between points: every reading is legal where there are two, and its text has no other."""
    rng = random.Random(seed)
    position = next(random_positions(BIG2, 1, seed))
    legal = LegalPlays(BIG2, position.hands[position.turn], None)
    plays = list(legal)
    cards = rng.choice(plays).cards
    text = "".join(
        RANK_NAMES[card.rank] if rng.random() < 0.6 else RANK_NAMES[card.rank] + "CDHS"[card.suit or 0] for card in cards
    )
    try:
        found = cards_of(text, legal)
    except IllegalPlayError:
        return  # points before it have taken the cards
    if len(found) > 1:
        assert len({one.mask for one in found}) == len(found)
        assert all(legal.can(one.mask) for one in found)
        assert isinstance(read(text, legal), Ambiguous)
    for one in found:
        assert [again.mask for again in cards_of(one.text, legal)] == [one.mask]


def test_read__of_two_decks_takes_equal_cards_one_after_another() -> None:
    third = int(Card("S[3]"))
    hand = as_mask([third, third + NUM_FACES, int(Card("C[4]"))])
    legal = Game.from_position(FOUR, lead_position(FOUR, (hand, 1 << 20, 1 << 21, 1 << 22), 0)).legal_plays()
    assert getattr(read("黑桃3黑桃3", legal), "mask", 0) == as_mask([third, third + NUM_FACES])
    assert isinstance(read("333", legal), Illegal)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("3D4", ["3D 4", "3 D4"]),
        ("ten of hearts", ["ten hearts"]),
        ("hearts 10", ["hearts 10"]),
        ("pair of tens (H, S)", ["10H 10S"]),
        ("pair of tens of hearts and spades", ["10H 10S"]),
        ("♥3", ["♥3"]),
        ("3 红桃", ["3红桃"]),
        ("H 3", ["H3"]),
        ("S[3] H[2]", ["S[3] H[2]"]),
        ("两张3", ["3 3"]),
    ],
)
def test_parsed__names_cards_with_the_words_of_the_text(text: str, cards: list[str]) -> None:
    assert [" ".join(wish.text for wish in wishes) for wishes in parsed(text)] == cards


@pytest.mark.parametrize(
    "text", ["3D4 " * 240 + "3 3 (H)", "3H" * 500, "3D4" * 300, "H" * 999, "红桃34567 " * 100, "3 (H) " * 160, "a" * 999]
)
def test_parsed__takes_no_time_for_long_texts(text: str) -> None:
    start = time.perf_counter()
    parsed(text, by_hand=True)
    assert time.perf_counter() - start < 2
