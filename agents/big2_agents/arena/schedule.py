"""Who sits where, and which deals are played.

Every contest is played on every deal in all rotations, so no agent gains from its seat or its cards.

* A *contest* names the agent of each chair. In rotation r the chair c is at seat (c + r) mod chairs, so over the rotations of a
  deal each chair has held each hand once, between the same neighbours. Rotations that would seat the same agents again are the
  same game, and are left out: two against two, sitting opposite each other, have two rotations.
* A *unit* is one contest on one deal in all its rotations. It is what is played, written and counted as a whole; statistics
  take its mean as one observation, because its games share their cards.

Schedules make contests of the agents given:

* `table`: one contest, an agent in each chair in the order given.
* `pairs`: for every ordered pair of agents one contest, the first in one chair against copies of the second in all the others.
* `alone`: the same of the first agent only: alone against copies of each of the others.
* `teams`: for every pair of agents one contest, copies of both in turns around the table, so that two sit opposite each other.
* `cross`: `pairs`, then `teams`.
* `both`: `alone`, then the first agent with copies of itself against each of the others: two against two, sitting opposite
  each other; where the game has teams, or no even number of seats from four up, against one.

The seeds of the deals are counted from a number that the user chose, or drawn so that no agent can predict one. A drawn run is
named by a text such as `drawn:1234`, which repeats it: each deal's seed is a hash of that number and the deal's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import blake2b
from itertools import combinations, permutations
from typing import Final, NamedTuple, TypeAlias

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, quoted
from big2_env.rng import drawn_seed


class Schedule(StrEnum):
    """How contests are made of agents."""

    TABLE = "table"
    PAIRS = "pairs"
    ALONE = "alone"
    TEAMS = "teams"
    CROSS = "cross"
    BOTH = "both"


class Kind(StrEnum):
    """How the agents of a contest face each other."""

    TABLE = "table"
    ALONE = "alone"
    TEAMS = "teams"


class Contest(NamedTuple):
    """Who meets whom."""

    chairs: tuple[int, ...]
    """The agent of each chair, by its index in the list of agents."""
    kind: Kind = Kind.TABLE
    """How they face each other; the first chair is the one that is alone."""

    @property
    def rotations(self) -> int:
        """How many games a deal takes: the rotations that seat the agents in different ways.

        >>> Contest((0, 1, 1, 1)).rotations, Contest((0, 1, 0, 1)).rotations
        (4, 2)
        """
        chairs = self.chairs
        return next(step for step in range(1, len(chairs) + 1) if chairs[-step:] + chairs[:-step] == chairs)

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
    least, most = (ruleset.players,) * 2 if ruleset.players else (ruleset.min_players, ruleset.max_players)
    return Schedule.TABLE if least <= num_agents <= most else Schedule.PAIRS


def contests(schedule: Schedule, num_agents: int, ruleset: RuleSet) -> tuple[Contest, ...]:
    """The contests of a schedule.

    Raises:
        ConfigError: too few agents, a table that they do not fill, or seats that make no two teams.
    """
    least, most, seats = ruleset.min_players, ruleset.max_players, ruleset.default_players
    if schedule is Schedule.TABLE:
        if not least <= num_agents <= most:
            takes = f"{least}" + (f" to {most}" if most > least else "")
            raise ConfigError(f"expected {takes} agents for a table of {ruleset.name}, got {num_agents}")
        return (Contest(tuple(range(num_agents))),)
    if num_agents < 2:
        raise ConfigError(f"expected 2 agents or more for a schedule of {schedule.value}, got {num_agents}")
    pairs = tuple(permutations(range(num_agents), 2))
    alone = tuple(Contest((one, *[other] * (seats - 1)), Kind.ALONE) for one, other in pairs)
    if schedule is Schedule.PAIRS:
        return alone
    if schedule is Schedule.ALONE:
        return alone[: num_agents - 1]
    if schedule is Schedule.BOTH:
        opposite = ruleset.auction is None and seats % 2 == 0 and seats >= 4
        beside = [
            Contest((0, other) * (seats // 2), Kind.TEAMS) if opposite else Contest((other, *[0] * (seats - 1)), Kind.ALONE)
            for other in range(1, num_agents)
        ]
        return (*alone[: num_agents - 1], *beside)
    if seats % 2 or seats < 4:
        raise ConfigError(f"expected an even number of seats, 4 or more, for two teams, got {seats} in {ruleset.name}")
    teams = tuple(Contest((one, other) * (seats // 2), Kind.TEAMS) for one, other in combinations(range(num_agents), 2))
    return teams if schedule is Schedule.TEAMS else alone + teams


class Shard(NamedTuple):
    """One of several parts of the deals, each for a machine of its own: every `of`-th deal."""

    number: int = 1
    """Which part, from 1."""
    of: int = 1
    """How many parts there are."""

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The part that a text names.

        Raises:
            ConfigError: it is none.

        >>> Shard.parse("2/3")
        Shard(number=2, of=3)
        """
        number, _, of = text.partition("/")
        if number.isdecimal() and of.isdecimal() and len(of) < 10 and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise ConfigError(f"expected a shard as 1/3, 2/3 or 3/3, got {quoted(text)}")

    def deals(self, total: int) -> range:
        """Its deals of so many.

        >>> list(Shard(2, 3).deals(8))
        [1, 4, 7]
        """
        return range(self.number - 1, total, self.of)


WHOLE: Final = Shard()
"""All deals."""


def units(deals: int, planned: Sequence[Contest], shard: Shard = WHOLE) -> Iterator[Unit]:
    """Every unit of a part of so many deals, deal by deal."""
    for deal in shard.deals(deals):
        for contest in range(len(planned)):
            yield Unit(deal, contest)


RunSeed: TypeAlias = int | str
"""An integer, from which the deals' seeds count up, or `drawn:` and an integer."""
_DRAWN: Final = "drawn:"
_FORM: Final = re.compile(r"-?[0-9]{1,20}|drawn:[0-9]{1,20}", re.ASCII)


def drawn_run() -> RunSeed:
    """Draw the seeds of a run."""
    return f"{_DRAWN}{drawn_seed()}"


def run_seed(text: str) -> RunSeed:
    """Read the seed of a run.

    Raises:
        ConfigError: neither an integer nor `drawn:` and an integer.

    >>> run_seed("7"), run_seed("drawn:7")
    (7, 'drawn:7')
    """
    if not _FORM.fullmatch(text):
        raise ConfigError(f"expected a seed as 7 or drawn:7, got {quoted(text)}")
    return text if text.startswith(_DRAWN) else int(text)


def deal_seed(seed: RunSeed, deal: int) -> int:
    """Return the seed by which `Game.deal` deals a run's deal, counted from 0.

    >>> deal_seed(7, 2), deal_seed("drawn:7", 2) != deal_seed("drawn:7", 1) + 1
    (9, True)
    """
    if isinstance(seed, int):
        return seed + deal
    digest = blake2b(f"{seed}/{deal}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
