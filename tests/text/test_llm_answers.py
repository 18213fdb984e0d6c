"""Answers of language models are classified as a person would: none is replaced by another move, none is taken from prose.

The answers are in `tests/data/llm_answers`. `positions.json` has the positions by name: a position as in
`big2_env/notation/positions.py`, or `ruleset` (a climbing game) or `game` (a side game) with the `seed` of the deal and `moves`
in the notation of records. The seat to move is asked.

Every other file there is a list of answers:

| key | value |
| --- | --- |
| `position` | name of a position |
| `text` | what the model wrote, or a list of lines |
| `is` | `played`, `illegal`, `unreadable` or `ambiguous` |
| `move` | with `played`: the cards in any order, `pass` or a word of the auction; the text of the move in a side game |
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from big2_env import Game, ruleset
from big2_env.base.side_game import SideGame
from big2_env.base.side_games import side_games
from big2_env.climbing.view import View
from big2_env.notation import positions
from big2_env.notation.copies import mask_of
from big2_env.text.answers import Ambiguous, Illegal, Played, Unreadable, read_answer, read_side_answer

FOLDER = Path(__file__).parents[1] / "data" / "llm_answers"
KINDS = {"played": Played, "illegal": Illegal, "unreadable": Unreadable, "ambiguous": Ambiguous}
FILES = sorted(path.name for path in FOLDER.glob("*.json") if path.name != "positions.json")
SEEDED = {"ruleset", "seed", "moves"}


@cache
def asked(name: str) -> View | SideGame:
    """What is shown to the reader of the answers: a view, or a side game."""
    data = json.loads((FOLDER / "positions.json").read_text("utf-8"))[name]
    if "game" in data:
        side: SideGame = next(entry.kind() for entry in side_games() if entry.name == data["game"]).usual(data["seed"])
        for text in data["moves"]:
            side.play(side.parse_move(text))
        return side
    if data.keys() != SEEDED:
        return positions.loads(json.dumps(data)).view()
    game = Game.deal(ruleset(data["ruleset"]), data["seed"])
    for text in data["moves"]:
        play = next(move for move in game.legal_plays() if text == (move.pattern if not move else game.ruleset.text(move.mask)))
        game.push(play)
    return game.view()


def fault(item: dict[str, Any]) -> str:
    """What is wrong with the classification of an answer; empty if nothing is."""
    text, source = item["text"] if isinstance(item["text"], str) else "\n".join(item["text"]), asked(item["position"])
    found = read_side_answer(text, source) if isinstance(source, SideGame) else read_answer(text, source)
    if type(found) is not KINDS[item["is"]]:
        return f"{item['position']}, {text!r}: expected {item['is']} {item.get('move', '')}, got {found}"
    if isinstance(found, Played):
        move = item["move"]
        if isinstance(source, SideGame):
            is_same = source.parse_move(move) == found.play
        else:
            cards = mask_of(move) if found.play.mask else None
            is_same = found.play.mask == cards if cards is not None else found.play.pattern == move
        if not is_same:
            return f"{item['position']}, {text!r}: expected {move}, got {found}"
    return ""


@pytest.mark.parametrize("file", FILES)
def test_answers__are_classified_right(file: str) -> None:
    items = json.loads((FOLDER / file).read_text("utf-8"))
    assert len(items) >= 60
    assert [wrong for item in items if (wrong := fault(item))] == []
