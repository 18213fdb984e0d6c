"""Connections to the server. Half-sent requests end after a while and take no room from others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

TOO_SLOW: Final = '{"error":"too_slow","message":"expected the whole request within %g s"}'
HEAD: Final = """\
HTTP/1.1 408 Request Timeout\r
content-type: application/json\r
connection: close\r
content-length: %d\r
\r
"""


@dataclass(frozen=True)
class Limits:
    """Limits on requests that have not arrived whole."""

    seconds: float = 10.0
    """How long a request may take from its first byte, or from connecting, to the end of its body."""
    unfinished: int = 32
    """Most unfinished requests of a client address; beyond that the oldest is closed."""
    fresh: float = 0.5
    """A younger request is not counted yet: it is likely to be on its way."""


class Phase(Enum):
    """What a connection waits for."""

    IDLE = auto()
    """The client's next request."""
    UNFINISHED = auto()
    """The rest of a request, or the first request of a connection."""
    ANSWERING = auto()
    """The answer to a whole request."""


class Waiting:
    """The connections of a server that wait for their clients.

    Args:
        limits: how many may, and for how long.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.all: dict[Connection, None] = {}
        """All of them, the one that has waited longest first."""
        self._counted: dict[str, dict[Connection, None]] = {}
        """By client address, those with an unfinished request that is no longer fresh, the oldest first."""

    def count(self, connection: Connection) -> None:
        """Count an unfinished request, and close the oldest of its client address if there are too many."""
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

    uvicorn limits only idle connections between requests. This class also closes a connection whose request does not arrive
    whole in time, or that has waited longest when its client, or the server, has too many. A whole request is always answered.

    Args:
        config: as of uvicorn, and so are the next three.
        server_state: shared by all connections.
        app_state: what the application keeps.
        _loop: the event loop.
        waiting: the connections of the server that wait for their clients.
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
        """The client's address."""
        self._waiting = waiting
        self._phase = Phase.ANSWERING
        self._timers: list[asyncio.TimerHandle] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request; where the server is full, the connection that has waited longest makes room."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        while len(self.connections) >= (self.limit_concurrency or 1 << 30) and self._waiting.all:
            next(iter(self._waiting.all)).drop()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._enter(Phase.ANSWERING)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request, a whole one or several."""
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._settle()

    def drop(self) -> None:
        """Close at once, and make room at once."""
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
        """Close, with an answer where a part of a request has come and none was begun."""
        is_silent = self.cycle is None and not self.conn.trailing_data[0]
        if not is_silent and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = TOO_SLOW % self._waiting.limits.seconds
            self.transport.write((HEAD % len(body) + body).encode())
        self._enter(Phase.ANSWERING)
        self.transport.close()
