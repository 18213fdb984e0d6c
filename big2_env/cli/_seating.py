"""Agents by seat: the agents of a command, repeated around the table."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated

import typer

from big2_env.agents.interface import Agent
from big2_env.base.language import Words
from big2_env.climbing.ruleset import RuleSet
from big2_env.text.seating import weights_notes

Players = Annotated[
    int | None, typer.Option("--players", min=2, help="Number of seats.", show_default="the game's usual number")
]
"""Number of seats, for `seated`."""


def print_seating(agents: list[str], table: list[str], tr: Words, *, person: bool = False) -> None:
    """Print the agents by seat to standard error, if several agents are repeated around the table.

    Args:
        agents: Given agents.
        table: Agents by seat, from `seated`.
        tr: Texts of the language.
        person: True if a person has a seat too.
    """
    if 1 < len(agents) < len(table):
        shown = ", ".join([tr("table.you"), *table] if person else table)
        print(f"big2: {tr('narration.seats', agents=shown)}", file=sys.stderr)


def print_weights_notes(agents: Mapping[str, Agent], rules: RuleSet, players: int, tr: Words) -> None:
    """Print the lines of `weights_notes` to standard error; the arguments are the same."""
    for line in weights_notes(agents, rules, players, tr):
        print(f"big2: {line}", file=sys.stderr)


def players_options(players: int, agents: int, rules: RuleSet, *, person: bool = False) -> list[str]:
    """Return the options with which `seated` gives some agents a table of a given size.

    Args:
        players: Number of seats.
        agents: Number of given agents.
        rules: Rules of the game.
        person: True if a person has a seat too.
    """
    return [] if players == max(rules.default_players, agents + person) else ["--players", str(players)]
