from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import pytest
from hidden_cards import reshuffled, same_moves
from house_rules import DRAWING
from hypothesis import given
from hypothesis import strategies as st
from random_games import random_games

from big2_env import BIG2, ConfigError, Game, LegalPlays, Position, RuleSet, View, ruleset
from big2_env.base.cards import CardSet
from big2_env.climbing.play import PASS, Play


@given(st.integers(0, 2**32), st.integers(0, 90), st.integers(0, 3), st.integers(0, 2**32))
def test_view__is_the_same_to_the_bit_when_hidden_cards_are_swapped(seed: int, length: int, seat: int, swap: int) -> None:
    game = next(g for g in random_games(BIG2, [seed]) if len(g.history) == length or g.is_over)
    twin = same_moves(game, seat, swap)
    view, other = game.view(seat), twin.view(seat)
    assert view == other
    assert pickle.dumps(view) == pickle.dumps(other)
    assert repr(view) == repr(other)
    assert list(view.legal_plays()) == list(other.legal_plays())


def test_view__swapping_is_seen_by_those_whose_cards_change() -> None:
    """The test above could not pass by swapping nothing: the others' views do change."""
    game = Game.deal(BIG2, 3)
    for seat in range(4):
        twin = same_moves(game, seat, 5)
        assert all((game.view(i) == twin.view(i)) == (i == seat) for i in range(4))


@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(2, 6), st.integers(0, 2**32))
def test_view__hides_hands_and_the_draw_pile(seed: int, length: int, number: int, swap: int) -> None:
    game = next(g for g in random_games(DRAWING, [seed], number) if len(g.history) == length or g.is_over)
    position = game.position._replace(obligation=0)
    for seat in range(number):
        views = [Game(DRAWING, p).view(seat) for p in (position, reshuffled(position, seat, swap))]
        assert pickle.dumps(views[0]) == pickle.dumps(views[1])


def reachable(root: object) -> Iterator[object]:
    """Every object that references lead to, code and classes left out."""
    seen, todo = {id(root)}, [root]
    while todo:
        item = todo.pop()
        yield item
        for child in gc.get_referents(item):
            if id(child) not in seen and not isinstance(child, type | ModuleType | FunctionType | BuiltinFunctionType):
                seen.add(id(child))
                todo.append(child)


def test_view__is_one_line_as_text() -> None:
    game = Game.deal(BIG2, 7)
    assert str(game.view(0)) == (
        "seat 0: D[4] S[4] C[5] H[7] S[7] C[8] D[8] D[9] S[10] S[J] C[Q] H[Q] C[K]; cards left: 13, 13, 13, 13; "
        "to beat: nothing"
    )
    game.play("C[3]")
    assert str(game.view()) == (
        "seat 2: D[3] H[3] C[4] H[4] H[5] H[8] S[8] H[10] C[J] D[Q] D[A] S[A] D[2]; cards left: 13, 12, 13, 13; "
        "to beat: single C[3] of seat 1"
    )
    assert repr(game.view()).startswith("View(ruleset=RuleSet(name='big2',")
    triples = Game.from_hands(ruleset("dou_dizhu"), ["D[3] C[3] H[3] S[9] LJ D[4]", "D[5] C[5] H[5] D[6]", "H[7]"])
    triples.play("D[3] C[3] H[3] S[9]")
    assert str(triples.view()) == (
        "seat 1: D[5] C[5] H[5] D[6]; cards left: 2, 4, 1; to beat: triple_single D[3] C[3] H[3] S[9] of seat 0"
    )
    triples.play("D[5] C[5] H[5] D[6]")
    assert str(triples.view(1)) == "seat 1: no cards; cards left: 2, 0, 1; to beat: nothing"  # the game is over
    drawing = Game.deal(ruleset("qi_gui_523"), 5)
    drawing.play("D[4]")
    assert str(drawing.view()) == "seat 0: C[6] C[8] C[Q] D[A] S[A] D[5] S[7]; cards left: 7, 6; to beat: single D[4] of seat 1"


@given(st.integers(0, 2**32), st.integers(0, 90), st.integers(0, 3), st.integers(0, 2**32))
def test_view__as_text_has_no_hidden_card(seed: int, length: int, seat: int, swap: int) -> None:
    game = next(g for g in random_games(BIG2, [seed]) if len(g.history) == length or g.is_over)
    view = game.view(seat)
    assert str(view) == str(same_moves(game, seat, swap).view(seat))
    assert "\n" not in str(view)
    open_cards = view.hand | (0 if view.top is None else view.top.mask)
    assert all(str(card) not in str(view) for card in BIG2.deck.cards if not open_cards >> card & 1)


