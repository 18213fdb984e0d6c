"""`big2 games`: the list of games, the ruleset file of one, and the user's own games."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.base.plugins import OWN_GAMES, plugins
from big2_env.base.side_games import side_games
from big2_env.cli._options import Lang, words_of
from big2_env.climbing.game import max_moves
from big2_env.climbing.parts import Ending, Rest
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import dump_ruleset
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.registration import env_id

WIDTH: Final = 180
"""Columns of the table, which is not cut for narrow terminals."""
HEADINGS: Final = ("game", "name", "players", "deck", "each", "left_over", "starts", "ends", "acts", "environment")
"""Columns for climbing games."""
SIDE_HEADINGS: Final = ("game", "name", "players", "deck", "verb", "environment")
"""Columns for side games."""


def command(
    ruleset: Annotated[str | None, typer.Argument(help="Ruleset whose file is printed.", show_default=False)] = None,
    mine: Annotated[bool, typer.Option("--mine", help="List the games that you have played, with results.")] = False,
    lang: Lang = None,
) -> None:
    """List all games with names, players, cards and environments, or print a ruleset file.

    With the name of a ruleset, print it as JSON, to be edited and passed to --game. A file may instead name a preset and its
    changes: {"preset": "big2", "pass_lock": "trick"}. TOML files work as well.

    With --mine, list the games that you have played, including UNO and Klondike. Each is a record in your data folder
    (BIG2_DATA), which big2 show FILE displays.

    Examples:
        big2 games
        big2 games --lang zh-Hant
        big2 games big2 > mine.json
        big2 games --mine
    """
    if mine:
        if not (listings := plugins(OWN_GAMES)):
            raise ConfigError("--mine: expected an installed package with tables for people, got none")
        for listing in listings.values():
            listing.load()(words_of(lang))
        return
    if ruleset is not None:
        print(dump_ruleset(ruleset_named(ruleset)), end="")
        return
    tr, console = words_of(lang), Console(highlight=False, width=WIDTH)
    table = _table(HEADINGS, tr)
    for rules in available_rulesets().values():
        table.add_row(*row(rules, tr))
    console.print(table)
    console.print(f"\n{tr('games.side')}")
    others = _table(SIDE_HEADINGS, tr)
    for game in side_games():
        players = _from_to(game.players, tr)
        others.add_row(
            game.name, tr.name("game", game.name), players, str(game.deck), f"big2 {game.name}", game.environment or "-"
        )
    console.print(others)


def _table(headings: tuple[str, ...], tr: Words) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(tr.name("games_column", heading), no_wrap=True)
    return table


def _from_to(numbers: tuple[int, int], tr: Words) -> str:
    low, high = sorted(numbers)
    return str(low) if low == high else tr("rules.from_to", low=low, high=high)


def row(rules: RuleSet, tr: Words) -> tuple[str, ...]:
    """Return the cells of a game. The bound of its moves is `max_moves`, for the fewest and the most players."""
    numbers = rules.min_players, rules.max_players
    each = rules.cards_each(numbers[0]), rules.cards_each(numbers[1])
    rest = _from_to((rules.deck.size - each[0] * numbers[0], rules.deck.size - each[1] * numbers[1]), tr)
    if rules.auction is not None:
        left, starts = tr("games.to_landlord", cards=rest), tr("table.landlord")
    else:
        starts = tr(f"games.lead_{rules.lead.value}")
        key = {Rest.NONE: "none", Rest.ASIDE: "aside", Rest.LOWEST_HOLDER: "to_lowest"}[rules.rest]
        left = tr("table.draw_pile") if rules.draw_pile else tr(f"games.{key}", cards=rest)
    ends = tr("games.first_out" if rules.ending is Ending.FIRST_OUT else "games.last_holder")
    moves = _from_to((max_moves(rules, numbers[0]), max_moves(rules, numbers[1])), tr)
    name = tr.game(rules.name, rules.zh)
    sizes = str(rules.deck.size), _from_to(each, tr)
    return rules.name, name, _from_to(numbers, tr), *sizes, left, starts, ends, moves, env_id(rules.name)
