"""Tables of several people when something goes wrong: people who leave, strange names, and a store that fails."""

from __future__ import annotations

import json
import random
from pathlib import Path

from friends import Friend, friends
from stored_tables import stored_data


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
