"""`big2 games`: the games that can be played, and the ruleset file of one."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from big2_env.climbing import ruleset_files
from big2_env.climbing.game import max_acts
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.registration import env_id

WIDTH: Final = 160
"""Columns of the table, which is not cut for narrow terminals."""


_LEFT: Final = {Rest.ASIDE: "set aside", Rest.LOWEST_HOLDER: "to the lowest card"}


def command(
    ruleset: Annotated[str | None, typer.Argument(help="Print the ruleset file of this one.", show_default=False)] = None,
) -> None:
    """Print a table of all games: names for --game, players, cards, environment.

    With the name of a ruleset, print it as a JSON file, to be edited and given to --game. A file of one's own may instead
    name a preset and its changes: {"preset": "big2", "pass_lock": "trick"}. TOML files are read as well.

    Examples:
        big2 games
        big2 games big2 > mine.json
    """
    if ruleset is not None:
        print(ruleset_files.dumps(ruleset_named(ruleset)), end="")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("game", "中文", "players", "deck", "each", "left over", "starts", "ends", "acts at most", "environment"):
        table.add_column(heading, no_wrap=True)
    for rules in available_rulesets().values():
        table.add_row(*row(rules))
    Console(highlight=False, width=WIDTH).print(table)


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
