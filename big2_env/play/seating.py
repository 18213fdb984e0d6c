"""Agents by seat: a few names, repeated around the table."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError


def seated(agents: Sequence[str], rules: RuleSet, players: int | None, *, person: bool = False) -> list[str]:
    """Return an agent for each seat: the given ones, repeated around the table.

    Args:
        agents: Given agents, at least one.
        rules: Rules of the game.
        players: Number of seats; by default the game's usual number, or more if more agents are given.
        person: True if a person has a seat too. Then the agents are for the other seats, starting with the next one.

    Raises:
        ConfigError: The game does not allow that many players, or there are more agents than seats.
    """
    number = rules.seats(max(rules.default_players, len(agents) + person) if players is None else players)
    seats = number - person
    if len(agents) > seats:
        raise ConfigError(f"expected at most {seats} agents for a table of {number}, got {len(agents)}")
    return [agents[seat % len(agents)] for seat in range(seats)]
