"""Comparison of a game's log with an expected one: the first line that differs, with the turn and the move that it is about."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final, NamedTuple

from big2_env.climbing.events import Passed, Played, Said
from big2_env.notation import log
from big2_env.notation.transcript import Transcript

_BEFORE_NAME, _AFTER_NAME = log.TURN.split("{name}")
_FULL_WIDTH: Final = tuple(text.partition("{comma}")[0] + log.FULL_WIDTH_COMMA for text in (log.BAD_PLAY, log.ENDED))
"""Beginnings of the messages with a comma, if it is the full-width one."""


class Difference(NamedTuple):
    """The first line in which two logs differ."""

    line: int
    """Line number, from 1."""
    expected: str | None
    """Expected line; `None` if the log should have ended."""
    got: str | None
    """Actual line; `None` if the log has ended."""
    turn: int
    """Number of the turn that contains the line, from 1; 0 before the first."""
    name: str
    """Name of the player whose turn it is."""


def difference(expected: str, got: str) -> Difference | None:
    r"""Return the first line in which a log differs from the expected one, ignoring the kind of line ends.

    >>> difference("輪到Ann了\n0\nC[3]\n", "輪到Ann了\n0\nC[4]\n")
    Difference(line=3, expected='C[3]', got='C[4]', turn=1, name='Ann')
    """
    turn, name = 0, ""
    for number, (wanted, found) in enumerate(zip_longest(_lines(expected), _lines(got)), start=1):
        line = (wanted if found is None else found) or ""
        if line.startswith(_BEFORE_NAME) and line.endswith(_AFTER_NAME):
            turn, name = turn + 1, line.removeprefix(_BEFORE_NAME).removesuffix(_AFTER_NAME)
        if wanted != found:
            return Difference(number, wanted, found, turn, name)
    return None


def is_full_width(text: str) -> bool:
    """Return True if a message of a log has the full-width comma."""
    return any(line.startswith(_FULL_WIDTH) for line in _lines(text))


def ply_at(transcript: Transcript, line: int) -> int:
    """Return the number of moves made before the event that a line of the log is about.

    Args:
        transcript: The game, whose log starts with its first event.
        line: Line number, from 1. Lines after the end are about the end.
    """
    ply = number = 0
    for event in transcript.events:
        text = log.event_text(event, transcript.game.ruleset, transcript.names)
        number += text.count("\n")
        if number >= line:
            break
        ply += isinstance(event, Played | Passed | Said)
    return ply


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.rstrip("\r\n").split("\n")]
