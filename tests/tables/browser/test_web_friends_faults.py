"""Tables of several people when something goes wrong: people who leave, strange names, and a store that fails."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from friends import Friend, friends
from stored_tables import stored_data

from big2_agents.rule_based.simple import GreedyAgent
from big2_env.base.language import Language
from big2_env.tables.browser.shared_sights import MAX_SEEN
from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import table_of, table_text


def read_again(friend: Friend) -> None:
    """Have the server read a friend's table from the store."""
    friend.server.lobby._unload(friend.state["table"])
    friend.look()


def test_faults__a_question_ends_with_the_last_person_who_is_asked(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        other = people[1 - people.index(mover)]
        mover.look()
        mover.go(random.Random(1))
        mover.act("undo")
        other.post(f"{other.path}/leave", {})
        assert (mover.look()["shared"]["undo"], mover.state["scene"]["ply"]) == (None, 0)
        assert stored_data(tmp_path)["question"] is None


def test_faults__a_name_with_joiners_disturbs_no_game(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2) as (anna, ben):
        for friend, name, kept in ((ben, "An\u200dna", "An\u200dna 2"), (anna, "👩\u200d🚀", "👩\u200d🚀")):
            assert friend.post(f"{friend.path}/rename", {"name": name}).status == 200
            assert friend.look()["shared"]["seats"][friend.shared["you"]]["name"] == kept
        assert anna.post(f"{anna.path}/rename", {"name": "Y\u200cou"}).status == 400
        anna.act("start")
        assert anna.post(f"{anna.path}/rename", {"name": "क्\u200dष"}).status == 200
        people = (anna, ben)
        while not anna.look()["scene"]["is_over"]:
            mover = people[anna.state["scene"]["turn"]]
            mover.look()
            mover.go(random.Random(2))
        assert json.loads(anna.get(f"{anna.path}/record").text)["players"] == ["क्ष", "Anna 2"]
        review = ben.post(f"{ben.path}/review?lang=en", {"version": anna.state["version"], "step": 0})
        assert (review.status, "क्ष, you" in review.json()["page"]) == (200, True)


def test_faults__who_has_no_invitation_learns_nothing_by_a_wrong_name(tmp_path: Path) -> None:
    with friends(tmp_path, people=1) as [anna]:
        eve = Friend(anna.server, "Eve")
        eve.open()
        answers = [
            eve.post(f"/api/shared/{key}/join?lang=en", {"invite": "x", "name": " "})
            for key in (anna.state["table"], "AAAAAAAAAAAAAAAA")
        ]
        assert (answers[0].status, answers[0].text) == (404, answers[1].text)
        eve.close()


def test_faults__a_person_who_has_left_is_remembered_until_the_deal_ends(tmp_path: Path) -> None:
    with friends(tmp_path, people=3, seats=3) as (anna, ben, chen):
        anna.act("start")
        assert [seat["left"] for seat in anna.shared["seats"]] == ["", "", ""]
        for friend in (ben, chen):
            friend.post(f"{friend.path}/leave", {})
        for _ in range(2):  # the second time the seat is free already
            anna.look()
            assert anna.tries("seat", seat=2, kind="free").status == 200
            read_again(anna)
            assert [seat["left"] for seat in anna.shared["seats"]] == ["", "Ben", "Chen"]
            assert [seat["name"] for seat in anna.shared["seats"]] == ["Anna", "", ""]
        chen.join(anna, 2)
        assert [seat["left"] for seat in anna.shared["seats"]] == ["", "Ben", ""]
        table = anna.shared_table
        table.dealt()
        assert [place.name for place in table.places] == ["Anna", "", "Chen"]


def test_faults__freeing_a_seat_exchanges_no_agent_during_a_deal(tmp_path: Path) -> None:
    with friends(tmp_path, people=1) as [anna]:
        anna.act("start")
        answer = anna.tries("seat", seat=2, kind="free", agent="random")
        assert (answer.status, answer.json()["error"]) == (409, "started")
        assert [place.agent for place in anna.shared_table.places] == ["lowest"] * 4


def test_faults__an_agent_that_needs_an_extra_hides_no_other_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def needs(self: object) -> None:
        raise ImportError("greedy agents need it: pip install it")

    with friends(tmp_path, people=1, agent="greedy") as [anna]:
        anna.sit_down("big2", ["greedy"] * 3)
        own, record = anna.path, anna.table.record()
        anna.open(agent="lowest")
        monkeypatch.setattr(GreedyAgent, "__init__", needs)
        for key in tuple(anna.server.lobby._tables):
            anna.server.lobby._unload(key)
        assert [table["table"] for table in anna.get("/api/shared").json()["tables"]] == [anna.state["table"]]
        assert anna.get(own).status == 404
        wanted = {"game": "big2", "seats": 4, "agent": "greedy", "clock": 0, "name": "Anna"}
        for path, body in (
            ("tables", {"game": "big2", "opponents": ["greedy"] * 3}),
            ("shared", wanted),
            ("practice", {"record": record, "ply": 0}),
        ):
            answer = anna.post(f"/api/{path}", body)
            assert (answer.status, "pip install it" in answer.text) == (400, True)


def test_faults__a_table_that_many_have_left_can_be_read_again(tmp_path: Path) -> None:
    with friends(tmp_path, people=1) as [anna]:
        anna.act("start")
        table = anna.shared_table
        for number in range(MAX_SEEN + 30):
            owner = f"{number:064x}"
            table.join(owner, table.invite, "Guest", Language.EN)
            table.leave(owner)
        assert len(table.sights.seen) == MAX_SEEN
        text = table_text(table)
        assert table_text(table_of(SHARED, table.key, text.encode())) == text
        table.join(f"{0:064x}", table.invite, "Guest", Language.EN)  # who knows one hand may still return to it
        assert table.places[1].name == "Guest"


def test_faults__who_has_asked_to_take_back_a_move_asks_once_also_after_a_restart(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        other = people[1 - people.index(mover)]
        mover.look()
        mover.go(random.Random(1))
        mover.act("undo")
        other.look()
        other.act("consent", yes=0)
        read_again(mover)
        assert (mover.state["can_undo"], mover.tries("undo").json()["error"]) == (False, "asked")
