"""Child process of an isolated agent, and the messages that both sides exchange.

Messages use the child's standard streams: four bytes with the length, then one JSON object.

| request | the child | value of `done` |
| --- | --- | --- |
| `{"make": SPEC}` | makes the agent, once | `{"name": TEXT, "plays_by_time": BOOL or null, "is_stochastic": BOOL}` |
| `{"rules": DATA}` | stores the rules for later requests (`climbing.saved_rules`) | null |
| `{"check": PLAYERS}` | asks the agent whether it supports them (`check_seats`) | null |
| `{"trained_for": PLAYERS}` | asks for the rules of its weights (`rules_of_weights`) | as sent with `rules`, or null |
| `{"prepare": VIEW}` | lets the agent compile | null |
| `{"reset": SEED}` | starts the next game | null |
| `{"act": VIEW}` | asks for a play (`climbing.view_data`) | `{"play": PLAY}`, or `{"other": TEXT}` for anything else |

An answer is `{"done": VALUE}`, or one text: `{"refused": ...}` for a `ConfigError`, `{"forfeits": ...}` for a `ForfeitError`,
`{"missing": ...}` for a missing extra, `{"failed": ...}` for any other error. `{"compiling": true}` comes before the answer if
the agent compiles for long. The agent's output goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any, Final

from big2_env.agents.interface import Agent, check_seats, is_stochastic, make_agent, move_text, rules_of_weights
from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError, NotationError, failure_text, repr_text
from big2_env.base.json_values import parse_object
from big2_env.base.outside import text_of
from big2_env.climbing.forfeit import ForfeitError
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.view_data import play_data, play_of, view_of

MAX_MESSAGE: Final = 1 << 20
"""Maximum number of bytes of a message."""
COMPILING: Final = {"compiling": True}
"""Message before the answer of an agent that compiles for long."""
_LENGTH: Final = struct.Struct(">I")


def send(stream: IO[bytes], data: Mapping[str, Any]) -> None:
    """Write a message.

    Raises:
        OSError: The reader has closed the stream.
        NotationError: The message is too long.
    """
    body = json.dumps(data, allow_nan=False).encode()
    if len(body) > MAX_MESSAGE:
        raise NotationError(f"expected a message of at most {MAX_MESSAGE} bytes, got {len(body)}")
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any]:
    """Read a message.

    Raises:
        EOFError: The stream ends within the message.
        NotationError: The message is too long or is not a JSON object.
    """
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    if length > MAX_MESSAGE:
        raise NotationError(f"expected a message of at most {MAX_MESSAGE} bytes, got {length}")
    return parse_object(text_of(_read(stream, length)))


def _read(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


class _Host:
    """State of the child: an agent and its rules."""

    def __init__(self) -> None:
        self._agent: Agent | None = None
        self._rules: RuleSet | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        try:
            return {"done": self._do(request)}
        except ForfeitError as error:
            return {"forfeits": str(error)}
        except ConfigError as error:
            return {"refused": str(error)}
        except BaseException as error:
            if isinstance(error, ImportError) and "make" in request:
                return {"missing": str(error)}
            return {"failed": failure_text(error)}

    def _do(self, request: Mapping[str, Any]) -> Any:
        if (spec := request.get("make")) is not None:
            self._agent = make_agent(spec)
            by_time = getattr(self._agent, "plays_by_time", None)
            return {"name": repr_text(self._agent), "plays_by_time": by_time, "is_stochastic": is_stochastic(self._agent)}
        agent = self._agent
        assert agent is not None
        match request:
            case {"rules": data}:
                self._rules = SavedRules().of(data)
                _ = self._rules.table  # made here, so that it does not count as time for a move
            case {"check": players}:
                check_seats([agent], self._known(), players)
            case {"trained_for": players}:
                made = rules_of_weights(agent, self._known(), players)
                return None if made is None else identity(made)
            case {"reset": seed}:
                agent.reset(seed)
            case {"prepare": data}:
                agent.prepare(view_of(data, self._known()))  # type: ignore[attr-defined]
            case {"act": data}:
                view = view_of(data, self._known())
                return _sent(agent.act(view, view.legal_plays()))
        return None

    def _known(self) -> RuleSet:
        assert self._rules is not None
        return self._rules


def _sent(given: object) -> dict[str, Any]:
    """Return an agent's answer as data. Only a play can be sent as such."""
    with suppress(NotationError):
        if type(given) is Play:
            return {"play": play_data(play_of(play_data(given)))}
    return {"other": move_text(given)}


def serve() -> None:
    """Answer requests from standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    came: SimpleQueue[dict[str, Any]] = SimpleQueue()
    Thread(target=_listen, args=(requests, came), name="listening", daemon=True).start()
    NOTE.shows_progress = False
    NOTE.say = lambda place: send(answers, COMPILING)
    host = _Host()
    while True:
        send(answers, host.answer(came.get()))


def _listen(requests: IO[bytes], came: SimpleQueue[dict[str, Any]]) -> None:
    """Read requests into a queue, and end the process as soon as the parent is gone, even during a move."""
    with suppress(EOFError, OSError, NotationError):
        while True:
            came.put(receive(requests))
    os._exit(1)
