"""Tables as files: one JSON object each, written anew after every act, in a folder for each visitor."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.json_values import parse_object, text_at
from big2_env.notation import records
from big2_env.play.saved import STARTED, file_name, resumed
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.runs.replacing import replacing
from big2_env.web.messages import MAX_INTEGER
from big2_env.web.web_table import WebTable

SCHEMA: Final = 1
MAX_BYTES: Final = 1 << 20
"""Most bytes of a table's file."""
KEY: Final = re.compile(r"[A-Za-z0-9_-]{16}")
"""What names a table, and its file."""
OWNER: Final = re.compile(r"[0-9a-f]{64}")
"""What names a visitor, and the folder of the visitor's tables."""
MAX_SCORE: Final = 1e12


class SavedTables:
    """The tables in a folder, `tables/OWNER/KEY.json`, and the games that were played, `games/*.jsonl` as of `play.saved`.

    Args:
        folder: where; made when something is written.
        keeps_games: False if games are somebody else's and do not belong among the user's own.
    """

    def __init__(self, folder: Path, keeps_games: bool = True) -> None:
        self.folder = folder
        self.keeps_games = keeps_games

    def _path(self, owner: str, key: str) -> Path:
        assert OWNER.fullmatch(owner), owner
        assert KEY.fullmatch(key), key
        return self.folder / "tables" / owner / f"{key}.json"

    def count(self) -> int:
        """How many tables there are."""
        return sum(1 for _ in (self.folder / "tables").glob("*/*.json"))

    def save(self, table: WebTable) -> None:
        """Write a table.

        Raises:
            OSError: it cannot be written; the old file stays.
        """
        sitting = table.sitting
        scores, deals = sitting.before
        data = {
            "schema": SCHEMA,
            "version": table.version,
            "deal": table.deal,
            "deals": deals,
            "scores": list(scores),
            "score": sitting.scores[sitting.seat],
            "record": json.loads(_line(table)),
        }
        _write(self._path(table.owner, table.key), json.dumps(data, ensure_ascii=False) + "\n")

    def save_game(self, table: WebTable) -> None:
        """Write the present game as a record of its own, once the person has acted in it; again, and it is the same file.

        Raises:
            OSError: as `save`.
        """
        sitting = table.sitting
        if self.keeps_games and any(move.seat == sitting.seat for move in sitting.game.history):
            name = file_name(table.started, sitting.ruleset.name, f"{table.key[:6]}{table.deal}")
            _write(self.folder / "games" / name, _line(table) + "\n")

    def load(self, owner: str, key: str, adviser: str = DEFAULT_ADVISER) -> WebTable | None:
        """The table of a visitor by its name, `None` where there is none.

        Raises:
            ConfigError: the file is no table.
        """
        data = self._read(self._path(owner, key))
        if data is None:
            return None
        try:
            return _table(owner, key, data, adviser)
        except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
            raise ConfigError(f"{self._path(owner, key)}: {error}") from None

    def of_owner(self, owner: str, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """The last tables of a visitor as data, each with its name, the one played at last first; broken files are left out."""
        folder = self._path(owner, "x" * 16).parent
        found = [(path.stat().st_mtime, path.stem) for path in folder.glob("*.json") if KEY.fullmatch(path.stem)]
        for _, key in sorted(found, reverse=True)[:most]:
            try:
                data = self._read(self._path(owner, key))
            except ConfigError:
                continue
            if data is not None and isinstance(data.get("record"), dict):
                yield key, data

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            with path.open("rb") as stream:
                content = stream.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return None
        try:
            if len(content) > MAX_BYTES:
                raise NotationError(f"more than {MAX_BYTES} bytes")
            data = parse_object(content.decode("utf-8"))
            if data.get("schema") != SCHEMA:
                raise NotationError(f"schema: expected {SCHEMA}, got {data.get('schema')!r}")
        except (NotationError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: {error}") from None
        return data


def _line(table: WebTable) -> str:
    """The record of a table's present game."""
    return records.dumps(table.sitting.record(**{STARTED: table.started}))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def _table(owner: str, key: str, data: dict[str, Any], adviser: str) -> WebTable:
    """The table that a file's object is.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: it is none.
    """
    kept = data.get("record")
    if not isinstance(kept, dict):
        raise NotationError("record: expected an object")
    record = records.loads(json.dumps(kept, ensure_ascii=False))
    agents = record.extra.get("agents")
    if not isinstance(agents, list) or not all(isinstance(one, str) and ":" not in one for one in agents):
        raise NotationError("agents: expected a list of names")
    sitting = resumed(record, adviser=adviser)
    scores = data.get("scores")
    if (
        not isinstance(scores, list)
        or len(scores) != len(sitting.names)
        or not all(type(score) in (int, float) and abs(score) < MAX_SCORE for score in scores)
    ):
        raise NotationError("scores: expected a number for each seat")
    deals = _whole(data, "deals")
    sitting.start(record.game, sitting.seed, record.deck, ([float(score) for score in scores], deals))
    started = text_at(dict(record.extra), STARTED, 40)
    return WebTable(key, owner, sitting, _whole(data, "version"), _whole(data, "deal"), started=started, is_saved=True)


def _whole(data: Any, key: str) -> int:
    """The whole number under a key.

    Raises:
        NotationError: there is none.
    """
    value = data.get(key)
    if type(value) is not int or not 0 <= value <= MAX_INTEGER:
        raise NotationError(f"{key}: expected a whole number, got {value!r}")
    return value
