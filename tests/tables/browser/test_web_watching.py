"""Tables without the visitor: whole games, what one seat sees, values on request, agents that think."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from stored_tables import damage, stored_data
from web_visitor import JudgedAtOnce, Visitor, game_data, named_cards, serving, visit

from big2_env.tables.session.saved import saved_games
from big2_env.tables.session.watching import Watching
from big2_env.tables.site.worker import PageWorker

FOUR = ["heuristic", "greedy", "lowest", "lowest"]


def look_from(visitor: Visitor, seat: int | None) -> dict[str, Any]:
    answer = visitor.post(f"{visitor.path}/look_from?lang=en", {"seat": seat})
    assert answer.status == 200, answer.text
    visitor.state = answer.json()
    return visitor.state


def shown_hands(state: dict[str, Any]) -> list[int]:
    return [seat["seat"] for seat in state["scene"]["seats"] if seat["hand"] is not None]


@pytest.mark.parametrize("game", ["big2", "dou_dizhu", "qi_gui_523"])
def test_watching__one_seat_names_no_hidden_card_in_a_whole_game(game: str, tmp_path: Path) -> None:
    agents = ["lowest"] * (3 if game == "dou_dizhu" else 2)
    with visit(tmp_path) as visitor:
        visitor.sit_down(game, agents, seed=None, watch=1)
        assert shown_hands(visitor.state) == list(range(len(agents)))
        look_from(visitor, 1)
        visitor.received.clear()
        seen: set[str] = set()
        while not visitor.table.session.game.is_over:
            view = visitor.table.session.game.view(1)
            seen |= {
                str(card) for card in view.ruleset.order.sort(view.hand | view.bottom | view.obligation | sum(view.played))
            }
            visitor.get(f"{visitor.path}?lang=en")
            visitor.post(f"{visitor.path}/look?lang=en", {"cards": ["S[2]"]})
            visitor.post(f"{visitor.path}/plays?lang=en", {"version": visitor.state["version"]})
            for text in visitor.received:
                assert named_cards(text) - {"S[2]"} <= seen, text
                assert '"seed"' not in text
            visitor.received.clear()
            visitor.act("advance")
        assert visitor.state["watch"] == {"seat": 1}
        assert shown_hands(visitor.state) == list(range(len(agents)))
        assert saved_games(tmp_path / "games") == []


def test_watching__outlives_the_server(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        state = visitor.sit_down("big2", FOUR, seed=7, watch=1)
        assert [seat["name"] for seat in state["scene"]["seats"]] == ["Veteran", "Greedy", "Thrifty 1", "Thrifty 2"]
        look_from(visitor, 2)
        for _ in range(3):
            visitor.act("advance")
        visitor.act("undo")
        cookies, path, before = visitor.cookies, visitor.path, visitor.state
        assert before["scene"]["ply"] == 2
    with visit(tmp_path, cookies) as visitor:
        assert visitor.get(f"{path}?lang=en").json() == before
        [listed] = visitor.get("/api/lobby?lang=en").json()["tables"]
        assert listed["watch"]
        assert listed["setup"] == {"game": "big2", "players": 4, "opponents": FOUR, "watch": True}
        visitor.state = before
        while not visitor.state["scene"]["is_over"]:
            visitor.act("advance")
        assert visitor.get(f"{path}/record").status == 200
        assert visitor.act("deal")["deal"] == 1
        assert isinstance(visitor.table.session, Watching)


def test_watching__outlives_the_server_as_it_was_looked_at_last(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down("big2", FOUR, seed=7, watch=1)
        version = {"version": visitor.state["version"]}
        look_from(visitor, visitor.state["scene"]["turn"])
        assert visitor.post(f"{visitor.path}/hint?lang=en", version).status == 200
        seat, path, cookies = visitor.state["watch"], visitor.path, visitor.cookies
        until = monotonic() + 30
        while "hints" not in (data := stored_data(tmp_path))["record"]:
            assert monotonic() < until
            sleep(0.01)
        assert data["watch"] == seat["seat"]
    with visit(tmp_path, cookies) as visitor:
        assert visitor.get(path).json()["watch"] == seat


def test_watching__the_review_is_about_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda *given: JudgedAtOnce())
    with visit(tmp_path) as visitor:
        visitor.sit_down("big2", FOUR, seed=7, watch=1)
        while visitor.state["waiting"]:
            visitor.act("advance")
        asked = {"version": visitor.state["version"]}
        found = [visitor.post(f"{visitor.path}/review?lang=en", {**asked, "step": step}).json() for step in (1, 0)]
        assert [one["moves"] for one in found] == [{"text": "", "best": None, "turn": None, "costs": []}] * 2
        assert "record" not in found[1]  # nobody can continue it
        assert game_data(found[1]["page"])["verdict"] is None


def test_watching__values_and_refusals(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        state = visitor.sit_down("big2", FOUR, seed=7, watch=1)
        turn, version = state["scene"]["turn"], {"version": state["version"]}
        assert visitor.post(f"{visitor.path}/hint?lang=en", version).json()["advice"]
        look_from(visitor, (turn + 1) % 4)
        assert visitor.post(f"{visitor.path}/hint?lang=en", version).json()["error"] == "no_hint"
        look_from(visitor, turn)
        assert visitor.post(f"{visitor.path}/hint?lang=en", version).json()["advice"]
        assert visitor.post(f"{visitor.path}/play", version | {"cards": []}).status == 409
        assert visitor.post(f"{visitor.path}/look_from", {"seat": 4}).status == 400
        answer = visitor.post("/api/tables?lang=en", {"game": "big2", "opponents": ["lowest"], "watch": 1})
        assert (answer.status, answer.json()["message"]) == (400, "big2 needs 2 to 4 players, got 1")
        visitor.sit_down("big2", 3)
        assert visitor.post(f"{visitor.path}/look_from", {"seat": 1}).json()["error"] == "not_watching"


def test_watching__goes_on_answering_while_four_agents_think(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        visitor = Visitor(server)
        visitor.sit_down("big2", ["learned-search"] * 4, seed=7, watch=1)
        thinks, may_go_on = Event(), Event()

        class Slow:
            def reset(self, seed: int) -> None: ...

            def act(self, view: Any, legal: Any) -> Any:
                thinks.set()
                assert may_go_on.wait(30)
                return next(iter(legal))

        visitor.table.session._agents = [Slow()] * 4
        tab = Visitor(server, visitor.cookies)
        tab.state = visitor.state
        thread = Thread(target=visitor.act, args=("advance",))
        thread.start()
        assert thinks.wait(30)
        for seat in (None, 3, 0):
            state = look_from(tab, seat)
            assert (state["version"], state["watch"]) == (0, {"seat": seat})
        assert tab.get(tab.path).json()["scene"]["ply"] == 0
        assert tab.get("/api/lobby").status == 200
        may_go_on.set()
        thread.join()
        assert (visitor.state["version"], shown_hands(visitor.state)) == (1, [0])
        visitor.close()
        tab.close()


@pytest.mark.parametrize("wrong", [{"watch": 4}, {"watch": "0"}, {"agents": ["lowest"]}, {"seed": None}])
def test_watching__a_damaged_table_is_not_loaded(wrong: dict[str, Any], tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down("big2", FOUR, seed=7, watch=1)
        cookies, path = visitor.cookies, visitor.path
    data = stored_data(tmp_path)
    for key, value in wrong.items():
        (data if key == "watch" else data["record"])[key] = value
    damage(tmp_path, json.dumps(data))
    with visit(tmp_path, cookies) as visitor:
        assert visitor.get(path).status == 404


def test_watching__without_a_server(tmp_path: Path) -> None:
    worker, kept = PageWorker(), {}

    def ask(path: str, body: Any = None) -> Any:
        text = None if body is None else json.dumps(body)
        answer = json.loads(worker.answer(json.dumps({"path": path, "body": text, "lang": "en", "tables": list(kept.items())})))
        if answer["keep"]:
            kept.update([answer["keep"]])
        return answer["data"]

    state = ask("tables", {"game": "big2", "opponents": FOUR, "seed": 7, "watch": 1})
    path = f"tables/{state['table']}"
    assert shown_hands(ask(f"{path}/look_from", {"seat": 2})) == [2]
    worker = PageWorker()  # the page was reloaded
    assert shown_hands(ask(path)) == [2]
    while state["waiting"]:
        state = ask(f"{path}/advance", {"version": state["version"]})
    assert state["scene"]["is_over"]
    worker = PageWorker()
    assert ask(path)["watch"] == {"seat": 2}
