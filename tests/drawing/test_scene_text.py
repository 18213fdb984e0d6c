"""Scenes as text: every card whole, in 80 columns, whatever the game."""

from __future__ import annotations

import io
import random
import re

import pytest
from rich.console import Console

from big2_env.base.language import Language
from big2_env.base.scene import Area, CardFace, ShownMove
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import available_rulesets
from big2_env.drawing import Scene, ShownAdvice, scene
from big2_env.drawing.terminal import scene_text

RULES = available_rulesets()
WHOLE = re.compile(r"^(?:(?:10|[2-9JQKA])[♣♦♥♠]|LJ|BJ)$")


def printed(shown: Scene, *, notation: bool = False, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(scene_text(shown, notation=notation))
    return out.getvalue()


@pytest.mark.parametrize("name", sorted(RULES))
def test_text__keeps_cards_whole_in_80_columns(name: str) -> None:
    game, rng = Game.deal(RULES[name], seed=3), random.Random(5)
    for _ in range(12):
        if game.is_over:
            break
        shown = scene(game, open_hands=True, lang=Language.EN, last=0)
        text = printed(shown)
        assert max(map(len, text.splitlines())) <= 80
        rows = [line.split() for line in text.splitlines() if line.startswith("    ")]
        cards = [word for row in rows for word in row]
        assert all(WHOLE.match(card) for card in cards), text
        assert len(cards) == sum(seat.count for seat in shown.seats)
        game.push(rng.choice(list(game.legal_plays())))


def test_text__of_33_cards_takes_two_lines_and_breaks_none() -> None:
    game = Game.deal(RULES["dou_dizhu_4p"], seed=1)
    while game.position.bidding:
        game.push(next(iter(game.legal_plays())))
    shown = scene(game, game.position.landlord, lang=Language.EN, last=0)
    count = max(seat.count for seat in shown.seats)
    assert count == 33
    rows = [line.split() for line in printed(shown, notation=True).splitlines() if line.startswith("    ")]
    assert sum(map(len, rows)) == count
    assert len(rows) >= 2
    assert all(re.match(r"^(?:[CDHS]\[(?:10|[2-9JQKA])\]|LJ|BJ)$", card) for row in rows for card in row)


def test_text__shows_the_same_as_the_scene_and_no_more() -> None:
    game = Game.deal(RULES["big2"], seed=7)
    game.play("C[3]")
    hidden = printed(scene(game, 2, lang=Language.EN))
    assert len([line for line in hidden.splitlines() if line.startswith("    ")]) == 1
    assert "▸ player_2  13 cards" in hidden
    assert "player_1  12 cards  » single 3♣" in hidden
    assert "single 3♣" in hidden.splitlines()[-1]
    assert "C[3]" not in hidden
    assert "single C[3]" in printed(scene(game, 2, lang=Language.EN), notation=True).splitlines()[-1]
    assert "單張" in printed(scene(game, 2, lang=Language.HANT))


def test_text__has_advice_and_columns() -> None:
    face = CardFace("D[10]", "10", "diamond", "10 of diamonds")
    move = ShownMove(0, "single", (face,))
    advice = (ShownAdvice(move, value=-0.25, interval=(-0.3, -0.2), is_played=True, note="best"),)
    columns = tuple(Area(f"pile_{n}", str(n), (CardFace(""),) * n + (face,), n + 1, "column") for n in range(3))
    text = printed(Scene("klondike", "Klondike", Language.EN, areas=columns, advice=advice))
    assert re.search(r"played +single 10♦ +-0.25 +-0.30 to -0.20 +best", text)
    assert [line.split() for line in text.splitlines()[1:5]] == [["0", "1", "2"], ["10♦", "▒▒", "▒▒"], ["10♦", "▒▒"], ["10♦"]]
