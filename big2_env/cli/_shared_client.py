"""A guest of a shared table without a browser: invitation links, requests to the server, and its stream of states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.json_values import parse_object
from big2_env.language import Language
from big2_env.runs.atomic_files import replace_file
from big2_env.web.shared_places import JOINERS

SECONDS: Final = 20.0
"""Seconds after which a request without an answer fails."""
SILENT: Final = 45.0
"""Seconds without a line after which a stream counts as lost; the server writes one every 15 s."""
MAX_BYTES: Final = 1 << 21
"""Most bytes of an answer, or of a line of a stream."""
MAX_REASON: Final = 200
"""Most characters of the reason why a server does not answer."""
COOKIE: Final = "big2_visitor"
"""Cookie by which the server knows its visitor."""
_JOIN: Final = re.compile(r"/?join/([A-Za-z0-9_-]{8,64})/([A-Za-z0-9_-]{8,64})")
_HOST: Final = re.compile("[!-~]+")
_KEPT: Final = re.compile(rf"{COOKIE}=([A-Za-z0-9_-]{{1,200}})")
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")


class Invitation(NamedTuple):
    """A link to a seat of a shared table, or to watch it.

    Args:
        scheme: `http` or `https`.
        host: Host of the server.
        port: Its port.
        table: Key of the table.
        secret: The right to join.
    """

    scheme: str
    host: str
    port: int
    table: str
    secret: str

    @property
    def server(self) -> str:
        """Address of the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def link_to(self, secret: str) -> str:
        """Return the link of another invitation to the table.

        Args:
            secret: The right to join.

        Raises:
            NotationError: The secret has other characters than the server gives it.
        """
        if not _SECRET.fullmatch(secret):
            raise NotationError(f"invitation: expected letters, digits, - or _, got {quoted(secret)}")
        return f"{self.server}/#/join/{self.table}/{secret}"


def read_link(text: str) -> Invitation:
    """Return the parts of an invitation link.

    Args:
        text: The link.

    Raises:
        ConfigError: The text is not such a link.

    >>> read_link("http://192.168.0.7:8152/#/join/abcdefghijklmnop/secret-secret").server
    'http://192.168.0.7:8152'
    """
    try:
        parts = urlsplit(text.strip()[:500])
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # also of names that IDNA cannot write
        host, port = "", None
    found = _JOIN.fullmatch(parts.fragment) if _HOST.fullmatch(host) else None
    if found is None or parts.scheme not in ("http", "https"):
        raise ConfigError(f"--join: expected an invitation link such as http://HOST:8152/#/join/KEY/SECRET, got {quoted(text)}")
    standard = 443 if parts.scheme == "https" else 80
    return Invitation(parts.scheme, host, standard if port is None else port, found[1], found[2])


