"""Tables as files: one JSON object each, written anew after every act, in a folder for each visitor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from big2_env.errors import ConfigError, NotationError
from big2_env.play.saved import file_name
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.runs.replacing import replacing
from big2_env.web.table_text import KEY, MAX_BYTES, record_line, table_data, table_of, table_text
from big2_env.web.web_table import WebTable

OWNER: Final = re.compile(r"[0-9a-f]{64}")
"""What names a visitor, and the folder of the visitor's tables."""


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
        _write(self._path(table.owner, table.key), table_text(table))

    def save_game(self, table: WebTable) -> None:
        """Write the present game as a record of its own, once the person has acted in it; again, and it is the same file.

        Raises:
            OSError: as `save`.
        """
        sitting = table.sitting
        if self.keeps_games and any(move.seat == sitting.seat for move in sitting.game.history):
            name = file_name(table.started, sitting.ruleset.name, f"{table.key[:6]}{table.deal}")
            _write(self.folder / "games" / name, record_line(table) + "\n")

    def load(self, owner: str, key: str, adviser: str = DEFAULT_ADVISER) -> WebTable | None:
        """The table of a visitor by its name, `None` where there is none.

        Raises:
            ConfigError: the file is no table.
        """
        content = _read(path := self._path(owner, key))
        if content is None:
            return None
        try:
            return table_of(owner, key, content, adviser)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None

    def of_owner(self, owner: str, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """The last tables of a visitor as data, each with its name, the one played at last first; broken files are left out."""
        folder = self._path(owner, "x" * 16).parent
        found = [(path.stat().st_mtime, path.stem) for path in folder.glob("*.json") if KEY.fullmatch(path.stem)]
        for _, key in sorted(found, reverse=True)[:most]:
            content = _read(self._path(owner, key))
            try:
                data = {} if content is None else table_data(content)
            except NotationError:
                continue
            if isinstance(data.get("record"), dict):
                yield key, data


def _read(path: Path) -> bytes | None:
    """What a file has, one byte more than a table's at most; `None` where there is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")
