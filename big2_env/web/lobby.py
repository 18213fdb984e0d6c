"""All tables of a server: which are in memory, whose they are, how many there may be."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import anyio.to_thread

from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.web.messages import Refused
from big2_env.web.table_store import DAYS, KEY, FileStore, SavedTables, TableStore
from big2_env.web.web_table import WebTable, new_sitting

MAX_TABLES: Final = 200
"""Most tables in memory; the one that was idle longest makes room and comes back from its file."""
MAX_WAITING: Final = 8
"""Most requests at one table at once."""
SHOWN_TABLES: Final = 12
"""How many of a visitor's tables are listed."""
THINKERS: Final = 4
"""How many agents think at once, each in a thread."""

log = logging.getLogger(__name__)


class Lobby:
    """The tables of a server. Its own methods run in the event loop; what takes time runs in threads.

    Args:
        folder: where tables and games are kept.
        adviser: the agent that gives hints.
        most: how many tables are in memory at most.
        idle: after how many seconds without a request a table leaves the memory.
        keeps_games: True if games that are over or given up go among the user's own.
        store: what keeps the tables; by default files in the folder.
    """

    def __init__(
        self,
        folder: Path,
        adviser: str = DEFAULT_ADVISER,
        most: int = MAX_TABLES,
        idle: float = 3600.0,
        keeps_games: bool = True,
        store: TableStore | None = None,
    ) -> None:
        self.saved = SavedTables(store or FileStore(folder / "tables"), folder / "games" if keeps_games else None)
        self._adviser = adviser
        self._most = most
        self._idle = idle
        self._tables: dict[tuple[str, str], WebTable] = {}
        self._used: dict[tuple[str, str], float] = {}
        self._thinkers: anyio.CapacityLimiter | None = None

    @property
    def thinkers(self) -> anyio.CapacityLimiter:
        """What bounds the threads in which agents think."""
        if self._thinkers is None:
            self._thinkers = anyio.CapacityLimiter(THINKERS)
        return self._thinkers

    async def create(self, owner: str, lang: Language, wanted: dict[str, Any]) -> WebTable:
        """A new table.

        Raises:
            Refused: no such game, agents or seat; or too many tables are in use.
        """

        def make() -> WebTable:
            sitting = new_sitting(wanted["game"], wanted["opponents"], wanted["seat"], wanted["seed"], self._adviser)
            return WebTable(secrets.token_urlsafe(12), owner, sitting)

        table = await anyio.to_thread.run_sync(make)
        self._make_room(lang)
        self._tables[owner, table.key] = table
        self._used[owner, table.key] = time.monotonic()
        await self.keep(table)
        return table

    @asynccontextmanager
    async def at(self, owner: str | None, key: str, lang: Language) -> AsyncIterator[WebTable]:
        """A visitor's table, which stays in memory meanwhile.

        Raises:
            Refused: the visitor has no such table (404, whether or not somebody else has), it is gone (410), or too many
                requests wait there.
        """
        if owner is None or not KEY.fullmatch(key):
            raise _unknown(lang)
        table = self._tables.get((owner, key))
        if table is None or (table.is_saved and not table.users):
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

    async def _load(self, owner: str, key: str, lang: Language) -> WebTable:
        """A table that is not in memory.

        Raises:
            Refused: there is none, or there is no room for it.
        """
        try:
            loaded = await anyio.to_thread.run_sync(self.saved.load, owner, key, self._adviser)
        except ConfigError as error:
            log.warning("%s", error)
            raise _unknown(lang) from None
        if loaded is None:
            raise _unknown(lang)
        if (owner, key) not in self._tables:  # another request may have been faster
            self._make_room(lang)
        return self._tables.setdefault((owner, key), loaded)

    async def keep(self, table: WebTable) -> None:
        """Write a table down, and its game if it is over; a full disk stops no game, the log says so."""

        def save() -> None:
            self.saved.save(table)
            if table.sitting.is_over:
                self.saved.save_game(table)

        try:
            await anyio.to_thread.run_sync(save)
            table.is_saved = True
        except (OSError, ConfigError) as error:
            table.is_saved = False
            log.warning("table %s is not saved: %s", table.key, error)

    async def keep_game(self, table: WebTable) -> None:
        """Write the present game among the user's own; what cannot be written stops no game, the log says so."""
        try:
            await anyio.to_thread.run_sync(self.saved.save_game, table)
        except (OSError, ConfigError) as error:
            log.warning("the game at table %s is not saved: %s", table.key, error)

    async def tables_of(self, owner: str | None) -> list[tuple[str, dict[str, Any]]]:
        """The last tables of a visitor, as `SavedTables.of_owner`."""
        if owner is None:
            return []
        return await anyio.to_thread.run_sync(lambda: list(self.saved.of_owner(owner, SHOWN_TABLES)))

    def _make_room(self, lang: Language) -> None:
        """Let tables go from memory that are idle, and the one that is idle longest where there are too many.

        Raises:
            Refused: there are too many, and none can go.
        """
        now = time.monotonic()
        resting = [
            (used, key) for key, used in self._used.items() if not self._tables[key].users and self._tables[key].is_saved
        ]
        for used, key in sorted(resting):
            if now - used > self._idle or len(self._tables) >= self._most:
                del self._tables[key], self._used[key]
        if len(self._tables) >= self._most:
            raise Refused(503, "full", words(lang)("web.error_full"))


def owner_of(secret: str) -> str:
    """What stands for a visitor's secret where it is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _unknown(lang: Language) -> Refused:
    return Refused(404, "unknown_table", words(lang)("web.error_unknown"))
