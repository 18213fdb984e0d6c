"""Which agent sits where: the agents that a command names, repeated around the table."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.language import Words

Players = Annotated[
    int | None, typer.Option("--players", min=2, help="Seats at the table.", show_default="as many as the game usually has")
]
"""How many seats a table has; `seated` takes it."""


def seated(agents: list[str], rules: RuleSet, players: int | None, *, person: bool = False) -> list[str]:
    """Return an agent for each seat: those of the user, repeated around the table.

    Args:
        agents: The agents that the user names, at least one.
        rules: The game.
        players: How many seats there are; by default the game's own number, or more if the user names more agents.
        person: True if a person has a seat too. Then the agents are those of the other seats, from the next one on.

    Raises:
        ConfigError: the game does not allow that many players, or there are more agents than seats.
    """
    number = rules.seats(max(rules.default_players, len(agents) + person) if players is None else players)
    seats = number - person
    if len(agents) > seats:
        raise ConfigError(f"expected at most {seats} agents for a table of {number}, got {len(agents)}")
    return [agents[seat % len(agents)] for seat in range(seats)]


def print_seating(agents: list[str], table: list[str], tr: Words, *, person: bool = False) -> None:
    """Print who sits where to standard error, if several agents are repeated around the table. Arguments as of `seated`."""
    if 1 < len(agents) < len(table):
        shown = ", ".join([tr("table.you"), *table] if person else table)
        print(f"big2: {tr('narration.seats', agents=shown)}", file=sys.stderr)


def players_options(players: int, agents: int, rules: RuleSet, *, person: bool = False) -> list[str]:
    """Return the options with which `seated` gives that many agents a table of that many players."""
    return [] if players == max(rules.default_players, agents + person) else ["--players", str(players)]
