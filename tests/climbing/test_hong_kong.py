from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from math import comb

import gymnasium
import pytest
from hong_kong_page import DECK, legal, read
from random_games import random_games

import big2_env
from big2_env import (
    HONG_KONG,
    PASS,
    CardsLeft,
    ConfigError,
    Game,
    IllegalPlayError,
    LegalPlays,
    Play,
    Position,
    Refusal,
    available_patterns,
    ruleset,
)
from big2_env.base.cards import DECK_52, as_mask
from big2_env.climbing import runs
from big2_env.climbing.actions import HandSlots
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.kernels.engine import BatchEngine

PATTERNS = [rule.pattern.name for rule in HONG_KONG.patterns]
AUTO = replace(HONG_KONG, auto_lead=True)


@cache
def all_plays() -> list[Play]:
    return list(HONG_KONG.table.plays(DECK_52.mask))


def names(mask: int) -> tuple[str, ...]:
    return tuple(map(str, HONG_KONG.order.sort(mask)))


def of_suit(suit: str, *ranks: str) -> str:
    return " ".join(f"{suit}[{rank}]" for rank in ranks)


def test_hong_kong__is_a_value_found_by_name() -> None:
    assert ruleset("hong_kong") is HONG_KONG is big2_env.HONG_KONG
    classes = {cls.__name__: cls for cls in available_patterns().values()}
    assert eval(repr(HONG_KONG), vars(big2_env) | vars(runs) | classes) == HONG_KONG != AUTO
    zh = ["單張", "對子", "三條", "兩對", "四條", "順子", "同花", "葫蘆", "同花順"]
    assert [rule.pattern.zh for rule in HONG_KONG.patterns] == zh
    assert HandSlots(HONG_KONG).n == 1 + sum(comb(13, size) for size in (1, 2, 3, 4, 5)) == 2_380


def test_hong_kong__has_an_environment_id() -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make("big2/HongKong-v0")
        env.reset(seed=3)
        action_space = env.single_action_space if make is gymnasium.make_vec else env.action_space
        assert action_space.n == 2_380
        env.close()


def test_hong_kong__has_as_many_plays_as_combinatorics_counts() -> None:
    counts = Counter(play.pattern for play in all_plays())
    runs_of_five = 9  # 3-4-5-6-7 to J-Q-K-A-2
    assert counts == {
        "single": 52,
        "pair": 13 * comb(4, 2),
        "triple": 13 * comb(4, 3),
        "two_pair": comb(13, 2) * comb(4, 2) ** 2,
        "four_of_a_kind": 13,
        "straight": runs_of_five * (4**5 - 4),
        "flush": 4 * (comb(13, 5) - runs_of_five),
        "full_house": 13 * comb(4, 3) * 12 * comb(4, 2),
        "straight_flush": 4 * runs_of_five,
    }
    assert HONG_KONG.num_plays == len({play.mask for play in all_plays()}) == sum(counts.values()) == 21_075


def test_hong_kong__reads_each_of_its_plays_as_the_page_does() -> None:
    for play in all_plays():
        assert HONG_KONG.table.classify(play.mask) == [play]
        assert read(names(play.mask))[0] == play.pattern


