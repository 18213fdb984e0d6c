"""Tables that expire or make room, and what their visitors read then."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from stored_tables import stored_tables
from web_visitor import Answer, Visitor, serving, visit

from big2_env.tables.browser import lobby, sqlite_store
from big2_env.tables.browser.server import serve
from big2_env.tables.browser.sqlite_store import SqliteStore
from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import DAYS, NoRoom

DAY = 86400.0
OWNER, OTHER = "a" * 64, "b" * 64
TEXTS = {
    "en": "This table is gone: a table is removed 30 days after its last move, or earlier if the server is full. "
    "You can start a new game.",
    "zh-Hant": "這張牌桌已經移除：最後一次出牌 30 天後牌桌會被移除，伺服器空間不足時會更早。你可以開始新的一局。",
    "zh-Hans": "这张牌桌已经移除：最后一次出牌 30 天后牌桌会被移除，服务器空间不足时会更早。你可以开始新的一局。",
}


class Clock:
    """A time that goes on only when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


def key(number: int) -> str:
    return f"{number:016}"


def test_store__expires_after_days_without_a_move(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, clock=clock)
    store.save(OWNER, key(1), "one")
    store.save(OWNER, key(2), "two")
    clock.now += 29 * DAY
    store.save(OWNER, key(1), "one again")
    clock.now += 1 * DAY
    assert [store.load(OWNER, key(1)), store.load(OWNER, key(2))] == [b"one again", None]
    assert [store.is_gone(OWNER, key(number)) for number in (1, 2, 3)] == [False, True, False]
    assert not store.is_gone(OTHER, key(2))
    assert store.latest(OWNER, 5) == [(key(1), b"one again")]
    store.save(OWNER, key(2), "two again")
    assert (store.is_gone(OWNER, key(2)), store.load(OWNER, key(2))) == (False, b"two again")
    assert stored_tables(tmp_path) == ["a/1", "a/2"]


def test_store__the_least_recently_moved_makes_room(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=3, clock=clock)
    for number in range(3):
        clock.now += 2 * DAY
        store.save(OTHER if number == 0 else OWNER, key(number), str(number))
    clock.now += 2 * DAY
    store.save(OTHER, key(0), "moved")
    assert stored_tables(tmp_path) == ["a/1", "a/2", "b/0"]
    store.save(OWNER, key(3), "3")
    assert stored_tables(tmp_path) == ["a/1 gone", "a/2", "a/3", "b/0"]
    assert store.is_gone(OWNER, key(1))
    assert store.latest(OWNER, 5) == [(key(3), b"3"), (key(2), b"2")]
    assert store.latest(OWNER, 1) == [(key(3), b"3")]
    for number in range(4, 50):
        clock.now += 2 * DAY
        store.save(OWNER, key(number), str(number))
    assert stored_tables(tmp_path) == [f"a/{number}{' gone' if number < 47 else ''}" for number in range(44, 50)]


def test_store__goes_on_in_the_order_of_moves_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    before = SqliteStore(tmp_path, most=3, clock=clock)
    for number in (4, 1, 3, 2):
        clock.now += 2 * DAY
        before.save(OWNER, key(number), str(number))
    after = SqliteStore(tmp_path, most=3, clock=clock)
    assert [each for each, _ in after.latest(OWNER, 9)] == [key(2), key(3), key(1)]
    assert after.is_gone(OWNER, key(4))
    after.save(OTHER, key(5), "5")
    assert after.is_gone(OWNER, key(1))
    assert not after.is_gone(OWNER, key(3))


def test_store__one_visitor_removes_only_own_tables(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=9, own=3, clock=clock)
    store.save(OTHER, key(1), "1")
    store.save(SHARED, key(2), "2", [OTHER])
    for number in range(3, 7):
        clock.now += 2 * DAY
        store.save(OWNER, key(number), str(number))
    assert stored_tables(tmp_path) == ["a/3 gone", "a/4", "a/5", "a/6", "b/1", "s/2"]
    store.save(OWNER, key(4), "moved")
    store.save(OWNER, key(5), "moved")
    with pytest.raises(NoRoom) as refused:
        store.save(OWNER, key(7), "7")
    assert refused.value.is_own
    assert stored_tables(tmp_path) == ["a/3 gone", "a/4", "a/5", "a/6", "b/1", "s/2"]


@pytest.mark.parametrize("is_shared", [False, True])
def test_store__a_table_moved_within_a_day_makes_no_room(tmp_path: Path, is_shared: bool) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=3, clock=clock)

    def save(number: int) -> None:
        if is_shared:
            store.save(SHARED, key(number), str(number), [f"{number:064}"])
        else:
            store.save(f"{number:064}", key(number), str(number))

    for number in range(3):
        save(number)
    clock.now += DAY - 1
    with pytest.raises(NoRoom) as refused:
        save(3)
    assert not refused.value.is_own
    assert len(stored_tables(tmp_path)) == 3
    clock.now += 2
    save(3)
    assert len([name for name in stored_tables(tmp_path) if not name.endswith("gone")]) == 3


