"""Tables and games as text, one JSON object each: written after every move, read when a visitor returns."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

from big2_env.agents import takes_from_record
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.json_values import parse_object, text_at, whole_at
from big2_env.notation import records
from big2_env.play import Sitting
from big2_env.play.deals import named_deal
from big2_env.play.saved import STARTED, file_name, resumed
from big2_env.play.watching import Watching
from big2_env.runs.atomic_files import remove_leftovers, replace_file
from big2_env.web import side_answers
from big2_env.web.messages import MAX_INTEGER
from big2_env.web.side_table import SIDE, SideTable, side_table_of, side_text
from big2_env.web.table_acts import AnyTable
from big2_env.web.web_table import WebTable

SCHEMA: Final = 1
MAX_BYTES: Final = 1 << 20
"""Most bytes of a table."""
KEY: Final = re.compile(r"[A-Za-z0-9_-]{16}")
"""Pattern of a table's key."""
MAX_SCORE: Final = 1e12


def record_line(table: AnyTable) -> str:
    """Return the record of a table's current game, without the newline."""
    if isinstance(table, SideTable):
        return side_answers.record(table)
    return records.dumps(table.sitting.record(**{STARTED: table.started}))


def table_text(table: AnyTable) -> str:
    """Return a table as one line of JSON."""
    if isinstance(table, SideTable):
        return side_text(table, SCHEMA)
    sitting = table.sitting
    scores, deals = sitting.before
    data = {
        "schema": SCHEMA,
        "version": table.version,
        "deal": table.deal,
        "deals": deals,
        "scores": list(scores),
        "score": 0.0 if isinstance(sitting, Watching) else sitting.scores[sitting.seat],
        "record": json.loads(record_line(table)),
    }
    if isinstance(sitting, Watching):
        data["watch"] = sitting.watched
    if table.is_practice:
        data["practice"] = True
    if table.linked is not None:
        data["linked"] = table.linked
    return json.dumps(data, ensure_ascii=False) + "\n"


