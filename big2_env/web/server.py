"""The server as a process: where it listens, what it says, how it ends."""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import uvicorn

from big2_env.errors import ConfigError
from big2_env.language import Language
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.web.app import application
from big2_env.web.connections import Connection, Limits, Waiting
from big2_env.web.guard import is_loopback
from big2_env.web.lobby import Lobby

MAX_REQUESTS: Final = 256
"""Most requests that are answered at once."""
MIN_TOKEN: Final = 8
"""Fewest characters of a token."""


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int
    token: str | None = None
    """What browsers have to show; the page reads it from behind the `#`, which no browser sends."""

    @property
    def url(self) -> str:
        """What one opens."""
        host = own_address() if self.host in ("0.0.0.0", "::") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{self.port}/{'' if self.token is None else f'#token={self.token}'}"


def own_address() -> str:
    """The address by which other machines are likely to reach this one, else its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks for the way there
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def token_for(host: str, token: str | None) -> str | None:
    """The token that browsers have to show: the one given; another host than loopback gets one made where none is.

    Raises:
        ConfigError: one that is too short, or that no address can hold.
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
    """A socket that takes connections; closed by whoever asked for it.

    Raises:
        ConfigError: the address cannot be had.
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


def serve(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8152,
    *,
    token: str | None = None,
    lang: Language | None = None,
    adviser: str = DEFAULT_ADVISER,
    on_ready: Callable[[Address], None] | None = None,
) -> None:
    """Answer requests until the process is interrupted.

    Args:
        folder: where tables and games are kept.
        host: where to listen; any but a loopback address needs a token, which is made where none is given.
        port: where to listen; 0 for any that is free.
        token: what browsers have to show.
        lang: the language of those who choose none; by default what their browser says.
        adviser: the agent that gives hints.
        on_ready: called with the address once requests are answered.

    Raises:
        ConfigError: the address cannot be had, or the token is none.
    """
    token = token_for(host, token)
    listening = listen(host, port)
    address = Address(host, listening.getsockname()[1], token)
    loopback = is_loopback(host)
    names = () if loopback else (host, socket.gethostname(), f"{socket.gethostname()}.local")
    app = application(
        Lobby(folder, adviser, keeps_games=loopback), token=token, hosts=names, any_address=not loopback, lang=lang
    )
    logging.basicConfig(format="big2: %(message)s", level=logging.WARNING)
    server = Server(app, None if on_ready is None else partial(on_ready, address))
    with listening:
        server.run(sockets=[listening])


class Server(uvicorn.Server):
    """The server of an application, with bounds on what it takes at once.

    Args:
        app: the application.
        on_ready: called once requests are answered.
        limits: on requests that do not arrive whole.
    """

    def __init__(self, app: object, on_ready: Callable[[], None] | None = None, limits: Limits | None = None) -> None:
        self._on_ready = on_ready
        super().__init__(
            uvicorn.Config(
                app,  # type: ignore[arg-type]
                http=partial(Connection, waiting=Waiting(limits or Limits())),  # type: ignore[arg-type]
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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer requests, and say so: from here on Ctrl-C ends the server."""
        await super().startup(sockets)
        if self._on_ready is not None:
            self._on_ready()
