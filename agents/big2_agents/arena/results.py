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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from big2_agents.arena.schedule import Contest, RunSeed, Schedule, Unit, contests, deal_seed, run_seed
from big2_env import __version__
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.settlement import SCORINGS
from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.json_values import shown
from big2_env.runs.atomic_files import check_writable, replace_file
from big2_env.runs.resumable import Take, opened, read_blocks, read_header

SCHEMA: Final = 1
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
    """Salt of the agents' seeds, see `big2_env.agent_seeds`."""
    protocols: Mapping[str, str] = field(default_factory=dict)
    """Protocols of the agents that have one, by name. They decide results too."""

    @classmethod
    def of(
        cls, agents: tuple[str, ...], rules: RuleSet, scoring: str, seed: RunSeed, schedule: str, agent_seed: int = 0
    ) -> Config:
        """Return the configuration of a run with any ruleset, registered or not.

        Args:
            agents: Specifications of the agents.
            rules: The rules of the game.
            scoring: Name of the scoring.
            seed: Seed of the deals.
            schedule: Name of the schedule.
            agent_seed: Salt of the agents' seeds.
        """
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
    """Return the first line of a file."""
    settings = {one.name: getattr(config, one.name) for one in fields(config) if one.name not in ("house", "protocols")}
    if config.protocols:
        settings["protocols"] = dict(config.protocols)
    return {"schema": SCHEMA, "kind": KIND, **settings, "identity": identity(config.own_rules)}


def result_line(result: UnitResult) -> dict[str, Any]:
    """Return the line of a unit."""
    games = [game if game.notes is not None else game[:3] for game in result.games]
    return {"deal": result.unit.deal, "contest": result.unit.contest, "games": games}


class ResultsFile:
    """An open results file, made by `open`.

    Args:
        path: The file.
        write: Writes a line.
        done: Units that the file already holds.
    """

    def __init__(self, path: Path, write: Take, done: set[Unit]) -> None:
        self.path = path
        self._write = write
        self.done = done
        """Units that the file held when it was opened."""
        self.written = 0
        """Number of units added since."""

    @classmethod
    @contextmanager
    def open(cls, path: Path, config: Config, *, resume: bool = False, overwrite: bool = False) -> Iterator[ResultsFile]:
        """Return a context with an open file.

        Args:
            path: The file.
            config: Configuration of the run.
            resume: True to continue an existing file, without its incomplete last line.
            overwrite: True to replace an existing file.

        Raises:
            ConfigError: The file exists and is neither resumed nor overwritten, has another configuration or no results, or is
                in use.
            NotationError: A line is malformed; the message has its number.
        """
        done: set[Unit] = set()
        planned = config.contests()

        def same(data: dict[str, Any]) -> None:
            _compare(_config(data, {config.ruleset: config.own_rules}), config)

        def take(data: dict[str, Any]) -> None:
            unit = _result(data, planned).unit
            if unit in done:
                raise NotationError(f"expected every unit once, got deal {unit.deal} of contest {unit.contest} twice")
            done.add(unit)

        with opened(path, header(config), same, take, max_line=MAX_LINE, resume=resume, overwrite=overwrite) as write:
            yield cls(path, write, done)

    def add(self, result: UnitResult) -> None:
        """Write the results of a unit; a kill after this call cannot lose them."""
        self._write(result_line(result))
        self.written += 1


def configuration(path: Path, rulesets: Mapping[str, RuleSet] | None = None) -> Config | None:
    """Return the configuration of a results file; `None` if the file has no whole line.

    Args and errors as of `load`.
    """
    return read_header(path, lambda data: _config(data, rulesets), max_line=MAX_LINE)


def load(path: Path, rulesets: Mapping[str, RuleSet] | None = None) -> tuple[Config, Iterator[UnitResult]]:
    """Return the configuration of a results file, and an iterator over its units.

    Args:
        path: The file.
        rulesets: Rulesets by name that take precedence over the available ones.

    Raises:
        NotationError: A line is malformed; the message has its number.
        ConfigError: The ruleset, scoring or schedule is invalid.
    """
    config = configuration(path, rulesets)
    if config is None:
        raise NotationError(f"{path}: expected results of {KIND}, got no whole line")
    planned = config.contests()
    return config, read_blocks(path, lambda data: _result(data, planned), max_line=MAX_LINE)