def test_view__leads_to_no_other_hand() -> None:
    rules = replace(BIG2, name="fresh")  # with caches of its own
    for game in random_games(rules, range(4)):
        if len(game.history) not in (0, 1, 7, 12):
            continue
        hands = game.position.hands
        for seat in range(4):
            view = game.view(seat)
            hidden = view.unseen
            others = {hand for i, hand in enumerate(hands) if i != seat}
            assert min(hand.bit_count() for hand in hands) > 5  # more than one play can have
            offered = [getattr(view, name) for name in dir(view) if not name.startswith("__")]
            for item in (found for root in [view, *offered, view.legal_plays()] for found in reachable(root)):
                assert not isinstance(item, Game | Position)
                if isinstance(item, int):
                    assert item & hidden not in others


def test_view__has_these_fields_and_cannot_be_changed() -> None:
    view = Game.deal(BIG2, 1).view()
    assert [field.name for field in fields(View)] == [
        *("ruleset", "seat", "hand", "turn", "top", "top_seat", "passed", "obligation", "cards_left", "played"),
        *("pile_left", "finished", "history", "outcome", "lead_over"),
        *("bidding", "said", "landlord", "bottom", "redeals_left", "stake", "factor", "acted", "captured"),
    ]
    with pytest.raises(FrozenInstanceError):
        view.hand = 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"passed": -1}, "a number that is no integer of 0 or more"),
        ({"hand": 1.0}, "a number that is no integer of 0 or more"),
        ({"turn": True}, "a number that is no integer of 0 or more"),
        ({"acted": (-1,)}, "a number that is no integer of 0 or more"),
        ({"cards_left": (13,)}, r"seat \d and turn \d of 1 seats"),
        ({"seat": 4}, r"seat 4 and turn \d of 4 seats"),
        ({"turn": 4}, r"seat \d and turn 4 of 4 seats"),
        ({"cards_left": (12,) * 4}, "12 cards left of a hand of 13"),
        ({"stake": 2**62, "factor": 2}, f"stake {2**62}, factor 2, 0 further deals"),
        ({"redeals_left": 1}, "stake 1, factor 1, 1 further deals"),
        ({"acted": (1, 0, 0, 0)}, "numbers of plays in a game without an auction"),
        ({"bottom": 1 << 52}, "cards outside the deck"),
        ({"lead_over": Play("pair", 0b11, 9, 9)}, r"pair C\[3\] D\[3\] to beat, which is no play of big2"),
        ({"history": ((0, PASS),) * 4097}, "a history of 4097 acts"),
        ({"history": ((4, PASS),)}, "of seat 4 in the history"),
        ({"history": ((-1, PASS),)}, "of seat -1 in the history"),
        ({"history": ((True, PASS),)}, "of seat True in the history"),
        ({"history": ((0, Play("pair", 0b11, 9, 9)),)}, "of seat 0 in the history"),
        ({"pile_left": 40}, r"\[13, 13, 13, 13\] cards left and 40 to draw, with 39 cards unseen"),
        ({"passed": 16}, "expected passed bits of seats that are not to move"),
    ],
)
def test_check__names_what_no_game_produces(change: dict[str, Any], says: str) -> None:
    view = Game.deal(BIG2, 1).view()
    replace(view, history=((0, PASS),) * 4096, stake=2**62).check()
    with pytest.raises(ConfigError, match=f"^view: .*{says}"):
        replace(view, **change).check()


def test_check__is_of_the_seat_to_move_and_its_own_legal_plays() -> None:
    game = Game.deal(BIG2, 1)
    view = game.view()
    view.check(view.legal_plays())
    with pytest.raises(ConfigError, match=r"^expected the view of a seat that is to move, got the view of seat"):
        game.view((game.turn + 1) % 4).check()
    for legal in (LegalPlays(BIG2, view.hand, None), LegalPlays(BIG2, view.hand & view.hand - 1, None), ()):
        with pytest.raises(ConfigError, match=r"^expected the legal plays of the view, got plays of another position$"):
            view.check(legal)


def test_view__says_what_the_game_says(rules: RuleSet) -> None:
    for game in random_games(rules, range(6)):
        for seat, hand in enumerate(game.position.hands):
            view = game.view(seat)
            assert (view.hand, view.seat, view.num_players) == (hand, seat, 4)
            assert view.unseen == sum(other for other in game.position.hands if other != hand)
            assert (view.outcome, view.history) == (game.outcome, tuple(game.history))
            assert view.is_on_turn == (seat == game.turn and not game.is_over)
            legal = view.legal_plays()
            assert isinstance(legal, LegalPlays)
            assert list(legal) == (list(game.legal_plays()) if view.is_on_turn else [])
        assert game.view() == game.view(game.turn)


def test_view__stays_what_it_was_when_the_game_goes_on() -> None:
    game = Game.deal(BIG2, 9)
    before = game.view()
    kept = pickle.dumps(before)
    for _ in range(10):
        game.push(next(iter(game.legal_plays())))
    assert pickle.dumps(before) == kept
    assert CardSet(before.hand) != CardSet(game.view(before.seat).hand)
