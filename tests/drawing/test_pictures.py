"""Pictures: well-formed, the kept ones unchanged, nothing hidden in them, cards that can be told apart."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from golden_pictures import FOLDER, golden, played, uno_played
from hidden_cards import same_moves

from big2_env.base.language import Language, words
from big2_env.base.scene import BACK, CardFace
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS
from big2_env.climbing.rulesets import available_rulesets
from big2_env.drawing import scene
from big2_env.drawing.card_svg import (
    FOUR_COLOURS,
    HEIGHT,
    INDEX,
    INDEX_HEIGHT,
    PAPER,
    TWO_COLOURS,
    UNO_COLOURS,
    card_symbols,
    card_use,
    symbol_id,
)
from big2_env.drawing.raster import pixels
from big2_env.drawing.table_svg import DARK, FELT, LIGHT, SOFT, TURN, table_svg, tables_svg, text_width
from big2_env.games.uno.cards import CARDS as UNO_CARDS
from big2_env.games.uno.scene import face as uno_face
from big2_env.text.names import face

SVG = "{http://www.w3.org/2000/svg}"
RULES = available_rulesets()
EN = words(Language.EN)
DECK = [face(card, EN) for card in RULES["dou_dizhu"].deck.cards]
UNO = [uno_face(card, EN) for card in UNO_CARDS]
CHINESE = re.compile("[\u3400-\u9fff]")


def checked(drawn: str) -> ElementTree.Element:
    """A picture's tree, once it is whole: every part is there, once, and every card lies inside."""
    root = ElementTree.fromstring(drawn)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    uses = list(root.iter(f"{SVG}use"))
    assert len(ids) == len(set(ids))
    assert {use.get("href") for use in uses} == {f"#{name}" for name in ids}
    for table in root.findall(f"{SVG}svg"):
        wide, high = float(table.get("width", 0)), float(table.get("height", 0))
        for use in table.iter(f"{SVG}use"):
            x, y, width, height = (float(use.get(name, 0)) for name in ("x", "y", "width", "height"))
            assert 0 <= x <= x + width <= wide
            assert 0 <= y <= y + height <= high
    return root


@pytest.mark.parametrize("name", sorted(golden()))
def test_pictures__are_those_that_are_kept(name: str) -> None:
    drawn = golden()[name]
    ElementTree.fromstring(drawn)
    assert drawn == (FOLDER / name).read_text("utf-8"), "if this is meant: python tests/support/golden_pictures.py"


@pytest.mark.parametrize("name", sorted(RULES))
def test_pictures__of_every_game_are_whole_in_every_language(name: str) -> None:
    rules, rng = RULES[name], random.Random(5)
    for players in sorted({rules.min_players, rules.default_players, rules.max_players}):
        game, number = Game.deal(rules, seed=3, num_players=players), 0
        while not game.is_over:
            game.push(rng.choice(list(game.legal_plays())))
            number += 1
            if number % 37 == 1 or game.is_over:
                lang = list(Language)[number % 3]
                shown = scene(
                    game, None if number % 2 else 0, open_hands=bool(number % 2), lang=lang, names=['<a&">'] * players
                )
                root = checked(table_svg(shown, four_colours=number % 5 == 0))
                assert root.find(f"{SVG}desc") is not None
                texts = "".join(root.itertext())
                assert shown.status in texts
                assert lang is not Language.EN or not CHINESE.search(texts)


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "qi_gui_523"])
def test_pictures__of_a_seat_are_the_same_whatever_the_others_hold(name: str) -> None:
    game = played(name, 14)
    viewer = game.turn
    if game.ruleset.auction is None and not game.ruleset.draw_pile:
        twin = same_moves(game, viewer, seed=11)
        assert twin.position.hands != game.position.hands
        assert table_svg(scene(twin, viewer)) == table_svg(scene(game, viewer))
    drawn = table_svg(scene(game, viewer, lang=Language.EN))
    known = game.view(viewer).hand | game.view(viewer).bottom
    for mask in game.view(viewer).played:
        known |= mask
    for card in game.ruleset.deck.cards:
        assert known >> card & 1 or f'"{face(card, EN).name}"' not in drawn
        assert known >> card & 1 or f'"{symbol_id(face(card, EN))}"' not in drawn


