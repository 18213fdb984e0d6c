"""The tables of a server in one SQLite database."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Final
from weakref import finalize

from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import DAY, DAYS, KEY, MAX_BYTES, MAX_OWN, MAX_SAVED, OWNER, NoRoom

FILE: Final = "tables.sqlite"
"""Name of the database in the server's folder."""
STEPS: Final = 4
"""Most tables that one call removes."""
WAIT: Final = 2.0
"""Seconds that a change waits while another program has locked the database."""
AGAIN: Final = 0.02
"""Seconds between two attempts."""
EDITION: Final = 3
"""Edition of the schema and of the texts."""
SCHEMA: Final = (
    "CREATE TABLE tables (owner TEXT NOT NULL, key TEXT NOT NULL, moved REAL NOT NULL, gone INTEGER NOT NULL, text BLOB, "
    "PRIMARY KEY (owner, key))",
    "CREATE INDEX tables_by_time ON tables (gone, moved)",
    "CREATE INDEX tables_by_owner ON tables (owner, moved)",
    "CREATE TABLE members (member TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (member, key)) WITHOUT ROWID",
    "CREATE INDEX members_by_key ON members (key)",
)
"""A table that is `gone` was removed, and has no text."""
SAVE: Final = (
    "INSERT INTO tables VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, key) "
    "DO UPDATE SET moved = excluded.moved, gone = excluded.gone, text = excluded.text"
)
UPDATE: Final = "UPDATE tables SET text = ? WHERE owner = ? AND key = ?"
GRAIN: Final = 60.0
"""Seconds within which further changes of a shared table do not change its time, which is in two indexes."""
LOGGED: Final = 2_000
"""Changes after which the log is written to the database, in a thread, because that waits for the disk."""


