"""The frozen protocol big2-bench, which makes results comparable across papers and over time.

An agent plays 1,000 deals of each ruleset: in one seat against copies of each opponent, and together with copies of itself
against as many opponents or against one. All agents get the same deals, each in all rotations. A result is the win rate and the
mean payoff per game by the ruleset's own settlement. Intervals are 95% over deals (Student's t; a deal with all its games is
one observation).

A published protocol never changes; any change that affects results makes a new version. Opponents are pinned by a hash of their
choices in a fixed set of positions, which is checked before a run. The weights of the heuristic opponent are frozen with the
protocol. The deals are public, so an agent could look up its hand; results of such an agent do not count.

A ruleset that is added later gets a hash of its own, and so changes nothing for the others.

A row holds the results of one agent in one ruleset: a small file to keep, and a line in a table.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from big2_agents.evaluation.arena.report import cell
from big2_agents.evaluation.arena.results import OWN, Config, load
from big2_agents.evaluation.arena.schedule import Schedule
from big2_agents.evaluation.arena.stats import Standing, samples
from big2_env.agents.interface import Agent, make_agent
from big2_env.agents.seeds import agent_seed
from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import parse_object, shown, text_at
from big2_env.base.language import Words
from big2_env.base.rng import SplitMix64, derived
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.intervals import Estimate
from big2_env.runs.rows import figures_table, read_row

OPPONENTS: Final = ("random", "greedy", "heuristic")
"""Opponents in every protocol."""


@dataclass(frozen=True, eq=False)
class Protocol:
    """Everything that a version of the protocol fixes."""

    name: str
    scorings: Mapping[str, str]
    """Scoring by ruleset, the ruleset's own."""
    deals: int
    seed: int
    """`Game.deal` seed of deal 0; deal k has seed + k. It is the first 6 bytes of the SHA-256 of the name."""
    schedule: Schedule
    heuristic: str
    """Specification of the agent in the role of the opponent `heuristic`."""
    pin_deals: int
    """Number of games from which the positions of a pin are taken."""
    pins: Mapping[str, Mapping[str, str]]
    """Expected `fingerprint`, by ruleset and opponent, of the rulesets with which the protocol was published."""
    added: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The same of rulesets that were added later."""
    earlier: Mapping[str, RuleSet] = field(default_factory=dict)
    """Rules of the rulesets that have changed since, by name."""

    def rules(self, ruleset: str) -> RuleSet:
        """Return the rules that the protocol has in a ruleset."""
        return self.earlier.get(ruleset) or ruleset_named(ruleset)

    def data(self, pins: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
        """Return the protocol of some rulesets as JSON values."""
        return {
            "name": self.name,
            "rulesets": {ruleset: self.scorings[ruleset] for ruleset in pins},
            "deals": self.deals,
            "seed": self.seed,
            "schedule": self.schedule.value,
            "opponents": {name: {ruleset: pins[ruleset][name] for ruleset in pins} for name in OPPONENTS},
        }

    @cached_property
    def hash(self) -> str:
        """Twelve hexadecimal digits that identify the protocol of its first rulesets."""
        return self._digits(self.pins)

    def hash_of(self, ruleset: str) -> str:
        """Return the digits that identify the protocol in a ruleset; results with different digits are not comparable."""
        return self.hash if ruleset in self.pins else self._digits({ruleset: self.added[ruleset]})

    def _digits(self, pins: Mapping[str, Mapping[str, str]]) -> str:
        text = json.dumps(self.data(pins), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def agent_of(self, opponent: str) -> str:
        """Return the specification of an opponent's agent."""
        return self.heuristic if opponent == "heuristic" else opponent

    def config_of(self, agent: str, ruleset: str) -> Config:
        """Return the configuration for an agent in a ruleset; the agent has index 0, followed by the opponents.

        Raises:
            ConfigError: The protocol does not include the ruleset.
        """
        if ruleset not in self.scorings:
            raise ConfigError(f"unknown ruleset {ruleset!r} of {self.name}; expected one of {', '.join(self.scorings)}")
        others = map(self.agent_of, OPPONENTS)
        agents, scoring, house = (agent, *others), self.scorings[ruleset], self.earlier.get(ruleset)
        return Config(agents, ruleset, scoring, self.seed, self.schedule.value, house=house)

    def fingerprint(self, agent: Agent, ruleset: RuleSet) -> str:
        """Return a hash of an agent's choices in the positions of pins; it is reset before each."""
        return fingerprint(agent, positions(ruleset, self.seed, self.pin_deals))

    def check_opponents(self, ruleset: str) -> None:
        """Check that the installed opponents make the choices that the protocol pins.

        Raises:
            ConfigError: An opponent makes other choices.
        """
        rules = self.rules(ruleset)
        for name, pin in (self.pins.get(ruleset) or self.added[ruleset]).items():
            found = self.fingerprint(make_agent(self.agent_of(name)), rules)
            if found != pin:
                raise ConfigError(f"expected {name} to play in {ruleset} as {self.name} has it (choices {pin}), got {found}")


