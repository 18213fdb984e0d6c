from __future__ import annotations

import numpy as np
import pytest
from drawn_position import DRAWN, HANDS, PLAYED
from hidden_cards import reshuffled, same_moves
from house_rules import DRAWING, LOCKED
from hypothesis import given
from hypothesis import strategies as st
from random_games import random_games

from big2_env import BIG2, HONG_KONG, ConfigError, Game, RuleSet, available_rulesets
from big2_env.base.cards import Card
from big2_env.climbing.encoding.observation import ObservationLayout, StateLayout
from big2_env.envs import aec


def cards(window: np.ndarray, rules: RuleSet = BIG2) -> str:
    """What a window over the cards says, as text."""
    return " ".join(str(rules.order.cards[i]) for i in np.flatnonzero(window))


def seats(window: np.ndarray) -> list[int]:
    return np.flatnonzero(window).tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
@pytest.mark.parametrize("viewer", range(4))
def test_observation__of_a_drawn_position(viewer: int, dtype: type) -> None:
    layout = ObservationLayout(BIG2)
    array = layout.encode(Game.from_position(BIG2, DRAWN).view(viewer), np.full(layout.size, 7, dtype))
    assert (array.shape, array.dtype) == ((547,), dtype)
    shown = layout.named(array)
    around = [(viewer + distance) % 4 for distance in range(4)]
    assert cards(shown["hand"]) == HANDS[viewer]
    ranks = [[int(Card(card).rank)] for card in HANDS[viewer].split()]
    assert [seats(place) for place in shown["slots"]] == ranks + [[]] * (13 - len(ranks))
    assert cards(shown["top"]) == "D[6] H[6]"
    assert shown["top_pattern"].tolist() == [0, 1, 0, 0]  # single, pair, straight, full house
    assert seats(shown["top_seat"]) == [around.index(0)]
    assert seats(shown["passed"]) == [around.index(1)]
    assert [seats(row) for row in shown["cards_left"]] == [list(range([1, 2, 3, 4][seat])) for seat in around]
    assert [cards(row) for row in shown["played"]] == [PLAYED[seat] for seat in around]
    assert (shown["obligation"].tolist(), shown["leading"].tolist()) == ([0], [0])
    assert set(array.tolist()) == {0, 1}


def test_named__refuses_what_has_another_layout() -> None:
    table = aec.raw_env(num_players=2)
    table.reset(seed=1)
    assert table.layout.named(table.observe("player_0")["observation"][None])["hand"].shape == (1, 52)
    for other, got in (
        (ObservationLayout(BIG2).encode(Game.deal(BIG2, seed=1).view()), r"\(547,\)"),  # of four players: longer
        (table.state(), r"\(272,\)"),
        (table.observe("player_0"), "a dict"),
        (np.int8(1), "a int8"),
    ):
        with pytest.raises(ConfigError, match=f"^expected an array with 413 entries along its last axis, got {got}$"):
            table.layout.named(other)


def test_observation__of_the_opening() -> None:
    layout = ObservationLayout(BIG2)
    game = Game.deal(BIG2, 7)
    for seat in range(4):
        shown = layout.named(layout.encode(game.view(seat)))
        assert (shown["obligation"].tolist(), shown["leading"].tolist()) == ([1], [1])
        assert not any(shown[name].any() for name in ("top", "top_pattern", "top_seat", "passed", "played"))
        assert shown["cards_left"].all()
        assert [seats(place) for place in shown["slots"]] == [
            [card.rank] for card in BIG2.order.sort(game.position.hands[seat])
        ]
    state = StateLayout(BIG2).named(StateLayout(BIG2).encode(game))
    assert (state["obligation"].tolist(), state["leading"].tolist()) == ([1], [1])
    game.play("C[3]")
    shown = layout.named(layout.encode(game.view()))
    assert (shown["obligation"].tolist(), shown["leading"].tolist()) == ([0], [0])
    assert cards(shown["played"][3]) == cards(shown["top"]) == "C[3]"


def test_observation__orders_the_cards_as_the_ruleset_does() -> None:
    layout = ObservationLayout(HONG_KONG)  # diamonds below clubs
    game = Game.from_hands(HONG_KONG, ["D[3] H[3] S[2]", "C[3]", "C[2]", "H[2]"])
    game.play("D[3]")
    shown = layout.named(layout.encode(game.view(0)))
    assert (seats(shown["hand"]), seats(shown["top"]), seats(shown["played"][0])) == ([2, 51], [0], [0])
    assert seats(layout.named(layout.encode(game.view(1)))["hand"]) == [1]
    assert shown["top_pattern"].shape == (len(HONG_KONG.patterns),)


