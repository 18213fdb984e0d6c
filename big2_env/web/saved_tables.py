"""Tables and games as texts: written after every act, read when a visitor comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from big2_env.errors import ConfigError, NotationError
from big2_env.play.saved import file_name
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.runs.replacing import replacing
from big2_env.web.table_store import TableStore
from big2_env.web.table_text import record_line, table_data, table_of, table_text
from big2_env.web.web_table import WebTable


class SavedTables:
    """The tables of a store, and the games that were played, `games/*.jsonl` as of `play.saved`.

    Args:
        store: what keeps the tables.
        games: the folder of games, made when something is written; `None` to keep none.
    """

    def __init__(self, store: TableStore, games: Path | None) -> None:
        self.store = store
        self._games = games

    def save(self, table: WebTable) -> None:
        """Write a table.

        Raises:
            OSError: it cannot be written; the old text stays.
        """
        self.store.save(table.owner, table.key, table_text(table))

    def save_game(self, table: WebTable) -> None:
        """Write the present game as a record of its own, once the person has acted in it; again, and it is the same file.

        Raises:
            OSError: as `save`.
        """
        sitting = table.sitting
        if self._games is not None and any(move.seat == sitting.seat for move in sitting.game.history):
            self._games.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = file_name(table.started, sitting.ruleset.name, f"{table.key[:6]}{table.deal}")
            with replacing(self._games / name) as new:
                new.write_text(record_line(table) + "\n", encoding="utf-8")

    def load(self, owner: str, key: str, adviser: str = DEFAULT_ADVISER) -> WebTable | None:
        """The table of a visitor by its name, `None` where there is none.

        Raises:
            ConfigError: the text is no table.
        """
        content = self.store.load(owner, key)
        if content is None:
            return None
        try:
            return table_of(owner, key, content, adviser)
        except ConfigError as error:
            raise ConfigError(f"table {key}: {error}") from None

    def of_owner(self, owner: str, most: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """The last tables of a visitor as data, each with its name, the one played at last first; broken ones are left out."""
        for key, content in self.store.latest(owner, most):
            try:
                data = table_data(content)
            except NotationError:
                continue
            if isinstance(data.get("record"), dict):
                yield key, data
