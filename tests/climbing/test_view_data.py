"""Views and plays as data: what is written is read back, and nothing else is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from random_games import random_games

from big2_env import BIG2, ConfigError, Game, NotationError, Play, available_rulesets, ruleset
from big2_env.climbing.view_data import play_data, play_of, view_data, view_of


@pytest.mark.parametrize("name", available_rulesets())
def test_view__of_every_moment_of_a_game_is_read_back(name: str) -> None:
    rules = ruleset(name)
    for game in random_games(rules, [11]):
        if not game.is_over:
            view = game.view()
            read = view_of(json.loads(json.dumps(view_data(view))), rules)
            assert read == view
            assert list(read.legal_plays()) == list(view.legal_plays())


def test_view__data_have_nothing_of_the_other_hands() -> None:
    game = Game.deal(BIG2, seed=7)
    data = view_data(game.view())
    hands = [hand for seat, hand in enumerate(game.position.hands) if seat != game.turn]
    assert data["hand"] == game.position.hands[game.turn]
    assert not [hand for hand in hands if str(hand) in json.dumps(data)]


def view_with(**changes: Any) -> dict[str, Any]:
    """The data of a sound view with other values; "gone" takes a field away."""
    game = Game.deal(BIG2, seed=7)
    game.play("C[3]")
    data = json.loads(json.dumps(view_data(game.view())))
    return {name: value for name, value in (data | changes).items() if value != "gone"}


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"hand": "gone"}, NotationError, "'hand' is missing or unknown"),
        ({"deck": []}, NotationError, "'deck' is missing or unknown"),
        ({"hand": -1}, NotationError, "hand: expected a whole number of at least 0, got '-1'"),
        ({"hand": 1 << 200}, NotationError, "hand: expected a whole number of at least 0"),
        ({"turn": True}, NotationError, "turn: expected a whole number of at least 0, got 'true'"),
        ({"bidding": 1}, NotationError, "bidding: expected true or false, got '1'"),
        ({"played": 3}, NotationError, "played: expected a list of at most 4096, got '3'"),
        ({"played": [0] * 5000}, NotationError, "played: expected a list of at most 4096"),
        ({"said": [1]}, NotationError, "said: expected a list of pairs"),
        ({"history": [[0, "C[3]"]]}, NotationError, "expected a play as"),
        ({"top": ["single", 1, 0]}, NotationError, "expected a play as"),
        ({"hand": 0}, ConfigError, "cards left of a hand of 0"),
        ({"seat": 7}, ConfigError, "seat 7"),
        ({"top": ["pair", 1, 1, 0]}, ConfigError, "no play of big2"),
    ],
)
def test_view__other_data_are_refused(changes: dict[str, Any], error: type[Exception], says: str) -> None:
    assert view_of(view_with(), BIG2).top == BIG2.play("C[3]")
    with pytest.raises(error) as raised:
        view_of(view_with(**changes), BIG2)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    "data",
    [
        *(None, "pass", [], ["single", 1, 0], ["single", 1, 0, 0, 0]),
        *([1, 1, 0, 0], ["single", 1.0, 0, 0], ["single", True, 0, 0], ["x" * 101, 1, 0, 0]),
        *(["single", -1, 0, 0], ["single", 1 << 108, 0, 0], ["single", 1, -2, 0], ["single", 1, 0, 1 << 62]),
    ],
)
def test_play__other_data_are_refused(data: Any) -> None:
    with pytest.raises(NotationError, match="expected a play as"):
        play_of(data)


def test_play__is_read_back() -> None:
    for play in (BIG2.play("S[3] H[3]"), Play("pass", 0), Play("call", 0, -1, 1)):
        assert play_of(json.loads(json.dumps(play_data(play)))) == play
