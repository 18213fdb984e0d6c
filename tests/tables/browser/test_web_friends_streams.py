"""Streams of changes: every person hears every change, and nobody takes room from others."""

from __future__ import annotations

import json
import random
import re
import socket
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest
from friends import Friend, Listener, friends, play_out
from web_visitor import Visitor, serving

from big2_env.base.language import Language
from big2_env.tables.browser import connections, guard, shared_presence, streams
from big2_env.tables.browser import server as web_server
from big2_env.tables.browser.connections import Limits
from big2_env.tables.browser.guard import counted_address
from big2_env.tables.browser.messages import Refused


def test_streams__every_person_hears_every_change(tmp_path: Path) -> None:
    rng = random.Random(6)
    with friends(tmp_path, "dou_dizhu", people=3, seats=3) as people:
        ears = [Listener(friend, lang) for friend, lang in zip(people, ("en", "zh-Hant", "zh-Hans"), strict=True)]
        second = Listener(people[0])  # another tab
        for ear in (*ears, second):
            ear.wait(bool)
        people[0].act("start")
        for _ in range(6):
            mover = people[people[0].look()["scene"]["turn"]]
            mover.look()
            version = mover.go(rng)["version"]
            for seat, ear in enumerate((*ears, second)):
                state = ear.wait(lambda event: event["state"]["version"] == version)["state"]  # noqa: B023
                assert state["shared"]["you"] == seat % 3
        people[1].post(f"{people[1].path}/rename", {"name": "Bob"})
        for ear in ears:
            ear.wait(lambda event: event["state"]["shared"]["seats"][1]["name"] == "Bob")
        assert {ear.states[-1]["state"]["scene"]["language"] for ear in ears} == {"en", "zh-Hant", "zh-Hans"}
        assert "retry: 1000" in ears[0].text
        for ear in (*ears, second):
            ear.close()


def test_streams__a_person_without_one_is_away_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_presence, "AWAY", 0.2)
    with friends(tmp_path, people=2, seats=2, clock=20) as (anna, ben):
        mine, his = Listener(anna), Listener(ben)
        mine.wait(lambda event: event["state"]["shared"]["seats"][1]["here"])
        his.close()
        mine.wait(lambda event: not event["state"]["shared"]["seats"][1]["here"])
        anna.act("start")
        ben.look()
        table = anna.shared_table
        table.places[1].stand_in = True  # the clock ran out
        while anna.look()["shared"]["seats"][1]["here"]:
            sleep(0.02)
        back = Listener(ben)
        back.wait(lambda event: not event["state"]["shared"]["seats"][1]["stand_in"])
        mine.wait(lambda event: event["state"]["shared"]["seats"][1]["here"])
        mine.close()
        back.close()


def test_streams__have_bounds_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_OF_VISITOR", 3)
    monkeypatch.setattr(streams, "MAX_OF_ADDRESS", 5)
    with friends(tmp_path, people=2, seats=2) as (anna, ben), ExitStack() as stack:
        found = anna.server.lobby.streams

        def listen(visitor: Visitor) -> Listener:
            made = Listener(visitor)
            stack.callback(made.close)
            return made

        mine = [listen(anna) for _ in range(3)]
        for ear in mine:
            ear.wait(bool)
        fourth = listen(anna)
        fourth.wait(bool)
        assert mine[0].ended.wait(10)
        others = [listen(ben) for _ in range(3)]
        assert [ear.status for ear in others] == [200, 200, 429]
        assert not mine[1].ended.is_set()
        nobody = Visitor(anna.server)
        assert nobody.get("/api/stream").status == 204
        nobody.close()
        others[0].close()
        while found._number == 5:
            anna.look()
        assert listen(ben).status == 200


def test_streams__are_for_people_of_tables(tmp_path: Path) -> None:
    with friends(tmp_path, people=1, seats=2) as (anna,):
        shared = anna.server.lobby
        before = len(shared._visitors)
        for number in range(20):
            stranger = Visitor(anna.server, {"big2_visitor": f"{number:043}"})
            assert stranger.get("/api/stream").status == 204
            stranger.close()
        assert (shared.streams._number, len(shared._visitors)) == (0, before)


def test_streams__one_that_is_refused_closes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_OF_VISITOR", 2)
    monkeypatch.setattr(streams, "MAX_OF_ADDRESS", 2)
    found = streams.Streams()
    own = [found.open("anna", "here", Language.EN) for _ in range(2)]
    others = [found.open(name, "there", Language.EN) for name in ("ben", "chen")]
    with pytest.raises(Refused):
        found.open("anna", "there", Language.EN)
    assert found.of("anna") == tuple(own)
    assert not own[0].is_closed
    newest = found.open("anna", "here", Language.EN)  # in the place of the oldest
    assert (found.of("anna"), own[0].is_closed) == ((own[1], newest), True)
    for stream in (own[1], newest, *others):
        found.leave(stream)
    assert (found._number, found._addresses) == (0, {})


