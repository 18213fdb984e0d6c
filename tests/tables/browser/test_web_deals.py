"""Deals by name on a server and in a page without one: tables, comparison, and what they refuse."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from web_visitor import Visitor, visit

from big2_env.notation import records
from big2_env.tables.browser.table_store import table_data, table_of, table_text
from big2_env.tables.session import deals
from big2_env.tables.session.deals import Comparison, Result, named_deal, row_of
from big2_env.tables.site.worker import PageWorker

DAY = "2026-11-24"
DEAL = {"game": "big2", "name": DAY}


@pytest.fixture
def visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A visitor of a server whose opponents are fast, and on which no comparison is kept."""
    monkeypatch.setattr(deals, "_KEPT", {})
    monkeypatch.setattr(deals, "_SEATS", {})
    monkeypatch.setattr(deals.NamedDeal, "opponents", ["lowest"] * 3)
    monkeypatch.setattr(deals, "players_of", cache(deals.players_of.__wrapped__))
    with visit(tmp_path) as found:
        yield found


def begin(visitor: Visitor) -> None:
    answer = visitor.post("/api/deals?lang=en", DEAL)
    assert answer.status == 201, answer.text
    visitor.state = answer.json()


def test_deal__is_described_in_each_language(visitor: Any) -> None:
    found = visitor.get(f"/api/deals/big2/{DAY}?lang=zh-Hans").json()
    assert (found["title"], found["daily"], found["date"]) == ("大老二", True, True)
    assert visitor.get("/api/deals/big2/7").json()["daily"] is False
    assert [one["name"] for one in visitor.get("/api/lobby").json()["daily"]] == deals.daily_games()


@pytest.mark.parametrize("name", ["2026-02-30", "tomorrow", "99999999999999999999", "%2e%2e"])
@pytest.mark.parametrize("game", ["big2", "nothing", "uno"])
def test_deal__other_names_are_refused(game: str, name: str, visitor: Any) -> None:
    assert visitor.get(f"/api/deals/{game}/{name}").status == 404
    answer = visitor.post("/api/deals", {"game": game, "name": name})
    assert (answer.status, answer.json()["error"]) == (404, "unknown_deal")


def test_deal__table_has_it_once_and_hides_what_tables_hide(visitor: Any) -> None:
    begin(visitor)
    assert visitor.state["linked"] == DEAL
    assert "seed" not in visitor.state
    own = named_deal(**DEAL).seat
    assert [seat["hand"] is None for seat in visitor.state["scene"]["seats"]] == [seat != own for seat in range(4)]
    refused = visitor.post(f"{visitor.path}/compare", {"version": visitor.state["version"]})
    assert (refused.status, refused.json()["error"]) == (409, "not_over")
    visitor.play_out()
    record = records.loads(visitor.get(f"{visitor.path}/record").text)
    assert (record.extra["seed"], record.extra["seat"]) == (named_deal(**DEAL).seed, own)
    visitor.act("deal")
    assert "linked" not in visitor.state
    visitor.play_out()
    refused = visitor.post(f"{visitor.path}/compare", {"version": visitor.state["version"]})
    assert (refused.status, refused.json()["error"]) == (409, "not_named")


def test_compare__one_agent_with_each_request(visitor: Any) -> None:
    begin(visitor)
    while not visitor.state["asked"]:
        visitor.act("advance")
    visitor.post(f"{visitor.path}/hint", {"version": visitor.state["version"]})
    visitor.play_out()
    steps = []
    while not steps or steps[-1]["done"] < steps[-1]["of"]:
        steps.append(visitor.post(f"{visitor.path}/compare?lang=en", {"version": visitor.state["version"]}).json())
    assert [one["done"] for one in steps] == [1, 2, 3, 4, 5]
    expected = Comparison(named_deal(**DEAL))
    while not expected.is_done:
        expected.step()
    assert [(row["payoff"], row["left"]) for row in steps[-1]["rows"]] == [one[:2] for _, one in expected.rows()]
    assert steps[-1]["share"][2] == "hints: 1"
    assert visitor.post(f"{visitor.path}/compare", {"version": visitor.state["version"] + 1}).json()["error"] == "stale"


def test_table__as_text_keeps_the_name_and_what_helped(visitor: Any) -> None:
    begin(visitor)
    while not visitor.state["asked"]:
        visitor.act("advance")
    visitor.post(f"{visitor.path}/hint", {"version": visitor.state["version"]})
    table = visitor.table
    again = table_of(table.owner, table.key, table_text(table).encode())
    assert (again.linked, again.session.hints, again.session.undone) == (DAY, 1, 0)
    data = table_data(table_text(table).encode())
    for wrong in ("2026-11-25", "nonsense", 5):
        with pytest.raises(Exception, match=r"linked|expected a date"):
            table_of(table.owner, table.key, json.dumps(data | {"linked": wrong}).encode())


def test_worker__takes_results_that_were_computed_in_advance(visitor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, kept = PageWorker(), {}

    def ask(path: str, body: object = None, **more: Any) -> Any:
        text = None if body is None else json.dumps(body)
        message = {"path": path, "body": text, "lang": "en", "tables": list(kept.items())} | more
        answer = json.loads(worker.answer(json.dumps(message)))
        assert answer["status"] < 300, answer
        if answer["keep"]:
            kept.update([answer["keep"]])
        return answer["data"]

    monkeypatch.setattr(deals, "_SEATS", {})
    assert ask(f"deals/big2/{DAY}")["daily"]
    agents = named_deal(**DEAL).compared
    row = row_of({agent: Result(2.0, place) for place, agent in enumerate(agents)}, agents)
    day = {"seat": 2, "row": row, "par": [3.0, [[-1.0, -14, 150], [9.0, 0, 50]]]}
    known = DEAL | {"day": day, "agents": agents}
    state = ask("deals", DEAL, known=known)
    path = f"tables/{state['table']}"
    assert state["scene"]["viewer"] == 2
    while not state["scene"]["is_over"]:
        version = {"version": state["version"]}
        if state["waiting"]:
            state = ask(f"{path}/advance", version)
        elif state["can_pass"]:
            state = ask(f"{path}/play", version | {"cards": []})
        else:
            state = ask(f"{path}/play", version | {"cards": [state["scene"]["seats"][2]["hand"][0]["text"]]})
    found = ask(f"{path}/compare", {"version": state["version"]}, known=known)
    assert found["par"].startswith("Your result is better than 75% of 200 games that")
    assert found["share"][1].endswith("better than 75%")
    assert [(one["payoff"], one["left"]) for one in found["rows"]] == [(2.0, place) for place in range(len(agents))]
