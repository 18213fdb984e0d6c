"""Tables and games as text, one JSON object each: written after every move, read when a visitor returns."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from big2_env.agents.interface import takes_from_record
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.base.json_values import numbers_at, parse_object, text_at, whole_at
from big2_env.notation import records
from big2_env.runs.atomic_files import write_text
from big2_env.tables.browser import side_answers
from big2_env.tables.browser.messages import MAX_INTEGER
from big2_env.tables.browser.side_table import SideTable, side_table_of, side_text
from big2_env.tables.browser.table_handlers import AnyTable
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session import TableSession
from big2_env.tables.session.deals import named_deal
from big2_env.tables.session.saved import STARTED, file_name, resumed
from big2_env.tables.session.watching import Watching

SCHEMA: Final = 2
MAX_BYTES: Final = 1 << 20
"""Most bytes of a table."""
KEY: Final = re.compile(r"[A-Za-z0-9_-]{16}")
"""Pattern of a table's key."""


def record_line(table: AnyTable) -> str:
    """Return the record of a table's current game, without the newline."""
    if isinstance(table, SideTable):
        return side_answers.record(table)
    return records.dumps(table.session.record(**{STARTED: table.started}))


def table_text(table: AnyTable) -> str:
    """Return a table as one line of JSON."""
    if isinstance(table, SideTable):
        return side_text(table, SCHEMA)
    session = table.session
    data = {
        "schema": SCHEMA,
        "version": table.version,
        "deal": table.deal,
        "deals": session.deals_before,
        "scores": list(session.before),
        "score": 0.0 if isinstance(session, Watching) else session.scores[session.seat],
        "record": json.loads(record_line(table)),
    }
    if isinstance(session, Watching):
        data["watch"] = session.watched
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
    return isinstance(data.get("record"), dict)


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
        return side_table_of(owner, key, data) if "dealt" in data else _table(owner, key, data, adviser)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
        raise ConfigError(str(error)) from None


def record_of(line: str) -> records.GameRecord:
    """Return a record of a game at a table.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The line is not a record, or an agent is unknown or
            takes an argument.
    """
    record = records.loads(line)
    agents = record.extra.get("agents")
    if not isinstance(agents, list) or not all(
        isinstance(one, str) and ":" not in one and takes_from_record(one) for one in agents
    ):
        raise NotationError("agents: expected a list of names of installed agents")
    return record


def _table(owner: str, key: str, data: dict[str, Any], adviser: str | None) -> WebTable:
    """Return the table that an object describes.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The object describes no table.
    """
    kept = data.get("record")
    if not isinstance(kept, dict):
        raise NotationError("record: expected an object")
    record = record_of(json.dumps(kept, ensure_ascii=False))
    session = _watching(record, data["watch"], adviser) if "watch" in data else resumed(record, adviser=adviser)
    scores = numbers_at(data, "scores", len(session.names))
    deals = whole_at(data, "deals", MAX_INTEGER)
    undone, hints = session.undone, session.hints
    session.start(record.game, session.seed, record.deck, (scores, deals))
    session.undone, session.hints = undone, hints
    started = text_at(dict(record.extra), STARTED, 40)
    table = WebTable(
        key,
        owner,
        session,
        whole_at(data, "version", MAX_INTEGER),
        whole_at(data, "deal", MAX_INTEGER),
        started=started,
    )
    table.is_practice = data.get("practice") is True
    if data.get("linked") is not None:
        linked = named_deal(session.ruleset.name, text_at(data, "linked", 40))
        if linked.seed != session.seed:
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
"""Most tables of a server, and most shared ones."""
MAX_OWN: Final = 200
"""Most tables of one visitor, besides shared ones."""
DAY: Final = 86400.0
"""Seconds after its last move in which a table makes no room for others."""
DAYS: Final = 30
"""Days that a table is kept after its last move."""
SHARED: Final = "shared"
"""Owner of all shared tables."""
OWNER: Final = re.compile(r"[0-9a-f]{64}")
"""Pattern of a visitor's name, the digest of the secret."""


class NoRoom(Exception):  # noqa: N818  # an answer, and as expected as any other
    """A new table that was not stored because all that could make room for it were played at within a day.

    Args:
        is_own: True if the visitor has too many tables, False if the server has.
    """

    def __init__(self, is_own: bool) -> None:
        super().__init__("expected room for a new table, got none")
        self.is_own = is_own


class TableStore(Protocol):
    """Storage for the texts of tables, by owner and table key.

    A table expires some time after it was last saved. If a visitor or the server has too many, the one saved longest ago is
    removed, unless that is less than a day. Shared tables are counted apart. The store remembers removed tables, within a
    bound. Several threads may call it at once.
    """

    def save(self, owner: str, key: str, text: str, members: Collection[str] | None = None) -> None:
        """Store a table after a change.

        Args:
            owner: Digest of the visitor's secret, or `SHARED`.
            key: Key of the table.
            text: The table as text.
            members: Digests of the secrets of the people at a shared table; `None` for others.

        Raises:
            NoRoom: The table is new, and there are too many.
            OSError: The text cannot be written; the previous one is unchanged.
        """

    def load(self, owner: str, key: str) -> bytes | None:
        """Return a table's text, or `None` if the table does not exist (any more)."""

    def is_gone(self, owner: str, key: str) -> bool:
        """Return whether the table existed and was removed."""

    def latest(self, owner: str, most: int) -> list[tuple[str, bytes]]:
        """Return the keys and texts of a visitor's latest tables, the most recently saved first."""

    def shared_of(self, member: str, most: int) -> list[str]:
        """Return the keys of a person's latest shared tables, the most recently saved first."""


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
            NoRoom: The table is new, and there are too many.
            OSError: The table cannot be written; the previous text is unchanged.
        """
        self.store.save(table.owner, table.key, table_text(table))

    def save_game(self, table: AnyTable) -> None:
        """Save the current game as a record of its own if the person has moved in it, unless it is practice.

        Saving it again replaces the file.

        Raises:
            OSError: The record cannot be written.
        """
        session = table.session
        if (
            self._games is not None
            and not (isinstance(table, WebTable) and table.is_practice)
            and not isinstance(session, Watching)
            and (isinstance(session, TableSession) or session.game.has_choices)
            and any(move.seat == session.seat for move in session.game.history)
        ):
            self._games.mkdir(mode=0o700, parents=True, exist_ok=True)
            game = session.ruleset.name if isinstance(session, TableSession) else session.game.name
            name = file_name(table.started, game, f"{table.key[:6]}{table.deal}")
            write_text(self._games / name, record_line(table) + "\n")

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
