"""All tables of a server: loaded into memory as needed, owned by visitors, bounded in number."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio.to_thread

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.climbing.ruleset import RuleSet
from big2_env.tables.browser.messages import Refused, no_room, not_saved, unknown
from big2_env.tables.browser.new_tables import NewTables
from big2_env.tables.browser.own_games import OwnGames
from big2_env.tables.browser.shared_lobby import SharedLobby
from big2_env.tables.browser.sqlite_store import SqliteStore
from big2_env.tables.browser.table_handlers import AnyTable
from big2_env.tables.browser.table_store import DAYS, KEY, NoRoom, SavedTables, TableStore
from big2_env.tables.browser.web_table import WebTable

MAX_TABLES: Final = 200
"""Most tables in memory; beyond that the one idle longest is unloaded."""
MAX_WAITING: Final = 8
"""Most simultaneous requests per table."""
SHOWN_TABLES: Final = 12
"""Number of a visitor's tables in the list."""
THINKERS: Final = 4
"""Number of agents that think at once, each in a thread."""

log = logging.getLogger(__name__)


class Lobby:
    """The tables of a server. Its methods run in the event loop, slow work runs in threads.

    Args:
        folder: Folder of tables and games.
        adviser: Agent that gives hints; `None` for the default of each game.
        most: Most tables in memory.
        idle: Seconds without a request after which a table is unloaded.
        keeps_games: True to save finished and abandoned games among the user's own.
        store: Storage of the tables; a database in the folder by default.
        prepare: Called with the rules and the number of seats of each new table, to prepare its review; returns at once.
    """

    def __init__(
        self,
        folder: Path,
        adviser: str | None = None,
        most: int = MAX_TABLES,
        idle: float = 3600.0,
        keeps_games: bool = True,
        store: TableStore | None = None,
        prepare: Callable[[RuleSet, int], object] | None = None,
    ) -> None:
        store = store or SqliteStore(folder)
        self.saved = SavedTables(store, folder / "games" if keeps_games else None)
        self.games = OwnGames(folder / "games") if keeps_games else None
        """The user's own games; `None` if the server keeps none."""
        self.shared = SharedLobby(store)
        """The tables of several people."""
        self.new = NewTables(adviser)
        """Maker of tables."""
        self._prepare = prepare
        self._most = most
        self._idle = idle
        self._tables: dict[tuple[str, str], AnyTable] = {}
        self._used: dict[tuple[str, str], float] = {}
        self._thinkers: anyio.CapacityLimiter | None = None

    @property
    def thinkers(self) -> anyio.CapacityLimiter:
        """Limiter of the threads in which agents think."""
        if self._thinkers is None:
            self._thinkers = anyio.CapacityLimiter(THINKERS)
        return self._thinkers

    async def add(self, make: Callable[[], AnyTable], lang: Language) -> AnyTable:
        """Keep a new table, and return it.

        Args:
            make: Makes the table with `new`, in a thread.
            lang: Language of errors.

        Raises:
            Refused: It is not made, too many tables are in use or stored, or it cannot be stored.
        """
        table = await anyio.to_thread.run_sync(make)
        owner = table.owner
        self._make_room(lang)
        try:
            await self.keep(table, lang)
        except NoRoom as error:
            raise no_room(is_own=error.is_own, lang=lang) from None
        self._tables[owner, table.key] = table
        self._used[owner, table.key] = time.monotonic()
        if self._prepare is not None and isinstance(table, WebTable):
            await anyio.to_thread.run_sync(self._prepare, table.session.ruleset, len(table.session.names))
        return table

    @asynccontextmanager
    async def at(self, owner: str | None, key: str, lang: Language) -> AsyncIterator[AnyTable]:
        """Yield a visitor's table, which stays in memory during the block.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            key: Key of the table.
            lang: Language of errors.

        Raises:
            Refused: The visitor has no such table (404, whether or not another visitor has), it was removed (410), or too many
                requests wait for it (429).
        """
        if owner is None or not KEY.fullmatch(key):
            raise unknown(lang)
        table = self._tables.get((owner, key))
        if table is None or not table.users:
            if await anyio.to_thread.run_sync(self.saved.store.is_gone, owner, key):
                if table is not None and not table.users:
                    self._tables.pop((owner, key), None)
                    self._used.pop((owner, key), None)
                raise Refused(410, "gone", words(lang)("web.error_gone", days=str(DAYS)))
            table = self._tables.get((owner, key)) or await self._load(owner, key, lang)
        if table.users >= MAX_WAITING:
            raise Refused(429, "busy", words(lang)("web.error_busy"))
        self._used[owner, key] = time.monotonic()
        table.users += 1
        try:
            yield table
        finally:
            table.users -= 1

    async def _load(self, owner: str, key: str, lang: Language) -> AnyTable:
        """Load a table that is not in memory.

        Raises:
            Refused: The table does not exist, or memory is full.
        """
        try:
            loaded = await anyio.to_thread.run_sync(self.saved.load, owner, key, self.new.adviser)
        except ConfigError as error:
            log.warning("%s", error)
            raise unknown(lang) from None
        if loaded is None:
            raise unknown(lang)
        if (owner, key) not in self._tables:  # another request may have been faster
            self._make_room(lang)
        return self._tables.setdefault((owner, key), loaded)

    @asynccontextmanager
    async def changing(self, table: AnyTable, lang: Language) -> AsyncIterator[None]:
        """Keep other changes of a table waiting during the block.

        Raises:
            Refused: The table is read again, because its last change could not be saved (503).
        """
        async with table.lock:
            if self._tables.get((table.owner, table.key)) is not table:
                raise not_saved(lang)
            yield

    async def keep(self, table: AnyTable, lang: Language) -> None:
        """Save a table, and its game if it is over. A table that cannot be saved is read again by the next request.

        Raises:
            NoRoom: The table is new, and there are too many.
            Refused: The table cannot be saved (503).
        """
        try:
            await anyio.to_thread.run_sync(self.saved.save, table)
        except (OSError, ConfigError) as error:
            log.warning("table %s is not saved: %s", table.key, error)
            self._tables.pop((table.owner, table.key), None)
            self._used.pop((table.owner, table.key), None)
            raise not_saved(lang) from None
        if table.session.is_over:
            await self.keep_game(table)

    async def keep_game(self, table: AnyTable) -> None:
        """Save the current game among the user's own. A failure is logged and does not stop the game."""
        try:
            await anyio.to_thread.run_sync(self.saved.save_game, table)
        except (OSError, ConfigError) as error:
            log.warning("the game at table %s is not saved: %s", table.key, error)

    async def tables_of(self, owner: str | None) -> list[tuple[str, dict[str, Any]]]:
        """Return a visitor's latest tables; see `SavedTables.of_owner`."""
        if owner is None:
            return []
        return await anyio.to_thread.run_sync(lambda: list(self.saved.of_owner(owner, SHOWN_TABLES)))

    def _make_room(self, lang: Language) -> None:
        """Unload idle tables, and the longest idle ones if there are too many.

        Raises:
            Refused: There are too many, and none can be unloaded.
        """
        now = time.monotonic()
        resting = [(used, key) for key, used in self._used.items() if not self._tables[key].users]
        for used, key in sorted(resting):
            if now - used > self._idle or len(self._tables) >= self._most:
                del self._tables[key], self._used[key]
        if len(self._tables) >= self._most:
            raise no_room(is_own=False, lang=lang)
