"""Shipped networks: each has a card, and the card agrees with its files and with the frozen protocol's results."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import measurements
import model_cards
import pytest

from big2_agents.models import learned_rulesets, models_folder, shipped_weights
from big2_agents.models.formula import WeightsFile, shipped_files
from big2_agents.train.card import ENDING, card_json, card_page, card_picture, file_entry
from big2_agents.uno.weights import SHIPPED
from big2_env.agents.interface import make_agent, rules_of_weights
from big2_env.base.errors import ConfigError
from big2_env.base.outside import file_digest
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset

NAMES = sorted(learned_rulesets())
CARDS = model_cards.cards()
UNO = SHIPPED.with_name("weights.card.json")
FITTED = models_folder() / "weights.card.json"


def stem(path: Path) -> str:
    return path.name.removesuffix(ENDING)


def read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def test_shipped_networks__are_those_that_have_a_card() -> None:
    assert {stem(path) for path in CARDS} - {"big2_ppo"} == set(NAMES)
    assert {path.stem for path in models_folder().glob("*.md")} == {stem(path) for path in CARDS}


def test_cards__agree_with_files_and_protocol() -> None:
    """`python tests/support/model_cards.py` updates them."""
    for path in CARDS:
        data = read(path)
        assert path.read_text("utf-8") == card_json(data)
        assert model_cards.updated(data, path.parent) == data
        if data["agent"] == "learned":
            assert [file["name"] for file in data["files"]] == [shipped_weights(ruleset(data["ruleset"])).name]


def test_pages_and_pictures__are_those_of_the_cards() -> None:
    """`python tests/support/model_cards.py` updates them."""
    for path in CARDS:
        data, picture = read(path), path.with_name(f"{stem(path)}.curve.svg").read_text("utf-8")
        page = path.with_name(f"{stem(path)}.md")
        assert (page.read_text("utf-8"), picture) == (card_page(data), card_picture(data))
        assert measurements.problems(page) == []
        assert len(page.read_text("utf-8").splitlines()) < 75
        assert len(picture) < 15_000


def test_cards__with_the_architecture_of_another_have_its_shapes() -> None:
    linked = {path: read(path)["architecture_of"] for path in CARDS if "architecture_of" in read(path)}
    assert linked
    for path, other in linked.items():
        own, same = (read(file)["files"] for file in (path, path.with_name(f"{other}{ENDING}")))
        assert [file["shapes"] for file in own] == [file["shapes"] for file in same]


def test_pages__say_that_training_started_from_the_heuristic_if_the_curve_does() -> None:
    started = {stem(path) for path in CARDS if "The agent began as the heuristic" in card_page(read(path))}
    assert {"dou_dizhu", "wu_gua_pi"} <= started
    assert not started & {"big2", "hong_kong", "dou_dizhu_x", "big2_ppo"}  # random weights, or those of another game


def test_results__are_rows_of_measurements() -> None:
    assert [problem for path in (*CARDS, UNO, FITTED) for problem in measurements.bad_rows(path)] == []


def test_card_of_uno__agrees_with_the_file() -> None:
    entry = file_entry(SHIPPED)
    assert read(UNO)["files"] == [entry]
    assert measurements.problems(SHIPPED.with_name("weights.md")) == []


def test_card_of_fitted_weights__has_files_and_their_gains() -> None:
    for file in read(FITTED)["files"]:
        path = models_folder() / file["name"]
        assert (file["bytes"], file["sha256"]) == (path.stat().st_size, file_digest(path))
    rows = {row["name"]: row for row in read(FITTED)["results"]}
    gains = {}
    for name, path in shipped_files().items():
        found = WeightsFile.load(path)
        for opponent, gain in found.gain.items():
            bounds = [model_cards.rounded(gain["mean"] + sign * gain["half_width"]) for sign in (-1, 1)]
            gains[model_cards.name_of_gain(name, opponent)] = (model_cards.rounded(gain["mean"]), bounds, found.made["command"])
    assert {name: (row["value"], row["interval"], row["command"]) for name, row in rows.items()} == gains


def test_learned__plays_other_rules_with_as_many_cards_if_it_is_told_to() -> None:
    path = models_folder() / "chu_da_di.npz"
    view = Game.deal(ruleset("taiwan"), 3).view()
    agent = make_agent(f"learned:{path},any")
    assert agent.act(view, view.legal_plays()) in view.legal_plays()
    assert rules_of_weights(agent, view.ruleset, 4) == ruleset("chu_da_di")
    with pytest.raises(ConfigError, match="trained for chu_da_di, asked to play taiwan, which differs in patterns, "):
        make_agent(f"learned:{path}").act(view, view.legal_plays())


def test_learned__without_weights_for_the_ruleset_says_which_have_some() -> None:
    rules = replace(ruleset("taiwan"), name="formosa")
    view = Game.deal(rules, 3).view()
    with pytest.raises(ConfigError, match="no learned player for formosa: there are weights for big2, "):
        make_agent("learned").act(view, view.legal_plays())


def test_weights__are_less_than_30_megabytes() -> None:
    assert sum(path.stat().st_size for path in models_folder().rglob("*.npz")) < 30e6


@pytest.mark.parametrize("name", ["tien_len"])
def test_learned__plays_a_game_against_the_heuristic(name: str) -> None:
    game, agents = Game.deal(ruleset(name), 3), [make_agent("learned"), make_agent("heuristic:first")]
    for agent in agents:
        agent.reset(3)
    differing = 0
    while not game.is_over:
        view = game.view()
        legal = view.legal_plays()
        play, other = (agent.act(view, legal) for agent in agents)
        assert play in legal
        differing += play != other
        game.push(play)
    assert differing  # it has learned something else
