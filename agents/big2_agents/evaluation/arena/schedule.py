"""Schedules of a comparison: the seating of agents and the deals.

Every contest uses every deal in all rotations, so no agent profits from its seat or its cards.

* A *contest* assigns an agent to each chair. In rotation r, chair c is at seat (c + r) mod chairs. Over the rotations of a
  deal, each chair holds each hand once, between the same neighbors. Rotations that repeat an earlier seating are left out: two
  against two, with partners opposite each other, has two rotations.
* A *unit* is one contest on one deal in all its rotations. Units are played, written and counted as a whole. Statistics use the
  mean of a unit as one observation, because its games share their cards.

Schedules turn the list of agents into contests:

* `table`: one contest, with an agent in each chair in the given order.
* `pairs`: a contest for every ordered pair of agents; the first has one chair, copies of the second have all others.
* `alone`: the contests of `pairs` in which the first agent of the list has the one chair.
* `teams`: a contest for every pair of agents, with copies of both alternating around the table.
* `cross`: `pairs`, then `teams`.
* `both`: `alone`, then copies of the first agent against each other agent. They play two against two, opposite each other. In
  games with teams, with an odd number of seats or with fewer than four, they play against one.

Deal seeds count up from a given number, or are drawn so that no agent can predict them. A drawn run has a name such as
`drawn:1234`, which repeats it: each deal's seed is a hash of that number and the index of the deal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import blake2b
from itertools import combinations, permutations
from typing import Final, NamedTuple, TypeAlias

from big2_env.base.errors import ConfigError, quoted
from big2_env.base.rng import drawn_seed
from big2_env.climbing.ruleset import RuleSet


class Schedule(StrEnum):
    """Ways to turn a list of agents into contests; the module describes them."""

    TABLE = "table"
    PAIRS = "pairs"
    ALONE = "alone"
    TEAMS = "teams"
    CROSS = "cross"
    BOTH = "both"


class Kind(StrEnum):
    """Ways in which the agents of a contest meet."""

    TABLE = "table"
    ALONE = "alone"
    TEAMS = "teams"


class Contest(NamedTuple):
    """Assignment of agents to chairs."""

    chairs: tuple[int, ...]
    """Agent of each chair, as an index into the list of agents."""
    kind: Kind = Kind.TABLE
    """In a contest of kind `ALONE`, the first chair is the single one."""

    @property
    def rotations(self) -> int:
        """Number of games per deal: the rotations with different seatings.

        >>> Contest((0, 1, 1, 1)).rotations, Contest((0, 1, 0, 1)).rotations
        (4, 2)
        """
        chairs = self.chairs
        return next(step for step in range(1, len(chairs) + 1) if chairs[-step:] + chairs[:-step] == chairs)

    def chair_at(self, seat: int, rotation: int) -> int:
        """Return the chair at a seat."""
        return (seat - rotation) % len(self.chairs)

    def seating(self, rotation: int) -> tuple[int, ...]:
        """Return the agent at each seat.

        >>> Contest((0, 1, 2, 3)).seating(1)
        (3, 0, 1, 2)
        """
        return tuple(self.chairs[self.chair_at(seat, rotation)] for seat in range(len(self.chairs)))


class Unit(NamedTuple):
    """One contest on one deal."""

    deal: int
    contest: int


def choose(num_agents: int, ruleset: RuleSet) -> Schedule:
    """Return the default schedule: a table if the number of agents fills one, else pairs."""
    least, most = (ruleset.players,) * 2 if ruleset.players else (ruleset.min_players, ruleset.max_players)
    return Schedule.TABLE if least <= num_agents <= most else Schedule.PAIRS


def contests(schedule: Schedule, num_agents: int, ruleset: RuleSet) -> tuple[Contest, ...]:
    """Return the contests of a schedule.

    Raises:
        ConfigError: Too few agents, a table that they do not fill, or seats that cannot form two teams.
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
    """Every `of`-th deal of a run, as the share of one machine."""

    number: int = 1
    """Number of the shard, from 1."""
    of: int = 1
    """Number of shards."""

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard given as `I/N`.

        Raises:
            ConfigError: The text is malformed.

        >>> Shard.parse("2/3")
        Shard(number=2, of=3)
        """
        number, _, of = text.partition("/")
        if number.isdecimal() and of.isdecimal() and len(of) < 10 and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise ConfigError(f"expected a shard as 1/3, 2/3 or 3/3, got {quoted(text)}")

    def deals(self, total: int) -> range:
        """Return the indices of this shard's deals, out of `total`.

        >>> list(Shard(2, 3).deals(8))
        [1, 4, 7]
        """
        return range(self.number - 1, total, self.of)


WHOLE: Final = Shard()
"""The shard with all deals."""


def units(deals: int, planned: Sequence[Contest], shard: Shard = WHOLE) -> Iterator[Unit]:
    """Yield the units of a shard, deal by deal.

    Args:
        deals: Number of deals of the whole run.
        planned: The contests.
        shard: The shard.
    """
    for deal in shard.deals(deals):
        for contest in range(len(planned)):
            yield Unit(deal, contest)


RunSeed: TypeAlias = int | str
"""An integer from which deal seeds count up, or `drawn:` and an integer."""
_DRAWN: Final = "drawn:"
_FORM: Final = re.compile(r"-?[0-9]{1,20}|drawn:[0-9]{1,20}", re.ASCII)


def drawn_run() -> RunSeed:
    """Return a random seed for a run, `drawn:` and an integer."""
    return f"{_DRAWN}{drawn_seed()}"


def run_seed(text: str) -> RunSeed:
    """Parse the seed of a run.

    Raises:
        ConfigError: The text is neither an integer nor `drawn:` and an integer.

    >>> run_seed("7"), run_seed("drawn:7")
    (7, 'drawn:7')
    """
    if not _FORM.fullmatch(text):
        raise ConfigError(f"expected a seed as 7 or drawn:7, got {quoted(text)}")
    return text if text.startswith(_DRAWN) else int(text)


def deal_seed(seed: RunSeed, deal: int) -> int:
    """Return the `Game.deal` seed of a run's deal, counted from 0.

    >>> deal_seed(7, 2), deal_seed("drawn:7", 2) != deal_seed("drawn:7", 1) + 1
    (9, True)
    """
    if isinstance(seed, int):
        return seed + deal
    digest = blake2b(f"{seed}/{deal}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
