"""All tables of a server: loaded into memory as needed, bounded in number, with the people at them, agents and streams."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.climbing.ruleset import RuleSet
from big2_env.tables.browser import answers, shared_answers, shared_timers
from big2_env.tables.browser.messages import Refused, no_room, not_read, not_saved, unknown
from big2_env.tables.browser.new_tables import NewTables
from big2_env.tables.browser.own_games import OwnGames
from big2_env.tables.browser.shared_places import RateLimit
from big2_env.tables.browser.shared_presence import SharedPresence
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.sqlite_store import SqliteStore
from big2_env.tables.browser.streams import Stream
from big2_env.tables.browser.table import SHARED, Table
from big2_env.tables.browser.table_handlers import Act
from big2_env.tables.browser.table_store import DAYS, KEY, NoRoom, SavedTables, TableStore, listed_tables

MAX_TABLES: Final = 800
"""Most tables in memory; beyond that the one idle longest is unloaded."""
MAX_SHARED: Final = 20
"""Most shared tables of one visitor that are not over; as many are listed."""
MAX_MADE: Final = 300
"""Most new tables from one address in an hour."""
AN_HOUR: Final = 3600.0
IDLE: Final = 3600.0
"""Seconds without a request after which a table is unloaded."""
MAX_WAITING: Final = 8
"""Most simultaneous requests of one visitor."""
SHOWN_TABLES: Final = 12
"""Number of a visitor's tables without friends in the list."""
THINKERS: Final = 4
"""Number of agents that think at once for requests, each in a thread."""

log = logging.getLogger(__name__)


class NotStored(Exception):  # noqa: N818  # an answer, and as expected as any other
    """A change that could not be stored."""


