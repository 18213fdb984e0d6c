"""Timers of tables of several people: moves of agents, clocks and questions, and tables that are read again after a failure."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

import anyio
import anyio.to_thread

from big2_env.base.language import Language
from big2_env.tables.browser.table import Table

PACE: Final = 0.6
"""Seconds between two moves, if an agent makes the second."""
THINKERS: Final = 4
"""Number of agents of shared tables that think at the same time."""
RETRY: Final = 0.2
"""Seconds after which a table that failed is read again; twice as long after each further failure."""
MAX_RETRY: Final = 60.0
"""Longest such time in seconds."""

log = logging.getLogger(__name__)


class SharedTimers(ABC):
    """Changes that shared tables make without a request. Each table has one timer, or one agent that thinks."""

    def __init__(self) -> None:
        self._tables: dict[str, Any] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._thoughts: dict[str, tuple[int, asyncio.Task[None] | None]] = {}
        self._failures: dict[str, tuple[int, float]] = {}
        self._thinkers: anyio.CapacityLimiter | None = None

    @abstractmethod
    def is_here(self, owner: str) -> bool:
        """Return whether a visitor is connected."""

    @abstractmethod
    async def _find(self, key: str, lang: Language) -> Any:
        """Return a table, which is read if it is not in memory; `None` if it does not exist."""

    @abstractmethod
    async def _run(self, table: Table, do: Callable[[], object], lang: Language) -> None:
        """Make a change, store it, then show it to all people at the table. The caller holds the table's lock."""

    @abstractmethod
    def _show(self, table: Table) -> None:
        """Send a table's state to its people, and plan its next change."""

    def _plan(self, table: Table) -> None:
        """Set the timer of a table's next change."""
        found, key = table.due(), table.key
        if found is not None and found[1] is None and self._thoughts.get(key, (None,))[0] == table.version:
            return
        self._rest(key)
        if found is not None:
            due = max(found[0], self._failures.get(key, (0, 0.0))[1])
            work = self._think if found[1] is None else self._due
            self._later(key, max(0.0, due - time.monotonic()), partial(work, table))

    def _later(self, key: str, delay: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Set the timer of a table."""
        self._rest(key)
        self._timers[key] = asyncio.get_running_loop().call_later(delay, lambda: self._begin(work()))

    def _rest(self, key: str) -> None:
        """End the timer and the thought of a table."""
        if (timer := self._timers.pop(key, None)) is not None:
            timer.cancel()
        _, task = self._thoughts.pop(key, (0, None))
        if task is not None:
            task.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _due(self, table: Table) -> None:
        """Make the change that is due at a table."""
        async with table.lock:
            if self._tables.get(table.key) is not table:
                return
            found = table.due()
            if found is None or found[1] is None or found[0] > time.monotonic() + 0.002:
                self._plan(table)
            else:
                await self._try(table, found[1])

    async def _alone(self, table: Table, do: Callable[[], object]) -> None:
        """Make a change that no request waits for, once nothing else changes the table; see `_try`."""
        async with table.lock:
            if self._tables.get(table.key) is table:
                await self._try(table, do)

    async def _try(self, table: Table, do: Callable[[], object]) -> None:
        """Make a change that no request waits for. The caller holds the table's lock."""
        try:
            await self._run(table, do, Language.EN)
        except Exception as error:  # the table is read again
            log.warning("table %s: %s", table.key, error)

    async def _think(self, table: Table) -> None:
        """Make the move of an agent. The time at which it is shown does not depend on how long the agent thinks."""
        key, version = table.key, table.version
        if self._tables.get(key) is not table:
            return
        self._rest(key)
        self._thoughts[key] = version, asyncio.current_task()
        try:
            move = await self._chosen(table)
        except Exception as error:  # of an agent's own code, too
            self._thoughts.pop(key, None)
            if table.version == version:
                log.warning("table %s: %s", key, error)
                self._later(key, RETRY, lambda: self._recover(key))
            else:
                self._plan(table)
            return
        thought = time.monotonic() - table.moved
        await asyncio.sleep(PACE * max(1, math.ceil(thought / PACE)) - thought if PACE else 0.0)
        async with table.lock:
            self._thoughts.pop(key, None)  # from now on nothing stops it
            if self._tables.get(key) is not table:
                return
            found = table.due()
            if table.version != version or found is None or found[1] is not None:
                self._plan(table)
            else:
                await self._try(table, partial(table.push, move))

    async def _chosen(self, table: Table) -> Any:
        """Return the move of the agent to move. A caller that is canceled leaves the thread counted until it ends."""
        if self._thinkers is None:
            self._thinkers = anyio.CapacityLimiter(THINKERS)
        work = anyio.to_thread.run_sync(table.chosen, limiter=self._thinkers)
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        """Let go of a task that has ended. An error that no caller awaits is dropped: asyncio would log it."""
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    async def _recover(self, key: str) -> None:
        """Read a table again after a failure, show it to its people, and plan its next change, later after each failure."""
        number, due = self._failures.get(key, (0, 0.0))
        if time.monotonic() < due and key not in self._tables and key in self._timers:
            return  # it is read again at that time
        number += 1
        delay = min(MAX_RETRY, RETRY * 2.0 ** min(number, 20))
        self._failures[key] = number, time.monotonic() + delay
        try:
            table = await self._find(key, Language.EN)
        except Exception as error:  # of the store, or there is no room
            log.warning("table %s: %s", key, error)
            self._later(key, delay, lambda: self._recover(key))
            return
        if table is None:
            self._failures.pop(key, None)
        else:
            self._show(table)
