"""Tables of several people that go on: after failures of store and agents, with slow agents, and for people who come back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from friends import Friend, Listener, friends
from web_visitor import serving

from big2_env.base.language import Language
from big2_env.tables.browser import shared_places, shared_presence, shared_timers
from big2_env.tables.browser.guard import VISITOR_COOKIE, owner_of
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.sqlite_store import SqliteStore
from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import table_text
from big2_env.tables.session.shared_session import SharedClimbing


def until_asked(friend: Friend, ear: Listener) -> None:
    friend.state = ear.wait(lambda event: event["state"].get("asked"))["state"]


def test_care__a_table_goes_on_after_moves_that_could_not_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    monkeypatch.setattr(shared_timers, "RETRY", 0.02)
    calls, save = [0], SqliteStore.save
    with friends(tmp_path, people=1, seats=2) as [anna]:
        ear = Listener(anna)
        anna.act("start")
        until_asked(anna, ear)

        def fails(*args: Any) -> None:
            calls[0] += 1
            if calls[0] in (2, 3):  # both are the agent's
                raise OSError("the disk is full")
            save(*args)

        monkeypatch.setattr(SqliteStore, "save", fails)
        ply = anna.go(random.Random(1))["scene"]["ply"]
        ear.wait(lambda event: event["state"].get("scene", {"ply": 0})["ply"] > ply)
        assert calls[0] == 4
        ear.close()


def test_care__a_table_goes_on_after_all_its_agents_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    monkeypatch.setattr(shared_timers, "RETRY", 0.02)
    left, chosen = [4], SharedClimbing.chosen

    def fails(self: SharedClimbing, agent: str, guard: Any) -> Any:
        left[0] -= 1
        if left[0] >= 0:
            raise RuntimeError("no idea")
        return chosen(self, agent, guard)

    monkeypatch.setattr(SharedClimbing, "chosen", fails)
    with friends(tmp_path, people=1, agent="lowest") as [anna]:
        ear = Listener(anna)
        anna.act("start")
        until_asked(anna, ear)
        anna.go(random.Random(1))
        until_asked(anna, ear)
        ear.close()


def test_care__nobody_sees_a_move_that_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        other = people[1 - people.index(mover)]
        mover.look()
        name, body = mover.legal_move(random.Random(3))
        began, goes_on = Event(), Event()

        def fails(*_: Any) -> None:
            began.set()
            goes_on.wait(30)
            raise OSError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "save", fails)
            acting, looking = Thread(target=mover.tries, args=(name,), kwargs=body), Thread(target=other.look)
            acting.start()
            assert began.wait(30)
            looking.start()
            visitor = other.server.lobby._visitors[owner_of(other.cookies[VISITOR_COOKIE])]
            while not visitor.asking:  # until the question has arrived
                assert looking.is_alive()
                sleep(0.001)
            goes_on.set()
            acting.join()
            looking.join()
        assert (other.state["scene"]["ply"], other.state["version"]) == (0, mover.look()["version"])


def test_care__a_slow_agent_holds_up_no_other_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    goes_on, waited, chosen = Event(), list[bool](), SharedClimbing.chosen

    def slowly(self: SharedClimbing, agent: str, guard: Any) -> Any:
        waited.append(goes_on.wait(10))
        return chosen(self, agent, guard)

    monkeypatch.setattr(SharedClimbing, "chosen", slowly)
    with friends(tmp_path, people=1, seats=2) as [anna]:
        ear = Listener(anna)
        anna.act("start")
        if anna.state["asked"]:
            anna.go(random.Random(2))
        anna.post(f"{anna.path}/rename", {"name": "Ann"})
        assert anna.look()["shared"]["seats"][0]["name"] == "Ann"
        goes_on.set()
        until_asked(anna, ear)
        assert all(waited)
        ear.close()


def test_care__agents_whose_moves_nobody_awaits_count_until_they_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "THINKERS", 1)
    goes_on, begun, most = Event(), list[int](), [0]

    def slowly(self: SharedClimbing, agent: str, guard: Any) -> Any:
        begun.append(1)
        most[0] = max(most[0], len(begun))
        goes_on.wait(30)
        begun.pop()
        return next(iter(self.legal_of(self.turn)))

    monkeypatch.setattr(SharedClimbing, "chosen", slowly)

    async def play(lobby: Lobby, table: SharedTable) -> None:
        table.session = table.kind.sit(2)
        for _ in range(4):
            work = asyncio.create_task(lobby._chosen(table))
            while not begun:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.02)
            work.cancel()
        goes_on.set()
        await finished(lobby)

    with_lobby(tmp_path, play)
    assert most == [1]


def test_care__a_question_does_not_set_the_clock(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2, clock=60) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        other = people[1 - people.index(mover)]
        mover.look()
        mover.go(random.Random(4))
        mover.shared_table.moved -= 30
        mover.act("undo")
        other.look()
        other.act("consent", yes=0)
        assert 25_000 < other.shared["clock"]["left"] < 31_000


def test_care__a_decision_that_has_expired_is_made_by_the_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 600.0)
    with friends(tmp_path, people=2, seats=2, clock=20) as people:
        ear = Listener(people[0])
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        mover.shared_table.moved -= 30
        mover.post(f"{mover.path}/rename", {"name": "Late"})  # the clock is read again
        ear.wait(lambda event: event["state"]["shared"]["seats"][mover.shared["you"]]["stand_in"])
        mover.look()
        mover.act("back")
        assert mover.shared["seats"][mover.shared["you"]]["stand_in"] is False
        assert mover.shared["clock"]["left"] is None
        assert mover.go(random.Random(5))["scene"]["ply"] == 1  # the person is faster
        assert mover.shared["clock"]["left"] is not None
        ear.close()


def test_care__a_move_of_the_person_ends_the_agents_play(tmp_path: Path) -> None:
    with friends(tmp_path, people=2, seats=2) as people:
        people[0].act("start")
        mover = people[people[0].state["scene"]["turn"]]
        mover.shared_table.places[mover.shared["you"]].stand_in = True
        mover.look()
        assert mover.go(random.Random(6))["shared"]["seats"][mover.shared["you"]]["stand_in"] is False


def test_care__spectators_stop_no_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_places, "MAX_OFTEN", 2)
    with friends(tmp_path, people=1) as [anna]:
        for seat in (1, 2, 3):
            anna.act("seat", seat=seat, kind="agent")
        eve = Friend(anna.server, "Eve")
        for _ in range(2):
            eve.join(anna, None)
            assert anna.look()["shared"]["spectators"] == 1
            assert eve.state["version"] == anna.state["version"]
            eve.post(f"{eve.path}/leave", {})
        assert eve.invited(anna).status == 429
        assert anna.tries("start").status == 200
        eve.close()


def test_care__names_change_only_so_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_places, "MAX_OFTEN", 2)
    with friends(tmp_path, people=1) as [anna]:
        for seat in (1, 2, 3):
            anna.act("seat", seat=seat, kind="agent")
        eve = Friend(anna.server, "Eve")
        eve.join(anna, None)
        for friend in (eve, anna):
            for number, status in enumerate((200, 200, 429)):
                assert friend.post(f"{friend.path}/rename", {"name": f"{friend.name} {number}"}).status == status
        assert anna.look()["shared"]["seats"][0]["name"] == "Anna 1"
        eve.close()


def test_care__a_table_that_cannot_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "RETRY", 0.02)
    with serving(tmp_path) as server:
        anna = Friend(server, "Anna")
        first, second = (anna.open()["table"] for _ in range(2))
        anna.close()
    load = SqliteStore.load

    def fails(self: SqliteStore, owner: str, key: str) -> bytes | None:
        if key == second:
            raise OSError("the disk is broken")
        return load(self, owner, key)

    with serving(tmp_path) as server:
        again = Friend(server, "Anna", anna.cookies)
        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "load", fails)
            refused = again.get(f"/api/shared/{second}")
            assert (refused.status, refused.json()["error"]) == (503, "not_read")
            ear = Listener(again)
            ear.wait(lambda event: event["table"] == first)
        ear.wait(lambda event: event["table"] == second)
        assert all(event["state"] for event in ear.states)
        ear.close()
        again.close()


ANNA, BEN = owner_of("Anna"), owner_of("Ben")


def with_lobby(folder: Path, play: Callable[[Lobby, SharedTable], Coroutine[Any, Any, None]]) -> None:
    """Run this with a table of Anna, who hosts, and Ben."""

    async def run() -> None:
        lobby = Lobby(folder, store=SqliteStore(folder))
        wanted = {"game": "big2", "seats": 2, "agent": None, "clock": 0, "name": "Anna"}
        table = await lobby.add(partial(lobby.new.shared, ANNA, wanted, Language.EN), Language.EN)
        await lobby.join(BEN, table.key, table.invite, "Ben", Language.EN)
        await finished(lobby)
        await play(lobby, table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_presence, "AWAY", 600.0)  # nobody leaves because the machine is slow
        asyncio.run(run())


async def finished(lobby: Lobby) -> None:
    """Wait for what a lobby does by itself."""
    while lobby._tasks:
        await asyncio.gather(*lobby._tasks)


def test_care__a_host_stays_the_host_for_a_while(tmp_path: Path) -> None:
    async def play(lobby: Lobby, table: SharedTable) -> None:
        host = lobby._visitors[ANNA]
        host.is_here = False
        for away, seat in ((10, 0), (61, 1)):
            host.seen = monotonic() - away
            lobby._take_over(BEN)
            await finished(lobby)
            assert table.host == seat

    with_lobby(tmp_path, play)


def test_care__who_is_here_again_plays_without_an_agent(tmp_path: Path) -> None:
    async def play(lobby: Lobby, table: SharedTable) -> None:
        table.places[1].stand_in, lobby._visitors[BEN].is_here = True, False
        async with lobby.at(BEN, table.key, Language.EN, is_shared=True):  # as a page that is read again
            await finished(lobby)
            assert not table.places[1].stand_in
        table.places[1].stand_in = True
        await asyncio.to_thread(lobby.saved.store.save, SHARED, table.key, table_text(table), table.owners)
        lobby._unload(table.key)
        async with lobby.table(table.key, Language.EN) as read:
            assert read.places[1].stand_in
            await finished(lobby)
            assert not read.places[1].stand_in

    with_lobby(tmp_path, play)


def test_care__a_table_that_is_read_again_ends_no_agents_play_elsewhere(tmp_path: Path) -> None:
    async def play(lobby: Lobby, table: SharedTable) -> None:
        wanted = {"game": "big2", "seats": 2, "agent": None, "clock": 0, "name": "Anna"}
        other = await lobby.add(partial(lobby.new.shared, ANNA, wanted, Language.EN), Language.EN)
        await finished(lobby)
        table.places[0].stand_in = True  # Anna's page is open, but her clock ran out
        lobby._unload(other.key)
        async with lobby.table(other.key, Language.EN):
            await finished(lobby)
            assert table.places[0].stand_in

    with_lobby(tmp_path, play)


def test_care__an_agent_thinks_before_its_move_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 600.0)
    thinks, chosen = Event(), SharedClimbing.chosen

    def noted(self: SharedClimbing, agent: str, guard: Any) -> Any:
        thinks.set()
        return chosen(self, agent, guard)

    monkeypatch.setattr(SharedClimbing, "chosen", noted)
    with friends(tmp_path, people=1, seats=2) as [anna]:
        anna.act("start")
        if anna.state["asked"]:
            anna.go(random.Random(2))
        assert thinks.wait(20)
