"""Who sits where. Every contest is played on every deal in all rotations, so no agent gains from its seat or its cards.

* A *contest* names the agent of each chair. In rotation r the chair c is at seat (c + r) mod chairs, so over the rotations of a
  deal each chair has held each hand once, between the same neighbours.
* A *unit* is one contest on one deal in all its rotations. It is what is played, written and counted as a whole; statistics
  take its mean as one observation, because its games share their cards.

Two schedules make contests of the agents given:

* `table`: one contest, an agent in each chair in the order given.
* `pairs`: for every ordered pair of agents one contest, the first in one chair against copies of the second in all the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import permutations
from typing import NamedTuple

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError


class Schedule(StrEnum):
    """How contests are made of agents."""

    TABLE = "table"
    PAIRS = "pairs"


class Contest(NamedTuple):
    """The agent of each chair, by its index in the list of agents."""

    chairs: tuple[int, ...]

    @property
    def rotations(self) -> int:
        """How many games a deal takes."""
        return len(self.chairs)

    def chair_at(self, seat: int, rotation: int) -> int:
        """The chair that stands at a seat."""
        return (seat - rotation) % len(self.chairs)

    def seating(self, rotation: int) -> tuple[int, ...]:
        """The agent at each seat.

        >>> Contest((0, 1, 2, 3)).seating(1)
        (3, 0, 1, 2)
        """
        return tuple(self.chairs[self.chair_at(seat, rotation)] for seat in range(len(self.chairs)))


class Unit(NamedTuple):
    """One contest on one deal."""

    deal: int
    contest: int


def choose(num_agents: int, ruleset: RuleSet) -> Schedule:
    """The schedule for so many agents where none is named: a table where they fill one, else pairs."""
    return Schedule.TABLE if ruleset.min_players <= num_agents <= ruleset.max_players else Schedule.PAIRS


def contests(schedule: Schedule, num_agents: int, ruleset: RuleSet) -> tuple[Contest, ...]:
    """The contests of a schedule.

    Raises:
        ConfigError: too few agents, or a table that they do not fill.
    """
    least, most = ruleset.min_players, ruleset.max_players
    if schedule is Schedule.PAIRS:
        if num_agents < 2:
            raise ConfigError(f"{num_agents} agents: a schedule of pairs takes 2 or more")
        others = least - 1
        return tuple(Contest((one, *[other] * others)) for one, other in permutations(range(num_agents), 2))
    if not least <= num_agents <= most:
        raise ConfigError(
            f"{num_agents} agents: a table of {ruleset.name} takes {least}" + (f" to {most}" if most > least else "")
        )
    return (Contest(tuple(range(num_agents))),)


def units(deals: int, planned: Sequence[Contest]) -> Iterator[Unit]:
    """Every unit, deal by deal."""
    for deal in range(deals):
        for contest in range(len(planned)):
            yield Unit(deal, contest)
