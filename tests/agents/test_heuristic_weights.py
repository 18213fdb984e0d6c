"""The heuristic's weights: the first ones are frozen, and learned players keep the heuristic they were trained with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from big2_agents.kernels import heuristic_tables
from big2_agents.kernels.codes import NET
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.models import shipped_weights
from big2_agents.models.formula import DEFAULT_WEIGHTS, Weights, WeightsFile, first_weights_of, shipped_files, weights_of
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env import BIG2, HONG_KONG, ConfigError, Game, RuleSet, available_rulesets, ruleset
from big2_env.climbing.settlement import CardsLeft, Doubling, When

FIRST: Final[dict[str, Any]] = {
    "turn": [1.0, 0.45, 0.37], "hold": [1.45, 0.0, 0.3], "rank": [0.75, 1.35, 0.0], "lead": 0.25, "run_out": 2.0, "again": 0.2,
    "danger": 1.1, "block": 2.2, "hurry": 0.67, "patience": 0.45, "cheap_lead": 0.5, "alarm": 2.6, "partner": 1.2, "feed": 1.5,
    "bomb": 1.5, "capture": 0.15, "even": -0.35, "slope": 0.4, "rival": 0.62,
}  # fmt: skip
"""The first weights of most games; terms that came later change nothing."""
TEAMS: Final = {"turn": [1.2, 0.7, 0.37], "rank": [0.6, 0.8, 0.0], "patience": -0.6, "partner": 3.0, "bomb": 2.5}
CHANGES: Final[dict[str, dict[str, Any]]] = {
    "dou_dizhu": TEAMS,
    "dou_dizhu_4p": TEAMS,
    "dou_dizhu_x": TEAMS,
    "three_two_one": {"rank": [0.5, 1.0, 0.0], "patience": -0.5},
    **{name: {"patience": 0.3} for name in ("qi_gui_521", "qi_gui_523", "wu_gua_pi")},
    "chu_da_di": {"pay": 0.03},
}


def test_first_weights__never_change() -> None:
    for name, rules in available_rulesets().items():
        assert first_weights_of(rules) == Weights.from_json(FIRST | CHANGES.get(name, {})), name


def other_weights(rules: RuleSet) -> Weights:
    """Weights that play quite otherwise."""
    return replace(first_weights_of(rules), turn=(0.1, 0.9, 0.1), hold=(-1.0, 2.0, 0.0), patience=5.0, hurry=-1.0)


@pytest.fixture
def other_heuristic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's heuristic plays quite otherwise than the first."""
    monkeypatch.setattr(heuristic_tables, "weights_of", other_weights)


@pytest.mark.usefixtures("other_heuristic")
def test_agent__of_the_first_version_plays_by_the_first_weights() -> None:
    first, today = HeuristicAgent("first"), HeuristicAgent(weights=other_weights(BIG2))
    views = [Game.deal(BIG2, seed).view() for seed in range(20)]
    wanted = HeuristicAgent(weights=first_weights_of(BIG2))
    plays = [[agent.act(view, view.legal_plays()) for view in views] for agent in (first, wanted, today)]
    assert plays[0] == plays[1] != plays[2]
    with pytest.raises(ConfigError, match="got 'heuristic:second'"):
        HeuristicAgent("second")


def scores_of(agent: LearnedPolicy) -> list[list[float]]:
    """What a network says of the answers to a few first plays."""
    found = []
    for seed in range(8):
        game = Game.deal(HONG_KONG, seed)
        game.push(next(iter(game.legal_plays())))
        found.append(agent.scores(game.view())[1].tolist())
    return found


def test_network__sees_the_heuristic_it_was_trained_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = scores_of(LearnedPolicy())
    monkeypatch.setattr(heuristic_tables, "weights_of", other_weights)
    assert scores_of(LearnedPolicy()) == before  # a shipped file, which names the first one
    path = tmp_path / "net.npz"
    with np.load(shipped_weights(HONG_KONG)) as file:
        arrays = {name: array for name, array in file.items() if name != "heuristic"}
    np.savez(path, **arrays)
    assert scores_of(LearnedPolicy(path)) == before  # an earlier file, which names none
    for weights, is_same in ((first_weights_of(HONG_KONG), True), (other_weights(HONG_KONG), False)):
        np.savez(path, **arrays, heuristic=np.array(json.dumps(weights.as_json())))
        assert (scores_of(LearnedPolicy(path)) == before) is is_same
    np.savez(path, **arrays, heuristic=np.array(json.dumps({"turns": 1})))
    with pytest.raises(ConfigError, match=r"net\.npz: heuristic: expected numbers for turn, .* got '1' for 'turns'$"):
        scores_of(LearnedPolicy(path))


@pytest.mark.long  # compiles games of networks against themselves
@pytest.mark.usefixtures("other_heuristic")
def test_played_games__show_networks_the_heuristic_that_is_asked_for() -> None:
    seen = []
    for opinion in (None, first_weights_of(BIG2), other_weights(BIG2)):
        games = PlayedGames(BIG2, 32, opinion)
        games.deal(np.arange(32), np.full((32, 4), NET))
        seen.append(games.features(games.advance()).plays)
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


@pytest.mark.parametrize("name", sorted(shipped_files()))
def test_weights__that_are_fitted_serve_every_payment_by_cards_left(name: str) -> None:
    rules, fitted = ruleset(name), WeightsFile.load(shipped_files()[name]).weights
    cards = (CardsLeft(), CardsLeft(((8, 2), (10, 3))), CardsLeft(doublings=(Doubling(When.LEFT, rank=rules.ranks[-1]),)))
    for scoring in (rules.scoring, *cards):
        assert weights_of(replace(rules, scoring=scoring)) == fitted != first_weights_of(rules)
        assert weights_of(replace(rules, scoring=scoring, must_cover=True)) == fitted
    assert weights_of(rules.with_scoring("winner")) == DEFAULT_WEIGHTS


def test_weights__without_fitted_ones_are_the_first_ones() -> None:
    fewer = ruleset("taiwan").without_patterns("pair")
    assert weights_of(fewer) == first_weights_of(fewer)
    for name in ("big2", "dou_dizhu", "qi_gui_523", "wu_gua_pi"):
        for scoring in ("winner", "cards"):
            rules = ruleset(name).with_scoring(scoring)
            assert weights_of(rules) == first_weights_of(rules)
