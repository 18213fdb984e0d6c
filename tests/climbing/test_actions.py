from __future__ import annotations

import hashlib
from itertools import combinations
from math import comb

import pytest
from house_rules import DRAWING, LOCKED, TIERS, TWO_DECKS
from hypothesis import given
from hypothesis import strategies as st
from outside_patterns import OUTSIDE, Triple
from random_games import random_games

from big2_env import BIG2, PASS, ConfigError, Game, IllegalPlayError, Refusal, RuleSet
from big2_env.base.cards import as_mask
from big2_env.climbing.actions import HandSlots

SPACE = HandSlots(BIG2)


def test_hand_slots__of_big2_are_1379() -> None:
    assert SPACE.n == 1 + 13 + 78 + 1_287 == 1_379
    assert SPACE.offsets == {1: 1, 2: 14, 5: 92}


def test_hand_slots__ids_and_places_are_one_to_one(rules: RuleSet) -> None:
    space = HandSlots(rules)
    places = [space.slots(action) for action in range(space.n)]
    assert len(set(places)) == space.n == 1 + sum(comb(13, size) for size in rules.sizes)
    assert set(places[1:]) == {choice for size in rules.sizes for choice in combinations(range(13), size)}
    assert [space.to_action(choice) for choice in places] == list(range(space.n))
    for action, choice in enumerate(places[1:], start=1):  # the formula of the module's docstring
        assert action == space.offsets[len(choice)] + sum(comb(c, i) for i, c in enumerate(choice, start=1))


def test_hand_slots__the_table_is_what_it_always_was() -> None:
    table = "\n".join(f"{action} {SPACE.slots(action)}" for action in range(SPACE.n))
    digest = hashlib.sha256(table.encode()).hexdigest()
    assert digest == "634ffc3fe173fabef1614905959209719401a64fc483548fbadf2654741b55a8"
    assert [SPACE.slots(action) for action in (0, 1, 13, 14, 15, 91, 92, 1378)] == [
        *((), (0,), (12,), (0, 1), (0, 2), (11, 12), (0, 1, 2, 3, 4), (8, 9, 10, 11, 12)),
    ]


def test_hand_slots__a_pattern_of_a_size_that_is_there_changes_no_id() -> None:
    same = HandSlots(BIG2.with_patterns(*(rule for rule in TIERS.patterns if rule.pattern.name in ("flush", "quad_single"))))
    assert [same.slots(action) for action in range(same.n)] == [SPACE.slots(action) for action in range(SPACE.n)]
    assert HandSlots(BIG2.without_patterns("straight")).n == SPACE.n  # full houses have five cards too
    more = HandSlots(BIG2.with_patterns(Triple()))
    assert more.n == SPACE.n + comb(13, 3)
    assert [more.slots(a) for a in range(92)] == [SPACE.slots(a) for a in range(92)]


@pytest.mark.parametrize("rules", [BIG2, OUTSIDE, TIERS, DRAWING], ids=lambda rules: rules.name)
def test_hand_slots__name_the_legal_moves_and_nothing_else(rules: RuleSet) -> None:
    space = HandSlots(rules)
    for game in random_games(rules, range(3), rules.default_players):
        legal = game.legal_plays()
        ids = space.ids(legal)
        assert ids == [space.of_play(play, legal.hand) for play in legal]
        assert [space.play(action, legal) for action in ids] == list(legal)
        assert len(set(ids)) == len(ids)
        if len(game.history) % 10 == 0 or game.is_over:
            asked = [action for action in range(space.n) if space.play(action, legal) is not None]
            assert asked == sorted(ids)


def test_hand_slots__count_places_from_the_lowest_card_of_the_ruleset() -> None:
    hand = as_mask("BJ S[5] C[6] D[6] H[2]")
    space = HandSlots(DRAWING)  # 6 is low there, diamonds are below clubs
    assert [space.cards(space.to_action((i,)), hand) for i in range(5)] == [
        as_mask(card) for card in ("D[6]", "C[6]", "H[2]", "S[5]", "BJ")
    ]
    assert space.cards(0, hand) == 0
    assert SPACE.cards(SPACE.to_action((1, 2)), as_mask("C[3] D[3]")) == -1


@given(st.integers(0, SPACE.n - 1), st.sets(st.integers(0, 51), min_size=1, max_size=13))
def test_hand_slots__smaller_hands_use_the_same_ids(action: int, held: set[int]) -> None:
    hand = as_mask(held)
    mask = SPACE.cards(action, hand)
    choice = SPACE.slots(action)
    if choice and choice[-1] >= len(held):
        assert mask == -1
    else:
        assert mask == sum(1 << sorted(held)[i] for i in choice)


