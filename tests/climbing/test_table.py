"""Reading, listing and beating under the parameters that `big2` leaves alone, each in a small ruleset of its own."""

from __future__ import annotations

import gc
import random
from collections import Counter
from dataclasses import replace

import pytest
from house_rules import BOMBS, DRAWING, LOCKED, TIERS, TWO_DECKS

from big2_env import (
    BIG2,
    PASS,
    AmbiguousPlayError,
    Card,
    CardSet,
    Game,
    IllegalPlayError,
    LegalPlays,
    Play,
    Rank,
    Refusal,
    RuleSet,
)
from big2_env.base.cards import NUM_FACES
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.table import MAX_KEPT


def assert_ladder(rules: RuleSet, rungs: list[str]) -> None:
    """Each rung beats every one below it, and none above."""
    plays = [rules.play(rung) for rung in rungs]
    for i, low in enumerate(plays):
        for j, high in enumerate(plays):
            assert rules.beats(high, low) == (j > i), (str(high), str(low))


def test_tiers__count_the_hands_of_poker() -> None:
    counts = Counter(play.pattern for play in TIERS.table.plays(TIERS.deck.mask) if len(play) == 5)
    assert counts == {"straight": 10_200, "flush": 5_108, "full_house": 3_744, "quad_single": 624, "straight_flush": 40}


def test_tiers__a_higher_tier_beats_then_the_key_decides() -> None:
    assert_ladder(
        TIERS,
        [
            "C[3] D[4] H[5] S[6] C[7]",
            "S[10] S[J] S[Q] S[K] D[A]",
            "C[2] S[3] S[4] S[5] S[6]",  # the two is its largest card
            "H[2] D[3] D[4] D[5] D[A]",
            "D[3] D[4] D[5] D[6] D[8]",
            "C[3] C[4] C[5] C[6] C[8]",  # diamonds below clubs
            "D[3] D[4] D[5] D[9] D[2]",
            "C[3] D[3] H[3] C[2] D[2]",
            "C[4] D[4] H[4] C[3] D[3]",
            "C[3] D[3] H[3] S[3] S[2]",
            "C[4] D[4] H[4] S[4] S[3]",
            "D[3] D[4] D[5] D[6] D[7]",
            "S[10] S[J] S[Q] S[K] S[A]",
            "D[A] D[2] D[3] D[4] D[5]",
        ],
    )


@pytest.mark.parametrize("cards", ["C[J] D[Q] H[K] S[A] C[2]", "C[K] D[A] H[2] S[3] C[4]", "C[3] D[3] H[3] S[3]"])
def test_tiers__refuse_what_the_runs_do_not_have(cards: str) -> None:
    with pytest.raises(IllegalPlayError):
        TIERS.play(cards)


def test_tiers__mix_nothing_but_the_group() -> None:
    assert not TIERS.beats(TIERS.play("C[2] D[2]"), TIERS.play("C[3]"))
    assert not TIERS.beats(TIERS.play("C[2] D[2] H[2]"), TIERS.play("C[3] D[3]"))
    assert not TIERS.beats(TIERS.play("C[2] D[2] H[2]"), TIERS.play("C[3] D[3] H[3] S[3] C[4]"))


def test_bombs__cross_groups_and_counts() -> None:
    quads = ["C[3] D[3] H[3] S[3]", "C[2] D[2] H[2] S[2]", "LJ BJ"]
    for low in ["BJ", "C[2] D[2]", "C[10] C[J] C[Q] C[K] C[A]", "C[A] D[A] H[A] S[A] BJ"]:
        assert_ladder(BOMBS, [low, *quads])
    assert_ladder(BOMBS, ["S[2]", "LJ", "BJ"])
    assert not BOMBS.table.classify(CardSet("C[2] LJ").mask)


def test_bombs__are_listed_against_everything_they_beat() -> None:
    hand = CardSet("C[5] D[5] H[5] S[5] C[4] D[4] H[4] S[4] C[9] LJ BJ")
    against = {top: [str(play) for play in LegalPlays(BOMBS, hand.mask, BOMBS.play(top))] for top in ("S[9]", "D[4] S[4]")}
    bombs = ["quad C[4] D[4] H[4] S[4]", "quad C[5] D[5] H[5] S[5]", "joker_pair LJ BJ", "pass"]
    assert against["S[9]"] == ["single LJ", "single BJ", *bombs]
    assert [text for text in against["D[4] S[4]"] if not text.startswith("pair")] == bombs
    top = BOMBS.play("C[3] D[3] H[3] S[3]")
    assert [str(play) for play in LegalPlays(BOMBS, hand.mask, top)] == bombs


