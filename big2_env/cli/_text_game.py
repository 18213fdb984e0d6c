"""A game given as text, answered action by action. Imports nothing slow."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from io import BytesIO
from typing import TextIO

from big2_env.cli._status import STATUS
from big2_env.climbing.ruleset import RuleSet
from big2_env.notation.lines import ByteLines, ByteStream, Lines
from big2_env.notation.log import LogWriter
from big2_env.notation.spec_input import read_actions, read_start, words_of

LINGER = 0.05
"""Seconds that a finished game waits for surplus lines, so that a driver may keep its end of the pipe open."""


def run_file(file: str | None, ruleset: RuleSet, num_players: int | None = None, full_width: bool = False) -> int:
    """Play a game from a file, write its log to stdout, and return the exit status.

    Args:
        file: File to read; `None` or `-` for standard input.
        ruleset: Rules of the game.
        num_players: Number of players; the ruleset's own by default.
        full_width: True to write the full-width comma.

    Raises:
        OSError: The file cannot be read.
        NotationError: A line is not valid; see `play`.
        ConfigError: The ruleset does not allow that many players.
    """
    is_stdin = file in (None, "-")
    with nullcontext(sys.stdin.buffer if sys.stdin else BytesIO()) if is_stdin else open(str(file), "rb") as stream:
        return play(stream, sys.stdout, sys.stderr, ruleset, ruleset.seats(num_players), full_width)


def play(
    source: ByteStream,
    out: TextIO,
    err: TextIO,
    ruleset: RuleSet,
    num_players: int | None = None,
    full_width: bool = False,
) -> int:
    """Play a game from a stream, write its log, and return the exit status. The log is flushed after every action.

    Args:
        source: Text of the game.
        out: Stream of the log.
        err: Stream of warnings.
        ruleset: Rules of the game.
        num_players: Number of players; see `read_start`.
        full_width: True to write the full-width comma.

    Raises:
        NotationError: A line is not valid, or there are more lines than a game may have. The log so far has been written.
        ConfigError: The ruleset does not allow that many players.
    """
    stream = ByteLines(source)
    lines = Lines(stream)
    transcript = read_start(lines, ruleset, num_players)
    log = LogWriter(transcript, full_width=full_width)
    game, actions = transcript.game, read_actions(lines, words_of(ruleset))
    while True:
        out.write(log.read_new())
        out.flush()
        if game.is_over:
            break
        action = next(actions, None)
        if action is None:
            whose = transcript.names[game.turn]
            print(f"big2: line {lines.number + 1}: the actions end before the game does: it is {whose}'s turn", file=err)
            return STATUS["input ends early"]
        transcript.act(action)
    blank_lines = stream.blank_lines_before_more(LINGER)
    if blank_lines is not None:
        surplus = lines.number + blank_lines + 1
        print(f"big2: warning: line {surplus}: the game has ended, further lines are ignored", file=err)
    return STATUS["done"]