def _read_pins(name: str) -> dict[str, dict[str, str]]:
    """Return the pins from a data file of this package."""
    return parse_object((files("big2_agents.evaluation.arena") / name).read_text(encoding="utf-8"))


_PINS: Final = _read_pins("bench_v3.json")
_ADDED: Final = _read_pins("bench_v3_added.json")
V3: Final = Protocol(
    name="big2-bench v3",
    scorings=dict.fromkeys([*_PINS, *_ADDED], OWN),
    deals=1000,
    seed=170510068512453,
    schedule=Schedule.BOTH,
    heuristic="heuristic:bench-v3",
    pin_deals=4,
    pins=_PINS,
    added=_ADDED,
    earlier=EARLIER,
)
_PINS_V4: Final = _read_pins("bench_v4.json")
V4: Final = replace(
    V3,
    name="big2-bench v4",
    scorings=dict.fromkeys(_PINS_V4, OWN),
    seed=247458892379782,
    heuristic="heuristic:bench-v4",
    pins=_PINS_V4,
    added={},
    earlier={},
)
PROTOCOLS: Final[Mapping[str, Protocol]] = {"v3": V3, "v4": V4}
"""Protocols by version. `v4` has the rulesets whose rules have changed since `v3`; earlier versions were removed."""


def positions(ruleset: RuleSet, seed: int, deals: int) -> Iterator[Game]:
    """Yield every position with a real choice in games of random moves; each game continues after it was yielded.

    Args:
        ruleset: The rules of the game.
        seed: Seed of the deals and the moves.
        deals: Number of games.
    """
    for deal in range(deals):
        own = derived(seed, deal)
        game = Game.deal(ruleset, own)
        rng = SplitMix64(own)
        while game.outcome is None:
            moves = list(game.legal_plays())
            if len(moves) > 1:
                yield game
            game.push(moves[rng.below(len(moves))])