@pytest.mark.parametrize("rules", [*available_rulesets().values(), DRAWING], ids=lambda rules: rules.name)
def test_observation__windows_fill_the_array_without_gaps(rules: RuleSet) -> None:
    for layout in (ObservationLayout(rules), StateLayout(rules)):
        stop = 0
        for window in layout.windows.values():
            assert window.start == stop
            stop = window.stop
        assert stop == layout.size
        array = np.arange(layout.size)
        assert np.array_equal(np.concatenate([part.ravel() for part in layout.named(array).values()]), array)
        batch = np.stack([array, array + 1])
        for name, part in layout.named(batch).items():
            assert part.shape == (2, *layout.windows[name].shape)
            assert np.shares_memory(part, batch)


@given(st.integers(0, 2**32), st.integers(0, 90), st.integers(0, 3), st.integers(0, 2**32))
def test_observation__is_the_same_to_the_bit_when_hidden_cards_are_swapped(
    seed: int, length: int, seat: int, swap: int
) -> None:
    game = next(g for g in random_games(BIG2, [seed]) if len(g.history) == length or g.is_over)
    twin = same_moves(game, seat, swap)
    layout = ObservationLayout(BIG2)
    assert layout.encode(game.view(seat)).tobytes() == layout.encode(twin.view(seat)).tobytes()
    hidden_differ = game.position.hands != twin.position.hands
    states = [StateLayout(BIG2).encode(one) for one in (game, twin)]
    assert np.array_equal(*states) != hidden_differ  # the state does see them
    if not game.is_over:
        seen = []
        for one in (game, twin):
            env = aec.raw_env()
            env.reset(seed=1, options={"position": one.position})
            seen.append(env.observe(f"player_{seat}"))
        assert all(np.array_equal(seen[0][name], seen[1][name]) for name in ("observation", "action_mask"))


def test_observation__of_the_others_does_change() -> None:
    """The test above could not pass by swapping nothing."""
    layout = ObservationLayout(BIG2)
    game = Game.deal(BIG2, 3)
    for seat in range(4):
        twin = same_moves(game, seat, 5)
        same = [np.array_equal(layout.encode(game.view(i)), layout.encode(twin.view(i))) for i in range(4)]
        assert same == [i == seat for i in range(4)]


@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(2, 6), st.integers(0, 2**32))
def test_observation__hides_the_draw_pile(seed: int, length: int, number: int, swap: int) -> None:
    layout = ObservationLayout(DRAWING, number)
    game = next(g for g in random_games(DRAWING, [seed], number) if len(g.history) == length or g.is_over)
    for seat in range(number):
        twin = Game(DRAWING, reshuffled(game.position, seat, swap))
        assert np.array_equal(layout.encode(game.view(seat)), layout.encode(twin.view(seat)))


def test_state__of_a_drawn_position() -> None:
    layout = StateLayout(BIG2)
    game = Game.from_position(BIG2, DRAWN)
    array = layout.encode(game, np.float32)
    assert (array.shape, array.dtype) == ((486,), np.float32)
    shown = layout.named(array)
    assert [cards(row) for row in shown["hands"]] == list(HANDS)
    assert [cards(row) for row in shown["played"]] == list(PLAYED)
    assert cards(shown["top"]) == "D[6] H[6]"
    assert shown["top_pattern"].tolist() == [0, 1, 0, 0]
    assert [seats(shown[name]) for name in ("turn", "top_seat", "passed")] == [[2], [0], [1]]
    assert (shown["obligation"].tolist(), shown["leading"].tolist()) == ([0], [0])
    game.pass_()
    game.pass_()
    game.play("S[2]")
    shown = layout.named(layout.encode(game))
    assert (shown["turn"].any(), cards(shown["played"][0])) == (False, "C[4] D[6] H[6] S[2]")


def test_state__of_other_rulesets_has_what_their_rules_need() -> None:
    game = Game.deal(DRAWING, 4, 3)
    shown = StateLayout(DRAWING, 3).named(StateLayout(DRAWING, 3).encode(game))
    assert sorted(cards(shown["pile"], DRAWING).split()) == sorted(map(str, game.position.pile))
    assert (shown["hands"].sum() + shown["pile"].sum()) == 54
    locked = next(g for g in random_games(LOCKED, range(9)) if g.position.lead_over)
    shown = StateLayout(LOCKED).named(StateLayout(LOCKED).encode(locked))
    assert cards(shown["lead_over"], LOCKED) == LOCKED.text(locked.position.lead_over.mask)
