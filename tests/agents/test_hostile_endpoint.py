"""Endpoints that answer slowly, elsewhere, or with the key and control characters in every place."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import pytest

from big2_agents.language_model import endpoint
from big2_agents.language_model.endpoint import Endpoint, check_installed
from big2_env.base.errors import ConfigError

KEY = "sk-proj-" + "Q7zKv9mX2bT4wY6nP8rL0cJ3fH5gD1sA" * 2
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
"""The key as JSON may write it too."""
Send = Callable[[bytes], None]
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "move"}], "max_tokens": 9}


@contextmanager
def answering(act: Callable[[Send, Event], None]) -> Iterator[tuple[str, list[bytes]]]:
    """The URL of an endpoint that sends any bytes after each request, and the requests."""
    asked: list[bytes] = []
    over = Event()

    def talk(given: socket.socket) -> None:
        with given:
            head = b""
            while b"\r\n\r\n" not in head:
                if not (part := given.recv(65536)):
                    return
                head += part
            asked.append(head)
            with suppress(OSError):  # the client has left
                act(given.sendall, over)

    def accept() -> None:
        while True:
            try:
                given, _ = listening.accept()
            except OSError:
                return
            Thread(target=talk, args=(given,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", asked
        finally:
            over.set()
            listening.shutdown(socket.SHUT_RDWR)


def whole(body: str, status: str = "200 OK", head: str = "") -> Callable[[Send, Event], None]:
    content = body.encode()
    length = f"Content-Length: {len(content)}\r\nConnection: close\r\n"
    return lambda send, _: send(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{length}{head}\r\n".encode() + content)


def drip(first: bytes, again: bytes) -> Callable[[Send, Event], None]:
    def act(send: Send, over: Event) -> None:
        send(first)
        while not over.wait(0.1):
            send(again)

    return act


def called(act: Callable[[Send, Event], None], monkeypatch: pytest.MonkeyPatch, attempts: int = 1) -> tuple[str, list[bytes]]:
    """All that a call says, and the requests that it made."""
    monkeypatch.setattr(endpoint, "ATTEMPTS", attempts)
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    with answering(act) as (url, asked):
        client = Endpoint(url, KEY, 1.0)
        try:
            said = repr(client.call(REQUEST, lambda: None))
        except ConfigError as error:
            said = str(error)
        finally:
            client.close()
    return said, asked


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 100000\r\n\r\n", b" "),
    ],
)
def test_call__has_one_deadline_for_head_and_body(first: bytes, again: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    check_installed()  # loading the client takes seconds
    begun = time.monotonic()
    said, asked = called(drip(first, again), monkeypatch, attempts=2)
    assert said == "the endpoint failed 2 times, at last: no reply within 1 s"
    assert len(asked) == 2
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (json.dumps({"choices": [{"message": {"content": f"I think {KEY}"}, "finish_reason": f"stop {KEY}"}]}), "200 OK"),
        (json.dumps({"a": "x" * 20 + KEY * 3}), "200 OK"),
        (f'{{"{KEY}": 1, "{KEY}": 2}}', "200 OK"),
        (KEY, "200 OK"),
        (f'{{"choices": [{{"message": {{"content": "{ESCAPED}"}}, "finish_reason": "stop {ESCAPED}"}}]}}', "200 OK"),
        (f'{{"a": "{ESCAPED}"}}', "200 OK"),
        (f'{{"{ESCAPED}": 1, "{ESCAPED}": 2}}', "200 OK"),
        (f'{{"error": {{"message": "{ESCAPED}"}}}}', "400 Bad"),
        (json.dumps({"error": {"message": "x" * 280 + KEY}}), "400 Bad"),
        (json.dumps({"error": {"message": "x" * 250 + KEY}}), "500 Bad"),
        ("x" * 280 + KEY, "404 Not Found"),
        ("", f"404 {KEY}"),
        ("", "x" * 230 + KEY),
    ],
)
def test_call__shows_no_part_of_the_key(body: str, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said, _ = called(whole(body, status), monkeypatch)
    assert KEY[:12] not in said
    assert KEY[-12:] not in said


@pytest.mark.parametrize("finish", ["stop", KEY])
def test_call__shows_no_part_of_the_key_in_another_encoding(finish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"choices": [{"message": {"content": finish}, "finish_reason": finish}], "a": KEY}).encode("utf-16")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-16\r\nContent-Length: {len(body)}\r\n\r\n"
    said, _ = called(lambda send, _: send(head.encode() + body), monkeypatch)
    assert said.startswith("Reply(")
    assert KEY[:12] not in said


@pytest.mark.parametrize("place", ["http://localhost:9/steal", "/v1/chat/completions", "file:///etc/passwd"])
def test_call__follows_no_redirect(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said, asked = called(whole("", "307 Temporary Redirect", f"Location: {place}\r\n"), monkeypatch)
    assert said.startswith("the endpoint refuses the request with HTTP status 307")
    assert len(asked) == 1


@pytest.mark.parametrize("status", ["404 \x1b[31mOwned", "404 Not Found", "500 Bad"])
def test_call__fails_in_printable_words(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"error": {"message": "no \x1b]0;owned\x07\x1b[2J \u202e model \u2028 x"}})
    said, _ = called(whole(body, status), monkeypatch)
    assert said.isprintable()