def test_streams__of_an_ipv6_network_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted_address("2001:db8::1") == counted_address("2001:db8::2:3") != counted_address("2001:db8:0:1::1")
    assert counted_address("::ffff:192.0.2.1") == counted_address("192.0.2.1") != counted_address("::ffff:192.0.2.2")
    assert (counted_address("fe80::1%eth0"), counted_address("")) == ("fe80::", "")
    for module in (guard, connections):
        monkeypatch.setattr(module, "counted_address", lambda host: f"network of {host}")
    with friends(tmp_path, people=1, seats=2) as (anna,):
        ear = Listener(anna)
        ear.wait(bool)
        assert anna.server.lobby.streams._addresses == {"network of 127.0.0.1": 1}
        ear.close()


def test_streams__take_no_room_from_requests_and_do_not_delay_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "MAX_REQUESTS", 6)
    with friends(tmp_path, people=2, seats=2) as (anna, ben):
        ears = [Listener(friend) for friend in (anna, ben) for _ in range(8)]
        for ear in ears:
            ear.wait(bool)
        anna.act("start")
        play_out([anna, ben])
        for ear in ears:
            ear.wait(lambda event: event["state"].get("scene", {}).get("is_over"))
    for ear in ears:
        assert ear.ended.wait(10)
        ear.close()


PARTS = [
    b"",
    b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\n",
    b"POST /api/shared/AAAAAAAAAAAAAAAA/play HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 90\r\n\r\n{",
]
"""Requests that are half sent."""


def test_streams__half_open_connections_disturb_nobody(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2, limits=Limits(seconds=60.0)) as (anna, ben), ExitStack() as stack:
        ears = [Listener(friend) for friend in (anna, ben)]
        for ear in ears:
            ear.wait(bool)
        for number in range(300):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", anna.server.port), timeout=30))
            one.sendall(PARTS[number % 3])
        for friend in (anna, ben):
            friend.close()  # a browser opens a new connection, too, if an idle one had to make room
        anna.act("start")
        play_out([anna, ben], most=400)
        for ear in ears:
            ear.wait(lambda event: event["state"].get("scene", {}).get("is_over"))
            ear.close()


def test_streams__messages_out_of_order_or_twice_change_nothing_more(tmp_path: Path) -> None:
    rng = random.Random(9)
    with friends(tmp_path, people=2, seats=2) as (anna, ben):
        anna.act("start")
        mover = (anna, ben)[anna.state["scene"]["turn"]]
        mover.look()
        name, body = mover.legal_move(rng)
        version = mover.state["version"]
        cookie = "; ".join(f"{key}={value}" for key, value in mover.cookies.items())

        def message(body: object) -> bytes:
            text = json.dumps(body).encode()
            head = f"POST {mover.path}/{name} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
            return f"{head}Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text

        now = {"version": version, **body}
        sent = [{"version": version + 1, **body}, {"version": 10**15, **body}, now, now, {"version": version - 1, **body}]
        statuses, read = list[int](), b""
        with socket.create_connection(("127.0.0.1", anna.server.port), timeout=30) as one:
            one.sendall(b"".join(map(message, sent)))
            while len(statuses) < len(sent):
                read += one.recv(1 << 16)
                statuses = [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+)", read)]
        assert statuses == [409, 409, 200, 409, 409]
        assert anna.look()["scene"]["ply"] == 1
        for raw in (b"", b"{", b"null", b"[" * 9000, b'{"version": NaN}', b" " * 20_000):
            assert mover.post(f"{mover.path}/{name}", raw).status in (400, 413)
        for wrong in ({}, {"version": 1}, {"version": "1", "cards": []}, {"version": 1, "cards": ["C" * 41]}, [], 3):
            assert mover.post(f"{mover.path}/play", wrong).status == 400
        assert anna.look()["scene"]["ply"] == 1


def test_streams__friends_need_no_token_but_the_host_does(tmp_path: Path) -> None:
    with serving(tmp_path, token="secret-123") as server:
        anna, ben = Friend(server, "Anna"), Friend(server, "Ben")
        assert anna.post("/api/shared", {"game": "big2", "seats": 2, "clock": 0, "name": "Anna"}).status == 401
        assert anna.post("/api/token", {"token": "secret-123"}).status == 200
        anna.open(seats=2)
        ben.join(anna, 1)
        ear = Listener(ben)
        ear.wait(bool)
        ear.close()
        assert len(ben.get("/api/shared").json()["tables"]) == 1
        anna.act("start")
        play_out([anna, ben])
        for path in ("/api/lobby", "/api/sharedx", "/api/streams", "/api/games"):
            assert ben.get(path).status == 401, path
        assert ben.post("/api/tables", {}).status == 401
        assert ben.post(f"{ben.path}/rename", {"name": "B"}, origin="http://evil.example").status == 403
        assert ben.post(f"{ben.path}/leave", b"{}", content_type="text/plain").status == 415
        anna.close()
        ben.close()