@pytest.mark.parametrize(
    ("cards", "pattern"),
    [
        ("D[3]", "single"),
        ("D[3] S[3]", "pair"),
        ("D[3] C[3] H[3]", "triple"),
        ("D[3] C[3] H[4] S[4]", "two_pair"),
        ("D[3] C[3] H[2] S[2]", "two_pair"),
        ("D[3] C[3] H[3] S[3]", "four_of_a_kind"),
        ("D[3] C[4] H[5] S[6] D[7]", "straight"),
        ("D[10] D[J] D[Q] D[K] C[A]", "straight"),
        ("D[J] C[Q] H[K] S[A] D[2]", "straight"),
        ("S[3] S[5] S[7] S[9] S[J]", "flush"),
        (of_suit("D", "A", "2", "3", "4", "5"), "flush"),  # no wrap: not even a straight
        (of_suit("H", "Q", "K", "A", "2", "3"), "flush"),
        (of_suit("H", "2", "3", "4", "5", "6"), "flush"),
        ("D[3] C[3] H[3] D[4] C[4]", "full_house"),
        ("D[3] C[3] D[2] C[2] H[2]", "full_house"),
        (of_suit("S", "3", "4", "5", "6", "7"), "straight_flush"),
        (of_suit("D", "J", "Q", "K", "A", "2"), "straight_flush"),
        ("D[3] D[4]", None),
        ("D[3] C[3] H[4]", None),
        ("D[3] D[4] D[5]", None),
        ("D[3] D[4] D[5] D[6]", None),
        ("D[3] C[3] H[3] D[4]", None),
        ("D[3] C[3] D[4] D[5]", None),
        ("D[3] C[3] H[3] S[3] D[4]", None),  # four of a kind takes no fifth card
        ("D[3] C[3] D[4] C[4] D[5]", None),
        ("D[A] C[2] H[3] S[4] D[5]", None),
        ("D[2] C[3] H[4] S[5] D[6]", None),
        ("D[Q] C[K] H[A] S[2] D[3]", None),
        ("D[K] C[A] H[2] S[3] D[4]", None),
        ("D[3] D[4] D[5] D[6] C[8]", None),
        ("D[3] C[3] H[3] D[4] C[5]", None),
        (of_suit("S", "3", "4", "5", "6", "7", "8"), None),
        ("D[3] C[3] H[3] D[4] C[4] H[4]", None),
        ("LJ", None),
    ],
)
def test_play__reads_card_groups(cards: str, pattern: str | None) -> None:
    if pattern is None:
        assert HONG_KONG.table.classify(as_mask(cards)) == []
        with pytest.raises(IllegalPlayError, match=r"no pattern of hong_kong") as caught:
            HONG_KONG.play(cards)
        assert caught.value.refusal is Refusal.NO_PATTERN
    else:
        assert [play.pattern for play in HONG_KONG.table.classify(as_mask(cards))] == [pattern]


LADDERS = [
    ["D[3]", "C[3]", "H[3]", "S[3]", "D[4]", "S[A]", "D[2]", "S[2]"],
    ["D[3] C[3]", "D[3] H[3]", "H[3] S[3]", "D[4] C[4]", "D[2] C[2]", "D[2] S[2]"],
    ["C[3] H[3] S[3]", "D[4] C[4] H[4]", "D[2] C[2] H[2]"],
    [
        *("H[3] S[3] D[4] C[4]", "D[3] C[3] D[4] H[4]", "D[3] C[3] C[4] S[4]", "H[4] S[4] D[5] C[5]"),
        *("D[3] C[3] D[2] C[2]", "D[3] C[3] C[2] H[2]", "D[3] C[3] H[2] S[2]"),
        *("D[3] C[3] H[3] S[3]", "D[4] C[4] H[4] S[4]", "D[2] C[2] H[2] S[2]"),
    ],
    [
        *("S[3] S[4] S[5] S[6] D[7]", "D[3] D[4] D[5] D[6] C[7]", "D[4] C[5] H[6] S[7] D[8]"),
        *("S[10] S[J] S[Q] S[K] D[A]", "S[J] S[Q] S[K] S[A] D[2]", "D[J] D[Q] D[K] D[A] S[2]"),
        *("D[3] D[4] D[5] D[6] D[8]", "C[3] C[4] C[5] C[6] C[8]", "S[3] S[4] S[5] S[6] S[8]"),
        *("D[3] D[5] D[6] D[7] D[9]", "H[10] H[Q] H[K] H[A] H[2]", "S[3] S[4] S[5] S[6] S[2]"),
        *("D[3] C[3] H[3] S[2] H[2]", "D[4] C[4] H[4] D[3] C[3]", "D[2] C[2] H[2] D[3] C[3]"),
        *("D[3] D[4] D[5] D[6] D[7]", "C[3] C[4] C[5] C[6] C[7]", "D[4] D[5] D[6] D[7] D[8]"),
        of_suit("S", "J", "Q", "K", "A", "2"),
    ],
]
"""By number of cards: each rung beats every one before it."""


@pytest.mark.parametrize("rungs", LADDERS, ids=lambda rungs: f"{rungs[0].count('[')} cards")
def test_beats__goes_up_the_ladder_of_a_number_of_cards(rungs: list[str]) -> None:
    plays = [HONG_KONG.play(rung) for rung in rungs]
    for i, j in product(range(len(plays)), repeat=2):
        assert HONG_KONG.beats(plays[i], plays[j]) == (i > j), (rungs[i], rungs[j])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("D[3] C[3] C[9] S[9]", "H[7] S[7] D[9] S[9]"),  # S[9] in both: the lower pair does not matter
        ("D[4] C[4] H[4] D[3] C[3]", "C[4] H[4] S[4] D[2] C[2]"),  # one rank, as two states of a hand
        ("D[3] C[4] H[5] S[6] S[7]", "C[3] H[4] S[5] D[6] S[7]"),
        ("D[3] D[4] D[5] D[6] D[9]", "D[4] D[5] D[7] D[8] D[9]"),
        *((LADDERS[i][-1], LADDERS[j][0]) for i, j in product(range(5), repeat=2) if i != j),
    ],
)
def test_beats__never_between_equals_nor_other_numbers_of_cards(a: str, b: str) -> None:
    one, two = HONG_KONG.play(a), HONG_KONG.play(b)
    assert not HONG_KONG.beats(one, two)
    assert not HONG_KONG.beats(two, one)


