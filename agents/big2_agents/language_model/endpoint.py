"""Calls of an OpenAI-compatible endpoint by the client `openai` (extra `llm`).

Failed calls are repeated with growing pauses: timeouts, lost connections, overload, and malformed replies. While the endpoint
says that it is overloaded, fewer calls are made at the same time.
Requests that the endpoint refuses are not, and redirects are not followed. A reply may have `MAX_BODY` bytes and take a limited
time as a whole, head and body, however slowly it arrives. The key is removed from the body before anything reads it, and again
from its text without escapes.
"""

from __future__ import annotations

import json
import math
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Condition, local
from typing import TYPE_CHECKING, Any, Final

from big2_agents.language_model.replies import Reply
from big2_env.base.errors import ConfigError, NotationError, needing, one_line
from big2_env.base.json_values import parse_object, shown
from big2_env.base.outside import Deadline, whole

if TYPE_CHECKING:
    import httpx2
    import openai

MAX_BODY: Final = 1 << 20
"""Most bytes of a reply of the endpoint."""
ATTEMPTS: Final = 6
"""Most attempts per call."""
PAUSE: Final = 1.0
"""Seconds before the second attempt; each later pause is twice as long."""
MAX_PAUSE: Final = 60.0
"""Most seconds of a pause, also of one that the endpoint asks for."""
OVERLOADED: Final = (408, 409, 425, 429)
"""Statuses below 500 after which a call is repeated."""
MIN_SECRET: Final = 8
"""Length from which a key is removed from texts. Shorter ones are placeholders, such as `x`, which any text contains."""
_ESCAPE: Final = re.compile(r"\\(?:u00([2-7][0-9a-fA-F])|.)", re.DOTALL)
"""An escaped character of JSON, with the code of one of ASCII."""
WITHOUT_KEY: Final = "none"
"""Key for endpoints that need none; the client requires one."""


def check_installed() -> None:
    """Raise unless the client is installed.

    Raises:
        ImportError: It is not; the message names the extra.
    """
    with needing("agents llm:MODEL need the client openai: pip install 'big2_env[llm]'"):
        import openai  # noqa: F401


class _FailedCallError(Exception):
    """A call that may succeed if it is repeated.

    Args:
        reason: Reason in words.
        pause: Seconds that the endpoint asks to wait; None if it does not.
        is_overload: True if fewer calls at the same time may help.
    """

    def __init__(self, reason: str, pause: float | None = None, *, is_overload: bool = False) -> None:
        super().__init__(reason)
        self.pause, self.is_overload = pause, is_overload


