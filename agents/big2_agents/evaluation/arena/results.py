"""The results file: JSON lines with a header and one line for each finished unit, in the order of the schedule.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 arena", and the configuration: `version`, `agents`, `ruleset`, `identity`, `scoring`, |
| | `seed`, `agent_seed`, `schedule` |
| others | `deal`, `contest` (its index in the schedule), `games`: for each rotation `[winner, cards_left, payoffs]`, by seat |

A game with language models has a fourth value, an object: `counts` of each such agent by seat, `landlord` if there was one, and
`forfeit`, `[seat, reason]`, if a seat gave the game up. The winner of such a game is -1. `protocols` in the first line are the
protocols of these agents by name.

`identity` identifies the rules that the name in `ruleset` refers to, as in records (`big2_env.climbing.saved_rules`).
`big2_env.runs.resumable` describes how a killed run continues its file. Merging the files of several machines gives the file of
a single run, byte for byte.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from big2_agents.evaluation.arena.schedule import Contest, RunSeed, Schedule, Unit, contests, deal_seed, run_seed
from big2_env import __version__
from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.base.json_values import shown, text_at, texts_at, whole_at
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.settlement import SCORINGS
from big2_env.runs.resumable import Format

KIND: Final = "big2 arena"
MAX_LINE: Final = 1 << 16
"""Maximum length of a line in bytes."""
MAX_DEALS: Final = 10**9
"""Maximum number of deals in a run."""
OWN: Final = "own"
"""Scoring that keeps a ruleset's own settlement."""


@dataclass(frozen=True)
class Config:
    """Configuration of a run, which determines every result."""

    agents: tuple[str, ...]
    ruleset: str
    scoring: str
    seed: RunSeed
    schedule: str
    version: str = __version__
    house: RuleSet | None = None
    """The ruleset itself, unless it is the available one of that name."""
    agent_seed: int = 0
    """Salt of the agents' seeds, see `big2_env.agents.seeds`."""
    protocols: Mapping[str, str] = field(default_factory=dict)
    """Protocols of the agents that have one, by name. They decide results too."""

    @classmethod
    def of(
        cls, agents: tuple[str, ...], rules: RuleSet, scoring: str, seed: RunSeed, schedule: str, agent_seed: int = 0
    ) -> Config:
        """Return the configuration of a run with any ruleset, registered or not."""
        return cls(agents, rules.name, scoring, seed, schedule, house=_house(rules), agent_seed=agent_seed)

    def deal_seed(self, deal: int) -> int:
        """Return the `Game.deal` seed of a deal."""
        return deal_seed(self.seed, deal)

    @property
    def own_rules(self) -> RuleSet:
        """The ruleset with its own scoring.

        Raises:
            ConfigError: No ruleset has that name.
        """
        return self.house or SavedRules().of({"ruleset": self.ruleset})

    def rules(self) -> RuleSet:
        """Return the ruleset with the scoring of the run.

        Raises:
            ConfigError: The ruleset or the scoring is unknown.
        """
        if self.scoring == OWN:
            return self.own_rules
        if self.scoring not in SCORINGS:
            named = ", ".join(SCORINGS)
            raise ConfigError(f"unknown scoring {quoted(self.scoring)}; expected {named} or {OWN} (the ruleset's)")
        return self.own_rules.with_scoring(self.scoring)

    def contests(self) -> tuple[Contest, ...]:
        """Return the contests of every deal."""
        return contests(Schedule(self.schedule), len(self.agents), self.rules())


def _house(rules: RuleSet) -> RuleSet | None:
    return None if preset(rules.name) == rules else rules


class GameResult(NamedTuple):
    """Result of one game, by seat."""

    winner: int
    """First seat to run out of cards; -1 if a seat gave the game up."""
    cards_left: tuple[int, ...]
    payoffs: tuple[float, ...]
    notes: Mapping[str, Any] | None = None
    """Further facts, as the module describes them; None for most games."""

    @property
    def forfeited_by(self) -> int | None:
        """Seat that gave the game up, None if the game was played to its end."""
        return None if self.notes is None or "forfeit" not in self.notes else int(self.notes["forfeit"][0])


class UnitResult(NamedTuple):
    """Results of a unit's games, by rotation."""

    unit: Unit
    games: tuple[GameResult, ...]


def header(config: Config) -> dict[str, Any]:
    """Return the settings in the first line of a file."""
    settings = {one.name: getattr(config, one.name) for one in fields(config) if one.name not in ("house", "protocols")}
    if config.protocols:
        settings["protocols"] = dict(config.protocols)
    return settings | {"identity": identity(config.own_rules)}


def result_line(result: UnitResult) -> dict[str, Any]:
    """Return the line of a unit."""
    games = [game if game.notes is not None else game[:3] for game in result.games]
    return {"deal": result.unit.deal, "contest": result.unit.contest, "games": games}


def results_files(rulesets: Mapping[str, RuleSet] | None = None) -> Format[Config, UnitResult]:
    """Return the format of results files.

    Args:
        rulesets: Rulesets by name that take precedence over the available ones.
    """
    return Format(
        KIND,
        header,
        lambda data: _config(data, rulesets),
        lambda config: partial(_result, config.contests()),
        result_line,
        MAX_LINE,
    )


def load(path: Path, rulesets: Mapping[str, RuleSet] | None = None) -> tuple[Config, Iterator[UnitResult]]:
    """Return the configuration of a results file, and an iterator over its units.

    Args:
        path: The file.
        rulesets: Rulesets by name that take precedence over the available ones.

    Raises:
        NotationError: A line is malformed; the message has its number.
        ConfigError: The ruleset, scoring or schedule is invalid.
    """
    return results_files(rulesets).load(path)