def test_store__new_tables_from_one_address_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MAX_MADE", 5)
    shared = {"game": "big2", "seats": 4, "agent": "lowest", "clock": 0, "name": "A"}
    with serving(tmp_path) as server:
        made = []
        for _ in range(3):  # without a cookie everyone is somebody new
            visitor = Visitor(server)
            visitor.sit_down()
            made += [
                (visitor, visitor.path),
                (visitor, f"/api/shared/{visitor.post('/api/shared', shared).json().get('table')}"),
            ]
        last = made.pop()[0].post("/api/shared", shared)
        assert (last.status, last.json()["error"]) == (429, "busy")
        assert [visitor.get(path).status for visitor, path in made] == [200] * 5
        for visitor, _ in made:
            visitor.close()


def test_store__a_locked_database_answers_what_it_has_not_saved_with_503(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down()
        other = Visitor(visitor.server)
        other.sit_down()
        before = visitor.get(visitor.path).json()
        with closing(sqlite3.connect(tmp_path / "tables.sqlite", isolation_level=None)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            refusals: list[Answer] = []
            posts = [Thread(target=lambda: refusals.append(visitor.post(f"{visitor.path}/advance", {"version": 0})))]
            posts[0].start()
            begun = time.monotonic()
            while posts[0].is_alive():
                assert other.get(other.path).status == other.get("/api/lobby").status == 200
            assert 1 < time.monotonic() - begun < 6
            assert [(one.status, one.json()["error"]) for one in refusals] == [(503, "not_saved")]
            lock.execute("ROLLBACK")
        assert visitor.get(visitor.path).json() == before
        assert visitor.act("advance")["version"] == 1
        other.close()


def test_store__a_database_that_cannot_be_read_is_answered_with_503(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise OSError("tables.sqlite: disk I/O error")

    with visit(tmp_path) as visitor:
        visitor.sit_down()
        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "is_gone", fails)
            patch.setattr(SqliteStore, "latest", fails)
            for path in (visitor.path, "/api/lobby"):
                refused = visitor.get(path)
                assert (refused.status, refused.json()["error"]) == (503, "not_read")
        assert visitor.get(visitor.path).json() == visitor.state


def test_store__leaves_a_table_that_another_server_has_saved(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=2, clock=clock)
    store.save(OWNER, key(1), "1")
    other = SqliteStore(tmp_path, most=2, clock=clock)
    clock.now += 2 * DAY
    store.save(OWNER, key(2), "2")
    clock.now += 2 * DAY
    other.save(OWNER, key(1), "moved there")
    store.save(OWNER, key(3), "3")
    assert [store.load(OWNER, key(number)) for number in (1, 2, 3)] == [b"moved there", None, b"3"]


def test_store__those_that_expired_together_go_a_few_at_a_time(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=50, clock=clock)
    for number in range(120):
        clock.now += 0.5 * DAY
        store.save(OWNER, key(number), str(number))
    assert store.latest(OWNER, 2) == [(key(119), b"119"), (key(118), b"118")]
    clock.now += DAYS * DAY
    assert store.load(OWNER, key(119)) is None
    store.save(OWNER, key(200), "200")
    removed = [name for name in stored_tables(tmp_path) if name.endswith(" gone")]
    assert len(removed) <= 50
    assert len(stored_tables(tmp_path)) - len(removed) > 40


def test_store__knows_the_shared_tables_of_a_person(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=2, clock=clock)
    assert (store.load(SHARED, key(1)), store.shared_of(OWNER, 9)) == (None, [])
    store.save(SHARED, key(1), "one", [OWNER, OTHER])
    clock.now += 60
    store.save(SHARED, key(2), "two", [OWNER])
    assert (store.shared_of(OWNER, 9), store.shared_of(OTHER, 9)) == ([key(2), key(1)], [key(1)])
    assert store.latest(OWNER, 9) == []
    assert store.load(OWNER, key(1)) is None
    clock.now += 60
    store.save(SHARED, key(1), "one again", [OWNER])
    assert (store.shared_of(OWNER, 1), store.shared_of(OTHER, 9)) == ([key(1)], [])
    clock.now += 2 * DAY
    for number in (3, 4, 5):  # counted apart: there is room for two of each kind
        clock.now += 2 * DAY
        store.save(OTHER, key(number), str(number))
    assert store.shared_of(OWNER, 9) == [key(1), key(2)]
    store.save(SHARED, key(6), "six", [OTHER])
    assert (store.shared_of(OWNER, 9), store.load(SHARED, key(2)), store.load(SHARED, key(1))) == ([key(1)], None, b"one again")
    clock.now += DAYS * DAY
    assert store.load(SHARED, key(1)) is None
    assert store.shared_of(OWNER, 9) == []


def test_store__the_log_is_written_to_the_database_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "LOGGED", 20)
    store = SqliteStore(tmp_path)
    for number in range(45):
        store.save(OWNER, key(number % 3), "x" * 5000 + str(number))
        store.save(SHARED, key(5), str(number), [OWNER])
        if store._writer is not None:
            store._writer.join()
    assert (tmp_path / "tables.sqlite-wal").stat().st_size < 30 * 20 * 4096
    assert store.load(SHARED, key(5)) == b"44"


def test_store__a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.save(SHARED, key(1), "one", [OWNER])
    with pytest.raises(OSError, match=r"tables\.sqlite: "):
        store.save(SHARED, key(1), "two", [OTHER, OTHER])
    assert (store.load(SHARED, key(1)), store.shared_of(OWNER, 9), store.shared_of(OTHER, 9)) == (b"one", [key(1)], [])


@pytest.mark.parametrize("content", [b"not a database, but long enough to be read as one" * 9, b""])
def test_store__another_file_in_its_place(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tables.sqlite").write_bytes(content)
    store = SqliteStore(tmp_path)
    if content:
        with pytest.raises(OSError, match="file is not a database"):
            store.latest(OWNER, 9)
    else:
        assert store.latest(OWNER, 9) == []


@pytest.mark.parametrize("edition", [2, 4])
def test_store__a_database_of_another_version_is_named_and_not_touched(edition: int, tmp_path: Path) -> None:
    SqliteStore(tmp_path).save(OWNER, key(1), "one")
    with closing(sqlite3.connect(tmp_path / "tables.sqlite")) as database:
        database.execute(f"PRAGMA user_version = {edition}")
    before = (tmp_path / "tables.sqlite").read_bytes()
    refusal = rf"tables\.sqlite: expected edition 3 of the tables, got {edition}, of another version"
    for start in (lambda: SqliteStore(tmp_path).load(OWNER, key(1)), lambda: serve(tmp_path, "127.0.0.1", 0)):
        with pytest.raises(OSError, match=refusal):
            start()
    assert (tmp_path / "tables.sqlite").read_bytes() == before


def test_store__a_database_that_cannot_be_opened_leaves_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables.sqlite").write_bytes(b"not a database, but long enough to be read as one" * 9)
    made, connect = list[sqlite3.Connection](), sqlite3.connect

    def noted(*places: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*places, **options))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    store = SqliteStore(tmp_path)
    for _ in range(2):
        with pytest.raises(OSError, match="file is not a database"):
            store.latest(OWNER, 9)
    for one in made:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            one.execute("SELECT 1")
    assert len(made) == 2


def test_store__a_visitor_of_a_table_that_is_gone_reads_so(tmp_path: Path) -> None:
    clock = Clock()
    store = SqliteStore(tmp_path, most=2, clock=clock)
    with visit(tmp_path, store=store) as visitor:
        old = visitor.sit_down()
        clock.now += 29 * DAY
        visitor.act("advance")
        clock.now += 29 * DAY
        visitor.act("advance")
        for lang, text in TEXTS.items():
            clock.now += 30 * DAY
            asked = [
                visitor.get(f"{visitor.path}?lang={lang}"),
                visitor.post(f"{visitor.path}/advance?lang={lang}", {"version": 2}),
            ]
            assert [(answer.status, answer.json()) for answer in asked] == [(410, {"error": "gone", "message": text})] * 2
        assert visitor.get("/api/lobby").json()["tables"] == []
        stranger = Visitor(visitor.server)
        stranger.sit_down()
        assert stranger.get(f"/api/tables/{old['table']}").status == 404
        stranger.close()
        states = []
        for _ in range(3):  # there is room for two
            clock.now += 2 * DAY
            states.append(visitor.sit_down())
        statuses = [visitor.get(f"/api/tables/{state['table']}").status for state in states]
        assert statuses == [410, 200, 200]
        assert {one["table"] for one in visitor.get("/api/lobby").json()["tables"]} == {state["table"] for state in states[1:]}
        cookies = visitor.cookies
    with serving(tmp_path, store=SqliteStore(tmp_path, most=2, clock=clock)) as again:
        visitor = Visitor(again, cookies)
        assert [visitor.get(f"/api/tables/{state['table']}").status for state in states] == statuses
        visitor.close()


def test_store__is_any_that_keeps_texts(tmp_path: Path) -> None:
    kept: dict[tuple[str, str], str] = {}

    class InMemory:
        def save(self, owner: str, key: str, text: str, members: Collection[str] | None = None) -> None:
            assert members is None, "no table is shared"
            kept[owner, key] = text

        def load(self, owner: str, key: str) -> bytes | None:
            return kept[owner, key].encode() if (owner, key) in kept else None

        def is_gone(self, owner: str, key: str) -> bool:
            return False

        def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
            return [(key, text.encode()) for (of, key), text in kept.items() if of == owner][:most]

        def shared_of(self, member: str, most: int) -> list[str]:
            return []

    with visit(tmp_path, store=InMemory()) as visitor:
        visitor.sit_down()
        state = visitor.act("advance")
        cookies = visitor.cookies
    with visit(tmp_path, cookies, store=InMemory()) as again:
        assert again.get(f"/api/tables/{state['table']}?lang=en").json() == state
        assert [one["table"] for one in again.get("/api/lobby").json()["tables"]] == [state["table"]]
    assert not list(tmp_path.iterdir())
