"""All shared tables of a server: members, agents that move by themselves, clocks and streams."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import anyio
import anyio.to_thread

from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.play.shared_sitting import SharedGame
from big2_env.web import shared_answers
from big2_env.web.messages import Refused, bad, unknown
from big2_env.web.shared_places import CLOCKS, Place, checked_name
from big2_env.web.shared_store import SharedTables
from big2_env.web.shared_table import SharedTable
from big2_env.web.streams import Stream, Streams
from big2_env.web.table_store import KEY

MAX_SHARED: Final = 600
"""Most shared tables in memory; beyond that the one idle longest is unloaded."""
MAX_OWN: Final = 20
"""Most shared tables of one visitor that are not over; as many are listed."""
IDLE: Final = 3600.0
"""Seconds without a request after which a table is unloaded."""
MAX_WAITING: Final = 8
"""Most simultaneous requests of one visitor."""
PACE: Final = 0.6
"""Seconds between two moves, if an agent makes the second."""
AWAY: Final = 5.0
"""Seconds without a stream or a request after which a person is away."""
HOST_AWAY: Final = 60.0
"""Seconds after which another person becomes the host."""
QUESTION: Final = 30.0
"""Seconds in which the others may answer a question."""

Preparation: TypeAlias = Callable[[SharedTable], Coroutine[Any, Any, Callable[[], object]]]
"""Function that prepares a change, such as an agent's move, and returns a function that makes it."""

log = logging.getLogger(__name__)


@dataclass
class Guest:
    """A visitor who is or was connected."""

    seen: float
    """Time of the last request or of the end of the last stream."""
    is_here: bool = False
    """True if the visitor has a stream or has just asked."""
    asking: int = 0
    """Number of requests being answered."""
    timer: asyncio.TimerHandle | None = None
    """Next check whether the visitor is away."""


class NotStored(Exception):  # noqa: N818  # an answer, and as expected as any other
    """A change that could not be stored."""


