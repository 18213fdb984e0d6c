"""Presence of visitors at shared tables, and a new host after a long absence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.shared_timers import SharedTimers
from big2_env.tables.browser.streams import Streams

AWAY: Final = 5.0
"""Seconds without a stream or a request after which a person is away."""
HOST_AWAY: Final = 60.0
"""Seconds after which another person becomes the host."""


@dataclass
class Visitor:
    """A visitor who is or was connected."""

    seen: float
    """Time of the last request or of the end of the last stream."""
    is_here: bool = False
    """True if the visitor has a stream or has just asked."""
    asking: int = 0
    """Number of requests being answered."""
    timer: asyncio.TimerHandle | None = None
    """Next check whether the visitor is away."""


class SharedPresence(SharedTimers):
    """Presence of all visitors. A visitor is here while a stream is open or a request has just come."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = Streams()
        """Streams of the server."""
        self._of: dict[str, set[str]] = {}  # keys of tables in memory by visitor
        self._visitors: dict[str, Visitor] = {}

    def is_here(self, owner: str) -> bool:
        """Return whether a visitor is connected.

        Args:
            owner: Digest of the visitor's secret.
        """
        visitor = self._visitors.get(owner)
        return visitor is not None and visitor.is_here

    def _touch(self, owner: str) -> Visitor:
        """Note that a visitor is here."""
        visitor = self._visitors.setdefault(owner, Visitor(0.0))
        visitor.seen = time.monotonic()
        if not visitor.is_here:
            visitor.is_here = True
            if visitor.timer is not None:
                visitor.timer.cancel()
            self._check_in(owner, visitor, AWAY)
            self._tell(owner)
            self._welcome(owner)
            asyncio.get_running_loop().call_later(HOST_AWAY, self._take_over, owner)
        return visitor

    def _welcome(self, owner: str, key: str | None = None) -> None:
        """End the play of agents for a visitor who is here again, at one table or at all."""
        self._everywhere(owner, lambda table: table.back(owner), key)

    def _take_over(self, owner: str) -> None:
        """Let another person host the visitor's tables whose host has been away for long, if one is connected."""
        now = time.monotonic()

        def pass_on(table: SharedTable) -> bool:
            visitor = self._visitors.get(table.places[table.host].owner or "")  # `None` after so long a time
            is_away = visitor is None or (not visitor.is_here and now - visitor.seen >= HOST_AWAY)
            return is_away and table.pass_host()

        self._everywhere(owner, pass_on)

    def _check_in(self, owner: str, visitor: Visitor, seconds: float) -> None:
        visitor.timer = asyncio.get_running_loop().call_later(seconds, self._check, owner, visitor)

    def _check(self, owner: str, visitor: Visitor) -> None:
        """Note that a visitor is away, and after a while let another person host."""
        idle = 0.0 if self.streams.of(owner) or visitor.asking else time.monotonic() - visitor.seen
        if idle < AWAY:
            self._check_in(owner, visitor, AWAY - idle)
        elif visitor.is_here:
            visitor.is_here = False
            self._check_in(owner, visitor, HOST_AWAY - AWAY)
            self._tell(owner)
            self._everywhere(owner, lambda table: table.excuse(owner))
        else:
            del self._visitors[owner]
            self._take_over(owner)

    def _tell(self, owner: str) -> None:
        """Show a visitor's tables to their people again."""
        for key in self._of.get(owner, ()):
            self._show(self._tables[key])

    def _everywhere(self, owner: str, do: Callable[[SharedTable], bool], only: str | None = None) -> None:
        """Make a change at all tables of a visitor in memory, or only at one."""

        async def work() -> None:
            tables: list[SharedTable] = [self._tables[key] for key in self._of.get(owner, ()) if only in (None, key)]
            for table in tables:
                await self._alone(table, partial(lambda each: owner in each.owners and do(each), table))

        self._begin(work())
