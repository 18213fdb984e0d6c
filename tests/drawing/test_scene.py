"""A scene holds what its viewer may know, no more."""

from __future__ import annotations

import json
import random
import re

import pytest

from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.rulesets import available_rulesets
from big2_env.drawing import Scene, scene
from big2_env.tables.session.advice_text import hint_line, values_text
from big2_env.text.state import state_text

RULES = available_rulesets()
CARD = re.compile(r"[CDHS]\[(?:[2-9]|10|[JQKA])\]|\b[LB]J\b")


def seen(shown: Scene) -> set[str]:
    """Every card that a scene names anywhere."""
    return set(CARD.findall(json.dumps(shown.as_json(), ensure_ascii=False)))


@pytest.mark.parametrize("name", sorted(RULES))
def test_scene__shows_no_hidden_card(name: str) -> None:
    rules = RULES[name]
    game, rng = Game.deal(rules, seed=3), random.Random(5)
    while not game.is_over:
        viewer, lang = rng.randrange(game.num_players), rng.choice(list(Language))
        shown, view = scene(game, viewer, lang=lang), game.view(viewer)
        known = view.hand | view.bottom | view.obligation
        for played in view.played:
            known |= played
        assert seen(shown) <= set(rules.text(known).split())
        assert [seat.count for seat in shown.seats] == list(view.cards_left)
        assert [seat.hand is not None for seat in shown.seats] == [seat == viewer for seat in range(game.num_players)]
        assert all(seat.hand is None for seat in scene(game, lang=lang).seats)
        game.push(rng.choice(list(game.legal_plays())))
    shown = scene(game, last=1000, lang=Language.EN)
    assert all(seat.hand is not None for seat in shown.seats)
    assert len(shown.events) > len(game.history)


def test_scene__of_a_view_is_that_of_its_seat() -> None:
    game = Game.deal(RULES["big2"], seed=7)
    game.play("C[3]")
    from_view, from_game = scene(game.view(2), lang=Language.EN), scene(game, 2, lang=Language.EN)
    assert from_view.seats == from_game.seats
    assert from_view.status == "player_2 to beat single C[3] (player_1)"
    assert from_view.top == from_view.seats[1].act
    with pytest.raises(ConfigError, match="a view knows one hand only"):
        scene(game.view(2), open_hands=True)


def test_scene__all_hands_open() -> None:
    game = Game.deal(RULES["dou_dizhu"], seed=1)
    shown = scene(game, open_hands=True, lang=Language.HANS)
    assert all(seat.hand is not None and len(seat.hand) == seat.count for seat in shown.seats)
    assert shown.title == "斗地主"


def test_scene__marks_the_play_that_has_to_be_beaten() -> None:
    game = Game.deal(RULES["big2"], seed=7)
    assert not any(seat.act for seat in scene(game).seats)
    game.play("C[3]")
    game.pass_()
    for source in (game, Game.from_position(game.ruleset, game.position)):  # the second one has no moves from before
        moves = [seat.act for seat in scene(source, lang=Language.EN).seats]
        assert [None if move is None else (move.words, move.is_top) for move in moves] == [
            None,
            ("single", True),
            ("pass", False),
            None,
        ]


def test_scene__says_who_has_won_and_leaves_payments_to_the_seats() -> None:
    """A line with ten payments has room nowhere; texts without seats beside them have it all the same."""
    game = Game.from_hands(RULES["big2"], [["C[3]"], ["D[4]"], ["D[5]", "C[6]"], ["D[7]"]])
    game.play("C[3]")
    ends = {lang: scene(game, 0, names=[words(lang)("table.you"), "A", "B", "C"], lang=lang).status for lang in Language}
    assert ends == {Language.EN: "you win", Language.HANT: "你獲勝", Language.HANS: "你获胜"}
    shown = scene(game, names=list("ABCD"), lang=Language.EN)
    assert (shown.status, shown.seats[0].payoff) == ("won by A", 1.0)
    text = state_text(game, names=list("ABCD"), lang=Language.EN)
    assert "won by A (A +1, B -⅓, C -⅓, D -⅓)" in text.splitlines()


def test_facts__name_new_deals_and_the_factor_only_while_they_matter() -> None:
    rules = RULES["dou_dizhu"]
    game = Game.deal(rules, seed=3)

    def facts(lang: Language = Language.EN) -> tuple[str, ...]:
        return tuple(scene(game, lang=lang).facts)

    assert facts() == ("stake 1", "if all pass: new deal (at most 2 more)")
    for _ in range(2 * game.num_players):
        game.play(0, None)
    assert facts()[1] == "if all pass: the first to decide is the landlord"
    assert facts(Language.HANT)[1] == "都不叫就由最先決定的玩家當地主"
    game.play(0, "call")
    assert facts() == ("stake 1",)
    game.play(0, "rob")
    for _ in range(2):
        game.play(0, None)
    assert facts() == ("stake 1 × 2 = 2",)


@pytest.mark.parametrize(("call", "no"), [(CALL, "不叫"), (ROB, "不搶")])
def test_advice__on_an_auction_calls_a_pass_a_no(call: Play, no: str) -> None:
    game, tr = Game.deal(RULES["dou_dizhu"], seed=1), words(Language.HANT)
    if call is ROB:
        game.play(0, "call")
    view = game.view()
    advice = [Advice(PASS, score=0.5), Advice(call, score=-0.5)]
    assert hint_line(view, advice, tr).startswith(tr("hint.hint_is", play=no))
    assert f"1  {no}\n" in values_text(view, advice, tr).plain
    assert "1  PASS\n" in values_text(view, advice[:1], tr).plain
