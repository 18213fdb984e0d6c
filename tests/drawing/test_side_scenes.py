"""Scenes of UNO, fishing and Klondike hold what their viewer may know, no more."""

from __future__ import annotations

import json
import re

import pytest
from golden_pictures import klondike_played, uno_played

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.drawing import Scene
from big2_env.games.fishing.game import FishingGame
from big2_env.games.klondike.scene import view_scene as klondike_view_scene
from big2_env.games.uno.cards import DRAW, card_text
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules
from big2_env.games.uno.scene import view_scene

UNO_CARD = re.compile(r"[RYBGW]\[[a-z0-9+]+\]")
CHINESE = re.compile("[\u3400-\u9fff]")


def text(shown: Scene) -> str:
    return json.dumps(shown.as_json(), ensure_ascii=False)


@pytest.mark.parametrize("moves", [0, 1, 7, 30, 10**4])
@pytest.mark.parametrize("lang", list(Language))
def test_uno__shows_no_hidden_card(moves: int, lang: Language) -> None:
    game = uno_played(moves, players=3)
    for viewer in range(3):
        shown = game.scene(viewer, lang=lang, last=1000)
        hands = game.hands if game.is_over else [game.hands[viewer]]
        known = {card_text(card) for hand in (*hands, game.discards) for card in hand}
        assert set(UNO_CARD.findall(text(shown))) <= known
        assert [seat.hand is not None for seat in shown.seats] == [game.is_over or seat == viewer for seat in range(3)]
        assert [seat.count for seat in shown.seats] == list(map(len, game.hands))
        assert view_scene(game.view(viewer), viewer, lang=lang).seats[viewer].hand == shown.seats[viewer].hand
        assert lang is not Language.EN or not CHINESE.search(text(shown))
    assert all(seat.hand for seat in game.scene(open_hands=True).seats if seat.count)


def test_uno__says_what_was_done_and_how_it_ended() -> None:
    game = UnoGame.deal(uno_rules("table"), seed=7)
    game.play(DRAW)
    shown = game.scene(1, names=["Ann", "Bo"], lang=Language.EN)
    assert shown.seats[0].act is not None
    assert shown.seats[0].act.words == "draws"
    assert not shown.seats[0].act.cards
    assert shown.events == ("Ann: draws",)
    assert shown.facts[0] == "color: green"
    over = uno_played(10**4, players=2).scene(lang=Language.EN, scoring="points")
    assert over.is_over
    assert over.turn is None
    assert "won by" in over.status
    assert sum(seat.payoff or 0 for seat in over.seats) == 0
    with pytest.raises(ConfigError, match="expected a name for each of the 2 seats, got 1"):
        game.scene(names=["Ann"])


@pytest.mark.parametrize("lang", list(Language))
def test_fishing__shows_the_board_and_no_hand(lang: Language) -> None:
    game = FishingGame.of_hands("2 3 2 3 | 3 J 3 2")
    for _ in range(3):
        game.play()
    shown = game.scene(lang=lang)
    assert [seat.hand for seat in shown.seats] == [None, None]
    assert [face.rank for face in shown.areas[0].cards] == ["2"]
    assert len(shown.events) == 3
    assert shown.ply == 3
    hands = [[face.rank for face in seat.hand or ()] for seat in game.scene(open_hands=True).seats]
    assert hands == [["2", "3", "3", "3"], ["J", "3", "2"]]
    assert lang is not Language.EN or not CHINESE.search(text(shown))


def test_fishing__says_who_lost() -> None:
    game = FishingGame.deal(seed=1)
    while not game.is_over:
        game.play()
    shown = game.scene(names=["Ann", "Bo"], lang=Language.EN)
    assert shown.status == f"{['Ann', 'Bo'][game.loser or 0]} has no cards left and loses"
    assert sorted(seat.payoff or 0 for seat in shown.seats) == [-1, 1]


@pytest.mark.parametrize("moves", [0, 5, 60])
def test_klondike__is_the_same_whatever_lies_face_down(moves: int) -> None:
    game = klondike_played(moves)
    shown = game.scene(lang=Language.EN)
    view, state = game.view(), game.state
    hidden = [card for pile, down in zip(state.piles, state.down, strict=True) for card in pile[:down]]
    turned = iter(hidden[1:] + hidden[:1])
    piles = tuple(
        tuple(next(turned) for _ in range(down)) + pile[down:] for pile, down in zip(state.piles, state.down, strict=True)
    )
    twin = game.restarted()
    twin.state, twin.history = state._replace(piles=piles), game.history
    assert twin.state != state
    assert twin.scene(lang=Language.EN) == shown
    columns = [area for area in shown.areas if area.layout == "column"]
    assert [sum(face.is_back for face in area.cards) for area in columns] == list(view.down)
    assert len(shown.areas[1].cards) == len(view.window)
    assert shown.areas[0].count == view.dealer - view.dealt
    assert klondike_view_scene(view, lang=Language.EN).areas == shown.areas