@pytest.mark.parametrize(
    ("move", "says"),
    [
        (lambda: SPACE.slots(-1), "expected an action of 0 to 1378, got -1"),
        (lambda: SPACE.slots(1379), "expected an action of 0 to 1378, got 1379"),
        (lambda: SPACE.to_action((0, 1, 2)), r"expected 1, 2, 5 of the places 0 to 12, ascending, got \(0, 1, 2\)"),
        (lambda: SPACE.to_action((1, 0)), r"expected 1, 2, 5 of the places 0 to 12, ascending, got \(1, 0\)"),
        (lambda: SPACE.to_action((4, 4)), r"expected 1, 2, 5 of the places 0 to 12, ascending, got \(4, 4\)"),
        (lambda: SPACE.to_action((13,)), r"expected 1, 2, 5 of the places 0 to 12, ascending, got \(13,\)"),
        (lambda: SPACE.to_action((-1,)), r"expected 1, 2, 5 of the places 0 to 12, ascending, got \(-1,\)"),
        (lambda: SPACE.play(1379, Game.deal(BIG2, 1).legal_plays()), "expected an action of 0 to 1378, got 1379"),
    ],
)
def test_hand_slots__refuse_what_names_no_action(move: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        move()


def test_hand_slots__take_the_first_of_several_readings() -> None:
    hands = ["D[3] D[4] C[4]", "C[5] D[5] H[5] C[6] D[6] H[6] S[9]", "S[3]", "H[3]"]
    game = Game.from_hands(LOCKED, hands)
    for cards in ("D[3]", "S[9]", "", "", ""):
        game.play(cards)
    space = HandSlots(LOCKED)
    legal = game.legal_plays()
    [play] = [play for play in legal if len(play) == 6]
    readings = LOCKED.table.classify(play.mask)
    assert [play.pattern for play in readings] == ["three_two_one", "three_two_one", "triple_run"]
    (action,) = {space.of_play(play, legal.hand) for play in readings}
    assert space.play(action, legal) == play == readings[0]
    assert space.ids(legal).count(action) == 1


def test_hand_slots__of_two_decks_name_equal_faces_once() -> None:
    game = Game.deal(TWO_DECKS, 2)
    space = HandSlots(TWO_DECKS)
    legal = game.legal_plays()
    ids = space.ids(legal)
    assert len(set(ids)) == len(ids)
    assert [space.play(action, legal) for action in ids] == list(legal)


def test_hand_slots__know_a_pass() -> None:
    game = Game.deal(BIG2, 4)
    assert SPACE.play(0, game.legal_plays()) is None
    game.push(next(iter(game.legal_plays())))
    assert SPACE.play(0, game.legal_plays()) is PASS
    assert SPACE.ids(game.legal_plays())[-1] == SPACE.of_play(PASS, game.position.hands[game.turn]) == 0


def test_hand_slots__say_why_an_action_is_refused() -> None:
    hands = ["D[3] C[5] D[5] H[5] C[6] D[6] H[6]", "S[3]", "H[3]", "C[3]"]
    game = Game.from_hands(LOCKED, hands)
    space, legal = HandSlots(LOCKED), game.legal_plays()
    refused = {
        (): (Refusal.MUST_PLAY, "pass: the leader must play"),
        (1,): (Refusal.MISSES_OPENING_CARD, r"C\[5\]|D\[5\]"),
        (1, 2, 3, 4, 5, 6): (Refusal.MISSES_OPENING_CARD, r"must be or contain D\[3\]"),  # which has two readings
        (0, 1): (Refusal.NO_PATTERN, "no pattern of locked"),
        (0, 7): (Refusal.NOT_IN_HAND, "place 7: the hand has places 0 to 6"),
    }
    for slots, (refusal, says) in refused.items():
        with pytest.raises(IllegalPlayError, match=says) as caught:
            space.verify(space.to_action(slots), legal)
        assert caught.value.refusal is refusal
        assert space.play(space.to_action(slots), legal) is None
    assert space.verify(space.to_action((0,)), legal) == next(iter(legal))


def test_hand_slots__of_two_decks_refuse_the_second_of_equal_cards() -> None:
    game = Game.from_hands(TWO_DECKS, [[0, 54, 3], "D[3]", "H[3]", "S[4]"])
    space, legal = HandSlots(TWO_DECKS), game.legal_plays()
    assert [action for action in range(space.n) if space.play(action, legal)] == sorted(space.ids(legal))
    with pytest.raises(IllegalPlayError, match="of equal cards the first places are to be named"):
        space.verify(space.to_action((1,)), legal)
