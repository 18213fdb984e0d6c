"""Agents by seat: a few names, repeated around the table, and notes on their weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from big2_env.agents.interface import Agent, available_agents, rules_of_weights, takes_from_record
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, Words
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import differences
from big2_env.notation.records import GameRecord
from big2_env.text.rules import settling


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


def by_seat(agents: Sequence[str], seat: int) -> list[str | None]:
    """Return the name of each seat's agent, `None` for the person.

    Args:
        agents: Names of the other seats, starting with the seat after the person's.
        seat: Seat of the person.
    """
    number = len(agents) + 1
    return [None if each == seat else agents[(each - seat) % number - 1] for each in range(number)]


def players_of(record: GameRecord) -> list[str | None]:
    """Return the name of the agent that had each seat of a recorded game, `None` for people and unknown players.

    Args:
        record: The game. Tables and matches keep the names of agents; elsewhere players have them, with a number if there are
            several.
    """
    names, seat, agents = record.transcript.names, record.extra.get("seat"), record.extra.get("agents")
    number = len(names)
    given = agents if isinstance(agents, list) and len(agents) == number else None
    if isinstance(agents, list) and len(agents) == number - 1 and isinstance(seat, int) and 0 <= seat < number:
        given = by_seat(agents, seat)
    if given is not None:
        return [name if isinstance(name, str) and takes_from_record(name) else None for name in given]
    bare = [name.rstrip("0123456789") for name in names]
    return [name if name in available_agents() else None for name in bare]


def weights_notes(agents: Mapping[str, Agent], rules: RuleSet, players: int, tr: Words) -> Iterator[str]:
    """Yield a line for each agent that plays by weights made for another payoff or other rules.

    Args:
        agents: Agents by their names in the lines.
        rules: Rules of the game.
        players: Number of players.
        tr: Texts of the language.

    Raises:
        ConfigError: An agent cannot play the game, or fails.
    """
    for name, agent in agents.items():
        made = rules_of_weights(agent, rules, players)
        differing = [] if made is None else differences(rules, made)
        if made is None or not differing:
            continue
        if differing == ["scoring"]:
            payoff = (" " if tr.language is Language.EN else "").join(settling(made, tr))
            line = tr("narration.other_payoff", agent=name, payoff=payoff)
        else:
            fields = tr("rules.list").join(differing)
            line = tr("narration.other_rules", agent=name, game=tr.game(made.name, made.zh), fields=fields)
        yield "".join(filter(str.isprintable, line))  # a file or a process may have named the rules
