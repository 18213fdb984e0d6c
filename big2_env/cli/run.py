"""`big2 run`: a game given as text, answered action by action."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_env.cli import RULES_HELP
from big2_env.cli._check import check_logs, pairs_of
from big2_env.cli._options import Lang, words_of
from big2_env.cli._text_game import run_file
from big2_env.climbing.rulesets import ruleset as ruleset_named


def command(
    file: Annotated[Path | None, typer.Argument(help="The game; standard input without it, or with -.")] = None,
    full_width: Annotated[
        bool, typer.Option("--full-width", help="Print the full-width comma in the two messages that have one.")
    ] = False,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    players: Annotated[int | None, typer.Option(help="How many players, where the rules leave a choice.")] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="LOG|FOLDER", help="Compare the log with this one; or all NAME.in, NAME.out of a folder."),
    ] = None,
    lang: Lang = None,
) -> int:
    """Play a game given as text and print its log.

    The text is a deck (cards from bottom to top), one name a line, then one action a line: card indices in the sorted hand, or
    -1 for a pass. Each action is answered at once, so another program can drive a game through pipes.

    Exit status: 0 when the game has ended, 2 when a line is not notation, 3 when the actions end before the game does.

    With --check, compare the log with an expected one instead of printing it, and print the first line that differs. The game
    of NAME.out is NAME.in next to it, unless one is given. Exit status: 0 if all logs are as expected, 1 if one differs, 2 if
    one cannot be read. Either comma is accepted.

    Examples:
        big2 run game.in > game.out
        big2 run --full-width < game.in
        big2 run --check game.out
        big2 run --check tests/
    """
    rules, given = ruleset_named(ruleset), None if file is None else str(file)
    if check is not None:
        return check_logs(pairs_of(check, given), rules, players, full_width, words_of(lang))
    return run_file(given, rules, players, full_width)
