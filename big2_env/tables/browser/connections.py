"""Connections of the server: unfinished requests time out and take no room from others."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from big2_env.tables.browser.guard import counted_address

TOO_SLOW: Final = '{"error":"too_slow","message":"expected the whole request within %g s"}'
SILENT: Final = 20_000
"""Milliseconds after which a client that confirms nothing counts as gone, if its answer stays open."""
HEAD: Final = """\
HTTP/1.1 408 Request Timeout\r
content-type: application/json\r
connection: close\r
content-length: %d\r
\r
"""


@dataclass(frozen=True)
class Limits:
    """Limits on unfinished requests.

    Args:
        seconds: Most seconds from the first byte of a request, or from connecting, to the end of its body.
        unfinished: Most unfinished requests per client address; beyond that the oldest is closed.
        fresh: Seconds during which a new request is not counted, because it is probably still arriving.
    """

    seconds: float = 10.0
    unfinished: int = 32
    fresh: float = 0.5


class Phase(Enum):
    """State of a connection: the event it is waiting for."""

    IDLE = auto()
    """The client's next request."""
    UNFINISHED = auto()
    """The rest of a request, or the first request of a connection."""
    ANSWERING = auto()
    """The answer to a complete request."""


class Waiting:
    """The connections of a server that wait for their clients.

    Args:
        limits: Limits on their number and their waiting time.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.all: dict[Connection, None] = {}
        """All of them, the longest waiting first."""
        self.open: dict[Connection, None] = {}
        """Connections whose answers stay open; they are not counted."""
        self._counted: dict[str, dict[Connection, None]] = {}
        """By client address, those with an unfinished request that is no longer fresh, oldest first."""

    def count(self, connection: Connection) -> None:
        """Count an unfinished request, and close the oldest one of its client address if there are too many."""
        counted = self._counted.setdefault(connection.address, {})
        counted[connection] = None
        if len(counted) > self.limits.unfinished:
            next(iter(counted)).drop()

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        self.all.pop(connection, None)
        counted = self._counted.get(connection.address, {})
        counted.pop(connection, None)
        if not counted:
            self._counted.pop(connection.address, None)


class Connection(H11Protocol):
    """A connection to the server.

    uvicorn limits only idle connections between requests. This class also closes a connection whose request does not arrive in
    time, or the longest waiting one if its client, or the server, has too many. A complete request is always answered.

    Args:
        config: Configuration of uvicorn.
        server_state: State of uvicorn that all connections share.
        app_state: State of the application.
        _loop: Event loop.
        waiting: Connections of the server that wait for their clients.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        waiting: Waiting,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.address = ""
        """Address of the client."""
        self._waiting = waiting
        self._phase = Phase.ANSWERING
        self._timers: list[asyncio.TimerHandle] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request. If the server is full, close the longest waiting connection."""
        super().connection_made(transport)
        self.address = counted_address(self.client[0]) if self.client else ""
        while len(self.connections) >= (self.limit_concurrency or 1 << 30) and self._waiting.all:
            next(iter(self._waiting.all)).drop()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._waiting.open.pop(self, None)
        super().connection_lost(exc)
        self._enter(Phase.ANSWERING)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request, a whole one, or several."""
        super().data_received(data)
        scope: dict[str, Any] | None = self.scope  # type: ignore[assignment]
        if scope is not None:
            scope.setdefault("extensions", {})["big2_env.set_aside"] = self._set_aside
        self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._settle()

    def _set_aside(self) -> None:
        """Stop counting the connection and its task among the requests being answered, because the answer stays open."""
        self.connections.discard(self)
        if (task := asyncio.current_task()) is not None:
            self.tasks.discard(task)
        self._waiting.open[self] = None
        if (plain := self.transport.get_extra_info("socket")) is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT)

    def drop(self) -> None:
        """Close the connection immediately and free its place."""
        self.connections.discard(self)
        self._enter(Phase.ANSWERING)
        self.transport.abort()

    def _settle(self) -> None:
        phase = Phase.ANSWERING if self.transport.is_closing() else self._phase_now()
        if phase is not self._phase:  # an unfinished request that goes on arriving keeps its place and its time
            self._enter(phase)

    def _phase_now(self) -> Phase:
        match self.conn.their_state:
            case h11.SEND_BODY:
                return Phase.UNFINISHED
            case h11.IDLE:
                return Phase.UNFINISHED if self.cycle is None or self.conn.trailing_data[0] else Phase.IDLE
        return Phase.ANSWERING

    def _enter(self, phase: Phase) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._waiting.leave(self)
        self._phase = phase
        if phase is not Phase.ANSWERING:
            self._waiting.all[self] = None
        if phase is Phase.UNFINISHED:
            limits = self._waiting.limits
            self._timers += (
                self.loop.call_later(limits.fresh, self._waiting.count, self),
                self.loop.call_later(limits.seconds, self._give_up),
            )

    def _give_up(self) -> None:
        """Close a connection that timed out; send an error if part of a request has arrived and no answer was started."""
        is_silent = self.cycle is None and not self.conn.trailing_data[0]
        if not is_silent and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = TOO_SLOW % self._waiting.limits.seconds
            self.transport.write((HEAD % len(body) + body).encode())
        self._enter(Phase.ANSWERING)
        self.transport.close()
