"""Access control: checks of every request before it is handled, and headers of every answer."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from big2_env.tables.browser.messages import same

TOKEN_COOKIE: Final = "big2_token"
VISITOR_COOKIE: Final = "big2_visitor"
API: Final = "/api/"
OPEN_TO_ALL: Final = (f"{API}token", f"{API}words")
"""Paths without a token: the one that accepts it, and the texts of the page that asks for it."""
SHARED: Final = f"{API}shared"
"""Path of shared tables."""
STREAM: Final = f"{API}stream"
"""Path of the stream of their changes."""
HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
SAFE_METHODS: Final = ("GET", "HEAD")
"""Methods that change nothing."""
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9a-z_.-]+))(?::([0-9]{1,5}))?", re.IGNORECASE)
"""`host[:port]`, with an IPv6 address in brackets."""


def is_loopback(host: str) -> bool:
    """Return whether a host to listen on can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("lan")
    (True, True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def counted_address(host: str) -> str:
    """Return the address by which limits count a client: for IPv6 its network of 64 bits, all of which a client may use.

    >>> counted_address("2001:db8:0:1:2:3:4:5"), counted_address("::ffff:192.0.2.1"), counted_address("192.0.2.1")
    ('2001:db8:0:1::', '192.0.2.1', '192.0.2.1')
    """
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(address) >> 64 << 64))


def address_of(connection: HTTPConnection) -> str:
    """Return the address by which limits count the client of a request."""
    return counted_address(connection.client.host) if connection.client else ""


def badge_of(token: str) -> str:
    """Return the value of the cookie that a browser gets for presenting the token."""
    return hashlib.sha256(b"big2 serve\0" + token.encode()).hexdigest()


def visitor_of(connection: HTTPConnection) -> str | None:
    """Return the secret of the visitor who sent a request; `None` if the visitor has none yet."""
    secret = connection.cookies.get(VISITOR_COOKIE, "")
    return secret if _SECRET.fullmatch(secret) else None


def owner_of(secret: str) -> str:
    """Return the digest of a visitor's secret, which is stored instead of it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def owner_in(connection: HTTPConnection) -> str | None:
    """Return the digest of the secret of the visitor who sent a request; `None` if the visitor has none yet."""
    secret = visitor_of(connection)
    return None if secret is None else owner_of(secret)


class Guard:
    """ASGI middleware that refuses requests from outside the pages of this server.

    * `Host` must be a name of this server, which prevents DNS rebinding.
    * A request that the browser marks as coming from another site is refused, except a link that opens a page. An `Origin` must
      be this server's own. A `POST` must be JSON, which an HTML form cannot send.
    * With a token, everything under `/api/` except shared tables needs the cookie that presenting the token gives.

    Args:
        app: Application that answers accepted requests.
        hosts: Host names of this server besides IP addresses.
        token: Token, `None` if none is needed.
        any_address: True to accept every IP address as this server's, False for loopback addresses only.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), token: str | None = None, any_address: bool = False) -> None:
        self.app = app
        self._hosts = frozenset(host.lower() for host in ("localhost", *hosts))
        self._badge = None if token is None else badge_of(token)
        self._any_address = any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        answer: ASGIApp = self.app if refusal is None else refusal
        await answer(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        connection = HTTPConnection(scope)
        headers = connection.headers
        if not self._is_ours(headers.get("host", "")):
            return _refused(403, "host", "this server does not go by that name")
        if not _is_own_page(scope["method"], headers):
            return _refused(403, "origin", "the request comes from another site")
        if (
            scope["method"] == "POST"
            and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json"
        ):
            return _refused(415, "content_type", "expected content-type application/json")
        path = scope["path"]
        if self._badge is not None and _needs_token(scope["method"], path):
            given = connection.cookies.get(TOKEN_COOKIE, "")
            if not same(given, self._badge):
                return _refused(401, "token", "this server asks for its token")
        return None

    def _is_ours(self, host: str) -> bool:
        """Return whether a `Host` header names this server, on any port."""
        found = _HOST.fullmatch(host)
        if found is None or int(found[3] or 0) > 65535:
            return False
        name = found[2] or ""
        if name.lower().removesuffix(".") in self._hosts:
            return True
        try:
            address = ipaddress.IPv4Address(name) if name else ipaddress.IPv6Address(found[1])
        except ValueError:
            return False
        return self._any_address or address.is_loopback


def _needs_token(method: str, path: str) -> bool:
    """Return whether a request needs the token of a server that has one.

    Shared tables are protected by membership and invitations, so friends need no token. Creating one needs it.
    """
    if not path.startswith(API) or path in OPEN_TO_ALL:
        return False
    if path == SHARED:
        return method not in SAFE_METHODS
    return path != STREAM and not path.startswith(f"{SHARED}/")


def _is_own_page(method: str, headers: Headers) -> bool:
    """Return whether the request comes from this server's own page, or the browser does not say."""
    origin, host = headers.get("origin"), headers.get("host", "").lower()
    if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
        return False
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return True
    # A link on another site may open a page; what carries a person's tables or changes one is refused.
    opens_page = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return opens_page and method in SAFE_METHODS


def _refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": code, "message": message}, status)