def _config(data: dict[str, Any], rulesets: Mapping[str, RuleSet] | None) -> Config:
    """Return the configuration in a header."""
    schedule, seed, which, protocols = (data.get(key) for key in ("schedule", "seed", "identity", "protocols"))
    if schedule not in list(Schedule):
        raise NotationError(f"expected a schedule of {', '.join(Schedule)}, got {shown(schedule)}")
    if type(seed) not in (int, str):
        raise NotationError(f"expected an integer or drawn:INTEGER for seed, got {shown(seed)}")
    ruleset, scoring, version = (text_at(data, key) for key in ("ruleset", "scoring", "version"))
    if not isinstance(which, dict) or which.get("ruleset") != ruleset:
        raise NotationError(f"expected an identity that names the same ruleset, got {shown(which)}")
    if not isinstance(protocols, dict | None) or not all(isinstance(one, str) for one in (protocols or {}).values()):
        raise NotationError(f"expected texts by agent for protocols, got {shown(protocols)}")
    return Config(
        tuple(texts_at(data, "agents")),
        ruleset,
        scoring,
        run_seed(str(seed)),
        str(schedule),
        version,
        _house(SavedRules(rulesets).of(which)),
        whole_at(data, "agent_seed", least=None),
        protocols or {},
    )


def _result(planned: tuple[Contest, ...], data: dict[str, Any]) -> UnitResult:
    """Return the unit in a line."""
    deal, contest = whole_at(data, "deal", MAX_DEALS - 1), whole_at(data, "contest", len(planned) - 1)
    games = data.get("games")
    rotations, seats = planned[contest].rotations, len(planned[contest].chairs)
    if not isinstance(games, list) or len(games) != rotations:
        raise NotationError(f"expected a list of {rotations} games, got {shown(games)}")
    return UnitResult(Unit(deal, contest), tuple(_game(game, seats) for game in games))


def _game(game: Any, seats: int) -> GameResult:
    notes = _notes(game[3], seats) if isinstance(game, list) and len(game) == 4 else None
    match game:
        case [int(winner), [*left], [*paid], *_] if (
            len(game) == (3 if notes is None else 4)
            and type(winner) is int
            and (winner == -1 if notes is not None and "forfeit" in notes else 0 <= winner < seats)
            and seats == len(left) == len(paid)
            and all(type(cards) is int and 0 <= cards < 1000 for cards in left)
            and all(type(amount) in (int, float) and math.isfinite(amount) for amount in paid)
        ):
            return GameResult(winner, tuple(left), tuple(map(float, paid)), notes)
    raise NotationError(f"expected a game as [winner, cards left, payoffs], by {seats} seats, got {shown(game)}")


def _notes(notes: Any, seats: int) -> dict[str, Any]:
    """Return the further facts of a game, after checking them."""
    match notes:
        case {"counts": dict(counts), **rest} if all(map(is_counts, counts.values())) and counts.keys() <= set(
            map(str, range(seats))
        ):
            match rest.get("forfeit"):
                case None:
                    pass
                case [int(seat), str()] if type(seat) is int and 0 <= seat < seats:
                    pass
                case other:
                    raise NotationError(f"expected a forfeit as [seat, reason], got {shown(other)}")
            landlord = rest.get("landlord", 0)
            if type(landlord) is int and 0 <= landlord < seats and rest.keys() <= {"forfeit", "landlord"}:
                return dict(notes)
    raise NotationError(f"expected counts by seat, landlord and forfeit of a game, got {shown(notes)}")


def is_counts(counts: Any) -> bool:
    """Return True for a small object of numbers that are at least 0."""
    return (
        isinstance(counts, dict)
        and len(counts) <= MAX_COUNTS
        and all(type(number) in (int, float) and 0 <= number < 1e15 for number in counts.values())
    )


MAX_COUNTS: Final = 20
"""Maximum number of counts of an agent in a game."""
NAMED: Final = 8
"""Maximum number of ranges of missing deals in a message."""


def merge(
    paths: Sequence[Path],
    out: Path,
    *,
    deals: int | None = None,
    overwrite: bool = False,
    rulesets: Mapping[str, RuleSet] | None = None,
) -> None:
    """Merge results files of the same run into one.

    Args:
        paths: Files with some of the deals each.
        out: The merged file.
        deals: Number of deals of the run; by default, taken from the last deal in the files.
        overwrite: Replace an existing file.
        rulesets: Rulesets by name that take precedence over the available ones.

    Raises:
        ConfigError: The files are of different runs, or a deal is missing or duplicated; the message names it. Nothing is
            written.
        NotationError: A line is malformed; the message has its number.
    """

    def check(config: Config, found: list[Unit]) -> None:
        last = found[-1].deal if found else -1
        wanted = last + 1 if deals is None else deals
        if last >= wanted:
            raise ConfigError(f"expected {wanted} deals, got deal {last} as well")
        counts, contests = Counter(unit.deal for unit in found), len(config.contests())
        if missing := [deal for deal in range(wanted) if counts[deal] < contests]:
            raise ConfigError(f"expected all of {wanted} deals, but {len(missing)} are missing: {stretches(missing)}")

    results_files(rulesets).merge(
        paths, out, lambda result: result.unit, lambda unit: f"deal {unit.deal}", check, overwrite=overwrite
    )


def stretches(numbers: Iterable[int]) -> str:
    """Return ascending numbers as text, with consecutive ones as a range.

    >>> stretches([0, 3, 4, 5, 9, 10])
    '0, 3 to 5, 9, 10'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1].append(number)
        else:
            found.append([number])
    texts = [f"{each[0]} to {each[-1]}" if len(each) > 2 else ", ".join(map(str, each)) for each in found]
    return ", ".join(texts[:NAMED]) + (f" and {len(texts) - NAMED} more stretches" if len(texts) > NAMED else "")
