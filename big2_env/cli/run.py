"""`big2 run`: a game given as text, answered action by action."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Annotated, TextIO

import typer

from big2_env.cli import STATUS
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.notation.lines import ByteLines, ByteStream, Lines
from big2_env.notation.log import LogWriter
from big2_env.notation.spec_input import read_action, read_start

LINGER = 0.05
"""Seconds for which a finished game waits for surplus lines, so that a driver may leave its end of the pipe open."""


def command(
    file: Annotated[Path | None, typer.Argument(help="The game; standard input without it, or with -.")] = None,
    full_width: Annotated[
        bool, typer.Option("--full-width", help="Print the full-width comma in the two messages that have one.")
    ] = False,
    ruleset: Annotated[str, typer.Option(help="The game's rules.")] = "big2",
    players: Annotated[int | None, typer.Option(help="How many players, where the rules leave a choice.")] = None,
) -> None:
    """Play a game given as text and print its log.

    The text is a deck (cards from bottom to top), one name a line, then one action a line: card indices in the sorted hand, or
    -1 for a pass. Each action is answered at once, so another program can drive a game through pipes.

    Exit status: 0 when the game has ended, 2 when a line is not notation, 3 when the actions end before the game does.

    Examples:
        big2 run game.in > game.out
        big2 run --full-width < game.in
    """
    rules = ruleset_named(ruleset)
    if file is None or str(file) == "-":
        status = play(sys.stdin.buffer if sys.stdin else BytesIO(), sys.stdout, sys.stderr, rules, players, full_width)
    else:
        with file.open("rb") as stream:
            status = play(stream, sys.stdout, sys.stderr, rules, players, full_width)
    raise typer.Exit(status)


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
        NotationError: a line that is not notation; the log so far has been written.
        ConfigError: a number of players that the ruleset does not allow.
    """
    stream = ByteLines(source)
    lines = Lines(stream)
    transcript = read_start(lines, ruleset, num_players)
    log = LogWriter(transcript, full_width=full_width)
    game = transcript.game
    while True:
        out.write(log.news())
        out.flush()
        if game.is_over:
            break
        action = read_action(lines)
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
