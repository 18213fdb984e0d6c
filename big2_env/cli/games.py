"""`big2 games`: the games that can be played."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table

from big2_env.climbing.game import max_acts
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.registration import env_id

WIDTH: Final = 160
"""Columns of the table, which is not cut for narrow terminals."""


_LEFT: Final = {Rest.ASIDE: "set aside", Rest.LOWEST_HOLDER: "to the lowest card"}


def command() -> None:
    """Print a table of all games: names for --game, players, cards, environment.

    Examples:
        big2 games
    """
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
