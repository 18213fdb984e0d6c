"""The players that are shipped with weights: each has a card, which names its files."""

from __future__ import annotations

import hashlib
import re

import pytest
from places import ROOT

from big2_agents.models import critic_beside, learned_rulesets, models_folder, shipped_weights
from big2_env.agents import make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset

NAMES = sorted(learned_rulesets())


def test_shipped_players__are_those_that_have_a_card() -> None:
    assert {path.stem for path in models_folder().glob("*.md")} - {"big2_ppo"} == set(NAMES)


def test_cards__name_the_files_by_size_and_hash() -> None:
    for name in NAMES:
        card = (models_folder() / f"{name}.md").read_text("utf-8")
        weights = shipped_weights(ruleset(name))
        files = [(path.name, path.read_bytes()) for path in (weights, critic_beside(weights))]
        wanted = [(path, f"{len(data):,}", hashlib.sha256(data).hexdigest()) for path, data in files]
        assert re.findall(r"`(\S+)`: ([\d,]+) bytes, SHA-256 `([0-9a-f]{64})`", card) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_cards__have_the_rows_of_the_frozen_protocol(name: str) -> None:
    page = (ROOT / "agents/README.md").read_text("utf-8")
    rows = re.findall(rf"^\| `{name}` \| `learned` \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 1
    strength = (models_folder() / f"{name}.md").read_text("utf-8").split("## Strength")[1]
    assert f"`big2 bench learned --ruleset {name}`" in strength
    assert re.findall(r"^\| (?:alone|in teams) \| .* \| (.*) \|$", strength, re.MULTILINE) == rows[0].split(" | ")
    wanted = re.search(r"^Hash (`\w+`)", page, re.MULTILINE)
    assert wanted is not None
    assert f"(hash {wanted[1]})" in strength


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
