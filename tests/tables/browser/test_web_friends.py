"""Tables of several people: invitations, hosts, spectators, consent, agents and clocks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from friends import Friend, Listener, friends, play_out
from web_visitor import JudgedAtOnce, game_data, serving

from big2_env.climbing.game import Game
from big2_env.tables.browser import lobby, shared_presence, shared_timers
from big2_env.tables.session.shared_session import SharedClimbing


def test_friends__join_by_invitation_and_no_other_way(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        anna, ben, stranger = (Friend(server, name) for name in ("Anna", "Ben", "Eve"))
        state = anna.open("dou_dizhu", 3)
        assert (state["shared"]["phase"], state["shared"]["you"], state["shared"]["host"]) == ("open", 0, 0)
        assert [seat["kind"] for seat in state["shared"]["seats"]] == ["person", "free", "free"]
        ben.state = stranger.state = state
        old = {"invite": state["shared"]["invite"]}
        preview = ben.post(f"{ben.path}/invited?lang=en", old).json()
        known = {"game": "dou_dizhu", "title": "Dou Dizhu", "names": ["Anna", "", ""], "host": 0}
        assert preview == {**known, "seat": 1, "here": False}
        assert ben.post(f"{ben.path}/invited", {"invite": "x" * 22}).status == 404
        ben.join(anna, 1)
        assert ben.post(f"{ben.path}/invited", old).json()["here"] is True
        assert stranger.post(f"{ben.path}/invited", old).json()["seat"] == 2
        assert ben.tries("link").status == 403
        anna.act("link")
        for wrong in (old, {"invite": ""}, {"invite": "x" * 22}):
            assert stranger.post(f"{ben.path}/join", {**wrong, "name": "Eve"}).status == 404
        assert ben.look()["shared"]["seats"][1]["name"] == "Ben"
        anna.look()
        anna.act("seat", seat=1, kind="free")  # Ben has to go
        gone, unknown = ben.get(f"{ben.path}?lang=en"), ben.get("/api/shared/AAAAAAAAAAAAAAAA?lang=en")
        assert (gone.status, gone.text) == (404, unknown.text)
        assert ben.get("/api/shared").json() == {"tables": []}
        for friend in (anna, ben, stranger):
            friend.close()


def test_friends__one_link_seats_each_browser_once(tmp_path: Path) -> None:
    with friends(tmp_path, people=1, seats=3) as [anna]:
        ben, chen, eve = (Friend(anna.server, name) for name in ("Ben", "Chen", "Eve"))
        asked = {"invite": anna.shared["invite"], "name": "Ben"}
        unnamed = ben.post(f"{anna.path}/join?lang=en", asked)
        assert (unnamed.status, unnamed.json()["error"]) == (403, "no_cookie")
        assert ben.post(f"{anna.path}/invited", {"invite": asked["invite"]}).json()["seat"] == 1
        for _ in range(3):  # a reload, and answers that were lost
            ben.state = ben.post(f"{anna.path}/join", asked).json()
            assert ben.shared["you"] == 1
        chen.join(anna, 2)
        eve.join(anna, None)
        assert [seat["kind"] for seat in anna.look()["shared"]["seats"]] == ["person"] * 3
        chen.post(f"{anna.path}/leave", {})
        assert (eve.look()["shared"]["can_sit"], ben.look()["shared"]["can_sit"]) == (True, False)
        eve.join(anna, 2)
        assert (eve.shared["can_sit"], eve.shared["spectators"]) == (False, 0)
        for friend in (ben, chen, eve):
            friend.close()


def test_friends__who_tap_the_link_at_once_get_different_seats(tmp_path: Path) -> None:
    with friends(tmp_path, people=1, seats=4) as [anna]:
        made = [Friend(anna.server, f"Person {number}") for number in range(6)]
        for friend in made:
            friend.post(f"{anna.path}/invited", {"invite": anna.shared["invite"]})
        asked = {"invite": anna.shared["invite"], "name": "Ann"}
        with ThreadPoolExecutor(len(made)) as pool:
            seats = [
                answer.json()["shared"]["you"]
                for answer in pool.map(lambda friend: friend.post(f"{anna.path}/join", asked), made)
            ]
        assert sorted(seats, key=str) == [1, 2, 3, None, None, None]
        assert anna.look()["shared"]["spectators"] == 3
        for friend in made:
            friend.close()


def test_friends__who_leaves_comes_back_by_the_link(tmp_path: Path) -> None:
    with friends(tmp_path, people=4) as (anna, ben, chen, dora):
        anna.act("start")
        hand = chen.look()["scene"]["seats"][2]["hand"]
        for friend in (ben, chen):
            friend.post(f"{anna.path}/leave", {})
        chen.join(anna, 2)  # and not the first one
        if chen.state["scene"]["ply"] == 0:
            assert chen.state["scene"]["seats"][2]["hand"] == hand
        seat_1 = anna.look()["shared"]["seats"][1]
        assert (seat_1["kind"], anna.state["scene"]["seats"][1]["name"]) == ("free", "Sage")
        eve = Friend(anna.server, "Eve")
        eve.join(anna, 1)  # a newcomer continues for the agent
        ben.join(anna, None)  # who has seen another hand than any free one watches
        play_out([anna, eve, chen, dora])
        scores = [seat["score"] for seat in anna.state["scene"]["seats"]]
        key = anna.state["table"]
        for friend in (anna, dora, eve, ben, chen):
            friend.post(f"{anna.path}/leave", {})
        dora.post(f"{anna.path}/join", {"invite": chen.shared["invite"], "name": "Dora"})
        dora.look()
        assert (dora.state["table"], dora.shared["you"], dora.shared["host"]) == (key, 3, 3)
        assert [seat["score"] for seat in dora.state["scene"]["seats"]] == scores != [0.0] * 4
        dora.act("deal")
        eve.close()


def test_friends__a_stranger_learns_nothing(tmp_path: Path) -> None:
    with friends(tmp_path, people=2) as (anna, ben):
        anna.act("start")
        stranger = Friend(anna.server, "Eve")
        stranger.open()
        own = stranger.state
        stranger.state = anna.look()
        moves: list[tuple[str, dict[str, Any]]] = [
            ("play", {"cards": []}),
            ("say", {"word": "call"}),
            ("move", {"moves": ["x"]}),
            ("consent", {"yes": 1}),
            ("seat", {"seat": 1, "kind": "free"}),
            *((name, {}) for name in ("undo", "deal", "start", "back", "plays", "link")),
        ]
        answers = [stranger.tries(name, **body) for name, body in moves]
        moves = [
            ("leave", {}),
            ("rename", {"name": "Eve"}),
            ("look", {"cards": []}),
            ("qr", {}),
            ("invited", {"invite": "x"}),
            ("join", {"invite": "x", "name": "Eve"}),
        ]
        answers += [stranger.post(f"{stranger.path}/{name}?lang=en", body) for name, body in moves]
        answers += [stranger.get(f"{stranger.path}?lang=en"), stranger.get(f"{stranger.path}/record?lang=en")]
        nobody = stranger.get("/api/shared/AAAAAAAAAAAAAAAA?lang=en")
        assert {(answer.status, answer.text) for answer in answers} == {(404, nobody.text)}
        assert [one["table"] for one in stranger.get("/api/shared").json()["tables"]] == [own["table"]]
        assert ben.look()["version"] == anna.look()["version"]
        stranger.close()


def test_friends__only_the_host_decides(tmp_path: Path) -> None:
    with friends(tmp_path, people=3) as (anna, ben, _):
        for name, body in (("seat", {"seat": 3, "kind": "free"}), ("link", {}), ("start", {}), ("deal", {})):
            refused = ben.tries(name, **body)
            assert (refused.status, refused.json()["error"]) == (403, "not_host"), name
        assert anna.tries("seat", seat=0, kind="agent").json()["error"] == "own_seat"
        assert anna.tries("seat", seat=9, kind="agent").status == 400
        assert anna.tries("seat", seat=3, kind="person").status == 400
        assert anna.tries("seat", seat=3, kind="agent", agent="learned:/etc/passwd").status == 400
        drawn = anna.post(f"{anna.path}/qr", {}).json()["svg"]
        assert drawn.startswith("<svg")
        host = f"127.0.0.1:{anna.server.port}"
        plain, secure = (
            ben.post(f"{anna.path}/qr", {}, origin=f"{scheme}://{host}").json()["svg"] for scheme in ("http", "https")
        )
        assert plain == drawn != secure  # a proxy may speak TLS for the server
        anna.act("seat", seat=3, kind="agent", agent="greedy")
        anna.act("start")
        assert [seat["kind"] for seat in anna.shared["seats"]] == ["person", "person", "person", "agent"]
        assert anna.state["scene"]["seats"][3]["name"] == "Greedy"
        assert anna.tries("start").json()["error"] == "started"
        assert anna.tries("deal").json()["error"] == "not_over"
        assert anna.tries("seat", seat=3, kind="agent").json()["error"] == "started"
        assert anna.tries("seat", seat=1, kind="free").json()["error"] == "present"
        assert anna.tries("seat", seat=1, kind="agent").json()["error"] == "present"
        assert anna.get(f"{anna.path}/record").status == 409


def test_friends__a_person_returns_in_another_browser_during_a_deal(tmp_path: Path) -> None:
    with friends(tmp_path, people=3, seats=4) as (anna, ben, chen):
        anna.act("start")
        hand = ben.look()["scene"]["seats"][1]["hand"]
        anna.server.lobby._visitors[ben.shared_table.places[1].owner or ""].is_here = False  # another browser, another cookie
        anna.act("seat", seat=1, kind="free")
        assert ben.get(ben.path).status == 404
        again = Friend(anna.server, "Ben")
        again.join(anna, 1)
        assert (again.shared["you"], again.shared["phase"]) == (1, "playing")
        if again.state["scene"]["ply"] == 0:
            assert again.state["scene"]["seats"][1]["hand"] == hand
        ben.join(anna, None)
        assert chen.look()["shared"]["spectators"] == 1
        again.close()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        "x" * 25,
        "a\u202eb",
        "a\nb",
        "\u200b",
        "\ud800",
        "You",
        "你",
        "a\u0000",
        "\u3164",
        "\u2800",
        "a\u115fb",
        "\uffa0",
    ],
)
def test_friends__no_name_changes_how_others_read(name: str, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        anna = Friend(server, name)
        body = {"game": "big2", "seats": 4, "clock": 0, "name": name}
        assert anna.post("/api/shared", body).json()["error"] in ("name", "bad_request")
        anna.close()


def test_friends__names_are_kept_as_they_are(tmp_path: Path) -> None:
    with friends(tmp_path, people=2) as (anna, ben):
        for given, kept in (
            (" <b>{name}</b>%s ", "<b>{name}</b>%s"),
            ("王小明", "王小明"),
            ("👩‍🚀", "👩‍🚀"),
            ("Anna", "Anna 2"),
        ):
            assert ben.post(f"{ben.path}/rename", {"name": given}).status == 200
            assert anna.look()["shared"]["seats"][1]["name"] == kept
        ben.post(f"{ben.path}/rename", {"name": "{0}%s"})
        anna.act("start")
        shown = [friend.look()["scene"]["seats"][1]["name"] for friend in (anna, ben)]
        assert shown == ["{0}%s", "you"]
        assert anna.post(f"{anna.path}/rename", {"name": "A" * 25}).json()["error"] == "name"


def test_friends__moves_are_for_the_version_and_the_seat_that_is_asked(tmp_path: Path) -> None:
    rng = random.Random(2)
    with friends(tmp_path, people=4) as people:
        people[0].act("start")
        for friend in people:
            friend.look()
        turn = people[0].state["scene"]["turn"]
        mover, other = people[turn], people[(turn + 1) % 4]
        assert [friend.state["asked"] for friend in people] == [seat == turn for seat in range(4)]
        name, body = mover.legal_move(rng)
        stolen = other.tries(name, **body)
        assert (stolen.status, stolen.json()["error"]) == (409, "not_your_turn")
        assert stolen.json()["state"] == other.state | {"shared": stolen.json()["state"]["shared"]}
        assert mover.tries("say", word="call").status == 409
        assert mover.tries("move", moves=["draw"]).status == 404
        before = mover.state["version"]
        first = mover.tries(name, **body)
        assert first.status == 200
        replayed = mover.tries(name, **body)
        assert (replayed.status, replayed.json()["error"]) == (409, "stale")
        assert mover.look()["version"] == before + 1
        assert mover.tries("play", cards=["C[3]"] * 3).status in (400, 409)


def test_friends__take_back_with_consent_of_all_who_are_here(tmp_path: Path) -> None:
    rng = random.Random(3)
    with friends(tmp_path, people=4) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        others = [friend for friend in people if friend is not mover]
        for friend in people:
            friend.look()
        assert mover.tries("undo").json()["error"] == "nothing_to_undo"
        hand = mover.state["scene"]["seats"][mover.shared["you"]]["hand"]
        mover.go(rng)
        mover.act("undo")
        assert mover.shared["undo"] == {"by": mover.shared["you"], "waiting": sorted(one.shared["you"] for one in others)}
        assert mover.tries("undo").json()["error"] == "asked"
        assert mover.tries("consent", yes=1).json()["error"] == "not_asked"
        for friend in others[:2]:
            friend.look()
            friend.act("consent", yes=1)
        others[2].look()
        others[2].act("consent", yes=0)
        assert (others[2].shared["undo"], others[2].state["scene"]["ply"]) == (None, 1)
        mover.look()
        assert (mover.state["can_undo"], mover.tries("undo").json()["error"]) == (False, "asked")  # once for each move
        following = people[mover.state["scene"]["turn"]]
        following.look()
        following.go(rng)
        mover.look()
        mover.act("undo")
        for friend in others:
            friend.look()
            friend.act("consent", yes=1)
        mover.look()
        assert (mover.shared["undo"], mover.state["scene"]["ply"], mover.state["asked"]) == (None, 0, True)
        assert mover.state["scene"]["seats"][mover.shared["you"]]["hand"] == hand
        mover.go(rng)
        mover.act("undo")
        following = people[mover.state["scene"]["turn"]]
        following.look()
        following.go(rng)  # a move ends the question
        assert (following.shared["undo"], following.state["scene"]["ply"]) == (None, 2)
        play_out(people)
        assert people[0].tries("undo").json()["error"] == "not_playing"  # all hands are open now


def test_friends__spectators_see_no_hand_before_the_end(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2, game="big2") as (anna, ben):
        eve = Friend(anna.server, "Eve")
        eve.join(anna, None)
        assert eve.shared["spectators"] == 1
        anna.act("start")
        eve.look()
        assert [seat["hand"] for seat in eve.state["scene"]["seats"]] == [None, None]
        assert (eve.state["asked"], eve.state["calls"], eve.state["can_pass"]) == (False, [], False)
        for name, body in (("play", {"cards": []}), ("undo", {}), ("consent", {"yes": 1}), ("plays", {})):
            assert eve.tries(name, **body).json()["error"] == "no_seat"
        play_out([anna, ben])
        assert all(seat["hand"] is not None for seat in eve.look()["scene"]["seats"])
        assert eve.get(f"{eve.path}/record").status == 200
        anna.act("link")
        assert eve.get(eve.path).status == 404
        assert eve.post(f"{anna.path}/join", {"invite": eve.shared["invite"], "name": "Eve"}).status == 404
        eve.close()


def test_friends__everyone_reviews_a_deal_that_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[int, list[str | None]]] = []

    def reviewing(name: str, game: Game, seat: int, players: Sequence[str | None]) -> JudgedAtOnce:
        judged.append((seat, list(players)))
        return JudgedAtOnce()

    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", reviewing)
    with friends(tmp_path, people=2, seats=2) as (anna, ben):
        eve = Friend(anna.server, "Eve")
        eve.join(anna, None)
        anna.act("start")
        assert anna.tries("review", step=0).json()["error"] == "not_over"
        play_out([anna, ben])
        stranger = Friend(anna.server, "Zoe")
        assert stranger.post(f"{anna.path}/review", {"version": anna.look()["version"], "step": 0}).status == 404
        stranger.close()
        for friend, seat, names in ((ben, 1, ["Anna", "you"]), (anna, 0, ["you", "Ben"]), (eve, 0, ["Anna", "Ben"])):
            friend.look()
            assert friend.tries("review", step=1).json()["done"] == 1
            last = friend.tries("review", step=0).json()
            assert [place["name"] for place in game_data(last["page"])["frames"][-1]["seats"]] == names
            assert (last["moves"]["best"] is None) == (friend is eve)  # no verdict is about who has only watched
            assert judged.pop() == (seat, [None, None])
        assert ben.post(f"{ben.path}/rename", {"name": "Benno"}).status == 200
        page = anna.tries("review", step=0).json()["page"]
        assert [place["name"] for place in game_data(page)["frames"][-1]["seats"]] == ["you", "Benno"]
        assert judged == []
        ben.tries("review", step=1)
        anna.act("deal")
        assert ben.tries("review", step=1).json()["error"] == "stale"
        assert anna.shared_table.reviews == {}
        eve.close()


def test_friends__the_next_person_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_presence, "AWAY", 0.3)
    monkeypatch.setattr(shared_presence, "HOST_AWAY", 0.6)
    with friends(tmp_path, people=3, agent="greedy") as (anna, ben, chen):
        ears = Listener(chen)
        ears.wait(lambda event: event["state"]["shared"]["host"] == 2)  # the others have not asked for a while
        away = ears.wait(lambda event: not event["state"]["shared"]["seats"][0]["here"])["state"]["shared"]
        assert (away["seats"][2]["here"], away["phase"]) == (True, "open")
        chen.look()
        chen.act("start")
        assert anna.look()["shared"]["seats"][0]["here"] is True
        chen.post(f"{chen.path}/leave", {})
        assert chen.get(chen.path).status == 404
        assert ears.wait(lambda event: event["state"] is None)
        assert anna.look()["shared"]["host"] in (0, 1)
        assert anna.shared["seats"][2]["kind"] == "free"
        assert ben.look()["shared"]["host"] == anna.shared["host"]
        ears.close()


def test_friends__the_first_who_comes_back_to_an_empty_table_hosts(tmp_path: Path) -> None:
    with friends(tmp_path, people=1, seats=3) as [anna]:
        ben, invitation = Friend(anna.server, "Ben"), {"invite": anna.shared["invite"]}
        ben.post(f"{anna.path}/invited", invitation)
        anna.post(f"{anna.path}/leave", {})
        ben.state = ben.post(f"{anna.path}/join?lang=en", {**invitation, "name": "Ben"}).json()
        assert (ben.shared["host"], ben.shared["you"], ben.shared["seats"][2]["kind"]) == (0, 0, "free")
        ben.act("start")
        ben.close()


def test_friends__a_person_who_finds_no_host_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_presence, "AWAY", 0.1)
    monkeypatch.setattr(shared_presence, "HOST_AWAY", 0.2)
    with friends(tmp_path, people=2) as (anna, ben):
        cookies, state = ben.cookies, ben.state
        assert anna.shared["host"] == 0
    with serving(tmp_path) as server:  # the host does not come back
        again = Friend(server, "Ben", cookies)
        again.state = state
        ear = Listener(again)
        ear.wait(lambda event: event["state"]["shared"]["host"] == 1)
        ear.close()
        again.close()


def test_friends__an_agent_that_fails_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    chosen = SharedClimbing.chosen

    def fails(self: SharedClimbing, agent: str, guard: Any) -> Any:
        if agent == "lowest":
            raise RuntimeError("no idea")
        return chosen(self, agent, guard)

    monkeypatch.setattr(SharedClimbing, "chosen", fails)
    with friends(tmp_path, people=1, agent="lowest") as [anna]:
        ear = Listener(anna)
        anna.act("start")
        rng = random.Random(1)
        while anna.look()["scene"]["ply"] < 8:
            if anna.state["asked"]:
                anna.go(rng)
        ear.close()


def test_friends__agents_play_and_next_deals_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    rng = random.Random(5)
    with friends(tmp_path, "dou_dizhu", people=1, seats=3) as [anna]:
        ears = Listener(anna)
        anna.act("start")
        for deal in range(2):
            while not anna.state["scene"]["is_over"]:
                here = anna.state["version"]
                if anna.state["asked"]:
                    anna.go(rng)
                else:
                    anna.state = ears.wait(lambda event, here=here: event["state"]["version"] > here)["state"]
            scores = [seat["score"] for seat in anna.state["scene"]["seats"]]
            if deal:
                assert anna.state["deal"] == 1
            anna.act("deal")
            assert [seat["score"] for seat in anna.state["scene"]["seats"]] == scores
            assert "seed" not in anna.state
        ears.close()


def test_friends__a_clock_lets_an_agent_play_until_the_person_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.05)
    with friends(tmp_path, people=2, seats=2, clock=20) as people:
        ears = Listener(people[0])
        people[0].act("start")
        turn = people[0].state["scene"]["turn"]
        mover, other = people[turn], people[1 - turn]
        assert 15_000 < people[0].shared["clock"]["left"] <= 20_000
        table = people[0].shared_table
        table.seconds = 0.2  # type: ignore[assignment]
        other.look()
        other.post(f"{other.path}/rename", {"name": "Zoe"})  # the clock is set again
        moved = ears.wait(lambda event: event["state"].get("scene", {"ply": 0})["ply"] > 0)["state"]
        assert moved["shared"]["seats"][turn]["stand_in"] is True
        monkeypatch.setattr(shared_timers, "PACE", 600.0)  # the agents rest
        table.seconds = 60
        while mover.look() and mover.post(f"{mover.path}/back", {"version": mover.state["version"]}).status == 409:
            pass
        mover.look()
        assert mover.shared["seats"][turn]["stand_in"] is False
        ears.close()


def test_friends__limits_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MAX_SHARED", 3)
    with serving(tmp_path) as server:
        anna = Friend(server, "Anna")
        tables = [anna.open()["table"] for _ in range(3)]
        body = {"game": "big2", "seats": 4, "clock": 0, "name": "Anna"}
        assert anna.post("/api/shared", body).json()["error"] == "too_many_tables"
        assert [one["table"] for one in anna.get("/api/shared").json()["tables"]] == tables[::-1]
        anna.post(f"{anna.path}/leave", {})
        assert anna.post("/api/shared", body).status == 201
        for wrong in ({"clock": 7}, {"seats": 1}, {"seats": 9}, {"game": "klondike"}, {"game": "../x"}, {"agent": "nobody"}):
            assert anna.post("/api/shared", body | wrong).status == 400
        assert anna.post("/api/shared", body | {"seed": 7}).status == 400  # nobody chooses the cards of friends
        anna.close()


def test_friends__memory_is_bounded_and_tables_return(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_presence, "AWAY", 0.02)
    monkeypatch.setattr(shared_presence, "HOST_AWAY", 0.04)
    with serving(tmp_path) as server:
        shared = server.lobby
        shared._most = 3
        made = [Friend(server, f"Person {number}") for number in range(6)]
        for move in (Friend.open, Friend.look):
            for friend in made:
                assert move(friend)["shared"]["phase"] == "open"
                while shared._visitors or shared._tasks:  # until the friend counts as away
                    sleep(0.01)
            assert len(shared._tables) == len(shared._of) == 3
        assert not shared._timers
        for friend in made:
            friend.close()
