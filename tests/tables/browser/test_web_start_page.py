"""The first page offers every game, and opponents in the order of recorded strength."""

from __future__ import annotations

import json

import pytest
import recorded_data

from big2_env.agents.interface import available_agents, named_agents
from big2_env.base.cards import as_mask
from big2_env.base.language import Language, words
from big2_env.climbing.rulesets import BIG2, available_rulesets
from big2_env.tables.browser.start_page import start_page
from big2_env.tables.browser.variants import elsewhere


def test_recorded__results_are_those_of_the_benchmarks() -> None:
    """`python tests/support/recorded_data.py` updates them."""
    assert recorded_data.FILE.read_text("utf-8") == recorded_data.text()


@pytest.mark.parametrize("lang", Language)
def test_start_page__shows_seven_pictures_of_all_games_but_one(lang: Language) -> None:
    page = start_page(lang, [], "heuristic")
    every, tiles = {game["name"]: game for game in page["games"]}, page["tiles"]
    assert {name for name, game in every.items() if game["players"] is None} == set(available_rulesets())
    assert sorted([name for tile in tiles for name in tile["games"]] + ["fishing"]) == sorted(every)
    assert len(tiles) == 7
    assert all(tile["line"] and tile["title"] and tile["cards"] for tile in tiles)
    assert all(every[name]["variant"] for tile in tiles if len(tile["games"]) > 1 for name in tile["games"])
    assert set(page["first"].values()) < set(available_rulesets())
    sides = [game for game in every.values() if game["players"] is not None]
    assert all(game["line"] and game["title"] for game in sides)
    assert all(one["title"] and one["line"] for game in sides for one in game["players"])


@pytest.mark.parametrize("lang", Language)
def test_start_page__orders_opponents_by_strength(lang: Language) -> None:
    agents = start_page(lang, [], "heuristic")["agents"]
    assert sorted(agent["name"] for agent in agents) == sorted(available_agents())
    shares = [share for agent in agents if (share := agent["games"].get("big2")) is not None]
    assert len(shares) >= 5
    assert shares == sorted(shares, reverse=True)
    ours = json.loads(recorded_data.FILE.read_text("utf-8"))["agents"]
    assert all(agent["line"] for agent in agents if agent["name"] in ours)
    assert [agent["name"] for agent in agents if agent["name"] == "ppo" and set(agent["games"]) == {"big2"}] == ["ppo"]


def test_start_page__offers_an_agent_of_the_users_own_in_the_games_that_it_plays() -> None:
    with named_agents({"my-pointer": "learned", "全部": "greedy"}):
        agents = {agent["name"]: agent for agent in start_page(Language.HANT, [], "greedy")["agents"]}
    assert list(agents)[-2:] == ["my-pointer", "全部"]
    assert (agents["全部"]["title"], agents["全部"]["line"], agents["全部"]["any_number"]) == ("全部", "", True)
    assert set(agents["全部"]["games"]) == set(available_rulesets())
    assert "tien_len" in agents["my-pointer"]["games"]
    assert not any(share is not None for name in ("my-pointer", "全部") for share in agents[name]["games"].values())


def test_start_page__offers_an_agent_that_cannot_be_made_in_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.browser.start_page.available_agents", lambda: ["not_there", "greedy"])
    known, new = start_page(Language.HANT, [], "greedy")["agents"]
    assert (known["name"], new["name"], new["games"]) == ("greedy", "not_there", {})


def test_start_page__says_which_agents_play_any_number_of_seats() -> None:
    any_number = {agent["name"]: agent["any_number"] for agent in start_page(Language.EN, [], "heuristic")["agents"]}
    assert any_number["heuristic"]
    assert not any_number["learned"]


@pytest.mark.parametrize(("practice", "score", "deals"), [(False, 5.0, 2), (True, 0.0, 1)])
def test_start_page__counts_no_practice(practice: bool, score: float, deals: int) -> None:
    record = {"ruleset": "big2", "agents": ["greedy"] * 3, "reason": "finished"}
    data = {"record": record, "score": 5, "deals": 1, "practice": practice}
    [listed] = start_page(Language.EN, [("key", data)], "greedy")["tables"]
    assert (listed["score"], listed["deals"]) == (score, deals)


def test_refusal__names_the_variants_that_have_the_pattern() -> None:
    texts = [elsewhere(BIG2, as_mask("C[3] C[5] C[7] C[9] C[K]"), words(lang)) for lang in Language]
    assert texts == [
        "this variant has no flush; found in: Hong Kong, Chu Da Di, Indonesia, Philippines",
        "這個玩法沒有同花，港式、鋤大地、印尼、菲律賓才有",
        "这个玩法没有同花，港式、锄大地、印尼、菲律宾才有",
    ]
    assert elsewhere(BIG2, as_mask("D[3] C[4]"), words(Language.EN)) == ""
    assert elsewhere(available_rulesets()["tien_len"], as_mask("C[3] C[5] C[7] C[9] C[K]"), words(Language.EN)) == ""