def test_beats__is_what_the_page_says() -> None:
    choose = random.Random(3)
    by_size = {size: [play for play in all_plays() if len(play) == size] for size in (1, 2, 3, 4, 5)}
    small = [*by_size[1], *by_size[2], *by_size[3]]
    pairs = list(product(small, small))
    for plays in (by_size[4], by_size[5], all_plays()):
        kinds = {name: found for name in PATTERNS if (found := [play for play in plays if play.pattern == name])}
        pairs += [(choose.choice(kinds[a]), choose.choice(kinds[b])) for a, b in product(kinds, kinds) for _ in range(300)]
    page = {play: read(names(play.mask))[1] for pair in pairs for play in pair}
    for play, top in pairs:
        assert HONG_KONG.beats(play, top) == (len(play) == len(top) and page[play] > page[top]), (play, top)


def check(game: Game) -> str:
    """Compare the legal acts of one position with the brute force; the kind of position that it was."""
    position = game.position
    top = None if position.top is None else names(position.top.mask)
    must = "D[3]" if position.obligation else None
    expected = sorted((pattern, sorted(cards)) for pattern, cards in legal(names(position.hands[game.turn]), top, must))
    assert sorted((play.pattern, sorted(names(play.mask))) for play in game.legal_plays()) == expected
    return "opening" if must else "leading" if top is None else position.top.pattern


def test_legal_plays__match_a_brute_force_over_all_subsets() -> None:
    seen: Counter[str] = Counter()
    for game in random_games(HONG_KONG, range(2000, 2040)):
        kind = "opening" if game.position.obligation else "leading" if game.top is None else str(len(game.top))
        if not game.is_over and seen[kind] < 8:
            check(game)
            seen[kind] += 1
    assert seen == dict.fromkeys(["opening", "leading", "1", "2", "3", "4", "5"], 8)


def test_legal_plays__match_a_brute_force_against_any_top() -> None:
    """Hands full enough to answer, dealt after a top of each pattern; half of them of few ranks or of few suits."""
    choose = random.Random(17)
    answered: Counter[tuple[str, str]] = Counter()
    for pattern in PATTERNS:
        for top in choose.sample([play for play in all_plays() if play.pattern == pattern], 6):
            rest = [card for card in DECK if card not in names(top.mask)]
            choose.shuffle(rest)
            by = choose.choice([None, lambda card: card[2:], lambda card: card[0]])
            rest.sort(key=by) if by else None
            start = choose.randrange(4)
            hands = tuple(as_mask(" ".join(rest[11 * i : 11 * i + 11])) for i in range(4))
            game = Game.from_position(HONG_KONG, Position(hands, turn=(start + 1) % 4, top=top, top_seat=start))
            assert check(game) == pattern
            answered.update({(pattern, play.pattern) for play in game.legal_plays()})
    for pattern, answer in [("two_pair", "four_of_a_kind"), ("straight", "flush"), ("flush", "full_house")]:
        assert answered[pattern, answer], "the hands are too poor to test tiers"
    assert answered["straight", "straight_flush"] + answered["flush", "straight_flush"]


# The first play.


def test_opening__is_the_lowest_diamond_alone() -> None:
    for seed in range(20):
        game = Game.deal(HONG_KONG, seed)
        assert game.position.hands[game.turn] >> 1 & 1  # D[3] has id 1
        assert [str(play) for play in game.legal_plays()] == ["single D[3]"]
        assert not game.can_pass
    hands = ["D[3] C[3] H[3] D[4] D[5] D[6] D[7]", "C[4] C[5]", "H[4]", "H[5]"]
    game = Game.from_hands(HONG_KONG, hands)
    for cards in ("D[3] C[3]", "D[3] C[3] H[3]", of_suit("D", "3", "4", "5", "6", "7"), "C[3]"):
        with pytest.raises(IllegalPlayError, match=r"must be or contain D\[3\] alone") as caught:
            game.play(cards)
        assert caught.value.refusal is Refusal.MISSES_OPENING_CARD
    game.play("D[3]")
    assert (game.turn, game.position.obligation) == (1, 0)
    assert game.can_play("C[4]")
    assert game.can_pass


