"""`big2 convert`: games from one form to another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.cli._options import Back, Lang, RulesetName, stdin_bytes, words_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.notation import log, positions, records, spec_input
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import STDIN, Form, games_in


def command(
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE[:N]]", help="Games, each up to move N; - is standard input."),
    ] = STDIN,
    to: Annotated[Form | None, typer.Option(help="Form to write.", show_default="records; logs from records")] = None,
    names: Annotated[str | None, typer.Option(help="Players of a log by seat, separated by commas.")] = None,
    full_width: Annotated[bool, typer.Option("--full-width", help="Use the full-width comma in logs.")] = False,
    back: Back = 0,
    ruleset: RulesetName = "big2",
    lang: Lang = None,
) -> None:
    """Convert logs, game records (JSON lines) and input texts into each other, or into positions.

    The first line of the input shows its form. Every game is replayed by the rules. A log does not name the seats: the player
    who opens gets seat 0, unless --names gives the order. An input text contains one game.

    Examples:
        big2 convert game.log > games.jsonl
        big2 convert games.jsonl --to log > games.log
        big2 convert game.in:12 --to position
        big2 run game.in | big2 convert --names 水球,火球,保齡球,地瓜球
    """
    tr, rules = words_of(lang), ruleset_named(ruleset)
    seats = None if names is None else [name.strip() for name in names.split(",")]
    with games_in(file, rules, back=back, names=seats, stdin=stdin_bytes()) as (form, games):
        if names is not None and form is not Form.LOG:
            raise ConfigError(f"--names: expected a log, whose lines do not name the seats, got the form {form.value}")
        _write(games, to or (Form.LOG if form is Form.RECORD else Form.RECORD), full_width, tr)


def _write(games: Iterator[GameRecord], wanted: Form, full_width: bool, tr: Words) -> None:
    if wanted is Form.INPUT:
        sys.stdout.write(_only(games, tr))
        return
    for game in games:
        if wanted is Form.RECORD:
            sys.stdout.write(records.dumps(game) + "\n")
        elif wanted is Form.POSITION:
            sys.stdout.write(positions.dumps(game.game) + "\n")
        else:
            sys.stdout.write(log.dumps(game.transcript, full_width=full_width))


def _only(games: Iterator[GameRecord], tr: Words) -> str:
    """Return the input text of the only game; an empty text if there is none.

    Raises:
        ConfigError: There are several games, and a reader would only find the first.
    """
    several = list(islice(games, 2))
    if len(several) > 1:
        raise ConfigError(tr("convert.several"))
    return "".join(spec_input.dumps(game.transcript) for game in several)