def fingerprint(agent: Agent, games: Iterable[Game]) -> str:
    """Return sixteen hexadecimal digits of a hash of an agent's choices.

    Args:
        agent: The agent; it is reset before each choice, with a seed that follows from its view.
        games: Positions, as from `positions`.
    """
    digest = hashlib.sha256()
    for game in games:
        view = game.view()
        agent.reset(agent_seed(view))
        play = agent.act(view, view.legal_plays())
        digest.update(f"{play.mask:x} {play.pattern};".encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class BenchRow:
    """Results of an agent in a ruleset."""

    protocol: Protocol
    ruleset: str
    agent: str
    version: str
    """Version of big2_env."""
    against: Mapping[str, Standing]
    """Results of one seat against copies of each opponent; intervals are 95%."""
    beside: Mapping[str, Standing]
    """Results together with copies of itself against each opponent, seated as in `Schedule.BOTH`."""

    @property
    def deals(self) -> int:
        """Smallest number of deals against an opponent; if it is less than the protocol's, the row is only a preview."""
        return min(standing.wins.number for standing in self.against.values())

    @classmethod
    def of(cls, path: Path, protocol: Protocol) -> BenchRow:
        """Return the row for a results file.

        Args:
            path: The results file.
            protocol: The protocol that it was made with.

        Raises:
            ImportError: scipy is not installed.
        """
        config, results = load(path)
        found = [by_agent[0].standing() for by_agent in samples(results, config.contests())]
        number = len(OPPONENTS)
        alone, beside = (dict(zip(OPPONENTS, half, strict=False)) for half in (found[:number], found[number:]))
        return cls(protocol, config.ruleset, config.agents[0], config.version, alone, beside)

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON values, with the protocol's name and hash.

        An incomplete row has its number of deals under `preview`.
        """
        head: dict[str, Any] = {
            "protocol": self.protocol.name,
            "hash": self.protocol.hash_of(self.ruleset),
            "ruleset": self.ruleset,
            "agent": self.agent,
            "version": self.version,
            "against": _standings(self.against),
        }
        if self.deals < self.protocol.deals:
            head["preview"] = self.deals
        return head | {"beside": _standings(self.beside)}

    @classmethod
    def load(cls, path: Path) -> BenchRow:
        """Return the row in a file.

        Raises:
            NotationError: The file is malformed, or its protocol is unknown.
        """
        return read_row(path, cls._from_json)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> BenchRow:
        by_name = {protocol.name: protocol for protocol in PROTOCOLS.values()}
        protocol = by_name.get(str(data.get("protocol")))
        if protocol is None:
            raise NotationError(f"expected a protocol of {', '.join(by_name)}, got {shown(data.get('protocol'))}")
        ruleset = text_at(data, "ruleset")
        if ruleset not in protocol.scorings:
            raise NotationError(f"expected a ruleset of {', '.join(protocol.scorings)}, got {shown(ruleset)}")
        if data.get("hash") != (digits := protocol.hash_of(ruleset)):
            raise NotationError(f"expected hash {digits}, got {shown(data.get('hash'))}")
        against, beside = (_by_opponent(data.get(key), protocol) for key in ("against", "beside"))
        return cls(protocol, ruleset, text_at(data, "agent"), text_at(data, "version"), against, beside)


def _standings(found: Mapping[str, Standing]) -> dict[str, Any]:
    return {
        name: {key: value.as_json("deals") for key, value in standing._asdict().items()} for name, standing in found.items()
    }


def _by_opponent(data: Any, protocol: Protocol) -> dict[str, Standing]:
    if not isinstance(data, dict) or list(data) != list(OPPONENTS):
        raise NotationError(f"expected standings against {', '.join(OPPONENTS)}, got {shown(data)}")
    return {name: _standing(found, protocol) for name, found in data.items()}


def _standing(data: Any, protocol: Protocol) -> Standing:
    match data:
        case {"wins": dict(wins), "score": dict(score)}:
            return Standing(_estimate(wins, protocol), _estimate(score, protocol))
    raise NotationError(f"expected wins and score, got {shown(data)}")


def _estimate(data: dict[str, Any], protocol: Protocol) -> Estimate:
    match data:
        case {"mean": float(mean), "half_width": float() | None as half_width, "deals": int(deals)} if (
            math.isfinite(mean)
            and (half_width is None or 0 <= half_width < math.inf)
            and type(deals) is int
            and 2 <= deals <= protocol.deals
        ):
            return Estimate(mean, math.nan if half_width is None else half_width, deals)
    raise NotationError(f"expected mean, half_width and 2 to {protocol.deals} deals, got {shown(data)}")


def file_stem(ruleset: str, agent: str) -> str:
    """Return the name of a row's files without suffix.

    >>> file_stem("big2", "learned-search:50ms")
    'big2-learned-search_50ms'
    """
    return f"{ruleset}-{re.sub(r'[^A-Za-z0-9.-]', '_', agent)}"


def different(agents: Iterable[str]) -> list[str]:
    """Return each agent once.

    Raises:
        ConfigError: The files of two agents have the same name, so that the second could not be written.
    """
    found: dict[str, str] = {}
    for agent in agents:
        if (other := found.setdefault(file_stem("", agent), agent)) != agent:
            raise ConfigError(f"expected agents whose files have different names, got {quoted(other)} and {quoted(agent)}")
    return list(found.values())


def ranked(rows: Iterable[BenchRow]) -> list[BenchRow]:
    """Return rows by ruleset, and within it by score against the last opponent, best first."""

    def place(row: BenchRow) -> tuple[int, float]:
        return list(row.protocol.scorings).index(row.ruleset), -row.against[OPPONENTS[-1]].score.mean

    return sorted(rows, key=place)


def preview(row: BenchRow, tr: Words) -> str:
    """Return a note for an incomplete row, else an empty text."""
    if row.deals == row.protocol.deals:
        return ""
    return tr("bench.preview", found=f"{row.deals:,}", deals=f"{row.protocol.deals:,}")


def heads(tr: Words) -> list[str]:
    """Return the headings of the result columns."""
    return [*(tr("bench.alone", name=name) for name in OPPONENTS), tr("bench.teams", name=OPPONENTS[-1])]


def cells(row: BenchRow, between: str = "\n") -> list[str]:
    """Return the results of a row, score and win rate, in the order of `heads`."""
    found = [*(row.against[name] for name in OPPONENTS), row.beside[OPPONENTS[-1]]]
    return [cell(standing, between) for standing in found]


def table(rows: Iterable[BenchRow], protocol: Protocol, tr: Words) -> Table:
    """Return rows of one protocol as a table for people."""
    rows = ranked(rows)
    counts = sorted({row.deals for row in rows})
    title = "bench.title" if counts == [protocol.deals] else "bench.title_preview"
    hashes = ", ".join(dict.fromkeys(protocol.hash_of(row.ruleset) for row in rows))
    return figures_table(
        (tr("bench.ruleset"), tr("bench.agent")),
        heads(tr),
        ((row.ruleset, Text(row.agent + preview(row, tr)), *cells(row)) for row in rows),
        title=tr(title, protocol=protocol.name, hash=hashes, deals=f"{protocol.deals:,}"),
        caption=tr("bench.caption", deals=tr("bench.or").join(f"{count:,}" for count in counts)),
        show_lines=True,
    )
