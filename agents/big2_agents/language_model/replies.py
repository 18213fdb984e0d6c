"""Cache of replies: JSON lines with a header and one line per reply, identified by a hash of its request.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 replies" |
| others | `key`, `model`, `answer`, `reasoning`, `finish`, `tokens`, `seconds`, `attempts` |

`tokens` counts the prompt and the answer; in newer files also the part of the prompt that the endpoint had cached, and the part
of the answer that is reasoning.

A killed run loses no line. The memory holds the keys only; replies are read when they are asked for.
"""

from __future__ import annotations

import json
import os
import re
import weakref
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final

from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import parse_object, shown
from big2_env.runs.atomic_files import check_writable, lock, name_errors
from big2_env.runs.resumable import encoded, whole_lines

HEADER: Final = {"schema": 1, "kind": "big2 replies"}
MAX_LINE: Final = 1 << 23
"""Most bytes of a line; a reply has at most an eighth."""
_KEY: Final = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class Reply:
    """Reply of a model.

    Args:
        answer: Text of the answer.
        reasoning: Reasoning, if the endpoint shows it.
        finish: Reason why the answer ended, as the endpoint names it: `stop`, `length` for an answer that was cut off,
            `content_filter`; or `refusal`.
        tokens_in: Tokens of the prompt; 0 if unknown.
        tokens_out: Tokens of the answer; 0 if unknown.
        seconds: Duration of the call.
        attempts: Number of attempts until the endpoint answered.
        is_cached: True if the reply comes from the cache.
        tokens_cached: Tokens of the prompt that the endpoint had cached.
        tokens_reasoning: Tokens of the answer that are reasoning.
    """

    answer: str
    reasoning: str | None = None
    finish: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    attempts: int = 1
    is_cached: bool = False
    tokens_cached: int = 0
    tokens_reasoning: int = 0

    @property
    def tokens(self) -> list[int]:
        """Tokens of the prompt, of the answer, cached, and of reasoning."""
        return [self.tokens_in, self.tokens_out, self.tokens_cached, self.tokens_reasoning]


class ReplyFile:
    """A cache of replies in a file, for the threads of one process.

    Args:
        path: The file. It is created unless `is_tape`.
        is_tape: True to read it only.

    Raises:
        ConfigError: The file is not a cache, or another process writes it.
        NotationError: A line is malformed; the message has its number.
        OSError: The file cannot be opened.
    """

    def __init__(self, path: Path, *, is_tape: bool = False) -> None:
        self.path = path
        self._places: dict[bytes, tuple[int, int]] = {}
        self._lock = Lock()
        if not is_tape:
            check_writable(path)
        elif not path.is_file():
            raise ConfigError(f"expected a file of replies, but {path} does not exist")
        with name_errors(path):
            self._stream: BinaryIO = path.open("rb" if is_tape else "a+b")
        try:
            if not is_tape and not lock(self._stream):
                raise ConfigError(f"{path} is being written by another process: only one may write at a time")
            end = self._read()
            if not is_tape:
                with name_errors(path):
                    self._stream.truncate(end)
                    if not end:
                        self._stream.write(encoded(HEADER))
                        self._stream.flush()
        except BaseException:
            self._stream.close()
            raise
        weakref.finalize(self, self._stream.close)

    def is_current(self) -> bool:
        """Return whether the file is still the one at its path."""
        return self.path.exists() and os.path.samestat(os.fstat(self._stream.fileno()), self.path.stat())

    def _read(self) -> int:
        """Store where each reply is, and return the end of the last whole line."""
        self._stream.seek(0)
        end = 0
        for line in whole_lines(self._stream, self.path, MAX_LINE):
            key = line.parse(_key if end else _check_header)
            if key is not None:
                self._places[key] = end, len(line.text)
            end = line.end
        self._stream.seek(end)
        if not end and not encoded(HEADER).startswith(self._stream.read(MAX_LINE)):
            raise ConfigError(f"{self.path}: expected a file of replies (big2 replies), got another file")
        return end

    def get(self, key: str) -> Reply | None:
        """Return the reply to a request, None if the file has none."""
        with self._lock, name_errors(self.path):
            place = self._places.get(bytes.fromhex(key))
            if place is None:
                return None
            self._stream.seek(place[0])
            line = self._stream.read(place[1])
        return _reply(parse_object(line.decode()))

    def add(self, key: str, model: str, reply: Reply) -> None:
        """Write a reply; a kill after this call cannot lose it."""
        data: dict[str, Any] = {
            "key": key,
            "model": model,
            "answer": reply.answer,
            "reasoning": reply.reasoning,
            "finish": reply.finish,
        }
        data |= {"tokens": reply.tokens, "seconds": reply.seconds, "attempts": reply.attempts}
        line = encoded(data)
        with self._lock, name_errors(self.path):
            start = self._stream.seek(0, os.SEEK_END)
            self._stream.write(line)
            self._stream.flush()
            self._places[bytes.fromhex(key)] = start, len(line)

    def __len__(self) -> int:
        return len(self._places)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _check_header(data: dict[str, Any]) -> None:
    if {key: data.get(key) for key in HEADER} != HEADER:
        raise ConfigError(f"expected a file of replies (big2 replies), got kind {shown(data.get('kind'))}")


def _key(data: dict[str, Any]) -> bytes:
    """Return the key of a reply that is well-formed."""
    _reply(data)
    return bytes.fromhex(data["key"])


def _reply(data: dict[str, Any]) -> Reply:
    """Return the reply in a line.

    Raises:
        NotationError: A value is malformed.
    """
    match data:
        case {
            "key": str(key),
            "answer": str(answer),
            "reasoning": (str() | None) as reasoning,
            "finish": (str() | None) as finish,
            "tokens": [int(tokens_in), int(tokens_out), *more],
            "seconds": (int() | float()) as seconds,
            "attempts": int(attempts),
        } if (
            _KEY.fullmatch(key)
            and min(tokens_in, tokens_out, seconds, attempts) >= 0
            and len(more) in (0, 2)
            and all(type(number) is int and number >= 0 for number in more)
        ):
            return Reply(answer, reasoning, finish, tokens_in, tokens_out, float(seconds), attempts, True, *more)
    raise NotationError(f"expected a reply with key, answer, tokens, seconds and attempts, got {quoted(json.dumps(data))}")