class SharedLobby:
    """The shared tables of a server. Its methods run in the event loop, slow work runs in threads.

    Args:
        saved: Stored tables.
        thinkers: Returns the limiter of the threads in which agents think.
        most: Most tables in memory.
    """

    def __init__(
        self,
        saved: SharedTables,
        thinkers: Callable[[], anyio.CapacityLimiter],
        most: int = MAX_SHARED,
    ) -> None:
        self.streams = Streams()
        """Streams of the server."""
        self._saved = saved
        self._thinkers = thinkers
        self._most = most
        self._tables: dict[str, SharedTable] = {}
        self._used: dict[str, float] = {}
        self._members: dict[str, frozenset[str]] = {}
        self._of: dict[str, set[str]] = {}
        self._guests: dict[str, Guest] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @staticmethod
    def now() -> float:
        """Return the time that clocks use, in seconds."""
        return time.monotonic()

    # Requests ------------------------------------------------------------------------------------------------------------

    async def create(self, owner: str, wanted: dict[str, Any], lang: Language) -> SharedTable:
        """Create a table, at which the visitor hosts and the other seats are free.

        Args:
            owner: Digest of the visitor's secret.
            wanted: `game`, `seats`, `agent`, `clock` and `name` of the request.
            lang: Language of errors.

        Raises:
            Refused: A value is not valid (400), the visitor has too many tables (429), or the server has (503).
        """
        name = checked_name(wanted["name"], lang)
        if wanted["clock"] not in CLOCKS:
            raise bad(f"clock: expected {', '.join(map(str, CLOCKS))}, got {wanted['clock']}")

        def make() -> SharedTable:
            try:
                kind = SharedGame(wanted["game"])
                agent = wanted["agent"] or kind.usual_agent()
                kind.check(wanted["seats"], [agent])
            except ConfigError as error:
                raise bad(str(error)) from None
            free = [Place(agent, invite=secrets.token_urlsafe(16)) for _ in range(1, wanted["seats"])]
            return SharedTable(secrets.token_urlsafe(12), kind, [Place(agent, owner, name), *free], seconds=wanted["clock"])

        table = await anyio.to_thread.run_sync(make)
        own = [await self._find(key, lang) for key in await self._keys_of(owner)]
        if sum(each is not None and each.phase != "over" for each in own) >= MAX_OWN:
            raise Refused(429, "too_many_tables", words(lang)("web.error_too_many_tables", most=MAX_OWN))
        self._make_room(lang)
        self._tables[table.key] = table
        self._used[table.key] = time.monotonic()
        async with table.lock:
            await self._run(table, lambda: None, lang)
        self._touch(owner)
        return table

    async def _keys_of(self, owner: str) -> list[str]:
        """Return the keys of a visitor's latest tables."""
        return await anyio.to_thread.run_sync(self._saved.of, owner, MAX_OWN)

    async def _find(self, key: str, lang: Language) -> SharedTable | None:
        """Return a table, which is read if it is not in memory; `None` if it does not exist.

        Raises:
            Refused: Memory is full (503).
        """
        if key not in self._tables and KEY.fullmatch(key):
            try:
                table = await anyio.to_thread.run_sync(self._saved.load, key, time.monotonic())
            except ConfigError as error:
                log.warning("%s", error)
                return None
            if table is not None and key not in self._tables:  # another request may have been faster
                self._make_room(lang)
                self._tables[key] = table
                self._used[key] = time.monotonic()
                self._index(table)
                self._plan(table)
        return self._tables.get(key)

    @asynccontextmanager
    async def table(self, key: str, lang: Language) -> AsyncIterator[SharedTable]:
        """Yield a table, which stays in memory during the block.

        Args:
            key: Key of the table.
            lang: Language of errors.

        Raises:
            Refused: The table does not exist (404).
        """
        table = await self._find(key, lang)
        if table is None:
            raise unknown(lang)
        self._used[key] = time.monotonic()
        table.users += 1
        try:
            yield table
        finally:
            table.users -= 1

    @asynccontextmanager
    async def at(self, owner: str | None, key: str, lang: Language) -> AsyncIterator[SharedTable]:
        """Yield a table to one of its people.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            key: Key of the table.
            lang: Language of errors.

        Raises:
            Refused: The table does not exist or the visitor is not one of its people (404), or too many of the visitor's
                requests wait (429).
        """
        if owner is None:
            raise unknown(lang)
        async with self.table(key, lang) as table:
            if owner not in table.owners:
                raise unknown(lang)
            guest = self._touch(owner)
            if guest.asking >= MAX_WAITING:
                raise Refused(429, "busy", words(lang)("web.error_busy"))
            guest.asking += 1
            try:
                yield table
            finally:
                guest.asking -= 1

    async def change(
        self, owner: str | None, key: str, version: int | None, do: Callable[[SharedTable], object], lang: Language
    ) -> str:
        """Make a person's change of a table, store it, and return the new state as JSON text.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            key: Key of the table.
            version: Version that the request was made for; `None` for requests that fit every version.
            do: Makes the change, in a thread.
            lang: Language of texts and errors.

        Raises:
            Refused: The request is refused, with the state if it helps.
        """
        async with self.at(owner, key, lang) as table:
            assert owner is not None
            async with table.lock:
                try:
                    if version is not None:
                        table.expect(version, lang)
                    await self._run(table, partial(do, table), lang)
                except Refused as refusal:
                    if refusal.status == 409 and owner in table.owners:
                        refusal.state = await anyio.to_thread.run_sync(self._data, table, owner, lang)
                    raise
            if owner not in table.owners:  # the visitor has left
                return "{}"
            return await self.text(table, owner, lang)

    async def join(self, owner: str, key: str, invite: str, name: str, lang: Language) -> str:
        """Let a visitor take the seat of an invitation, and return the state as JSON text.

        Args:
            owner: Digest of the visitor's secret.
            key: Key of the table.
            invite: The invitation.
            name: The person's name.
            lang: Language of texts and errors.

        Raises:
            Refused: The table, the invitation or the name is not valid.
        """
        async with self.table(key, lang) as table:
            async with table.lock:
                await self._run(table, lambda: table.join(owner, invite, name, lang), lang)
            self._touch(owner)
            return await self.text(table, owner, lang)

    async def text(self, table: SharedTable, owner: str, lang: Language) -> str:
        """Return a table as a person sees it, as JSON text.

        Args:
            table: The table.
            owner: Digest of the visitor's secret.
            lang: Language of the texts.
        """
        seat = table.seat_of(owner)
        if table.cached.get((seat, lang), (-1, ""))[0] != table.edition:
            await anyio.to_thread.run_sync(shared_answers.game_text, table, seat, lang)
        return shared_answers.state_text(table, owner, self.is_here, time.monotonic(), lang)

    def _data(self, table: SharedTable, owner: str, lang: Language) -> dict[str, Any]:
        return shared_answers.state(table, owner, self.is_here, time.monotonic(), lang)

    async def listed(self, owner: str | None, lang: Language) -> list[dict[str, Any]]:
        """Return a visitor's tables, the most recently changed first.

        Args:
            owner: Digest of the visitor's secret, `None` for a visitor without one.
            lang: Language of the texts.
        """
        if owner is None:
            return []
        tables = [await self._find(key, lang) for key in await self._keys_of(owner)]
        return [shared_answers.listed(table, owner, lang) for table in tables if table is not None]

    # Changes -------------------------------------------------------------------------------------------------------------

    async def _run(self, table: SharedTable, do: Callable[[], object], lang: Language) -> None:
        """Make a change, store it, then show it to all people at the table. The caller holds the table's lock.

        Args:
            table: The table.
            do: Makes the change, in a thread; returns False if there is nothing to change.
            lang: Language of errors.

        Raises:
            Refused: The change is refused; nothing has changed.
        """
        before = _mark(table)

        def work() -> bool:
            if self._tables.get(table.key) is not table:  # its last change could not be stored
                raise Refused(503, "not_saved", words(lang)("web.error_not_saved"))
            if do() is False:
                return False
            try:
                self._saved.save(table)
            except Exception as error:  # of the text or of the store
                raise NotStored(str(error)) from error
            self._write(table)
            return True

        try:
            if not await anyio.to_thread.run_sync(work):
                return
        except NotStored as error:
            log.warning("table %s is not stored: %s", table.key, error)
            self._unload(table.key)
            raise Refused(503, "not_saved", words(lang)("web.error_not_saved")) from None
        except (Refused, ConfigError):
            raise
        except BaseException:  # it may have stopped halfway: the stored state counts
            self._unload(table.key)
            raise
        if _mark(table) != before:
            table.moved = time.monotonic()
        self._index(table)
        self._show(table)

    def _write(self, table: SharedTable) -> None:
        """Write the texts that streams will ask for."""
        for owner in table.owners:
            for lang in {stream.lang for stream in self.streams.of(owner)}:
                shared_answers.game_text(table, table.seat_of(owner), lang)

    def _index(self, table: SharedTable) -> None:
        """Note the people at a table."""
        before, after = self._members.get(table.key, frozenset()), frozenset(table.owners)
        for owner in before - after:
            self._leave(owner, table.key)
            for stream in self.streams.of(owner):
                stream.push(table.key)
        for owner in after - before:
            self._of.setdefault(owner, set()).add(table.key)
        self._members[table.key] = after

    def _show(self, table: SharedTable) -> None:
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
            (self._used[key], key)
            for key, table in self._tables.items()
            if not table.users and not table.lock.locked() and not any(map(self.is_here, table.owners))
        ]
        for used, key in sorted(resting):
            if now - used > IDLE or len(self._tables) >= self._most:
                self._unload(key)
        if len(self._tables) >= self._most:
            raise Refused(503, "full", words(lang)("web.error_full"))

    def _unload(self, key: str) -> None:
        """Forget a table. The next request reads it again."""
        del self._tables[key], self._used[key]
        for owner in self._members.pop(key, ()):
            self._leave(owner, key)
        if (timer := self._timers.pop(key, None)) is not None:
            timer.cancel()

    def _leave(self, owner: str, key: str) -> None:
        self._of[owner].discard(key)
        if not self._of[owner]:
            del self._of[owner]

    # Agents and clocks -----------------------------------------------------------------------------------------------

    def _next(
        self, table: SharedTable
    ) -> tuple[float, Callable[[SharedTable], Coroutine[Any, Any, Callable[[], object]]]] | None:
        """Return the time of a table's next change without a request, and a function that prepares it."""
        if table.turn is None:
            return None
        if table.question is not None:
            return table.question.since + QUESTION, _dropping
        if table.is_agents_turn:
            if not table.seconds and not any(map(self.is_here, table.owners)):
                return None
            return table.moved + PACE, self._thinking
        return (table.moved + table.seconds, _standing_in) if table.seconds else None

    def _plan(self, table: SharedTable) -> None:
        """Set the timer of a table's next change."""
        if (timer := self._timers.pop(table.key, None)) is not None:
            timer.cancel()
        found = self._next(table)
        if found is not None:
            delay = max(0.0, found[0] - time.monotonic())
            loop = asyncio.get_running_loop()
            self._timers[table.key] = loop.call_later(delay, lambda: self._begin(self._due(table)))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _due(self, table: SharedTable) -> None:
        """Make the change that is due at a table."""
        async with table.lock:
            if self._tables.get(table.key) is not table:
                return
            found = self._next(table)
            if found is None or found[0] > time.monotonic() + 0.002:
                self._plan(table)
                return
            try:
                await self._run(table, await found[1](table), Language.EN)
            except Exception as error:  # the table waits for its people
                log.warning("table %s: %s", table.key, error)

    async def _thinking(self, table: SharedTable) -> Callable[[], object]:
        """Return the move of the agent to move. The usual agent moves for one that fails."""
        sitting, name = table.sitting, table.mover()
        assert sitting is not None
        try:
            move = await anyio.to_thread.run_sync(sitting.chosen, name, limiter=self._thinkers())
        except Exception as error:  # of an agent's own code, too
            log.warning("table %s: %s: %s", table.key, name, error)
            move = await anyio.to_thread.run_sync(sitting.chosen, table.kind.usual_agent(), limiter=self._thinkers())
        return partial(table.push, move)

    # Presence ------------------------------------------------------------------------------------------------------------

    def is_here(self, owner: str) -> bool:
        """Return whether a visitor is connected.

        Args:
            owner: Digest of the visitor's secret.
        """
        guest = self._guests.get(owner)
        return guest is not None and guest.is_here

    def _touch(self, owner: str) -> Guest:
        """Note that a visitor is here."""
        guest = self._guests.setdefault(owner, Guest(0.0))
        guest.seen = time.monotonic()
        if not guest.is_here:
            guest.is_here = True
            if guest.timer is not None:
                guest.timer.cancel()
            self._check_in(owner, guest, AWAY)
            self._tell(owner)
            asyncio.get_running_loop().call_later(HOST_AWAY, self._take_over, owner)
        return guest

    def _take_over(self, owner: str) -> None:
        """Let another person host the visitor's tables whose host is away, if one is connected."""

        def pass_on(table: SharedTable) -> bool:
            host = table.places[table.host].owner
            return (host is None or not self.is_here(host)) and table.pass_host(self.is_here)

        self._everywhere(owner, pass_on)

    def _check_in(self, owner: str, guest: Guest, seconds: float) -> None:
        guest.timer = asyncio.get_running_loop().call_later(seconds, self._check, owner, guest)

    def _check(self, owner: str, guest: Guest) -> None:
        """Note that a visitor is away, and after a while let another person host."""
        idle = 0.0 if self.streams.of(owner) or guest.asking else time.monotonic() - guest.seen
        if idle < AWAY:
            self._check_in(owner, guest, AWAY - idle)
        elif guest.is_here:
            guest.is_here = False
            self._check_in(owner, guest, HOST_AWAY - AWAY)
            self._tell(owner)
            self._everywhere(owner, lambda table: table.excuse(owner))
        else:
            del self._guests[owner]
            self._take_over(owner)

    def _tell(self, owner: str) -> None:
        """Show a visitor's tables to their people again."""
        for key in self._of.get(owner, ()):
            self._show(self._tables[key])

    def _everywhere(self, owner: str, do: Callable[[SharedTable], bool]) -> None:
        """Make a change at all tables of a visitor in memory."""

        async def work() -> None:
            for table in [self._tables[key] for key in self._of.get(owner, ())]:
                async with table.lock:
                    if owner in table.owners and self._tables.get(table.key) is table:
                        try:
                            await self._run(table, partial(do, table), Language.EN)
                        except Refused as error:
                            log.warning("table %s: %s", table.key, error)

        self._begin(work())

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
        was_here, keys = self.is_here(owner), await self._keys_of(owner)
        if not keys:
            return None
        stream = self.streams.open(owner, address, lang)
        self._touch(owner)
        if not was_here:
            self._everywhere(owner, lambda table: table.back(owner))
        for key in keys:
            stream.push(key)
        return stream

    def close(self, stream: Stream) -> None:
        """Forget a stream that has ended.

        Args:
            stream: The stream.
        """
        self.streams.leave(stream)
        if (guest := self._guests.get(stream.owner)) is not None:
            guest.seen = time.monotonic()

    async def event(self, stream: Stream, key: str) -> str:
        """Return the data of an event: the table's state, `null` if the visitor is not at the table any more.

        Args:
            stream: Stream of the event.
            key: Key of the table.
        """
        table = await self._find(key, stream.lang)
        if table is None or stream.owner not in table.owners:
            return f'{{"table": "{key}", "state": null}}'
        return f'{{"table": "{key}", "state": {await self.text(table, stream.owner, stream.lang)}}}'


def _mark(table: SharedTable) -> tuple[object, ...]:
    """Return values that change when a new decision begins."""
    sitting, turn = table.sitting, table.turn
    plies = None if sitting is None else len(sitting.game.history)
    return table.number, plies, turn is not None and turn.stand_in, table.question is None


async def _dropping(table: SharedTable) -> Callable[[], object]:
    return table.drop_question


async def _standing_in(table: SharedTable) -> Callable[[], object]:
    return table.stand_in