def test_suits_compare__off_makes_equal_ranks_equal() -> None:
    flat = replace(BIG2, suits_compare=False)
    for strong, weak in [
        ("S[3]", "C[3]"),
        ("C[3] S[3]", "D[3] H[3]"),
        ("S[7] C[3] C[4] C[5] C[6]", "C[7] D[3] D[4] D[5] D[6]"),
    ]:
        assert BIG2.beats(BIG2.play(strong), BIG2.play(weak))
        assert not flat.beats(flat.play(strong), flat.play(weak))
    assert flat.beats(flat.play("C[4]"), flat.play("S[3]"))
    follow = LegalPlays(flat, CardSet("S[3] H[4]").mask, flat.play("C[3]"))
    assert [str(play) for play in follow] == ["single H[4]", "pass"]


def test_order__a_ruleset_ranks_cards_its_own_way() -> None:
    assert_ladder(DRAWING, ["D[6]", "C[6]", "S[K]", "D[2]", "D[3]", "S[4]", "S[5]", "LJ", "BJ"])
    assert_ladder(DRAWING, ["C[6] S[6]", "D[5] C[5]", "H[5] S[5]", "LJ BJ"])
    assert DRAWING.text(CardSet("BJ S[5] C[6] D[6] H[2] LJ")) == "D[6] C[6] H[2] S[5] LJ BJ"
    assert DRAWING.order.lowest(CardSet("C[3] S[A]").mask) == Card("S[A]")


def test_extra_beats__go_one_way_and_by_power() -> None:
    run, three = LOCKED.play("C[5] D[5] H[5] C[6] D[6] H[6]", "triple_run"), LOCKED.play("C[5] D[5] H[5] C[9] D[9] S[K]")
    assert LOCKED.beats(run, three)
    assert not LOCKED.beats(three, run)
    assert not LOCKED.beats(LOCKED.play("C[7] D[7] H[7] C[9] D[9] S[K]"), run)
    high = LOCKED.play("C[6] D[6] H[6] C[9] D[9] S[K]")
    assert not LOCKED.beats(run, high)  # no more power: both keys are sixes
    assert not LOCKED.beats(run, LOCKED.play("C[5] D[5] H[5]"))
    uneven = replace(LOCKED, extra_covers=(("triple", "pair"),))
    assert not uneven.beats(uneven.play("C[6] D[6] H[6]"), uneven.play("C[5] D[5]"))  # as many cards, always


def test_several_readings__are_told_apart_by_name_or_by_what_they_beat() -> None:
    cards = "C[5] D[5] H[5] C[6] D[6] H[6]"
    readings = LOCKED.table.classify(CardSet(cards).mask)
    assert [(play.pattern, play.power) for play in readings] == [
        ("three_two_one", 8),
        ("three_two_one", 12),
        ("triple_run", 12),
    ]
    with pytest.raises(AmbiguousPlayError, match=r"in 3 ways: name one of three_two_one#1, three_two_one#2, triple_run$"):
        LOCKED.play(cards)
    assert LOCKED.play(cards, "triple_run") == readings[2]
    assert [LOCKED.play(cards, f"three_two_one#{number}") for number in (1, 2)] == readings[:2]
    with pytest.raises(IllegalPlayError, match=r"no pattern of locked .three_two_one#3"):
        LOCKED.play(cards, "three_two_one#3")
    sixes = LOCKED.play("S[6] C[7] D[7] H[7] C[8] S[8]")
    with pytest.raises(IllegalPlayError, match="does not beat"):
        LOCKED.play(cards, over=sixes)
    assert LOCKED.play(cards, over=LOCKED.play("C[4] D[4] H[4] C[5] D[5] H[5]", "triple_run")) == readings[2]


def test_several_readings__are_one_play_at_a_time_where_suits_matter() -> None:
    hands = ["D[3] D[4] C[4]", "C[5] D[5] H[5] C[6] D[6] H[6] S[9]", "S[3]", "H[3]"]
    game = Game.from_hands(LOCKED, hands)
    for cards in ("D[3]", "S[9]", "", "", ""):
        game.play(cards)
    legal = game.legal_plays()
    cards = CardSet("C[5] D[5] H[5] C[6] D[6] H[6]").mask
    readings = LOCKED.table.classify(cards)
    assert [play for play in legal if play.mask == cards] == readings[:1]
    assert [play in legal for play in readings] == [True, False, False]
    assert legal.verify(cards) == legal.verify(cards, "three_two_one") == legal.verify(cards, "three_two_one#1") == readings[0]
    for name in ("three_two_one#2", "triple_run"):
        with pytest.raises(IllegalPlayError, match=f"read as three_two_one#1 here, not as {name}") as caught:
            legal.verify(cards, name)
        assert caught.value.refusal is Refusal.NO_PATTERN


