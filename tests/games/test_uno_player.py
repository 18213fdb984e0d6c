"""The automatic player of UNO plays as the article says."""

from __future__ import annotations

import pytest
from uno_tables import R, set_up, texts

from big2_env.games.uno import PRESETS, UnoRules, automatic_move, move_text

CHOICES_OF_PLAYER = [
    # hand in the order of drawing, card in force, rules, the automatic player's act
    ("R[3] B[7] G[7]", "Y[7]", R(), "B[7]"),  # same face before same colour, the oldest
    ("Y[1] B[skip]", "Y[skip]", R(), "B[skip]"),  # the bracket does not concern the first step
    ("Y[skip] Y[9] Y[1]", "Y[5]", R(), "Y[9]"),
    ("Y[skip] Y[9] Y[1]", "Y[5]", R(colour_order="draw_order"), "Y[skip]"),
    ("Y[9] Y[+2] Y[skip]", "Y[5]", R(colour_order="actions_first"), "Y[+2]"),
    ("Y[skip] Y[+2]", "Y[5]", R(), "Y[skip]"),
    ("R[0] Y[1]", "Y[0]", R(), "R[0]"),
    ("R[0] Y[1]", "Y[0]", R(match_zero=False), "Y[1]"),
    ("B[1] W[+4] W[wild] B[2] G[5]", "Y[7]", R(), "W[+4] B"),  # the oldest wild card, the colour held most
    ("G[1] W[+4] R[2]", "Y[7]", R(), "W[+4] R"),  # ties in the colours' order
    ("W[+4] W[wild] G[1]", "Y[7]", R(wild_order="wild_first"), "W[wild] G"),
    ("W[wild] W[+4] G[1]", "Y[7]", R(wild_order="four_first"), "W[+4] G"),
    ("W[+4] W[wild] G[1]", "Y[7]", R(wild_four="last_resort"), "W[wild] G"),
    ("W[wild]", "Y[7]", R(blank_is_any=True), "W[wild] R"),
    ("G[1] B[2]", "Y[7]", R(), "draw"),
    ("Y[2] Y[8] Y[skip] Y[8]", "Y[5]", R(pick="highest"), "Y[8]"),  # numbers first: within them the highest
    ("Y[2] Y[+2] Y[skip]", "Y[5]", R(pick="highest", colour_order="draw_order"), "Y[+2]"),  # of equals the oldest
    ("R[7] B[7]", "Y[7]", R(pick="highest"), "R[7]"),
    ("R[7] B[7] B[1] B[2]", "Y[7]", R(pick="hardest"), "B[7]"),  # fewer blue cards are unseen
    ("Y[3] Y[4] G[4] R[4]", "Y[5]", R(pick="hardest"), "Y[4]"),  # fewer fours are
    ("Y[3] Y[0]", "Y[5]", R(pick="hardest"), "Y[0]"),  # there is one 0 of a colour
    ("W[+4] W[wild]", "Y[7]", R(pick="highest"), "W[+4] R"),
    ("R[0] Y[skip] Y[1]", "Y[0]", PRESETS["letter"], "Y[skip]"),  # K 1 to 12; the remark in brackets says nothing
    ("B[1] R[skip] Y[1]", "Y[skip]", PRESETS["letter"], "R[skip]"),
]


@pytest.mark.parametrize(("hand", "first", "rules", "move"), CHOICES_OF_PLAYER)
def test_automatic_player__plays_as_the_article_says(hand: str, first: str, rules: UnoRules, move: str) -> None:
    game = set_up(rules, [hand, "R[1]"], first)
    assert move_text(automatic_move(game.view())) == move
    assert move in texts(game)


def test_automatic_player__after_a_wild_card_looks_at_the_colour_alone() -> None:
    for rules, move in ((R(), "G[3]"), (R(match_wild=True), "W[wild] R"), (R(blank_is_any=True), "R[1]")):
        game = set_up(rules, ["W[wild] R[1] G[3]", "R[1]"], "Y[1]", face=13, colour=4 if rules.blank_is_any else 3)
        assert move_text(automatic_move(game.view())) == move