class SqliteStore:
    """A store of tables in the database `tables.sqlite` of a folder; see `TableStore`.

    The database keeps a log of changes (WAL). A change that was saved survives the end of the process at any moment. Several
    stores can share a folder, but a server keeps tables in memory, so `only_server` gives each folder to one server. The
    database is created with the first table.

    Args:
        folder: Folder of the database.
        most: Most tables, most shared tables, and most removed tables that are remembered.
        own: Most tables of one visitor.
        seconds: Seconds that a table is kept after it was saved.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        folder: Path,
        most: int = MAX_SAVED,
        own: int = MAX_OWN,
        seconds: float = DAYS * DAY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = folder / FILE
        """The database."""
        self._most, self._own = most, own
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None
        self._logged = 0
        self._writer: Thread | None = None

    def save(self, owner: str, key: str, text: str, members: Collection[str] | None = None) -> None:
        """Store a table after a change; see `TableStore.save`."""
        assert KEY.fullmatch(key), key
        assert owner == SHARED or OWNER.fullmatch(owner), owner
        with self._change() as database:
            now = self._clock()
            select = "SELECT moved FROM tables WHERE owner = ? AND key = ? AND NOT gone"
            before = database.execute(select, (owner, key)).fetchone()
            if members is not None and before is not None and 0 <= now - before[0] < GRAIN:
                database.execute(UPDATE, (text.encode("utf-8"), owner, key))
            else:
                database.execute(SAVE, (owner, key, now, 0, text.encode("utf-8")))
            if members is not None:
                known = {member for (member,) in database.execute("SELECT member FROM members WHERE key = ?", (key,))}
                if known != set(members):
                    database.execute("DELETE FROM members WHERE key = ?", (key,))
                    database.executemany("INSERT INTO members VALUES (?, ?)", [(member, key) for member in members])
            self._expire(database, now)
            if before is None:
                self._make_room(database, now, owner)
        self._write_log()

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text; see `TableStore.load`. A text over the limit is cut one byte above it."""
        if self.is_gone(owner, key):
            return None
        select = "SELECT coalesce(substr(text, 1, ?), x'') FROM tables WHERE owner = ? AND key = ? AND NOT gone"
        with self._read() as database:
            row = None if database is None else database.execute(select, (MAX_BYTES + 1, owner, key)).fetchone()
        return None if row is None else bytes(row[0])

    def is_gone(self, owner: str, key: str) -> bool:
        """Return whether the table existed and was removed; see `TableStore.is_gone`."""
        select = "SELECT moved, gone FROM tables WHERE owner = ? AND key = ?"
        with self._read() as database:
            row = None if database is None else database.execute(select, (owner, key)).fetchone()
        if row is None:
            return False
        moved, is_removed = row
        if not is_removed and moved <= self._clock() - self._seconds:
            with self._change() as changed:
                self._remove(changed, owner, key)
            return True
        return bool(is_removed)

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return a visitor's latest tables; see `TableStore.latest`."""
        select = (
            "SELECT key, coalesce(substr(text, 1, ?), x'') FROM tables WHERE owner = ? AND NOT gone AND moved > ? "
            "ORDER BY moved DESC, rowid DESC LIMIT ?"
        )
        with self._read() as database:
            if database is None:
                return []
            since = self._clock() - self._seconds
            return [(key, bytes(text)) for key, text in database.execute(select, (MAX_BYTES + 1, owner, since, most))]

    def shared_of(self, member: str, most: int) -> list[str]:
        """Return the keys of a person's latest shared tables; see `TableStore.shared_of`."""
        select = (
            "SELECT key FROM members JOIN tables USING (key) WHERE member = ? AND owner = ? AND NOT gone AND moved > ? "
            "ORDER BY moved DESC LIMIT ?"
        )
        with self._read() as database:
            if database is None:
                return []
            return [key for (key,) in database.execute(select, (member, SHARED, self._clock() - self._seconds, most))]

    def _expire(self, database: sqlite3.Connection, now: float) -> None:
        """Remove a few tables that have expired."""
        expired = "SELECT owner, key FROM tables WHERE gone = 0 AND moved <= ? ORDER BY moved LIMIT ?"
        for owner, key in database.execute(expired, (now - self._seconds, STEPS)).fetchall():
            self._remove(database, owner, key)

    def _make_room(self, database: sqlite3.Connection, now: float, owner: str) -> None:
        """After a new table, remove the oldest ones of its owner and its kind if there are too many.

        Raises:
            NoRoom: They were played at within a day.
        """
        kind = "owner = 'shared'" if owner == SHARED else "owner != 'shared'"
        limits = [(f"{kind} AND gone = 0", self._most), ("gone = 1", self._most)]
        if owner != SHARED:
            limits.insert(0, ("owner = :owner AND gone = 0", self._own))
        for which, most in limits:
            given = {"owner": owner, "surplus": -most}
            given["surplus"] += database.execute(f"SELECT count(*) FROM tables WHERE {which}", given).fetchone()[0]
            oldest = f"SELECT owner, key, moved, gone FROM tables WHERE {which} ORDER BY moved, rowid LIMIT max(0, :surplus)"
            for other, key, moved, is_removed in database.execute(oldest, given).fetchall():
                if is_removed:
                    database.execute("DELETE FROM tables WHERE owner = ? AND key = ?", (other, key))
                elif moved > now - DAY:
                    raise NoRoom(is_own=":owner" in which)
                else:
                    self._remove(database, other, key)

    def _remove(self, database: sqlite3.Connection, owner: str, key: str) -> None:
        database.execute(SAVE, (owner, key, self._clock(), 1, None))
        if owner == SHARED:
            database.execute("DELETE FROM members WHERE key = ?", (key,))

    def _write_log(self) -> None:
        """Write the log of changes to the database after every `LOGGED` changes."""
        self._logged += 1
        if self._logged >= LOGGED and (self._writer is None or not self._writer.is_alive()):
            self._logged = 0
            self._writer = Thread(target=_write_log, args=(self.path,), name="writing the log of tables", daemon=True)
            self._writer.start()

    # The database --------------------------------------------------------------------------------------------------------

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection | None]:
        """Yield the database, `None` if there is none.

        Raises:
            OSError: It cannot be read.
        """
        with self._lock, _as_os_errors(self.path):
            if self._opened is None and self.path.exists():
                self._opened = self._open()
            yield self._opened

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Yield the database in a transaction, which is undone if the block fails.

        While another program has locked it, others may read.

        Raises:
            OSError: It cannot be written.
        """
        end = time.monotonic() + WAIT
        while True:
            with self._lock, _as_os_errors(self.path):
                if self._opened is None:
                    self._opened = self._open()
                try:
                    self._opened.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                        raise
                else:
                    with _transaction(self._opened):
                        yield self._opened
                    return
            time.sleep(AGAIN)

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        database = sqlite3.connect(self.path, timeout=AGAIN, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        finalize(self, database.close)
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Set up a new connection, and the tables of a new database."""
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("BEGIN IMMEDIATE")
        with _transaction(database):
            edition = database.execute("PRAGMA user_version").fetchone()[0]
            if not edition:
                for statement in SCHEMA:
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {EDITION}")
            elif edition != EDITION:
                raise OSError(
                    f"{self.path}: expected edition {EDITION} of the tables, got {edition}, of another version of big2_env"
                )


def _write_log(path: Path) -> None:
    """Write the log of a database to its file. Others can read and write meanwhile."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=10.0)) as database:  # it is tried again later
        database.execute("PRAGMA wal_checkpoint(PASSIVE)")


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Write the changes of a begun transaction, or undo them if the block fails."""
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def _as_os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
