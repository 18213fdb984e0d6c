"""The frozen protocol big2-bench: what is played so that results are comparable across papers and over time.

An agent plays 1,000 deals of each ruleset, once alone against copies of each opponent, and once with copies of itself against
as many opponents or against one. All agents meet an opponent on the same deals, each deal in all rotations. A result is the
share of games won and the mean payoff per game by the ruleset's own settlement, with 95% intervals over deals (Student's t; a
deal with all its games is one observation).

A published protocol never changes: anything that would change a result makes a new version. Opponents are pinned by a hash of
their choices in a fixed set of positions, which is checked before a run. The heuristic opponent's weights are frozen with the
protocol. The deals are public, so an agent could look its hand up: results of such an agent do not count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from big2_agents.arena.fingerprints import fingerprint, positions
from big2_agents.arena.results import OWN, Config
from big2_agents.arena.schedule import Schedule
from big2_env.agents import Agent, make_agent
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.json_values import parse_object

OPPONENTS: Final = ("random", "greedy", "heuristic")
"""Whom every protocol has."""


@dataclass(frozen=True, eq=False)
class Protocol:
    """Everything that a version fixes."""

    name: str
    scorings: Mapping[str, str]
    """The rulesets, and what the score counts in each: what the ruleset pays."""
    deals: int
    seed: int
    """Of deal 0, as `Game.deal` takes it; deal k has seed + k. It is the first 6 bytes of the SHA-256 of the name."""
    schedule: Schedule
    heuristic: str
    """The agent that plays the opponent `heuristic`."""
    pin_deals: int
    """How many games the positions of a pin come from."""
    pins: Mapping[str, Mapping[str, str]]
    """By ruleset and opponent: `fingerprint` of the one that is meant."""

    def data(self) -> dict[str, Any]:
        """The protocol as JSON values."""
        return {
            "name": self.name,
            "rulesets": dict(self.scorings),
            "deals": self.deals,
            "seed": self.seed,
            "schedule": self.schedule.value,
            "opponents": {name: {ruleset: pins[name] for ruleset, pins in self.pins.items()} for name in OPPONENTS},
        }

    @cached_property
    def hash(self) -> str:
        """Twelve digits that stand for the protocol: figures with other digits cannot be compared."""
        text = json.dumps(self.data(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def agent_of(self, opponent: str) -> str:
        """The agent that plays an opponent."""
        return self.heuristic if opponent == "heuristic" else opponent

    def config_of(self, agent: str, ruleset: str) -> Config:
        """What is played for an agent in a ruleset: it is agent 0, and the opponents follow.

        Raises:
            ConfigError: a ruleset that the protocol does not have.
        """
        if ruleset not in self.scorings:
            raise ConfigError(f"unknown ruleset {ruleset!r} of {self.name}; expected one of {', '.join(self.scorings)}")
        others = map(self.agent_of, OPPONENTS)
        return Config((agent, *others), ruleset, self.scorings[ruleset], self.seed, self.schedule.value)

    def fingerprint(self, agent: Agent, ruleset: RuleSet) -> str:
        """Sixteen digits that stand for an agent's choices in the positions of pins; it is reset before each."""
        return fingerprint(agent, positions(ruleset, self.seed, self.pin_deals))

    def check_opponents(self, ruleset: str) -> None:
        """Refuse opponents that are not those of the protocol.

        Raises:
            ConfigError: one plays otherwise than it is pinned.
        """
        rules = ruleset_named(ruleset)
        for name, pin in self.pins[ruleset].items():
            found = self.fingerprint(make_agent(self.agent_of(name)), rules)
            if found != pin:
                raise ConfigError(f"expected {name} to play in {ruleset} as {self.name} has it (choices {pin}), got {found}")


def _read_pins(name: str) -> dict[str, dict[str, str]]:
    """The pins in a file beside this one."""
    found: dict[str, dict[str, str]] = parse_object((files("big2_agents.arena") / name).read_text(encoding="utf-8"))
    return found


_PINS: Final = _read_pins("bench_v3.json")
V3: Final = Protocol(
    name="big2-bench v3",
    scorings=dict.fromkeys(_PINS, OWN),
    deals=1000,
    seed=170510068512453,
    schedule=Schedule.BOTH,
    heuristic="heuristic:bench-v3",
    pin_deals=4,
    pins=_PINS,
)
PROTOCOLS: Final[Mapping[str, Protocol]] = {"v3": V3}
"""By the name of the version. Earlier ones, in which agents could find the deal by their seed, are gone."""