def table_data(content: bytes) -> dict[str, Any]:
    """Return the object of a table's text. Only its schema is checked.

    Raises:
        NotationError: The text is not a JSON object of this schema, or too long.
    """
    if len(content) > MAX_BYTES:
        raise NotationError(f"expected at most {MAX_BYTES:,} bytes, got more")
    try:
        data = parse_object(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotationError("expected UTF-8") from None
    if data.get("schema") != SCHEMA:
        raise NotationError(f"schema: expected {SCHEMA}, got {data.get('schema')!r}")
    return data


def is_listed(data: Mapping[str, Any]) -> bool:
    """Return True if the data of a saved table include its game."""
    return isinstance(data.get("record"), dict) or isinstance(data.get(SIDE), dict)


def table_of(owner: str, key: str, content: bytes, adviser: str | None = None) -> AnyTable:
    """Return the table that a text describes.

    Args:
        owner: Digest of the visitor's secret.
        key: Key of the table.
        content: Text, in UTF-8.
        adviser: Agent that gives hints; `None` for the default of each game.

    Raises:
        ConfigError: The text describes no table, or contradicts the rules.
    """
    try:
        data = table_data(content)
        return side_table_of(owner, key, data) if SIDE in data else _table(owner, key, data, adviser)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
        raise ConfigError(str(error)) from None


def _table(owner: str, key: str, data: dict[str, Any], adviser: str | None) -> WebTable:
    """Return the table that an object describes.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The object describes no table.
    """
    kept = data.get("record")
    if not isinstance(kept, dict):
        raise NotationError("record: expected an object")
    record = records.loads(json.dumps(kept, ensure_ascii=False))
    agents = record.extra.get("agents")
    if not isinstance(agents, list) or not all(
        isinstance(one, str) and ":" not in one and takes_from_record(one) for one in agents
    ):
        raise NotationError("agents: expected a list of names of installed agents")
    sitting = _watching(record, data["watch"], adviser) if "watch" in data else resumed(record, adviser=adviser)
    scores = data.get("scores")
    if (
        not isinstance(scores, list)
        or len(scores) != len(sitting.names)
        or not all(type(score) in (int, float) and abs(score) < MAX_SCORE for score in scores)
    ):
        raise NotationError("scores: expected a number for each seat")
    deals = whole_at(data, "deals", MAX_INTEGER)
    undone, hints = sitting.undone, sitting.hints
    sitting.start(record.game, sitting.seed, record.deck, ([float(score) for score in scores], deals))
    sitting.undone, sitting.hints = undone, hints
    started = text_at(dict(record.extra), STARTED, 40)
    table = WebTable(
        key,
        owner,
        sitting,
        whole_at(data, "version", MAX_INTEGER),
        whole_at(data, "deal", MAX_INTEGER),
        started=started,
        is_saved=True,
    )
    table.is_practice = data.get("practice") is True
    if data.get("linked") is not None:
        linked = named_deal(sitting.ruleset.name, text_at(data, "linked", 40))
        if linked.seed != sitting.seed:
            raise NotationError("linked: expected the name of the current deal")
        table.linked = linked.name
    return table


def _watching(record: records.GameRecord, watched: object, adviser: str | None) -> Watching:
    """Return the session of a visitor without a seat.

    Raises:
        NotationError, ConfigError: The record does not name an agent for each seat, or the watched seat does not exist.
    """
    seed = record.extra.get("seed")
    if type(seed) is not int or len(record.extra["agents"]) != record.game.num_players:
        raise NotationError("expected a seed, and an agent for each seat")
    first = seed if record.extra.get("seed_counts") is True else None
    made = Watching(record.game.ruleset, record.extra["agents"], seed=first, adviser=adviser)
    made.start(record.game, seed, record.deck)
    if watched is not None and type(watched) is not int:
        raise NotationError("watch: expected a seat or null")
    made.look_from(watched)
    return made


MAX_SAVED: Final = 10_000
"""Most tables of a server."""
DAYS: Final = 30
"""Days that a table is kept after its last move."""
OWNER: Final = re.compile(r"[0-9a-f]{64}")
"""Pattern of a visitor's name, the digest of the secret."""
STEPS: Final = 4
"""Most tables that one call of a store removes."""


class TableStore(Protocol):
    """Storage for the texts of tables, by visitor and table key.

    A table expires some time after it was last saved, and the one saved longest ago is removed if there are too many. The store
    remembers removed tables, within a bound. Several threads may call it at once. The time of a call does not depend on the
    number of tables.
    """

    def save(self, owner: str, key: str, text: str) -> None:
        """Store a table after a move.

        Args:
            owner: Digest of the visitor's secret.
            key: Key of the table.
            text: The table as text.

        Raises:
            OSError: The text cannot be written; the previous one is unchanged.
        """

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text, or `None` if the table does not exist (any more)."""

    def is_gone(self, owner: str, key: str) -> bool:
        """Return whether the table existed and was removed."""

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return the keys and texts of a visitor's latest tables, the most recently saved first."""


class FileStore:
    """A folder of tables: `OWNER/KEY.json` for each table, an empty `OWNER/KEY.gone` for a removed one.

    The folder is listed once, then the order of the last moves is kept in memory. The modification times of the files decide,
    so two servers can share a folder.

    Args:
        folder: Folder, created with the first table.
        most: Most tables, and most removed tables that are remembered.
        seconds: Seconds that a table is kept after it was saved.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        folder: Path,
        most: int = MAX_SAVED,
        seconds: float = DAYS * 86400,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._moved: dict[tuple[str, str], float] = {}
        """Time at which each table was saved, oldest first."""
        self._of_owner: dict[str, dict[str, None]] = {}
        """Tables of each visitor, oldest first."""
        self._gone: dict[tuple[str, str], None] = {}
        """Removed tables, oldest first."""
        for place in folder.glob("*"):
            remove_leftovers(place)
        for moved, owner, key in self._listed(".json"):
            self._note(owner, key, moved)
        self._gone.update(((owner, key), None) for _, owner, key in self._listed(".gone"))

    def _listed(self, ending: str) -> list[tuple[float, str, str]]:
        """Return time, owner and key of all files with a suffix, oldest first."""
        found = []
        for path in self.folder.glob(f"*/*{ending}"):
            owner, key = path.parent.name, path.stem
            if OWNER.fullmatch(owner) and KEY.fullmatch(key) and (moved := _time(path)) is not None:
                found.append((moved, owner, key))
        return sorted(found)

    def _path(self, owner: str, key: str, ending: str = ".json") -> Path:
        assert OWNER.fullmatch(owner), owner
        assert KEY.fullmatch(key), key
        return self.folder / owner / f"{key}{ending}"

    def save(self, owner: str, key: str, text: str) -> None:
        """Store a table after a move; see `TableStore.save`.

        Args:
            owner: Digest of the visitor's secret.
            key: Key of the table.
            text: The table as text.
        """
        path = self._path(owner, key)
        with self._lock:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            now = self._clock()
            with replace_file(path, sweeps=False) as new:
                new.write_text(text, encoding="utf-8")
                os.utime(new, (now, now))
            self._note(owner, key, now)
            self._forget_gone(owner, key)
            self._trim()

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text; see `TableStore.load`. A text over the limit is cut one byte above it."""
        if self.is_gone(owner, key):
            return None
        try:
            with self._path(owner, key).open("rb") as stream:
                return stream.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return None

    def is_gone(self, owner: str, key: str) -> bool:
        """Return whether the table existed and was removed; see `TableStore.is_gone`."""
        with self._lock:
            moved = _time(self._path(owner, key))
            if moved is None:
                return self._path(owner, key, ".gone").exists()
            if moved <= self._clock() - self._seconds:
                self._remove(owner, key)
                return True
            if (owner, key) not in self._moved:  # of another server
                self._note(owner, key, moved)
            return False

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return a visitor's latest tables; see `TableStore.latest`."""
        with self._lock:
            keys = list(islice(reversed(self._of_owner.get(owner, {})), most))
        return [(key, content) for key in keys if (content := self.load(owner, key)) is not None]

    def _note(self, owner: str, key: str, moved: float) -> None:
        """Put a table at the end of the order."""
        self._forget(owner, key)
        self._moved[owner, key] = moved
        self._of_owner.setdefault(owner, {})[key] = None

    def _forget(self, owner: str, key: str) -> None:
        self._moved.pop((owner, key), None)
        keys = self._of_owner.get(owner, {})
        keys.pop(key, None)
        if not keys:
            self._of_owner.pop(owner, None)

    def _trim(self) -> None:
        """Remove a few of the oldest tables if they have expired or there are too many."""
        for _ in range(STEPS):
            (owner, key), moved = next(iter(self._moved.items()))
            if len(self._moved) <= self._most and moved > self._clock() - self._seconds:
                return
            found = _time(self._path(owner, key))
            if found is None:
                self._forget(owner, key)
            elif found > moved + 1:  # another server has saved it
                self._note(owner, key, found)
            else:
                self._remove(owner, key)

    def _remove(self, owner: str, key: str) -> None:
        self._path(owner, key, ".gone").touch(mode=0o600)
        self._path(owner, key).unlink(missing_ok=True)
        self._forget(owner, key)
        self._gone.pop((owner, key), None)
        self._gone[owner, key] = None
        while len(self._gone) > self._most:
            self._forget_gone(*next(iter(self._gone)))

    def _forget_gone(self, owner: str, key: str) -> None:
        path = self._path(owner, key, ".gone")
        path.unlink(missing_ok=True)
        self._gone.pop((owner, key), None)
        with suppress(OSError):  # the visitor has other tables
            path.parent.rmdir()


def _time(path: Path) -> float | None:
    """Return the modification time of a file; `None` if it does not exist."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


class SavedTables:
    """The tables of a store, and the games played at them, `games/*.jsonl` in the format of `play.saved`.

    Args:
        store: Storage of the tables.
        games: Folder of games, created with the first one; `None` to keep none.
    """

    def __init__(self, store: TableStore, games: Path | None) -> None:
        self.store = store
        self._games = games

    def save(self, table: AnyTable) -> None:
        """Save a table.

        Raises:
            OSError: The table cannot be written; the previous text is unchanged.
        """
        self.store.save(table.owner, table.key, table_text(table))

    def save_game(self, table: AnyTable) -> None:
        """Save the current game as a record of its own if the person has moved in it, unless it is practice.

        Saving it again replaces the file.

        Raises:
            OSError: The record cannot be written.
        """
        sitting = table.sitting
        if (
            self._games is not None
            and not (isinstance(table, WebTable) and table.is_practice)
            and not isinstance(sitting, Watching)
            and (isinstance(sitting, Sitting) or sitting.game.has_choices)
            and any(move.seat == sitting.seat for move in sitting.game.history)
        ):
            self._games.mkdir(mode=0o700, parents=True, exist_ok=True)
            game = sitting.ruleset.name if isinstance(sitting, Sitting) else sitting.game.name
            name = file_name(table.started, game, f"{table.key[:6]}{table.deal}")
            with replace_file(self._games / name) as new:
                new.write_text(record_line(table) + "\n", encoding="utf-8")

    def load(self, owner: str, key: str, adviser: str | None = None) -> AnyTable | None:
        """Return a visitor's table, `None` if it does not exist.

        Args:
            owner: Digest of the visitor's secret.
            key: Key of the table.
            adviser: Agent that gives hints; `None` for the default of each game.

        Raises:
            ConfigError: The text describes no table.
        """
        content = self.store.load(owner, key)
        if content is None:
            return None
        try:
            return table_of(owner, key, content, adviser)
        except ConfigError as error:
            raise ConfigError(f"table {key}: {error}") from None

    def of_owner(self, owner: str, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the keys and data of a visitor's latest tables, the most recently played first. Skips broken ones.

        Args:
            owner: Digest of the visitor's secret.
            most: Most tables.
        """
        for key, content in self.store.latest(owner, most):
            try:
                data = table_data(content)
            except NotationError:
                continue
            if is_listed(data):
                yield key, data
