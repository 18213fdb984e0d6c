"""An OpenAI-compatible endpoint on this machine, which answers from the prompt, and can be slow, fail, hang or send rubbish."""

from __future__ import annotations

import json
import re
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from big2_agents.language_model import endpoint

NAME = "llm:tiny,legal,no-rules"
"""A language model at the endpoint."""
KEY = "sk-loopback-secret"
"""The key that the endpoint asks for and, like a careless one, repeats in its errors."""
PAUSE = 0.1
"""Seconds before each part of a slow body."""
Say = Callable[[list[str], int], Any]
"""What the endpoint answers to the messages after the system prompt, and the number of the request from 0.

A text is the answer of the model, an integer the status of an error, bytes the body as it is, a list of bytes a body that comes
slowly, None a call that hangs, and a dictionary the message of the model.
"""


def set_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the endpoint's key and no other setting of language models, with short pauses after failed calls."""
    for name in ("URL", "ILLEGAL", "CACHE", "TRANSCRIPT", "BUDGET", "TIMEOUT"):
        monkeypatch.delenv(f"BIG2_LLM_{name}", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)


def first_legal(messages: list[str], number: int = 0) -> str:
    """The first of the legal moves that the first message lists."""
    listed = re.search(r"^Legal moves.*\n- [^:\n]+: ([^|\n]+)", messages[0], re.MULTILINE)
    return f"<answer>{listed[1].strip() if listed else 'pass'}</answer>"


def faulty(messages: list[str], number: int) -> Any:
    """A tenth of the answers are illegal, one is unreadable, and a twentieth of the calls fail, one of 200 by hanging."""
    if number % 200 == 99:
        return None
    if number % 20 == 7:
        return (500, b"rubbish", b'{"choices": []}')[number // 20 % 3]
    kind = zlib.crc32(messages[0].encode()) % 20
    if len(messages) == 1 and kind < 3:
        return "<answer>2S 2H 2C</answer>" if kind < 2 else "hm"
    return first_legal(messages)


class Loopback:
    """A running endpoint, and what was asked of it."""

    def __init__(self, url: str, say: Say, delay: float) -> None:
        self.url, self.say, self.delay = url, say, delay
        self.asked: Counter[str] = Counter()
        """How often each request came, by its body."""
        self.most_at_once = self.answered = 0
        self.closing = threading.Event()
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        return self.asked.total()

    def answer(self, body: str, key: str) -> tuple[int, list[bytes]] | None:
        with self._lock:
            number = self.calls
            self.asked[body] += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            time.sleep(self.delay)
            request = json.loads(body)
            if key != f"Bearer {KEY}":
                return 401, [json.dumps({"error": {"message": f"wrong key {key}"}}).encode()]
            said = self.say([message["content"] for message in request["messages"][1:]], number)
        finally:
            with self._lock:
                self._at_once -= 1
                self.answered += 1
        if said is None:
            self.closing.wait(30)
            return None
        if isinstance(said, int):
            return said, [json.dumps({"error": {"message": f"fault of {KEY}"}}).encode()]
        if isinstance(said, list):
            return 200, said
        return 200, [said if isinstance(said, bytes) else reply_of(said)]


def reply_of(said: str | dict[str, Any]) -> bytes:
    """A whole reply, as endpoints send it."""
    message = said if isinstance(said, dict) else {"role": "assistant", "content": said}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


@contextmanager
def loopback(say: Say = first_legal, delay: float = 0.0) -> Iterator[Loopback]:
    """An endpoint for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length).decode()
            if len(body.encode()) < length:  # the caller was killed while it asked
                self.close_connection = True
                return
            found = running.answer(body, self.headers.get("Authorization", ""))
            if found is None:
                self.close_connection = True
                return
            status, parts = found
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(sum(map(len, parts))))
            self.send_header("Retry-After", "0.01")
            self.end_headers()
            for part in parts:
                time.sleep(PAUSE if len(parts) > 1 else 0)
                self.wfile.write(part)
                self.wfile.flush()

        def log_message(self, form: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """A caller that was killed or gave up is no error of the endpoint."""

    with Server(("127.0.0.1", 0), Handler) as server:
        running = Loopback(f"http://127.0.0.1:{server.server_address[1]}/v1", say, delay)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield running
        finally:
            running.closing.set()
            server.shutdown()
            thread.join()
