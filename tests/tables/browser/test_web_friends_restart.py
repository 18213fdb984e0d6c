"""A server that ends in the middle of a game, by a kill too: tables continue, and no move is lost or made twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from friends import Friend, Listener, friends, play_out
from stored_tables import damage, stored_data
from web_visitor import Served, serving

from big2_env.base.errors import ConfigError
from big2_env.tables.browser import shared_timers
from big2_env.tables.browser.sqlite_store import SqliteStore
from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import table_of


def without_presence(state: dict[str, Any]) -> dict[str, Any]:
    """A state without who is connected and what the clock shows."""
    shared = state["shared"]
    seats = [seat | {"here": None} for seat in shared["seats"]]
    return state | {"shared": shared | {"seats": seats, "clock": shared["clock"]["seconds"]}}


def at_again(server: Served, people: list[Friend]) -> list[Friend]:
    """The same people at another server."""
    found = []
    for friend in people:
        again = Friend(server, friend.name, friend.cookies)
        again.state = friend.state
        found.append(again)
    return found


@pytest.mark.parametrize(("game", "seats"), [("big2", 4), ("dou_dizhu", 3), ("uno", 3)])
def test_restart__a_game_continues_with_all_that_belongs_to_it(game: str, seats: int, tmp_path: Path) -> None:
    rng = random.Random(game)
    with friends(tmp_path, game, people=seats - 1, seats=seats, agent=None, clock=60) as people:
        people[0].act("start")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shared_timers, "PACE", 0.0)
            for _ in range(7):  # no deal ends so soon
                turn = people[0].look()["scene"]["turn"]
                if turn < len(people):
                    people[turn].look()
                    people[turn].go(rng)
        while (turn := people[0].look()["scene"]["turn"]) == len(people):
            pass
        asking = people[1 - turn] if turn < 2 else people[0]
        asking.look()
        if asking.state["can_undo"]:
            asking.act("undo")
        before = [without_presence(friend.look()) for friend in people]
    with serving(tmp_path) as server:
        again = at_again(server, people)
        assert [without_presence(friend.look()) for friend in again] == before
        assert [one["table"] for one in again[1].get("/api/shared").json()["tables"]] == [before[0]["table"]]
        ear = Listener(again[0])
        assert ear.wait(bool)["state"]["scene"]["ply"] == before[0]["scene"]["ply"]
        ear.close()
        mover = again[before[0]["scene"]["turn"]]
        mover.go(rng)
        assert mover.shared["undo"] is None
        for friend in again:
            friend.close()


@contextmanager
def process(folder: Path) -> Iterator[tuple[Served, subprocess.Popen[str]]]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "big2_env", "serve", "--port", "0", "--data", str(folder)]
    environ = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ) as started:
        assert started.stdout is not None
        try:
            line = next(line for line in started.stdout if "http://" in line)
            port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
            yield Served(port, None), started  # type: ignore[arg-type]
        finally:
            started.kill()
            started.stdout.read()


@pytest.mark.long
def test_restart__a_kill_loses_no_acknowledged_move_and_doubles_none(tmp_path: Path) -> None:
    rng, people, plies = random.Random(1), list[Friend](), 0
    for life in range(5):
        with process(tmp_path) as (server, started):
            if not people:
                people = [Friend(server, name) for name in ("Anna", "Ben", "Chen", "Dora")]
                people[0].open(agent=None)
                for seat, friend in enumerate(people[1:], 1):
                    friend.join(people[0], seat)
                people[0].act("start")
            else:
                people = at_again(server, people)
            states = [friend.look() for friend in people]
            assert states[0]["scene"]["ply"] in ((plies, plies + 1) if life else (0,))
            assert len({state["version"] for state in states}) == 1
            plies = states[0]["scene"]["ply"]
            for _ in range(4):  # four that are acknowledged
                mover = people[people[0].look()["scene"]["turn"]]
                mover.look()
                plies += mover.go(rng)["scene"]["ply"] == plies + 1
            mover = people[people[0].look()["scene"]["turn"]]
            mover.look()
            name, body = mover.legal_move(rng)
            Timer(rng.random() * 0.004, started.send_signal, [signal.SIGKILL]).start()
            with suppress(OSError, HTTPException):  # one that may be made or not
                plies += mover.tries(name, **body).status == 200
            started.wait()
        for friend in people:
            friend.close()
    with serving(tmp_path) as here:
        people = at_again(here, people)
        assert people[0].look()["scene"]["ply"] in (plies, plies + 1)
        while not people[0].look()["scene"]["is_over"]:
            mover = people[people[0].state["scene"]["turn"]]
            mover.look()
            mover.go(rng)
        for friend in people:
            friend.close()


def test_restart__a_move_that_cannot_be_stored_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
        before = [without_presence(friend.look()) for friend in people]
        mover = people[people[0].state["scene"]["turn"]]
        name, body = mover.legal_move(rng)

        def full(*_: object) -> None:
            raise OSError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "save", full)
            for _ in range(2):
                refused = mover.tries(name, **body)
                assert (refused.status, refused.json()["error"]) == (503, "not_saved")
            assert Friend.post(people[0], "/api/shared", {"game": "big2", "seats": 2, "clock": 0, "name": "A"}).status == 503
        assert [without_presence(friend.look()) for friend in people] == before
        assert mover.tries(name, **body).status == 200
        play_out(people)


DAMAGES: list[dict[str, Any]] = [
    {"schema": 1},
    {"game": "klondike"},
    {"game": "../../etc/passwd"},
    {"host": 9},
    {"clock": 7},
    {"version": -1},
    {"places": []},
    {"spectators": {"x": "Eve"}},
    {"invite": "x" * 100},
    {"invite": None},
    {"seen": None},
    {"question": {"by": 0, "waiting": [7]}},
    {"question": {"by": 0, "waiting": []}},
    {"record": 3},
    {"before": [0.0]},
    {"deals": -1},
]


def test_restart__a_damaged_table_does_not_exist(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
    good = stored_data(tmp_path)
    places, record = good["places"], good["record"]
    damages: list[dict[str, Any]] = [
        *DAMAGES,
        {"places": [places[0], places[0]]},
        {"places": [places[0], places[1] | {"agent": "learned:/etc/passwd"}]},
        {"places": [places[0], places[1] | {"owner": "Ben"}]},
        {"places": [places[0], places[1] | {"name": "\u202e"}]},
        {"places": [places[0], places[1] | {"more": 1}]},
        {"places": [places[0], places[1] | {"is_free": True}]},
        {"places": [places[0], places[1] | {"is_free": 0}]},
        {"places": [places[0], places[1] | {"former": "Ben"}]},
        {"record": record | {"seed": -1}},
        {"record": record | {"moves": ["single S[2]", "single S[2]"]}},
        {"record": record | {"ruleset": "dou_dizhu"}},
    ]
    texts = ["", "[]", "\x00", "\ud800", *(json.dumps(good | damaged) for damaged in damages)]
    for text in texts:
        with pytest.raises(ConfigError, match=r"^table k: [^\n]+$"):
            table_of(SHARED, "k", text.encode("utf-8", "surrogatepass"))
    damage(tmp_path, texts[-1])
    with serving(tmp_path) as server:
        [anna, ben] = at_again(server, people)
        assert anna.get(anna.path).status == 404
        assert ben.get("/api/shared").json() == {"tables": []}
        assert all(message.startswith("table ") and "\n" not in message for message in caplog.messages)
        assert caplog.messages
        anna.close()
        ben.close()
    damage(tmp_path, json.dumps(good))
    with serving(tmp_path) as server:
        [anna, ben] = at_again(server, people)
        play_out([anna, ben])
        anna.close()
        ben.close()