def test_pictures__of_uno_name_no_hidden_card() -> None:
    game = uno_played(25)
    shown = game.scene(2, lang=Language.EN)
    known = {uno_face(card, EN).name for card in (*game.hands[2], *game.discards)}
    labels = {element.get("aria-label") for element in checked(table_svg(shown)).iter(f"{SVG}use")}
    assert labels - {None} <= known
    assert len(labels) > 4


def test_pictures__of_several_tables_share_their_cards() -> None:
    games = [played("big2", moves, seed) for moves, seed in ((5, 1), (9, 2), (200, 3))]
    root = checked(tables_svg([scene(game, open_hands=True) for game in games], columns=2))
    assert root.get("viewBox") == "0 0 1920 1200"
    assert len(root.findall(f"{SVG}svg")) == 3


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(np.dot([0.2126, 0.7152, 0.0722], [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]))


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *((ink, PAPER) for ink in sorted({*TWO_COLOURS.values(), *FOUR_COLOURS.values()})),
        *((ink, ground) for ground, ink in UNO_COLOURS.values()),
        *((ink, ground) for ink in (LIGHT, SOFT, TURN) for ground in (FELT, DARK)),
        *(("#10231c", ground) for ground in (SOFT, TURN)),
    ],
)
def test_colours__have_the_contrast_of_wcag_aa(ink: str, ground: str) -> None:
    dark, light = sorted((luminance(ink), luminance(ground)))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_symbols__of_both_colourings_share_their_parts() -> None:
    both = card_symbols([*DECK, *UNO, BACK], four_colours=None)
    ids = re.findall(r' id="([^"]+)"', both)
    assert len(ids) == len(set(ids))
    assert {symbol_id(card, four_colours=four) for card in DECK for four in (False, True)} < set(ids)


@pytest.mark.parametrize("four_colours", [False, True])
@pytest.mark.parametrize("part", ["card", "index"])
def test_cards__of_40_pixels_can_be_told_apart(four_colours: bool, part: str) -> None:
    cards = [*DECK, *UNO, BACK, *(CardFace(rank, rank) for rank in ("2", "10", "K"))]
    uses = [card_use(card, 40 * i, 0, 40, four_colours=four_colours) for i, card in enumerate(cards)]
    symbols = card_symbols(cards, four_colours=four_colours)
    size = f'width="{40 * len(cards)}" height="40"'
    drawn = pixels(f'<svg xmlns="http://www.w3.org/2000/svg" {size}><defs>{symbols}</defs>{"".join(uses)}</svg>')
    wide, high = (40 * INDEX // HEIGHT, 40 * INDEX_HEIGHT // HEIGHT) if part == "index" else (40, 40)
    seen = [drawn[:high, 40 * i : 40 * i + wide].astype(int) for i in range(len(cards))]
    for i, one in enumerate(seen):
        for j in range(i):
            differing = (abs(one - seen[j]).max(-1) > 60).sum()
            assert differing >= 8, f"{cards[i].text} and {cards[j].text}: {differing} pixels"


def test_notebooks__show_games_views_and_plays() -> None:
    game = played("big2", 6)
    hands = [element for element in checked(game._repr_svg_()).iter(f"{SVG}use") if element.get("aria-label")]
    assert len(hands) >= sum(game.view().cards_left)
    view = game.view(2)
    own = [element for element in checked(view._repr_svg_()).iter(f"{SVG}use") if element.get("aria-label")]
    assert len(own) <= view.hand.bit_count() + 5
    root = checked(game.history[0].play._repr_svg_())
    assert "C[3]" not in "".join(root.itertext())
    assert len(root.findall(f"{SVG}use")) == len(game.history[0].play)
    assert "".join(checked(PASS._repr_svg_()).itertext())


@pytest.mark.parametrize(
    ("text", "bold", "width"),
    [
        ("heuristic10", False, 558),
        ("heuristic10", True, 634),
        ("player_0", True, 472),
        ("Dou Dizhu for four", True, 1039),
        ("+18", False, 211),
        ("random", True, 432),
    ],
)
def test_text__has_room_in_wide_fonts_too(text: str, bold: bool, width: float) -> None:
    """Widths in DejaVu Sans of size 100, and DejaVu Sans Bold: a name must not run into what stands beside it."""
    assert text_width(text, 100, bold=bold) == pytest.approx(width, rel=0.05)