def test_auto_lead__makes_the_first_play_and_changes_nothing_else() -> None:
    for seed in range(10):
        game, auto = Game.deal(HONG_KONG, seed), Game.deal(AUTO, seed)
        game.play("D[3]")
        assert auto.position == game.position
        assert auto.history == game.history
    with pytest.raises(ConfigError, match="auto_lead needs lead 'exact', got 'contains'"):
        replace(HONG_KONG, lead=big2_env.Lead.CONTAINS, auto_lead=True)


def test_trick__no_pass_locks_anybody_out_and_three_in_a_row_give_the_lead_back() -> None:
    hands = ["D[3] S[9] S[2]", "C[4] D[9] H[2]", "H[4] C[9]", "H[5] H[9]"]
    game = Game.from_hands(HONG_KONG, hands)
    for cards in ("D[3]", "", "H[4]", "H[5]", "S[9]"):
        game.play(cards)
    assert game.turn == 1  # passed before in this trick, and is asked again
    game.play("H[2]")
    for _ in range(3):
        game.play(PASS)
    assert (game.turn, game.top) == (1, None)


# The end.


def test_score__each_loser_pays_a_point_a_card() -> None:
    assert HONG_KONG.scoring == CardsLeft()
    game = Game.from_hands(HONG_KONG, ["D[3]", "C[3] C[4]", of_suit("H", *"3456789JQKA2"), "S[3] S[4] S[5]"])
    game.play("D[3]")
    assert game.outcome.payoffs == (17, -2, -12, -3)


def test_score__is_zero_sum_within_the_rules_bounds() -> None:
    engine = BatchEngine(HONG_KONG, 2_000)
    engine.reset(seed=5)
    payoffs = engine.rollouts()
    assert (payoffs.sum(axis=1) == 0).all()
    assert payoffs.min() >= -13
    assert payoffs.max() <= 39
    assert ((payoffs > 0).sum(axis=1) == 1).all()


def test_random_games__take_the_76_decisions_that_are_known_for_these_rules() -> None:
    """The paper's engine makes the first play itself, so it counts one decision less than there are acts."""
    engine = BatchEngine(AUTO, 20_000)
    engine.reset(seed=1)
    engine.rollouts()
    decisions = engine.games.steps - 1
    assert decisions.mean() == pytest.approx(76.25, abs=0.5)  # standard error 0.11


@pytest.mark.parametrize("pattern", [Flush, StraightFlush])
@pytest.mark.parametrize("length", [1, 14])
def test_suited_patterns__refuse_a_length_that_no_suit_has(pattern: type, length: int) -> None:
    with pytest.raises(ConfigError, match=f"flush: expected a length of 2 to 13, got {length}"):
        pattern(length=length)


@pytest.mark.parametrize("length", [2, 4, 13])
def test_suited_patterns__of_any_length_split_the_choices_of_one_suit(length: int) -> None:
    order = HONG_KONG.order
    flushes, runs_ = list(Flush(length=length).shapes(order)), list(StraightFlush(length=length).shapes(order))
    assert len(flushes) + len(runs_) == comb(13, length)
    assert not {shape.counts for shape in flushes} & {shape.counts for shape in runs_}


def test_legal_plays__answers_stay_in_the_number_of_cards() -> None:
    hand = as_mask("D[4] C[4] H[4] S[4] D[5] C[5] H[5] S[6] S[7] S[8] S[9] S[10] S[2]")
    for top, patterns in [
        ("D[3]", {"single"}),
        ("D[3] C[3]", {"pair"}),
        ("D[3] C[3] H[3]", {"triple"}),
        ("D[3] C[3] H[9] D[9]", {"four_of_a_kind"}),
        ("D[3] C[3] H[3] S[3]", {"four_of_a_kind"}),
        ("C[3] C[5] C[6] C[7] C[K]", {"flush", "full_house", "straight_flush"}),
        ("D[3] C[3] H[3] D[A] C[A]", {"full_house", "straight_flush"}),
        ("D[5] D[6] D[7] D[8] D[9]", {"straight_flush"}),
    ]:
        answers = LegalPlays(HONG_KONG, hand, HONG_KONG.play(top))
        assert {play.pattern for play in answers if play} == patterns, top
        assert {len(play) for play in answers if play} == {len(top.split())}
