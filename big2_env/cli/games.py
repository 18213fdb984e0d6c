"""`big2 games`: the games that can be played, and the ruleset file of one."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from big2_env.cli import LANG_HELP
from big2_env.climbing import ruleset_files
from big2_env.climbing.game import max_acts
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.language import Words, language, words
from big2_env.play.saved import games_folder, saved_games, tally
from big2_env.registration import env_id
from big2_env.show.numbers import points

LAST: Final = 20
"""How many games are listed one by one."""
WIDTH: Final = 160
"""Columns of the table, which is not cut for narrow terminals."""


_LEFT: Final = {Rest.ASIDE: "set aside", Rest.LOWEST_HOLDER: "to the lowest card"}


def command(
    ruleset: Annotated[str | None, typer.Argument(help="Print the ruleset file of this one.", show_default=False)] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Print the games that you have played, and how you fared.")] = False,
    lang: Annotated[str | None, typer.Option(help=LANG_HELP)] = None,
) -> None:
    """Print a table of all games: names for --game, players, cards, environment.

    With the name of a ruleset, print it as a JSON file, to be edited and given to --game. A file of one's own may instead
    name a preset and its changes: {"preset": "big2", "pass_lock": "trick"}. TOML files are read as well.

    With --mine, list your own games instead: big2 play keeps each as a record in your data folder (BIG2_DATA).

    Examples:
        big2 games
        big2 games big2 > mine.json
        big2 games --mine
    """
    if mine:
        _print_mine(words(language(lang)))
        return
    if ruleset is not None:
        print(ruleset_files.dumps(ruleset_named(ruleset)), end="")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("game", "中文", "players", "deck", "each", "left over", "starts", "ends", "acts at most", "environment"):
        table.add_column(heading, no_wrap=True)
    for rules in available_rulesets().values():
        table.add_row(*row(rules))
    Console(highlight=False, width=WIDTH).print(table)


def _print_mine(say: Words) -> None:
    """How the person has fared against whom, and the last games."""
    games = saved_games()
    console = Console(highlight=False, soft_wrap=True)
    if not games:
        console.print(say("mine.none", folder=games_folder()), markup=False)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("game", "opponents", "games", "wins", "payoff", "broken_off"):
        table.add_column(say(f"mine.{key}"), justify="left" if key in ("game", "opponents") else "right")
    for one in tally(games):
        mean = points(one.payoff / one.games) if one.games else "-"
        counts = str(one.games), str(one.wins), mean, str(one.broken_off)
        table.add_row(say.name("game", one.ruleset), ", ".join(one.opponents), *counts)
    console.print(table)
    console.print()
    last = Table(box=None, pad_edge=False, header_style="bold")
    for key in ("started", "game", "acts", "result", "file"):
        last.add_column(say(f"mine.{key}"), no_wrap=key == "file", overflow="fold")
    for game in games[:LAST]:
        result = say("mine.unfinished") if game.payoff is None else points(game.payoff)
        when = game.started[:16].replace("T", " ")
        last.add_row(when, say.name("game", game.ruleset), str(game.acts), result, str(game.path))
    console.width = max(console.width, console.measure(last, options=console.options.update(width=1000)).maximum)
    console.print(last)


def row(rules: RuleSet) -> tuple[str, ...]:
    """What the table says of a game; the bound on its acts is `max_acts`, for the fewest and for the most players."""
    players = " to ".join(map(str, sorted({rules.min_players, rules.max_players})))
    numbers = sorted({rules.min_players, rules.max_players}, reverse=True)
    rest = " to ".join(str(rules.deck.size - rules.hand_size * number) for number in numbers)
    left = f"{rest} {_LEFT[rules.rest]}" if rules.rest is not Rest.NONE else "none"
    left = f"{rest} to the landlord" if rules.auction else "draw pile" if rules.draw_pile else left
    starts = "landlord" if rules.auction else f"lowest card ({rules.lead.value})"
    ends = {"first_out": "first empty hand", "last_holder": "last holder of cards"}[rules.ending.value]
    acts = " to ".join(str(max_acts(rules, number)) for number in sorted({rules.min_players, rules.max_players}))
    sizes = str(rules.deck.size), str(rules.hand_size)
    return rules.name, rules.zh, players, *sizes, left, starts, ends, acts, env_id(rules.name)
