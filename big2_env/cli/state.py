"""`big2 state`: the state of a game as text."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from big2_env.cli._options import SOURCE_HELP, Back, Lang, RulesetName, shows_signs, stdin_bytes, words_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.drawing.terminal import coloured
from big2_env.notation.sources import game_in
from big2_env.text.names import seat_words
from big2_env.text.observation import observation
from big2_env.text.state import state_text


def command(
    source: Annotated[str, typer.Argument(metavar="GAME", help=SOURCE_HELP)],
    seat: Annotated[int | None, typer.Option(help="Seat whose view is shown.", show_default="all hands open")] = None,
    back: Back = 0,
    ruleset: RulesetName = "big2",
    lang: Lang = None,
) -> None:
    """Print the state of a game: phase, stake, hands, piles, and all rounds with their passes.

    The phase is Dealt during an auction, Assigned before the first play, Started after it, and Over at the end. The cards of a
    play are listed from high to low, its kickers last.

    A round is a chain of tricks in which each new lead beats the last play of the trick before. The preparatory round lists
    each seat's lowest card.

    With `--seat`, print what that seat knows, with the order of cards and patterns. Language models read the same text.

    Examples:
        big2 state games.jsonl
        big2 state games.jsonl:12 --seat 0 --lang zh-Hant
        big2 state games.jsonl --back 3
    """
    tr = words_of(lang)
    found = game_in(source, ruleset_named(ruleset), back=back, stdin=stdin_bytes())
    if seat is None:
        text = state_text(found.game, names=seat_words(found.transcript.names, tr), lang=tr.language)
    else:
        text = observation(found.game.view(seat), tr.language)
    console, signs = Console(highlight=False), shows_signs()
    for line in text.splitlines():
        console.print(coloured(line, signs=signs), soft_wrap=True)
