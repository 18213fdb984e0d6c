"""Frozen decisions of the protocol big2-positions, and the regret of a move.

A decision is a position of a recorded game. Each legal move has two values: mean payoffs of the seat over two separate halves
of the sampled deals, on which every seat then plays like the judge. All moves are valued on the same deals.

The *regret* of a move is the value of the best move minus its own. The move that is best on one half is valued on the other,
and the two results are averaged. The largest of several noisy means is too large on average; on new deals it is not, so noise
does not make regret larger. It can be slightly below 0.

Published decisions never change. Each ruleset of a version has a file `VERSION/RULESET.jsonl`:

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 positions", `protocol`, `ruleset`, `identity`, `players`, `judge`, `deals` |
| others | `kind`, `seed` of the deal, `history` (action ids before the decision), `actions` (ids of the legal moves), |
| | `first` and `second` (their values on the halves), `agents` of the recorded game by seat, and its number, `game` |

The moves of an ending that keep a forced win on every sampled deal, as the solver proves, all have the highest value there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.base.json_values import parse_object
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules

PROTOCOLS: Final = ("big2-positions v1", "big2-positions v2")
"""Published versions. The second has the rulesets whose rules have changed since the first."""


class Kind(Named):
    """Kind of a decision."""

    LEADING = "leading"
    """The seat leads."""
    ANSWERING = "answering"
    """There is a play to beat."""
    BIDDING = "bidding"
    """A call of an auction."""
    ENDING = "ending"
    """A few cards are left, and some moves keep a forced win while others do not."""


@dataclass(frozen=True)
class MoveValues:
    """Values of all legal moves of a decision, each from two halves of the sampled deals."""

    actions: tuple[int, ...]
    """Ids of the legal moves, ascending."""
    first: tuple[float, ...]
    """Value of each move on the first half of the deals, in points."""
    second: tuple[float, ...]
    """The same on the second half."""

    def regret(self, action: int) -> float:
        """Return the regret of a legal move in points, as the module defines it.

        >>> values = MoveValues((4, 7), (0.5, 0.0), (0.25, 0.0))
        >>> values.regret(4), values.regret(7)
        (0.0, 0.375)
        """
        chosen = self.actions.index(action)
        by_first, by_second = _best(self.first), _best(self.second)
        on_second = self.second[by_first] - self.second[chosen]
        on_first = self.first[by_second] - self.first[chosen]
        return (on_first + on_second) / 2

    def value(self, action: int) -> float:
        """Return the mean value of a legal move over all sampled deals, in points."""
        chosen = self.actions.index(action)
        return (self.first[chosen] + self.second[chosen]) / 2

    @cached_property
    def worst(self) -> float:
        """Largest regret of a legal move, which counts for an answer that is none."""
        return max(map(self.regret, self.actions))


@dataclass(frozen=True)
class Decision(MoveValues):
    """One frozen decision."""

    kind: Kind
    seed: int
    """`Game.deal` seed of the recorded game."""
    history: tuple[int, ...]
    """Ids of the actions before the decision."""

    def game(self, ruleset: RuleSet, num_players: int) -> Game:
        """Return the recorded game up to the decision."""
        game, space = Game.deal(ruleset, self.seed, num_players), action_space(ruleset)
        for action in self.history:
            game.push(space.verify(action, game.legal_plays()))
        return game


def _best(values: Sequence[float]) -> int:
    """Return the index of the largest value, the first of equal ones."""
    return max(range(len(values)), key=values.__getitem__)


@dataclass(frozen=True, eq=False)
class Decisions:
    """The frozen decisions of one ruleset."""

    protocol: str
    """Name of the version."""
    ruleset: RuleSet
    num_players: int
    judge: str
    """Agent in all seats when moves were valued."""
    deals: int
    """Number of sampled deals per decision."""
    items: tuple[Decision, ...]
    hash: str
    """Twelve hexadecimal digits of the SHA-256 of the file. Results with different digits are not comparable."""


def seed_of(protocol: str) -> int:
    """Return the seed of the recorded games and of the sampled deals of a version."""
    return int.from_bytes(hashlib.sha256(protocol.encode()).digest()[:6])


def _folder(protocol: str) -> Traversable:
    """Return the folder of a version.

    Raises:
        ConfigError: It has not been published.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError(f"expected a protocol of {', '.join(PROTOCOLS)}, got {protocol!r}")
    return files("big2_agents.evaluation.positions") / protocol.split()[-1]


def positions_rulesets(protocol: str = PROTOCOLS[0]) -> list[str]:
    """Return the names of the rulesets that have frozen decisions, sorted.

    Raises:
        ConfigError: The version is unknown.
    """
    names = (entry.name for entry in _folder(protocol).iterdir())
    return sorted(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))


@cache
def decisions(ruleset: str, protocol: str = PROTOCOLS[0]) -> Decisions:
    """Return the frozen decisions of a ruleset.

    Args:
        ruleset: Name of the ruleset.
        protocol: Name of the version.

    Raises:
        ConfigError: The ruleset has none, or the version is unknown.

    >>> found = decisions("big2")
    >>> len(found.items), found.judge, found.deals
    (300, 'learned', 64)
    """
    if ruleset not in (known := positions_rulesets(protocol)):
        raise ConfigError(f"no decisions of {ruleset!r} in {protocol}; expected one of {', '.join(known)}")
    return parse((_folder(protocol) / f"{ruleset}.jsonl").read_bytes())


def parse(content: bytes) -> Decisions:
    """Return the decisions in a file."""
    head, *lines = map(parse_object, content.decode().splitlines())
    return Decisions(
        protocol=head["protocol"],
        ruleset=SavedRules().of({"ruleset": head["ruleset"], **head["identity"]}),
        num_players=head["players"],
        judge=head["judge"],
        deals=head["deals"],
        items=tuple(map(_decision, lines)),
        hash=hashlib.sha256(content).hexdigest()[:12],
    )


def _decision(data: dict[str, Any]) -> Decision:
    return Decision(
        kind=Kind(data["kind"]),
        seed=data["seed"],
        history=tuple(data["history"]),
        actions=tuple(data["actions"]),
        first=tuple(map(float, data["first"])),
        second=tuple(map(float, data["second"])),
    )