def _config(data: dict[str, Any], rulesets: Mapping[str, RuleSet] | None) -> Config:
    """Return the configuration in a header."""
    if data.get("kind") != KIND:
        raise NotationError(f"expected results of {KIND}, got kind {shown(data.get('kind'))}")
    if data.get("schema") != SCHEMA:
        raise NotationError(f"expected schema {SCHEMA}, got {shown(data.get('schema'))}")
    agents = data.get("agents")
    texts = [data.get(key) for key in ("ruleset", "scoring", "schedule", "version")]
    if not isinstance(agents, list) or not all(isinstance(text, str) for text in (*agents, *texts)):
        raise NotationError("expected texts for agents, ruleset, scoring, schedule and version")
    if texts[2] not in list(Schedule):
        raise NotationError(f"expected a schedule of {', '.join(Schedule)}, got {shown(texts[2])}")
    seed, salt = data.get("seed"), data.get("agent_seed")
    if isinstance(seed, str):
        try:
            seed = run_seed(seed)
        except ConfigError as error:
            raise NotationError(f"seed: {error}") from None
    if type(seed) is not int and not isinstance(seed, str):
        raise NotationError(f"expected an integer or drawn:INTEGER for seed, got {shown(seed)}")
    if type(salt) is not int:
        raise NotationError(f"expected an integer for agent_seed, got {shown(salt)}")
    which = data.get("identity")
    if not isinstance(which, dict) or which.get("ruleset") != texts[0]:
        raise NotationError(f"expected an identity that names the same ruleset, got {shown(which)}")
    protocols = data.get("protocols", {})
    if not isinstance(protocols, dict) or not all(isinstance(one, str) for one in protocols.values()):
        raise NotationError(f"expected texts by agent for protocols, got {shown(protocols)}")
    house = _house(SavedRules(rulesets).of(which))
    return Config(tuple(agents), str(texts[0]), str(texts[1]), seed, str(texts[2]), str(texts[3]), house, salt, protocols)


def check_same(found: Config, wanted: Config, where: str) -> None:
    """Raise if results belong to another run.

    Args:
        found: Configuration of the results.
        wanted: Configuration of the run.
        where: Start of the error message.

    Raises:
        ConfigError: The configurations differ.
    """
    try:
        _compare(found, wanted)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _compare(found: Config, wanted: Config) -> None:
    """Raise if results have another configuration."""
    there, here = header(found), header(wanted)
    for key, value in here.items():
        if there.get(key) != value:
            raise ConfigError(f"expected results made with {key} {shown(value)}, got {shown(there.get(key))}")


def _result(data: dict[str, Any], planned: tuple[Contest, ...]) -> UnitResult:
    """Return the unit in a line."""
    deal, contest, games = data.get("deal"), data.get("contest"), data.get("games")
    if type(deal) is not int or not 0 <= deal < MAX_DEALS:
        raise NotationError(f"expected a deal from 0 to {MAX_DEALS - 1}, got {shown(deal)}")
    if type(contest) is not int or not 0 <= contest < len(planned):
        raise NotationError(f"expected a contest from 0 to {len(planned) - 1}, got {shown(contest)}")
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
        case {"counts": dict(counts), **rest} if all(map(_is_counts, counts.values())) and counts.keys() <= set(
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


def _is_counts(counts: Any) -> bool:
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


class _Line(NamedTuple):
    """Location of a unit's line."""

    unit: Unit
    file: int
    start: int


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
    if not paths:
        raise ConfigError("expected at least one file to merge, got none")
    if out.exists() and not overwrite:
        raise ConfigError(f"{out} already exists: give --overwrite or another --out")
    check_writable(out)
    if any(out.exists() and out.samefile(path) for path in paths):
        raise ConfigError(f"expected an --out that is not one of the files to merge, got {out}")
    first, _ = load(paths[0], rulesets)
    lines: list[_Line] = []
    for number, path in enumerate(paths):
        config, _ = load(path, rulesets)
        check_same(config, first, str(path))
        lines += _lines(path, number, rulesets)
    lines.sort()
    _check_once(lines, paths)
    _check_whole(lines, deals, len(first.contests()))
    streams = [path.open("rb") for path in paths]
    try:
        with replace_file(out) as new, new.open("wb") as file:
            file.write(streams[0].readline())
            for line in lines:
                streams[line.file].seek(line.start)
                file.write(streams[line.file].readline())
    finally:
        for stream in streams:
            stream.close()


def _lines(path: Path, number: int, rulesets: Mapping[str, RuleSet] | None) -> Iterator[_Line]:
    """Yield the lines of a file; each is parsed, so that only results reach the merged file."""
    _, results = load(path, rulesets)
    with path.open("rb") as stream:
        start = len(stream.readline())
        for result in results:
            yield _Line(result.unit, number, start)
            start += len(stream.readline())


def _check_once(lines: Sequence[_Line], paths: Sequence[Path]) -> None:
    for one, other in pairwise(lines):
        if one.unit == other.unit:
            texts = [_text(paths[line.file], line.start) for line in (one, other)]
            how = "with the same results" if texts[0] == texts[1] else "with other results"
            twice = f"{paths[one.file]} and, {how}, in {paths[other.file]}"
            raise ConfigError(f"expected every deal in one file, got deal {one.unit.deal} in {twice}")


def _text(path: Path, start: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(start)
        return stream.readline()


def _check_whole(lines: Sequence[_Line], deals: int | None, contests: int) -> None:
    """Raise if deals or contests are missing."""
    last = lines[-1].unit.deal if lines else -1
    wanted = last + 1 if deals is None else deals
    if last >= wanted:
        raise ConfigError(f"expected {wanted} deals, got deal {last} as well")
    counts = {deal: len(list(group)) for deal, group in groupby(line.unit.deal for line in lines)}
    missing = [deal for deal in range(wanted) if counts.get(deal, 0) < contests]
    if missing:
        raise ConfigError(f"expected all of {wanted} deals, but {len(missing)} are missing: {stretches(missing)}")


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
