"""The server process: address, lock of its folder, startup and shutdown."""

from __future__ import annotations

import asyncio
import gc
import logging
import secrets
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

import uvicorn

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.rulesets.big2 import BIG2
from big2_env.tables.browser.app import application
from big2_env.tables.browser.connections import Connection, Limits, Waiting
from big2_env.tables.browser.guard import is_loopback
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.table import SHARED
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.reviewer import prepare as prepare_review

MAX_REQUESTS: Final = 256
"""Most requests that are answered at once."""
MIN_TOKEN: Final = 8
"""Fewest characters of a token."""
UNANSWERED: Final = "Cancel %s running task(s), timeout graceful shutdown exceeded"
"""Message of uvicorn when it ends while an answer is being computed."""
LOCK: Final = "server.lock"
"""Name of the locked file, an empty database: the system ends its lock with the process, and child processes do not hold it."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Address:
    """Address of a running server.

    Args:
        host: Host it listens on.
        port: Port it listens on.
        token: Token that browsers must present, `None` if none is needed.
    """

    host: str
    port: int
    token: str | None = None
    """Sent by the page, which reads it from the URL's fragment; a browser never sends the fragment itself."""

    @property
    def url(self) -> str:
        """URL to open in a browser."""
        host = own_address() if self.host in ("", "0.0.0.0", "::") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/{'' if self.token is None else f'#token={self.token}'}"


def own_address() -> str:
    """Return the address by which other machines can probably reach this one, else its host name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks for the way there
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def token_for(host: str, token: str | None) -> str | None:
    """Return the token that browsers must present: the given one, or a new one if others can reach the host.

    Args:
        host: Host to listen on.
        token: Given token, `None` for none.

    Raises:
        ConfigError: The token is too short or too long, or has characters that a URL cannot hold.
    """
    if token is not None:
        if (
            len(token) < MIN_TOKEN
            or len(token) > 200
            or not token.isascii()
            or not token.replace("-", "").replace("_", "").isalnum()
        ):
            raise ConfigError(f"--token: expected {MIN_TOKEN} to 200 letters, digits, - or _")
        return token
    return None if is_loopback(host) else secrets.token_urlsafe(24)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, which the caller must close.

    Args:
        host: Host to listen on.
        port: Port to listen on; 0 for any free one.

    Raises:
        ConfigError: The address is not available.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"cannot listen on {host}, port {port}: {reason}; choose another with --host or --port") from None
    # Inherited by every connection. Head and body of an answer are sent apart, and the body would wait for 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder during the block: one server at a time, because servers keep tables in memory.

    A folder in which no file can be locked is used without it.

    Args:
        folder: Folder of tables and games, created if it does not exist.

    Raises:
        ConfigError: Another server has the lock.
        OSError: The folder cannot be created.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            held = stack.enter_context(closing(sqlite3.connect(folder / LOCK, timeout=0.0, isolation_level=None)))
            held.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                text = f"{folder}: another big2 serve uses this folder; end it, or choose another folder with --data"
                raise ConfigError(text) from None
            log.warning("%s cannot be locked: %s", folder, error)
        yield


def settle() -> None:
    """Leave what is loaded now out of all searches for garbage, which would stop the server for a part of a second each."""
    gc.collect()
    gc.freeze()


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8152,
    *,
    token: str | None = None,
    lang: Language | None = None,
    adviser: str | None = None,
    on_ready: Callable[[Address], None] | None = None,
) -> None:
    """Answer requests until the process is interrupted.

    Args:
        folder: Folder of tables and games.
        host: Host to listen on. All but loopback addresses need a token; one is created if none is given.
        port: Port to listen on; 0 for any free one.
        token: Token that browsers must present.
        lang: Language for visitors who choose none; taken from the browser by default.
        adviser: Agent that gives hints; `None` for the default of each game.
        on_ready: Called with the address once the server answers requests.

    Raises:
        ConfigError: The address is not available, the token is not valid, or another server uses the folder.
        OSError: The folder cannot be created, or its tables cannot be read or are of another version.
    """
    token = token_for(host, token)
    listening = listen(host, port)
    address = Address(host, listening.getsockname()[1], token)
    loopback = is_loopback(host)
    names = () if loopback else (host, socket.gethostname(), f"{socket.gethostname()}.local")
    prepare = partial(prepare_review, DEFAULT_REVIEWER)
    lobby = Lobby(folder, adviser, keeps_games=loopback, prepare=prepare)
    app = application(lobby, token=token, hosts=names, any_address=not loopback, lang=lang)
    logging.basicConfig(format="big2: %(message)s", level=logging.WARNING)

    def ready() -> None:
        settle()
        Thread(target=prepare, args=(BIG2, BIG2.default_players), name="preparing reviews", daemon=True).start()
        if on_ready is not None:
            on_ready(address)

    server = Server(app, ready)
    with listening, only_server(folder):
        lobby.saved.store.latest(SHARED, 0)  # before anyone asks, because nothing could be answered
        server.run(sockets=[listening])


def _is_logged(record: logging.LogRecord) -> bool:
    """Return False for messages about answers that the end of the server cut off; they are not errors."""
    is_cut_off = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return record.msg != UNANSWERED and not is_cut_off


class Server(uvicorn.Server):
    """The uvicorn server of an application, with limits on connections and requests.

    Args:
        app: ASGI application.
        on_ready: Called once the server answers requests.
        limits: Limits on unfinished requests.
    """

    def __init__(self, app: object, on_ready: Callable[[], None] | None = None, limits: Limits | None = None) -> None:
        self._on_ready = on_ready
        self._waiting = Waiting(limits or Limits())
        super().__init__(
            uvicorn.Config(
                app,  # type: ignore[arg-type]
                http=partial(Connection, waiting=self._waiting),  # type: ignore[arg-type]
                log_level="warning",
                access_log=False,
                server_header=False,
                date_header=False,
                ws="none",
                proxy_headers=False,
                limit_concurrency=MAX_REQUESTS,
                timeout_keep_alive=15,
                timeout_graceful_shutdown=2,
            )
        )
        logging.getLogger("uvicorn.error").addFilter(_is_logged)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer requests, then call `on_ready`. From then on Ctrl-C ends the server."""
        await super().startup(sockets)
        if self._on_ready is not None:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the answers that stay open, wait for the others, then close connections with unread answers."""
        for connection in tuple(self._waiting.open):
            connection.drop()
        await super().shutdown(sockets)
        if self.server_state.tasks and not self.force_exit:
            await asyncio.wait(tuple(self.server_state.tasks))
        for unread in tuple(self.server_state.connections):
            if isinstance(unread, Connection):
                unread.drop()
