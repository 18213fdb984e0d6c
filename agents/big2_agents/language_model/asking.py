"""Replies to requests: from the cache, or from the endpoint within the budget, with a transcript of the answers.

The transcript has a JSON line per answer:

| key | content |
| --- | --- |
| `agent`, `protocol` | name of the agent, and the hash of its protocol |
| `ruleset`, `seat`, `move`, `seed` | the position: rules, seat, number of moves before, and the seed of the agent's game |
| `retry` | 0 for the first answer to a position |
| `prompt` | messages of the request, without the system prompt |
| `answer`, `reasoning`, `verdict` | what the model replied, and how it was read |
| `tokens`, `seconds`, `attempts`, `finish` | tokens as in the cache, time, attempts until an answer, reason of the end |
| `cached` | true if the reply comes from the cache |
"""

from __future__ import annotations

import weakref
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final

from big2_agents.language_model.endpoint import Endpoint
from big2_agents.language_model.protocol import digest
from big2_agents.language_model.replies import Reply, ReplyFile
from big2_agents.language_model.settings import CACHE_ONLY, Settings
from big2_env.base.errors import ConfigError
from big2_env.runs.atomic_files import check_writable, name_errors
from big2_env.runs.resumable import encoded
from big2_env.runs.turnstile import waiting


class TranscriptFile:
    """A transcript, to which the threads of a process append.

    Raises:
        OSError: The file cannot be opened.
        ConfigError: The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        check_writable(path)
        self._path, self._lock = path, Lock()
        with name_errors(path):
            self._stream = path.open("ab")

    def add(self, line: dict[str, Any]) -> None:
        """Append a line."""
        with self._lock, name_errors(self._path):
            self._stream.write(encoded(line))
            self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


class Asking:
    """Source of replies for all language models of a process that have the same settings.

    Args:
        settings: Endpoint, files and budget.

    Raises:
        ConfigError: A setting is invalid, or a file is in use.
        ImportError: The client is not installed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        is_tape = settings.url == CACHE_ONLY
        self._endpoint = None if is_tape else Endpoint(settings.url, settings.key, settings.timeout)
        self._file = None if settings.cache is None else _reply_file(settings.cache, is_tape)
        self.transcript: Final = None if settings.transcript is None else TranscriptFile(settings.transcript)
        """Transcript of the answers; None without one."""
        self._lock = Lock()
        self._asked: dict[str, Event] = {}
        self._calls = self._tokens = 0
        for resource in (self._endpoint, self.transcript):
            if resource is not None:
                weakref.finalize(self, resource.close)

    def reply(self, request: dict[str, Any], seed: int) -> Reply:
        """Return the reply to a request. A request that is being answered is not sent twice.

        Args:
            request: The request.
            seed: Seed of the agent's game. Equal requests with other seeds are sent again.

        Raises:
            ConfigError: The cache lacks the reply and no endpoint is used, the endpoint fails, or the budget is used up.
        """
        key = digest([request, seed])
        while True:
            if self._file is not None and (found := self._file.get(key)) is not None:
                return found
            with self._lock:
                asked = self._asked.get(key)
                if asked is None:
                    self._asked[key] = Event()
                    break
            with waiting():
                asked.wait()
        try:
            return self._called(key, request)
        finally:
            with self._lock:
                self._asked.pop(key).set()

    def _called(self, key: str, request: dict[str, Any]) -> Reply:
        """Call the endpoint, and keep its reply."""
        if self._endpoint is None:
            raise ConfigError(
                f"{self._settings.cache}: no reply to this request; it was made with another model, protocol, deal or seed"
            )
        with waiting():
            reply = self._endpoint.call(request, self._spend)
            if self._file is not None:
                self._file.add(key, request["model"], reply)
        with self._lock:
            self._tokens += reply.tokens_in + reply.tokens_out
        return reply

    def _spend(self) -> None:
        """Count a call.

        Raises:
            ConfigError: The budget is used up.
        """
        settings = self._settings
        with self._lock:
            if settings.calls is not None and self._calls >= settings.calls:
                raise ConfigError(f"the budget of {settings.calls} calls is used up (--llm-budget or BIG2_LLM_BUDGET)")
            if settings.tokens is not None and self._tokens >= settings.tokens:
                raise ConfigError(f"the budget of {settings.tokens} tokens is used up (--llm-budget or BIG2_LLM_BUDGET)")
            self._calls += 1


_open: weakref.WeakValueDictionary[Settings, Asking] = weakref.WeakValueDictionary()
_files: weakref.WeakValueDictionary[tuple[Path, bool], ReplyFile] = weakref.WeakValueDictionary()
_opening = Lock()


def _reply_file(path: Path, is_tape: bool) -> ReplyFile:
    """Return the cache of replies in a file. An earlier run that still waits for a last reply shares it with the next one."""
    key = path.absolute(), is_tape
    found = _files.get(key)
    if found is None or not found.is_current():
        found = _files[key] = ReplyFile(path, is_tape=is_tape)
    return found


def asking(settings: Settings) -> Asking:
    """Return the source of replies for some settings. Agents share it, and it is closed with the last of them.

    Args:
        settings: Endpoint, files and budget.

    Raises:
        ConfigError: A setting is invalid, or a file is in use.
        ImportError: The client is not installed.
    """
    with _opening:
        found = _open.get(settings)
        if found is None:
            found = _open[settings] = Asking(settings)
        return found
