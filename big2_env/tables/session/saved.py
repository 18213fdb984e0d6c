"""A person's saved games: records in the data folder, with functions that list, summarize and resume them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeGuard, TypeVar

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import parse_object
from big2_env.base.outside import read_text
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.tables.session.session import STARTED

Record = TypeVar("Record")

VARIABLE: Final = "BIG2_DATA"
"""Environment variable with the path of the data folder."""
MAX_FILE: Final = 1 << 26
"""Maximum size in bytes of a file with games."""


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder for the user's games: `BIG2_DATA`, or the system's folder for application data.

    >>> data_folder({"BIG2_DATA": "games"}) == Path("games")
    True
    """
    variables = os.environ if environ is None else environ
    if given := variables.get(VARIABLE):
        return Path(given).expanduser()
    if sys.platform == "win32" and (local := variables.get("LOCALAPPDATA")):
        return Path(local) / "big2_env"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "big2_env"
    shared = Path(variables.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".local" / "share") / "big2_env"


def games_folder() -> Path:
    """Return the subfolder of the data folder that contains the games, one file per deal."""
    return data_folder() / "games"


def file_name(started: str, ruleset: str, mark: str) -> str:
    """Return the file name for a deal. Names sort by time.

    >>> file_name("2026-11-22T15:00:00+00:00", "big2", "a1b2")
    '20261122T150000-big2-a1b2.jsonl'
    """
    stamp = started.replace("-", "").replace(":", "").split("+")[0]
    return f"{stamp}-{ruleset}-{mark}.jsonl"


def now() -> str:
    """Return the current time in the form used by records: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def lines_of(path: Path) -> list[str]:
    """Return the non-blank lines of a file with games.

    Raises:
        OSError: The file cannot be read.
        ConfigError: The file is too long or is not text in UTF-8.
    """
    try:
        return [line for line in read_text(path, MAX_FILE).split("\n") if line.strip()]
    except NotationError as error:
        raise ConfigError(f"{path}: {error}") from None


@dataclass(frozen=True)
class SavedGame:
    """Summary of a saved game, for lists. It is not checked against the rules."""

    path: Path
    """File that contains the game."""
    ruleset: str
    """Name of the game."""
    opponents: tuple[str, ...]
    """Names of the agents, starting with the seat after the person's."""
    started: str
    """Start time of the deal, UTC; empty if unknown."""
    moves: int
    """Number of moves made."""
    payoff: float | None
    """Payoff of the person; `None` for an unfinished game."""
    has_won: bool = False
    """True if no player had a higher payoff."""
    is_climbing: bool = True
    """True for a climbing game; side games have records of their own kinds."""


def saved_games(folder: Path | None = None) -> list[SavedGame]:
    """Return the saved games of a folder, newest first, without files that are not saved games.

    Args:
        folder: Folder to read; by default the user's.
    """
    return [game for game, _ in _lines(folder)]


def _lines(folder: Path | None) -> Iterator[tuple[SavedGame, str]]:
    """Yield the saved games of a folder, newest first by the names of files, each with its line."""
    files = (games_folder() if folder is None else folder).glob("*.jsonl")
    for path in sorted(files, key=lambda path: path.name, reverse=True):
        try:
            lines = lines_of(path)
        except (OSError, ConfigError):
            continue
        yield from ((game, line) for line in reversed(lines) if (game := _saved(path, line)) is not None)


def _saved(path: Path, line: str) -> SavedGame | None:
    try:
        data = parse_object(line)
    except NotationError:
        return None
    is_climbing = "moves" in data
    seat, agents, payoffs = (data.get(key) for key in ("seat", "agents", "payoffs"))
    moves = data.get("moves" if is_climbing else "acts")
    if type(seat) is not int or not is_texts(agents) or not isinstance(moves, list) or not 0 <= seat <= len(agents):
        return None
    paid = payoffs if _is_payoffs(payoffs, len(agents) + 1) else None
    return SavedGame(
        path=path,
        ruleset=str(data.get("ruleset" if is_climbing else "game")),
        opponents=tuple(agents),
        started=str(data.get(STARTED, "")),
        moves=len(moves),
        payoff=None if paid is None else float(paid[seat]),
        has_won=paid is not None and paid[seat] == max(paid) and data.get("won") is not False,
        is_climbing=is_climbing,
    )


def is_texts(value: Any) -> TypeGuard[list[str]]:
    """Return whether a value from outside is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_payoffs(value: Any, number: int) -> TypeGuard[list[float]]:
    return isinstance(value, list) and len(value) == number and all(type(one) in (int, float) for one in value)


def count_at(data: Mapping[str, Any], key: str) -> int:
    """Return the whole number at a key of a record, 0 without one."""
    value = data.get(key)
    return value if type(value) is int else 0


def last_unfinished(path: Path | None = None) -> tuple[Path, str, GameRecord]:
    """Return the file, the line and the record of the most recent unfinished climbing game.

    Args:
        path: File to search; by default all of the user's games.

    Raises:
        OSError: The file cannot be read.
        NotationError: A line is not a record, or contradicts the rules.
        ConfigError: No such game was found.
    """
    return last_broken_off(records.loads, lambda record: record.game.is_over, path)


def last_broken_off(
    loads: Callable[[str], Record], is_over: Callable[[Record], bool], path: Path | None = None, game: str | None = None
) -> tuple[Path, str, Record]:
    """Return the file, the line and the record of the most recent unfinished game of one kind.

    Args:
        loads: Function that parses a line.
        is_over: Function that returns True for the record of a finished game.
        path: File to search; by default all of the user's games.
        game: Name of the game; by default any climbing game.

    Raises:
        OSError: The file cannot be read.
        NotationError: A line is not a record of this kind.
        ConfigError: No such game was found.
    """
    for file, line in _candidates(path, game):
        try:
            record = loads(line)
        except (NotationError, ConfigError) as error:
            raise type(error)(f"{file}: {error}") from None
        if not is_over(record):
            return file, line, record
    raise ConfigError(f"no game to resume: all of {path} are over" if path else f"no game to resume in {games_folder()}")


def _candidates(path: Path | None, game: str | None) -> Iterator[tuple[Path, str]]:
    """Yield lines that may contain an unfinished game, newest first, each with its file."""
    if path is not None:
        yield from ((path, line) for line in reversed(lines_of(path)))
        return
    for one, line in _lines(None):
        if one.payoff is None and (one.is_climbing if game is None else not one.is_climbing and one.ruleset == game):
            yield one.path, line


@dataclass
class Tally:
    """A person's results against the same opponents in the same game."""

    ruleset: str
    """Name of the game."""
    opponents: tuple[str, ...]
    """Names of the agents, sorted."""
    games: int = 0
    """Number of finished games."""
    wins: int = 0
    """Number of finished games in which no player had a higher payoff."""
    payoff: float = 0.0
    """Sum of payoffs."""
    broken_off: int = 0
    """Number of unfinished games."""


def tally(games: Iterable[SavedGame]) -> list[Tally]:
    """Return one tally for each combination of game and opponents, most frequent first."""
    found: dict[tuple[str, tuple[str, ...]], Tally] = {}
    for game in games:
        key = game.ruleset, tuple(sorted(game.opponents))
        one = found.setdefault(key, Tally(*key))
        if game.payoff is None:
            one.broken_off += 1
        else:
            one.games += 1
            one.wins += game.has_won
            one.payoff += game.payoff
    return sorted(found.values(), key=lambda one: (-one.games - one.broken_off, one.ruleset, one.opponents))
