"""The results file: JSON lines, a header and then one line for each finished unit, in the order of the schedule.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 arena", `version` of big2_env, `agents`, `ruleset`, `scoring`, `seed`, `schedule` |
| others | `deal`, `contest` (its number in the schedule), `games`: for each rotation `[winner, cards_left, payoffs]`, by seat |

Each line is written whole and at once. A file that a killed run leaves ends in at most one half line, which is cut off when the
run is resumed; anything else that is wrong in it is refused with the number of the line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from big2_agents.arena.schedule import Contest, Schedule, Unit, contests
from big2_env import __version__
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError, NotationError
from big2_env.json_values import parse_object, shown
from big2_env.notation.resumable import check_torn

T = TypeVar("T")

SCHEMA: Final = 1
KIND: Final = "big2 arena"
MAX_LINE: Final = 1 << 16
"""Most bytes that a line may have."""
MAX_DEALS: Final = 10**9
"""Most deals of a run."""
OWN: Final = "own"
"""The scoring that leaves a ruleset its own settlement."""


@dataclass(frozen=True)
class Config:
    """What decides every result of a run."""

    agents: tuple[str, ...]
    ruleset: str
    scoring: str
    seed: int
    schedule: str
    version: str = __version__

    def rules(self) -> RuleSet:
        """The ruleset with its scoring."""
        rules = ruleset_named(self.ruleset)
        return rules if self.scoring == OWN else rules.with_scoring(self.scoring)

    def contests(self) -> tuple[Contest, ...]:
        """The contests that are played on every deal."""
        return contests(Schedule(self.schedule), len(self.agents), self.rules())


class GameResult(NamedTuple):
    """How one game ended, by seat."""

    winner: int
    cards_left: tuple[int, ...]
    payoffs: tuple[float, ...]


class UnitResult(NamedTuple):
    """How the games of a unit ended, by rotation."""

    unit: Unit
    games: tuple[GameResult, ...]


def header_line(config: Config) -> bytes:
    """The first line of a file."""
    return _line({"schema": SCHEMA, "kind": KIND} | asdict(config))


def result_line(result: UnitResult) -> bytes:
    """The line of a unit."""
    return _line({"deal": result.unit.deal, "contest": result.unit.contest, "games": result.games})


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


class ResultsFile:
    """An open results file. `create` and `resume` make one."""

    def __init__(self, path: Path, stream: BinaryIO, done: set[Unit]) -> None:
        self.path = path
        self._stream = stream
        self.done = done
        """The units that the file holds."""

    @classmethod
    @contextmanager
    def create(cls, path: Path, config: Config, overwrite: bool = False) -> Iterator[ResultsFile]:
        """A new file, closed at the end of the block.

        Raises:
            ConfigError: the file is there already, and is not to be overwritten.
        """
        try:
            stream = path.open("wb" if overwrite else "xb")
        except FileExistsError:
            raise ConfigError(f"{path} is there already: allowed is --resume, --overwrite or another --out") from None
        with stream:
            stream.write(header_line(config))
            stream.flush()
            yield cls(path, stream, set())

    @classmethod
    @contextmanager
    def resume(cls, path: Path, config: Config) -> Iterator[ResultsFile]:
        """The file of an earlier run of the same configuration, its half-written last line cut off; a new one if there is none.

        Raises:
            ConfigError: a file of another configuration, or no results at all.
            NotationError: a line that is wrong, with its number.
        """
        if not path.exists():
            with cls.create(path, config) as created:
                yield created
            return
        with path.open("r+b") as stream:
            lines = _lines(stream, path)
            done = set()
            end = 0
            for line in islice(lines, 1):
                line.parse(lambda data: _compare(_config(data), config))
                end = line.end
            planned = config.contests()
            for line in lines:
                unit = line.parse(lambda data: _result(data, planned)).unit
                if unit in done:
                    raise line.error(f"deal {unit.deal} of contest {unit.contest} is there twice")
                done.add(unit)
                end = line.end
            if not end:
                check_torn(stream, path, header_line(config))
            stream.seek(end)
            stream.truncate()
            if not end:
                stream.write(header_line(config))
                stream.flush()
            yield cls(path, stream, done)

    def add(self, result: UnitResult) -> None:
        """Write a unit; once this returns, a kill cannot lose it."""
        self._stream.write(result_line(result))
        self._stream.flush()
        self.done.add(result.unit)


def load(path: Path) -> tuple[Config, Iterator[UnitResult]]:
    """The configuration of a results file, and its units one after another as they are asked for.

    Raises:
        NotationError: a line that is wrong, with its number.
        ConfigError: a ruleset, scoring or schedule that cannot be.
    """
    with path.open("rb") as stream:
        first = next(_lines(stream, path), None)
        if first is None:
            raise NotationError(f"{path}: no results of {KIND}")
        config = first.parse(_config)
    return config, _units(path, config)


def _units(path: Path, config: Config) -> Iterator[UnitResult]:
    planned = config.contests()
    with path.open("rb") as stream:
        lines = _lines(stream, path)
        next(lines, None)
        for line in lines:
            yield line.parse(lambda data: _result(data, planned))


class _Line(NamedTuple):
    """A whole line of a results file."""

    path: Path
    number: int
    text: bytes
    end: int
    """How many bytes the file has up to and with it."""

    def parse(self, read: Callable[[dict[str, Any]], T]) -> T:
        """What `read` makes of the line's object."""
        try:
            return read(parse_object(self.text.decode().rstrip()))
        except NotationError as error:
            raise self.error(str(error)) from None
        except UnicodeDecodeError:
            raise self.error("not UTF-8") from None
        except ConfigError as error:
            raise ConfigError(f"{self.path}: {error}") from None

    def error(self, message: str) -> NotationError:
        """The error that something is wrong with the line."""
        return NotationError(f"{self.path} line {self.number}: {message}")


