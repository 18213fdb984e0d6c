"""Tables that outlive the server, make room for others, and are played at in the same moment."""

from __future__ import annotations

import json
import random
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
from web_visitor import Visitor, serving, visit

from big2_agents.models import shipped_weights
from big2_env import ruleset
from big2_env.agents.interface import named_agents
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.tables.browser import lobby
from big2_env.tables.session.saved import saved_games


def test_protocol__tables_outlive_the_server(tmp_path: Path) -> None:
    for game in ("big2", "dou_dizhu_4p", "qi_gui_521"):
        with visit(tmp_path) as first:
            first.sit_down(game, ruleset(game).default_players - 1)
            rng = random.Random(3)
            for _ in range(9):
                first.move(rng)
            left = first.get(f"{first.path}?lang=en").json()
            cookies = first.cookies
        with visit(tmp_path, cookies) as second:
            second.state = left
            assert second.get(f"{second.path}?lang=en").json() == left
            for _ in range(9):
                second.move(rng)
            assert second.state["table"] in [one["table"] for one in second.get("/api/lobby").json()["tables"]]


def test_protocol__an_agent_of_the_users_own_has_a_name_and_its_file_stays_unnamed(tmp_path: Path) -> None:
    spec = f"learned:{shipped_weights(BIG2)}"
    for missing in ("me", spec):
        with visit(tmp_path) as visitor:
            assert visitor.post("/api/tables", {"game": "big2", "opponents": [missing, "greedy", "greedy"]}).status == 400
    with named_agents({"me": spec}), visit(tmp_path) as visitor:
        assert visitor.post("/api/tables", {"game": "big2", "opponents": [spec] * 3}).status == 400
        visitor.sit_down("big2", ["me", "greedy", "me"])
        visitor.play_out()
        assert [seat["name"] for seat in visitor.state["scene"]["seats"]] == ["you", "me 1", "Greedy", "me 2"]
        assert not any("npz" in text for text in visitor.received[1:])
    moved = tmp_path / "moved.npz"
    moved.write_bytes(shipped_weights(BIG2).read_bytes())
    with named_agents({"me": f"learned:{moved}"}), visit(tmp_path) as other:
        moved.unlink()
        refused = other.post("/api/tables", {"game": "big2", "opponents": ["me"] * 3})
        assert (refused.status, "npz" in refused.text) == (400, False)
    with named_agents({"me": "greedy"}), visit(tmp_path, visitor.cookies) as again:
        assert again.get(f"{visitor.path}?lang=en").json()["table"] == visitor.state["table"]
    with visit(tmp_path, visitor.cookies) as without:
        assert without.get(visitor.path).status == 404


def test_protocol__a_score_outlives_the_server_and_can_be_taken_back(tmp_path: Path) -> None:
    with visit(tmp_path) as first:
        first.sit_down("tien_len")
        over = first.play_out()
        cookies = first.cookies
    with visit(tmp_path, cookies) as second:
        second.state = over
        assert second.get(f"{second.path}?lang=en").json() == over
        [listed] = second.get("/api/lobby").json()["tables"]
        assert (listed["score"], listed["deals"]) == (over["scene"]["seats"][0]["payoff"], 1)
        back = second.act("undo")
        assert [seat["score"] for seat in back["scene"]["seats"]] == [0.0] * 4
        second.act("deal")
        [given_up] = saved_games(tmp_path / "games")
        assert given_up.payoff is None
        assert json.loads(given_up.path.read_text("utf-8"))["undone"] == 1


def test_protocol__an_agent_that_thinks_holds_nobody_up(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        slow, other = Visitor(server), Visitor(server)
        slow.sit_down("big2", seed=7)
        thinks, may_go_on = Event(), Event()
        chosen = slow.table.session.chosen

        def think() -> Any:
            thinks.set()
            assert may_go_on.wait(30)
            return chosen()

        slow.table.session.chosen = think  # type: ignore[method-assign]
        version, cards = slow.state["version"], ["D[4]", "S[4]"]
        thread = Thread(target=slow.act, args=("advance",))
        thread.start()
        assert thinks.wait(30)
        other.sit_down("big2", seed=7)
        other.act("advance")
        tab = Visitor(server, slow.cookies)
        assert tab.get(slow.path).json()["version"] == version
        assert tab.post(f"{slow.path}/look?lang=en", {"cards": cards}).json()["pattern"] == "pair"
        may_go_on.set()
        thread.join()
        assert tab.get(slow.path).json()["version"] == version + 1
        for visitor in (slow, other, tab):
            visitor.close()


def test_protocol__a_table_that_changes_for_long_holds_nobody_up(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        tabs = [Visitor(server)]
        state = tabs[0].sit_down()
        tabs += [Visitor(server, tabs[0].cookies), Visitor(server)]
        table = tabs[0].table
        answers: list[Any] = []

        def read() -> None:
            answers.append(tabs[0].get(f"{tabs[0].path}?lang=en").json())

        def visit() -> None:
            answers.append(tabs[2].sit_down()["version"])

        threads = [Thread(target=read), Thread(target=visit)]
        tabs[1].get(f"/api/tables/{state['table']}?lang=en")
        with table.guard:  # as a thread that lets a game run
            for thread in threads:
                thread.start()
                thread.join(5)
            assert answers == [state, 0]
        for thread in threads:
            thread.join()
        for tab in tabs:
            tab.close()


def test_protocol__requests_of_one_visitor_are_limited_at_all_tables_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "MAX_WAITING", 2)
    with serving(tmp_path) as server:
        first, other = Visitor(server), Visitor(server)
        first.sit_down(seed=7)
        second = Visitor(server, first.cookies)
        may_go_on, threads = Event(), []
        for tab in (first, second):
            tab.sit_down(seed=7)
            chosen = tab.table.session.chosen
            tab.table.session.chosen = lambda chosen=chosen: may_go_on.wait(30) and chosen()  # type: ignore[method-assign]
            threads.append(Thread(target=tab.act, args=("advance",)))
            threads[-1].start()
        while not first.table.users == second.table.users == 1:
            sleep(0.01)
        third = Visitor(server, first.cookies)
        assert third.get(first.path).json()["error"] == "busy"
        other.sit_down(seed=7)
        assert other.get(other.path).status == 200
        may_go_on.set()
        for thread in threads:
            thread.join()
        assert third.get(first.path).status == 200
        for visitor in (first, second, third, other):
            visitor.close()


def test_protocol__idle_tables_make_room_and_come_back(tmp_path: Path) -> None:
    with visit(tmp_path, most=2) as visitor:
        states = [visitor.sit_down(seed=seed) for seed in range(4)]
        assert len(visitor.server.lobby._tables) == 2
        for state in states:
            assert visitor.get(f"/api/tables/{state['table']}?lang=en").json() == state
        assert len(visitor.server.lobby._tables) == 2


def test_protocol__twenty_tables_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        visitors = [Visitor(server) for _ in range(20)]
        failures: list[BaseException] = []

        def play(number: int, visitor: Visitor) -> None:
            try:
                visitor.sit_down("qi_gui_523", 1, seed=number % 2)
                rng = random.Random(number % 2)
                for _ in range(25):
                    visitor.move(rng)
            except BaseException as error:
                failures.append(error)
            finally:
                visitor.close()

        threads = [Thread(target=play, args=pair) for pair in enumerate(visitors)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len({visitor.state["table"] for visitor in visitors}) == 20
        for visitor in visitors[2:]:  # the same deal and the same choices, so the same game
            twin = visitors[visitors.index(visitor) % 2]
            assert visitor.state["scene"] == twin.state["scene"]