class RefusalError(ConfigError):
    """The server refused a request.

    Args:
        status: HTTP status.
        error: Error as a word for programs.
        message: The server's reason.
        state: Current state of the table, if the answer contains it.
    """

    def __init__(self, status: int, error: str, message: str, state: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.state = state


class SharedClient:
    """Requests of one guest to the server of a shared table.

    The guest's cookie is kept in a file, so the same link leads back to the seat.

    Args:
        invitation: Link by which the guest joins.
        lang: Language of the server's answers.
        kept: File of the cookies, by server; `None` to keep none.
    """

    def __init__(self, invitation: Invitation, lang: Language, kept: Path | None = None) -> None:
        self.invitation = invitation
        self._lang = lang
        self._file = kept
        self._cookie = _kept_cookies(kept).get(invitation.server)

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the server's answer about the table.

        Args:
            path: Path below the table, such as `play`; empty for its state.
            body: Object to send; `None` for a question.

        Raises:
            RefusalError: The server refused.
            ConfigError: The server is not reachable, or answered something else.
        """
        address = f"/api/shared/{self.invitation.table}{'/' if path else ''}{path}?lang={self._lang.value}"
        headers = {"accept": "application/json"}
        sent = None
        if body is not None:
            sent = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        connection = self._connection(SECONDS)
        try:
            connection.request("GET" if body is None else "POST", address, sent, headers | self._cookies())
            answer = connection.getresponse()
            content = answer.read(MAX_BYTES + 1)
        except (OSError, HTTPException) as error:
            raise ConfigError(self._unreachable(error)) from None
        finally:
            connection.close()
        if len(content) > MAX_BYTES:
            raise ConfigError(f"{self.invitation.server}: expected an answer of at most {MAX_BYTES:,} bytes, got more")
        found = self._read(content)
        if answer.status >= 400:
            state = found.get("state")
            message = str(found.get("message", answer.status))
            raise RefusalError(answer.status, str(found.get("error", "")), message, state if isinstance(state, dict) else None)
        self._keep(answer)
        return found

    def states(self) -> Iterator[dict[str, Any] | None]:
        """Yield states of the table as the server sends them, `None` once the guest is removed, until the connection ends.

        Raises:
            ConfigError: The connection is lost, or the server refused it.
        """
        connection = self._connection(SILENT)
        try:
            connection.request(
                "GET", f"/api/stream?lang={self._lang.value}", headers={"accept": "text/event-stream"} | self._cookies()
            )
            answer = connection.getresponse()
            if answer.status == 204:
                yield None
                return
            if answer.status != 200:
                raise ConfigError(f"{self.invitation.server}: expected a stream of states, got status {answer.status}")
            for data in _events(answer):
                found = self._read(data)
                if found.get("table") == self.invitation.table:
                    yield found.get("state")
        except (OSError, HTTPException) as error:
            raise ConfigError(self._unreachable(error)) from None
        finally:
            connection.close()

    def _connection(self, timeout: float) -> HTTPConnection:
        kind = HTTPSConnection if self.invitation.scheme == "https" else HTTPConnection
        return kind(self.invitation.host, self.invitation.port, timeout=timeout)

    def _cookies(self) -> dict[str, str]:
        return {} if self._cookie is None else {"cookie": f"{COOKIE}={self._cookie}"}

    def _unreachable(self, error: Exception) -> str:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return f"{self.invitation.server} does not answer: {harmless(reason)[:MAX_REASON]}"

    def _read(self, content: bytes) -> dict[str, Any]:
        try:
            found: dict[str, Any] = harmless(parse_object(content.decode("utf-8")))
        except (UnicodeDecodeError, NotationError):
            raise ConfigError(f"{self.invitation.server}: expected the server of a shared table, got another answer") from None
        return found

    def _keep(self, answer: HTTPResponse) -> None:
        """Keep the cookie of an answer."""
        given = _KEPT.search(answer.getheader("set-cookie") or "")
        if given is None or given[1] == self._cookie:
            return
        self._cookie = given[1]
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            cookies = _kept_cookies(self._file) | {self.invitation.server: self._cookie}
            with replace_file(self._file) as new:
                new.touch(mode=0o600)
                new.write_text(json.dumps(cookies, indent=1) + "\n", encoding="utf-8")


def _kept_cookies(file: Path | None) -> dict[str, str]:
    """Return the cookies of a file by server; none if the file cannot be read."""
    try:
        found = parse_object("" if file is None else file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, NotationError):
        return {}
    return {server: value for server, value in found.items() if isinstance(value, str) and _SECRET.fullmatch(value)}


def _events(answer: HTTPResponse) -> Iterator[bytes]:
    """Yield the data of a stream's events.

    Raises:
        HTTPException: A line is too long.
    """
    data = b""
    while line := answer.readline(MAX_BYTES + 1):
        if len(line) + len(data) > MAX_BYTES:
            raise HTTPException("an event is too long")
        if line.startswith(b"data:"):
            data += line[5:].strip()
        elif not line.strip() and data:
            yield data
            data = b""


def harmless(value: Any) -> Any:
    r"""Return a JSON value whose texts cannot control a terminal: unprintable characters are replaced.

    Args:
        value: The value.

    >>> harmless({"name": "A\x1b[2J\u202e"})
    {'name': 'A�[2J�'}
    """
    if isinstance(value, str):
        return "".join(character if character.isprintable() or character in JOINERS else "\ufffd" for character in value)
    if isinstance(value, list):
        return [harmless(one) for one in value]
    if isinstance(value, dict):
        return {harmless(key): harmless(one) for key, one in value.items()}
    return value