def _lines(stream: BinaryIO, path: Path) -> Iterator[_Line]:
    """The whole lines of a file; a last one without its newline is left out."""
    number = end = 0
    while (text := stream.readline(MAX_LINE)).endswith(b"\n"):
        number, end = number + 1, end + len(text)
        yield _Line(path, number, text, end)
    if len(text) == MAX_LINE:
        raise NotationError(f"{path} line {number + 1}: more than {MAX_LINE} bytes")


def _config(data: dict[str, Any]) -> Config:
    """The configuration of a header."""
    if data.get("kind") != KIND:
        raise NotationError(f"no results of {KIND}")
    if data.get("schema") != SCHEMA:
        raise NotationError(f"schema {shown(data.get('schema'))}: allowed is {SCHEMA}")
    agents = data.get("agents")
    texts = [data.get(key) for key in ("ruleset", "scoring", "schedule", "version")]
    if not isinstance(agents, list) or not all(isinstance(text, str) for text in (*agents, *texts)):
        raise NotationError("agents, ruleset, scoring, schedule, version: allowed are texts")
    if texts[2] not in list(Schedule):
        raise NotationError(f"schedule {shown(texts[2])}: allowed are {', '.join(Schedule)}")
    if type(data.get("seed")) is not int:
        raise NotationError(f"seed {shown(data.get('seed'))}: allowed is an integer")
    return Config(tuple(agents), str(texts[0]), str(texts[1]), data["seed"], str(texts[2]), str(texts[3]))


def _compare(found: Config, wanted: Config) -> None:
    """Refuse results that another configuration made."""
    there, here = asdict(found), asdict(wanted)
    for key, value in here.items():
        if there[key] != value:
            raise ConfigError(f"made with {key} {shown(there[key])}: allowed is the same, and this run has {shown(value)}")


def _result(data: dict[str, Any], planned: tuple[Contest, ...]) -> UnitResult:
    """The unit of a line."""
    deal, contest, games = data.get("deal"), data.get("contest"), data.get("games")
    if type(deal) is not int or not 0 <= deal < MAX_DEALS:
        raise NotationError(f"deal {shown(deal)}: allowed is 0 to {MAX_DEALS - 1}")
    if type(contest) is not int or not 0 <= contest < len(planned):
        raise NotationError(f"contest {shown(contest)}: allowed is 0 to {len(planned) - 1}")
    rotations, seats = planned[contest].rotations, len(planned[contest].chairs)
    if not isinstance(games, list) or len(games) != rotations:
        raise NotationError(f"games {shown(games)}: allowed is a list of {rotations}")
    return UnitResult(Unit(deal, contest), tuple(_game(game, seats) for game in games))


def _game(game: Any, seats: int) -> GameResult:
    match game:
        case [int(winner), [*left], [*paid]] if (
            type(winner) is int
            and 0 <= winner < seats == len(left) == len(paid)
            and all(type(cards) is int and 0 <= cards < 1000 for cards in left)
            and all(type(amount) in (int, float) and math.isfinite(amount) for amount in paid)
        ):
            return GameResult(winner, tuple(left), tuple(map(float, paid)))
    raise NotationError(f"game {shown(game)}: allowed is [winner, cards left, payoffs], by {seats} seats")
