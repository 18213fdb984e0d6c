"""A game given as text, answered action by action. Nothing slow is imported here."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TextIO

from big2_env.cli._status import STATUS
from big2_env.climbing.ruleset import RuleSet
from big2_env.notation.lines import ByteLines, ByteStream, Lines
from big2_env.notation.log import LogWriter
from big2_env.notation.spec_input import read_actions, read_start, words_of

LINGER = 0.05
"""Seconds for which a finished game waits for surplus lines, so that a driver may leave its end of the pipe open."""


def run_file(file: str | None, ruleset: RuleSet, num_players: int | None = None, full_width: bool = False) -> int:
    """The exit status of a game read from a file, or from standard input for `None` and for `-`; the log goes to stdout.

    Raises:
        OSError: the file cannot be read.
        NotationError, ConfigError: as `play`.
    """
    if file in (None, "-"):
        return play(sys.stdin.buffer if sys.stdin else BytesIO(), sys.stdout, sys.stderr, ruleset, num_players, full_width)
    with open(str(file), "rb") as stream:
        return play(stream, sys.stdout, sys.stderr, ruleset, num_players, full_width)


def play(
    source: ByteStream,
    out: TextIO,
    err: TextIO,
    ruleset: RuleSet,
    num_players: int | None = None,
    full_width: bool = False,
) -> int:
    """The exit status of a game read from `source`; its log is written to `out`, flushed after every action.

    Raises:
        NotationError: a line that is not notation, or more of them than a game may have; the log so far has been written.
        ConfigError: a number of players that the ruleset does not allow.
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
