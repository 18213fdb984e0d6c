"""The second look of a large search: what is tried again, and how both looks count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hidden_cards import exchanged
from random_games import random_games

from big2_agents.kernels.estimates import Estimate, kind_of
from big2_agents.learned.search import DEALS, FINALISTS, LearnedSearchAgent, finalists, looked_again
from big2_agents.rule_based.search import FULL_PLAYOUTS, SearchAgent
from big2_env import Game
from big2_env.climbing.rulesets import ruleset

RULES = ruleset("tien_len")
PLAYS = list(Game.deal(RULES, 1).legal_plays())[:6]


def first_look() -> list[Estimate]:
    return [Estimate(play, 6.0 - number, 0.5, 40 - number) for number, play in enumerate(PLAYS)]


def test_contestants__are_the_best_and_the_moves_that_are_kept() -> None:
    found = first_look()
    assert finalists(found, []) == list(range(FINALISTS))
    assert finalists(found, [PLAYS[0], PLAYS[5]]) == [*range(FINALISTS), 5]
    assert finalists([Estimate(PLAYS[0], 0.0, 0.0, 0)], [PLAYS[0]]) == []


def test_second_look__counts_as_much_as_the_first_and_sets_the_level() -> None:
    found = first_look()
    paid = np.array([[1.0, 3.0], [5.0, 7.0], [0.0, 0.0]], np.float32)  # means 2, 6 and 0, after 6, 5 and 4
    best, second, third, *others = looked_again(found, [0, 1, 2], paid)
    assert [best.play, second.play, third.play] == [PLAYS[1], PLAYS[0], PLAYS[2]]
    assert (best.value, second.value, third.value) == (3.5, 2.0, 0.0)  # the first at its new value, others half and half
    assert best.samples == 39 + 2
    assert (best.error, second.error) == (pytest.approx((1 + 0.125) ** 0.5), pytest.approx(1.0))
    assert [(one.play, one.value) for one in others] == [(PLAYS[3], -1.0), (PLAYS[4], -2.0), (PLAYS[5], -3.0)]
    assert [one.samples for one in others] == [37, 36, 35]
    assert all(one.value < second.value for one in others)
    found[3] = replace(found[3], value=6.0)
    assert looked_again(found, [0, 1, 2], paid)[3].value == 0.0  # not above those that were tried again


def test_second_look__knows_its_error() -> None:
    rng = np.random.default_rng(3)
    drawn = []
    for _ in range(2000):
        found = [Estimate(play, level + rng.normal(0, 0.2), 0.2, 40) for play, level in zip(PLAYS, (6, 5, 2, 1), strict=False)]
        paid = rng.normal(0, 1, 64) + rng.normal(0, 2, (2, 64)) + np.array([[4.0], [1.0]])
        drawn.append([(one.value, one.error) for one in looked_again(found, [0, 1], paid)])
    values, errors = np.array(drawn).transpose(2, 0, 1)
    assert errors.mean(axis=0) == pytest.approx(values.std(axis=0), rel=0.06)


def test_large_search__looks_again_and_sees_one_view_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(game: Game) -> list[Estimate]:
        agent = LearnedSearchAgent(FULL_PLAYOUTS)
        agent.reset(5)
        return agent.estimates(game.view())

    games = (game for game in random_games(RULES, range(20)) if len(game.history) == 9 and not game.is_over)
    wide = (game for game in games if len({kind_of(play) for play in game.legal_plays()}) > FINALISTS)
    game, twin = next((game, twin) for game in wide if (twin := exchanged(game, game.turn, 3)) is not None)
    found = asked(game)
    assert asked(twin) == found
    monkeypatch.setattr(LearnedSearchAgent, "_try", SearchAgent._try)
    first = asked(game)
    samples = {one.play: one.samples + (DEALS if place < FINALISTS else 0) for place, one in enumerate(first)}
    assert {one.play: one.samples for one in found} == samples
    values = [one.value for one in found[:FINALISTS]]
    assert values == sorted(values, reverse=True)
