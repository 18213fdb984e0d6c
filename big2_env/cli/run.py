"""`big2 run`: a game given as text, answered action by action."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_env.cli import RULES_HELP
from big2_env.cli._text_game import run_file
from big2_env.climbing.rulesets import ruleset as ruleset_named


def command(
    file: Annotated[Path | None, typer.Argument(help="The game; standard input without it, or with -.")] = None,
    full_width: Annotated[
        bool, typer.Option("--full-width", help="Print the full-width comma in the two messages that have one.")
    ] = False,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    players: Annotated[int | None, typer.Option(help="How many players, where the rules leave a choice.")] = None,
) -> int:
    """Play a game given as text and print its log.

    The text is a deck (cards from bottom to top), one name a line, then one action a line: card indices in the sorted hand, or
    -1 for a pass. Each action is answered at once, so another program can drive a game through pipes.

    Exit status: 0 when the game has ended, 2 when a line is not notation, 3 when the actions end before the game does.

    Examples:
        big2 run game.in > game.out
        big2 run --full-width < game.in
    """
    return run_file(None if file is None else str(file), ruleset_named(ruleset), players, full_width)