@pytest.mark.parametrize(
    ("top", "read"),
    [
        ("C[4] D[4] H[4] C[5] D[9] S[9]", "three_two_one#1"),
        ("D[5] C[4] S[5] C[6] D[9] S[9]", None),  # no pattern
        ("C[2] C[4] D[4] H[4] D[9] S[9]", "three_two_one#1"),
        ("C[4] D[4] H[4] C[5] D[5] S[5]", "triple_run"),
    ],
)
def test_reading__is_the_first_that_beats_the_top(top: str, read: str | None) -> None:
    cards, table = CardSet("C[5] D[5] H[5] C[6] D[6] H[6]").mask, LOCKED.table
    tops = [play for play in table.classify(CardSet(top).mask) if read != "triple_run" or play.pattern == read]
    if read is None:
        assert not tops
        return
    found = table.reading(cards, tops[0])
    assert found is not None
    assert LOCKED.reading_name(found) == read
    higher = table.classify(CardSet("C[7] D[7] H[7] C[8] D[8] S[9]").mask)[0]
    assert table.reading(cards, higher) is None


def test_two_decks__list_equal_faces_once() -> None:
    plays = list(TWO_DECKS.table.plays(TWO_DECKS.deck.mask))
    faces = Counter((play.pattern, tuple(sorted(card.face for card in play.cards))) for play in plays)
    assert set(faces.values()) == {1}
    by_pattern = Counter(play.pattern for play in plays)
    # Choices of 2, 3, 4 cards among four suits twice: 10, 16, 19.
    assert by_pattern == {"single": 54, "pair": 130, "triple": 208, "quad": 247, "straight": 8 * 4**5}
    assert TWO_DECKS.num_plays == len(plays) == 8_831
    third = Card("S[3]")
    assert TWO_DECKS.play([third, third + NUM_FACES]).pattern == "pair"
    assert not TWO_DECKS.beats(TWO_DECKS.play([third + NUM_FACES]), TWO_DECKS.play([third]))


def test_two_decks__the_second_copy_stands_for_the_first_where_both_are_held() -> None:
    both, second = CardSet([3, 3 + NUM_FACES]), CardSet([3 + NUM_FACES])
    legal = LegalPlays(TWO_DECKS, both.mask, None)
    assert legal.verify(second).mask == 1 << 3
    assert [play.mask for play in legal] == [1 << 3, both.mask]
    assert TWO_DECKS.play(second) not in legal
    assert LegalPlays(TWO_DECKS, second.mask, None).verify(second).mask == second.mask


def test_beats__nothing_beats_a_pass_nor_is_beaten_by_one() -> None:
    for play in BIG2.table.plays(CardSet("C[3] D[3] H[3] C[4] D[4]").mask):
        assert not BIG2.beats(play, PASS)
        assert not BIG2.beats(PASS, play)
    with pytest.raises(IllegalPlayError) as caught:
        BIG2.play("C[3]", over=BIG2.play("C[3]"))
    assert caught.value.refusal is Refusal.DOES_NOT_COVER
    assert BIG2.play("") is PASS


def test_rows__stand_by_category_and_power() -> None:
    for rules in (BIG2, TIERS, BOMBS, LOCKED, DRAWING, TWO_DECKS):
        table = rules.table
        keys = [(row.category, row.power) for row in table.rows]
        assert keys == sorted(keys)
        for category, bounds in enumerate(table.bounds):
            assert {table.rows[i].category for i in bounds} == {category}
        assert sum(map(len, table.bounds)) == len(table.rows)
        lowest = [play.power for play in table.plays(rules.order.rank_masks[rules.order.ranks[0]])]
        assert min(lowest) == rules.order.values[rules.order.ranks[0]] == 0
        assert Rank.THREE in rules.order.suited_ranks


def test_plays__of_a_long_run_do_not_stay_in_memory() -> None:
    rules, rng = ruleset("dou_dizhu_4p"), random.Random(7)

    def alive() -> int:
        gc.collect()
        return sum(type(each) is Play for each in gc.get_objects())

    before, met = alive(), set[tuple[str, int]]()
    while len(met) < 3 * MAX_KEPT:
        hand = CardSet(rng.sample(rules.deck.cards, 25)).mask
        met.update((play.pattern, play.mask) for play in rules.table.plays(hand))
    assert alive() - before <= MAX_KEPT