class _Pace:
    """Bound of the calls at the same time: halved by an overload, raised by one after as many calls as it allows."""

    def __init__(self) -> None:
        self._most, self._now, self._overloads, self._changed = math.inf, 0, 0, Condition()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wait until another call may be made, and count it during the block."""
        with self._changed:
            self._changed.wait_for(lambda: self._now < self._most)
            self._now += 1
            before, is_overload = self._overloads, False
        try:
            yield
        except _FailedCallError as error:
            is_overload = error.is_overload
            raise
        finally:
            with self._changed:
                if not is_overload:
                    self._most += 1 / self._most
                elif self._overloads == before:  # one that began before the bound was halved says nothing about it
                    self._most = max(1.0, min(self._most, self._now) / 2)
                    self._overloads += 1
                self._now -= 1
                self._changed.notify_all()


class Endpoint:
    """An endpoint, for the threads of one process.

    Args:
        url: Its URL; None for the client's default.
        key: Its key; None without one.
        timeout: Seconds per call.

    Raises:
        ConfigError: The default endpoint has no key.
        ImportError: The client is not installed.
    """

    def __init__(self, url: str | None, key: str | None, timeout: float) -> None:
        if url is None and key is None:
            raise ConfigError(
                "expected the URL of an endpoint, --llm-url or BIG2_LLM_URL, or a key in OPENAI_API_KEY, got neither"
            )
        check_installed()
        import httpx2
        import openai

        self._key = key if key and len(key) >= MIN_SECRET else None
        self._timeout, self._thread = timeout, local()
        http = openai.DefaultHttpxClient(
            event_hooks={"request": [self._watch], "response": [self._bound]},
            headers={"Accept-Encoding": "identity"},
            timeout=timeout,
            follow_redirects=False,
            limits=httpx2.Limits(max_keepalive_connections=0),  # each call can be cut off without another
        )
        self._client = openai.OpenAI(api_key=key or WITHOUT_KEY, base_url=url, timeout=timeout, max_retries=0, http_client=http)
        self._pace = _Pace()
        self._tokens_name = "max_tokens"
        """Name of the limit of tokens, of which some models know only one."""

    def call(self, request: dict[str, Any], spend: Any) -> Reply:
        """Return the reply to a request.

        Args:
            request: The request, with the limit of tokens as `max_tokens`.
            spend: Function that is called before each request that is sent, and may raise an error.

        Raises:
            ConfigError: The endpoint refuses the request, or fails in every attempt.
        """
        start = time.monotonic()
        pause = PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._pace.call():
                    reply = self._reply(request, spend)
            except _FailedCallError as error:
                if attempt == ATTEMPTS:
                    raise ConfigError(f"the endpoint failed {ATTEMPTS} times, at last: {error}") from None
                time.sleep(min(MAX_PAUSE, pause if error.pause is None else error.pause))
                pause *= 2
            else:
                seconds = round(time.monotonic() - start, 3)
                return replace(reply, seconds=seconds, attempts=attempt)
        raise AssertionError

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _reply(self, request: dict[str, Any], spend: Any) -> Reply:
        """Return the reply to a request, without duration.

        Raises:
            _FailedCallError: The call may be repeated.
            ConfigError: The endpoint refuses the request.
        """
        import openai

        spend()
        sent, tokens_name = dict(request), self._tokens_name  # another thread may change it meanwhile
        sent[tokens_name] = sent.pop("max_tokens")
        timeout = sent.setdefault("timeout", self._timeout)
        self._thread.watch = watch = _Watch(timeout)
        try:
            raw = self._client.chat.completions.with_raw_response.create(**sent)
            body = raw.http_response.text
        except openai.APITimeoutError:
            raise _FailedCallError(f"no reply within {timeout:g} s") from None
        except openai.APIConnectionError as error:
            if watch.is_over:
                raise _FailedCallError(f"no reply within {timeout:g} s") from None
            cause = error.__cause__ or error
            reason = one_line(self._scrubbed(str(cause))) or type(cause).__name__
            raise _FailedCallError(f"no connection, or an unfinished reply ({reason})") from None
        except openai.APIStatusError as error:
            return self._after_status(error, request, tokens_name, spend)
        finally:
            watch.cancel()
        return self._parsed(body)

    def _after_status(self, error: openai.APIStatusError, request: dict[str, Any], tokens_name: str, spend: Any) -> Reply:
        """Return the reply after an error status, if another name of the token limit helps; raise otherwise."""
        status, text = error.status_code, one_line(self._scrubbed(error.message))
        if status in OVERLOADED or status >= 500:
            pause, is_overload = _asked_pause(error.response), status in (429, 503)
            raise _FailedCallError(f"HTTP status {status}: {text}", pause, is_overload=is_overload) from None
        if status == 400 and "max_completion_tokens" in text and tokens_name == "max_tokens":
            self._tokens_name = "max_completion_tokens"
            return self._reply(request, spend)
        raise ConfigError(f"the endpoint refuses the request with HTTP status {status}: {text}") from None

    def _parsed(self, body: str) -> Reply:
        """Return the reply in a text, without duration.

        Raises:
            _FailedCallError: It is not the reply of a chat.
        """
        try:
            data = parse_object(self._scrubbed(_ESCAPE.sub(_unescaped, body)))
        except NotationError as error:
            raise _FailedCallError(f"the reply is {error}") from None
        match data:
            case {"choices": [{"message": dict(message), **choice}, *_]}:
                answer, finish = message.get("content"), choice.get("finish_reason")
                if calls := message.get("tool_calls"):
                    answer = "\n".join([answer or "", json.dumps({"tool_calls": calls}, ensure_ascii=False)]).strip()
                reasoning = message.get("reasoning_content") or message.get("reasoning")
                if not answer and isinstance(refusal := message.get("refusal"), str):
                    answer, finish = refusal, "refusal"
            case _:
                raise _FailedCallError(f"expected a reply with choices and a message, got {shown(data)}")
        if not isinstance(answer, str | None) or not isinstance(finish, str | None):
            raise _FailedCallError(f"expected texts for content and finish_reason, got {shown(data)}")
        usage = data.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        said, thought = self._clean(answer or ""), self._clean(reasoning) if isinstance(reasoning, str) else None
        return Reply(
            said,
            thought,
            finish and self._clean(finish[:50]),
            _number(counts, "prompt_tokens"),
            _number(counts, "completion_tokens"),
            tokens_cached=_number(counts, "prompt_tokens_details", "cached_tokens"),
            tokens_reasoning=_number(counts, "completion_tokens_details", "reasoning_tokens"),
        )

    def _clean(self, text: str) -> str:
        """Return a text that a file in UTF-8 can hold, without the key."""
        return self._scrubbed(text.encode("utf-8", "replace").decode())

    def _scrubbed(self, text: str) -> str:
        """Return a text without the key."""
        return text.replace(self._key, "[key]") if self._key else text

    def _watch(self, request: httpx2.Request) -> None:
        """Start the watch of the calling thread, and let it see the connection of a request."""
        self._thread.watch.start()
        request.extensions = {**request.extensions, "trace": self._thread.watch.trace}

    def _bound(self, response: httpx2.Response) -> None:
        """Limit the size of a response before it is read, and remove the key from it."""
        import httpx2

        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("expected a reply without compression", request=response.request)
        key, stream = (self._key or "").encode(), response.stream

        class Bounded(httpx2.SyncByteStream):
            """The stream of the response, in one piece."""

            def __iter__(self) -> Iterator[bytes]:
                try:
                    yield whole(stream, MAX_BODY, key)  # type: ignore[arg-type]
                except NotationError as error:
                    raise httpx2.ReadError(str(error), request=response.request) from None

            def close(self) -> None:
                stream.close()  # type: ignore[union-attr]

        response.stream = Bounded()


class _Watch(Deadline):
    """Deadline of one request, at which its connection is shut down."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds, self._shut)
        self._streams: list[Any] = []

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note a new connection; httpx calls this with each step of a request."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._streams.append(info["return_value"])
            if self.is_over:
                self._shut()

    def _shut(self) -> None:
        for stream in self._streams:
            with suppress(OSError):  # it is closed
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _unescaped(found: re.Match[str]) -> str:
    """Return an escaped character as itself, if JSON allows that: in escapes, a key would not be found."""
    character = "/" if found[0] == "\\/" else chr(int(found[1] or "22", 16))
    return found[0] if character in '"\\\x7f' else character


def _asked_pause(response: httpx2.Response) -> float | None:
    """Return the seconds that an endpoint asks to wait, None if it does not."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def _number(value: Any, *keys: str) -> int:
    """Return the number of tokens behind some keys, 0 for anything else."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if type(value) is int and 0 <= value < 10**9 else 0