class Lobby(SharedPresence):
    """The tables of a server. Its methods run in the event loop, slow work runs in threads.

    Args:
        folder: Folder of tables and games.
        adviser: Agent that gives hints; `None` for the default of each game.
        most: Most tables in memory.
        keeps_games: True to save finished and abandoned games among the user's own.
        store: Storage of the tables; a database in the folder by default.
        prepare: Called with the rules and the number of seats of each new table, to prepare its review; returns at once.
    """

    def __init__(
        self,
        folder: Path,
        adviser: str | None = None,
        most: int = MAX_TABLES,
        keeps_games: bool = True,
        store: TableStore | None = None,
        prepare: Callable[[RuleSet, int], object] | None = None,
    ) -> None:
        super().__init__()
        self.saved = SavedTables(store or SqliteStore(folder), folder / "games" if keeps_games else None, self.is_here, adviser)
        self.games = OwnGames(folder / "games") if keeps_games else None
        """The user's own games; `None` if the server keeps none."""
        self.new = NewTables(adviser, is_here=self.is_here)
        """Maker of tables."""
        self.made = RateLimit(MAX_MADE, AN_HOUR)
        """New tables by address of the visitor."""
        self._prepare = prepare
        self._most = most
        self._members: dict[str, frozenset[str]] = {}
        self._broken: set[str] = set()
        self._limiter: anyio.CapacityLimiter | None = None

    @property
    def thinkers(self) -> anyio.CapacityLimiter:
        """Limiter of the threads in which agents think for requests, and games are judged."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(THINKERS)
        return self._limiter

    # Requests ------------------------------------------------------------------------------------------------------------

    async def add(self, make: Callable[[], Table], lang: Language) -> Table:
        """Keep a new table, and return it.

        Args:
            make: Makes the table, in a thread.
            lang: Language of errors.

        Raises:
            Refused: It is not made, the visitor has too many, too many are in use or stored, or it cannot be stored.
        """
        table = await anyio.to_thread.run_sync(make)
        for owner in table.members or ():
            if sum(each.phase != "over" for each in await self._shared_of(owner, lang)) >= MAX_SHARED:
                raise Refused(429, "too_many_tables", words(lang)("web.error_too_many_tables", most=MAX_SHARED))
        self._make_room(lang)
        self._tables[table.key] = table
        async with table.lock:
            await self._run(table, lambda: None, lang)
        for owner in table.members or ():
            self._touch(owner)
        if self._prepare is not None and table.is_climbing:
            await anyio.to_thread.run_sync(self._prepare, table.session.ruleset, len(table.session.before))
        return table

    async def _keys_of(self, owner: str) -> list[str]:
        """Return the keys of a visitor's latest shared tables."""
        return await anyio.to_thread.run_sync(self.saved.store.shared_of, owner, MAX_SHARED)

    async def _shared_of(self, owner: str, lang: Language) -> list[SharedTable]:
        """Return a visitor's latest shared tables."""
        tables = [await self._find(key, lang) for key in await self._keys_of(owner)]
        return [table for table in tables if isinstance(table, SharedTable)]

    async def _find(self, key: str, lang: Language, place: str = SHARED) -> Table | None:
        """Return a table, which is read if it is not in memory; `None` if it does not exist.

        Args:
            key: Key of the table.
            lang: Language of errors.
            place: Owner of the table in the store.

        Raises:
            Refused: Memory is full, or the store cannot be read (503).
        """
        if key not in self._tables and KEY.fullmatch(key):
            try:
                table = await anyio.to_thread.run_sync(self.saved.load, place, key)
            except ConfigError as error:
                if key not in self._broken:
                    self._broken.add(key)
                    log.warning("%s", error)
                return None
            except OSError as error:
                raise not_read(error, lang) from None
            if table is not None and key not in self._tables:  # another request may have been faster
                self._make_room(lang)
                self._tables[key] = table
                self._index(table)
                self._plan(table)
                for member in filter(self.is_here, table.members or ()):
                    self._welcome(member, key)
        return self._tables.get(key)

    @asynccontextmanager
    async def table(self, key: str, lang: Language, place: str = SHARED) -> AsyncIterator[Any]:
        """Yield a table, which stays in memory during the block.

        Raises:
            Refused: The table does not exist (404).
        """
        table = await self._find(key, lang, place)
        if table is None or table.owner != place:
            raise unknown(lang)
        table.used = time.monotonic()
        table.users += 1
        try:
            yield table
        finally:
            table.users -= 1

    @asynccontextmanager
    async def settled(self, table: Table, lang: Language) -> AsyncIterator[Any]:
        """Yield a table as it is stored, and keep it so during the block, except for changes that the block makes.

        Args:
            table: The table, which is read again if a change of it could not be stored.
            lang: Language of errors.

        Raises:
            Refused: The table does not exist (404) or cannot be read (503).
        """
        while True:
            async with table.lock:
                if self._tables.get(table.key) is table:
                    yield table
                    return
            found = await self._find(table.key, lang, table.owner)
            if found is None:
                raise unknown(lang)
            table = found

    @asynccontextmanager
    async def at(self, owner: str | None, key: str, lang: Language, *, is_shared: bool) -> AsyncIterator[Any]:
        """Yield a table to one of its people.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            key: Key of the table.
            lang: Language of errors.
            is_shared: True for a table of several people.

        Raises:
            Refused: The table does not exist or the visitor is not one of its people (404), the visitor's own table was removed
                (410), or too many of the visitor's requests wait (429).
        """
        if owner is None or not KEY.fullmatch(key):
            raise unknown(lang)
        may_be_gone = not is_shared and not (key in self._tables and self._tables[key].users)
        if may_be_gone and await anyio.to_thread.run_sync(self.saved.store.is_gone, owner, key):
            if (known := self._tables.get(key)) is not None and known.owner == owner and not known.users:
                self._unload(key)
            raise Refused(410, "gone", words(lang)("web.error_gone", days=str(DAYS)))
        async with self.table(key, lang, SHARED if is_shared else owner) as table:
            if owner not in table.owners:
                raise unknown(lang)
            visitor = self._touch(owner)
            if visitor.asking >= MAX_WAITING:
                raise Refused(429, "busy", words(lang)("web.error_busy"))
            visitor.asking += 1
            try:
                yield table
            finally:
                visitor.asking -= 1

    async def change(
        self, owner: str | None, key: str, act: Act, asked: dict[str, Any], lang: Language, *, is_shared: bool
    ) -> str:
        """Make a person's change of a table, store it, and return the new state as JSON text.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            key: Key of the table.
            act: The change, which is made in a thread.
            asked: Checked message. It fits every version of the table if it has no `version`.
            lang: Language of texts and errors.
            is_shared: True for a table of several people.

        Raises:
            Refused: The request is refused, with the state if it helps.
        """
        async with self.at(owner, key, lang, is_shared=is_shared) as found, self.settled(found, lang) as table:
            assert owner is not None
            try:
                if owner not in table.owners:  # the host was faster
                    raise unknown(lang)
                act.expect(table, owner, asked, lang)
                if act.gives_up:
                    await self._keep_game(table)
                await self._run(table, partial(act.do, table, owner, asked, lang), lang, self.thinkers if act.thinks else None)
            except Refused as refusal:
                if refusal.status == 409 and owner in table.owners:  # the page sees where the table stands
                    refusal.state = json.loads(await self._text(table, owner, lang))
                raise
            if owner not in table.owners:  # the visitor has left
                return "{}"
            return await self._text(table, owner, lang)

    async def join(self, owner: str, key: str, invite: str, name: str, lang: Language) -> str:
        """Let an invited visitor take a free seat, or watch, and return the state as JSON text.

        Args:
            owner: Digest of the visitor's secret.
            key: Key of the table.
            invite: The invitation.
            name: The person's name.
            lang: Language of texts and errors.

        Raises:
            Refused: The table, the invitation or the name is not valid.
        """
        async with self.table(key, lang) as found, self.settled(found, lang) as table:
            await self._run(table, lambda: table.join(owner, invite, name, lang), lang)
            self._touch(owner)
            return await self._text(table, owner, lang)

    async def text(self, table: Table, owner: str, lang: Language) -> str:
        """Return a table as a person sees it, as JSON text; one of several people in its last stored state.

        Args:
            table: The table.
            owner: Digest of the visitor's secret.
            lang: Language of the texts.

        Raises:
            Refused: The table does not exist, or the visitor is not one of its people (404), or it cannot be read (503).
        """
        if not table.is_shared:  # its agent may be thinking
            return await self._text(table, owner, lang)
        async with self.settled(table, lang) as stored:
            if owner not in stored.owners:
                raise unknown(lang)
            return await self._text(stored, owner, lang)

    async def _text(self, table: Table, owner: str, lang: Language) -> str:
        """Return a table as a person sees it. The caller holds the table's lock."""
        if (game := answers.ready(table, owner, lang)) is None:
            game = await anyio.to_thread.run_sync(answers.written, table, owner, lang)
        if not isinstance(table, SharedTable):
            return game
        return shared_answers.with_people(game, table, owner, time.monotonic(), lang)

    async def tables_of(self, owner: str | None) -> list[tuple[str, dict[str, Any]]]:
        """Return a visitor's latest tables without friends, the most recently played first; see `listed_tables`."""
        if owner is None:
            return []
        return await anyio.to_thread.run_sync(lambda: listed_tables(self.saved.store.latest(owner, SHOWN_TABLES)))

    async def listed(self, owner: str | None, lang: Language) -> list[dict[str, Any]]:
        """Return a visitor's shared tables, the most recently changed first.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            lang: Language of the texts.
        """
        return [] if owner is None else [shared_answers.listed(one, owner, lang) for one in await self._shared_of(owner, lang)]

    # Changes -------------------------------------------------------------------------------------------------------------

    async def _run(
        self,
        table: Table,
        do: Callable[[], object],
        lang: Language,
        limiter: anyio.CapacityLimiter | None = None,
    ) -> None:
        """Make a change, store it, then show it to all people at the table. The caller holds the table's lock.

        Args:
            table: The table.
            do: Makes the change, in a thread; returns False if there is nothing to change.
            lang: Language of errors.
            limiter: Limiter of these threads.

        Raises:
            Refused: The change is refused; nothing has changed.
        """
        before = table.moment()

        def work() -> bool:
            if self._tables.get(table.key) is not table:  # its last change could not be stored
                raise not_saved(lang)
            if do() is False:
                return False
            try:
                self.saved.save(table)
            except NoRoom as error:
                self._unload(table.key)
                raise no_room(is_own=error.is_own, lang=lang) from None
            except Exception as error:  # of the text or of the store
                raise NotStored(str(error)) from error
            self._write(table)
            return True

        try:
            if not await anyio.to_thread.run_sync(work, limiter=limiter):
                return
        except NotStored as error:
            log.warning("table %s is not stored: %s", table.key, error)
            self._give_up(table)
            raise not_saved(lang) from None
        except (Refused, ConfigError):
            raise
        except BaseException:  # it may have stopped halfway: the stored state counts
            self._give_up(table)
            raise
        self._failures.pop(table.key, None)
        table.ticked(before)
        self._index(table)
        self._show(table)
        if table.session is not None and table.session.is_over:
            await self._keep_game(table)

    def keep(self, table: Table) -> None:
        """Store a table soon: an agent that thinks there holds up no answer."""
        self._begin(self._alone(table, lambda: None))

    async def _keep_game(self, table: Table) -> None:
        """Save the current game among the user's own. A failure is logged and does not stop the game."""
        try:
            await anyio.to_thread.run_sync(self.saved.save_game, table)
        except (OSError, ConfigError) as error:
            log.warning("the game at table %s is not saved: %s", table.key, error)

    def _write(self, table: Table) -> None:
        """Write the texts that streams will ask for."""
        for owner in table.members or ():
            for lang in {stream.lang for stream in self.streams.of(owner)}:
                answers.written(table, owner, lang)

    def _index(self, table: Table) -> None:
        """Note the people at a table."""
        before, after = self._members.get(table.key, frozenset()), frozenset(table.members or ())
        for owner in before - after:
            self._leave(owner, table.key)
            for stream in self.streams.of(owner):
                stream.push(table.key)
        for owner in after - before:
            self._of.setdefault(owner, set()).add(table.key)
        self._members[table.key] = after

    def _show(self, table: Table) -> None:
        """Send a table's state to its people, and plan its next change."""
        for owner in self._members[table.key]:
            for stream in self.streams.of(owner):
                stream.push(table.key)
        self._plan(table)

    def _make_room(self, lang: Language) -> None:
        """Unload idle tables, and the longest idle ones if there are too many.

        Raises:
            Refused: There are too many, and none can be unloaded (503).
        """
        now = time.monotonic()
        resting = [
            (table.used, key)
            for key, table in self._tables.items()
            if not table.users and not table.lock.locked() and not any(map(self.is_here, self._members.get(key, ())))
        ]
        for used, key in sorted(resting):
            if now - used > IDLE or len(self._tables) >= self._most:
                self._unload(key)
        if len(self._tables) >= self._most:
            raise no_room(is_own=False, lang=lang)

    def _unload(self, key: str) -> None:
        """Forget a table. The next request reads it again."""
        del self._tables[key]
        for owner in self._members.pop(key, ()):
            self._leave(owner, key)
        self._rest(key)

    def _give_up(self, table: Table) -> None:
        """Forget a table whose change failed; one of several people is read again soon."""
        self._unload(table.key)
        if table.is_shared:
            self._later(table.key, shared_timers.RETRY, lambda: self._recover(table.key))

    def _leave(self, owner: str, key: str) -> None:
        self._of[owner].discard(key)
        if not self._of[owner]:
            del self._of[owner]

    # Streams -------------------------------------------------------------------------------------------------------------

    async def open(self, owner: str, address: str, lang: Language) -> Stream | None:
        """Return a new stream, which first receives the visitor's tables, then every change; `None` for one without a table.

        The caller must `close` it.

        Args:
            owner: Digest of the visitor's secret.
            address: Address by which the client is counted.
            lang: Language of the texts.

        Raises:
            Refused: There are too many streams (429).
        """
        keys = await self._keys_of(owner)
        if not keys:
            return None
        stream = self.streams.open(owner, address, lang)
        self._touch(owner)
        for key in keys:
            stream.push(key)
        return stream

    def close(self, stream: Stream) -> None:
        """Forget a stream that has ended."""
        self.streams.leave(stream)
        if (visitor := self._visitors.get(stream.owner)) is not None:
            visitor.seen = time.monotonic()

    async def event(self, stream: Stream, key: str) -> str | None:
        """Return the data of an event: the table's state, `null` if the visitor is not at the table any more.

        A table that cannot be read now has no event, and is read again later.
        """
        state = "null"
        try:
            if (table := await self._find(key, stream.lang)) is not None:
                state = await self.text(table, stream.owner, stream.lang)
        except Refused as refusal:
            if refusal.status != 404:
                if key not in self._tables:
                    self._begin(self._recover(key))
                return None
        return f'{{"table": "{key}", "state": {state}}}'
