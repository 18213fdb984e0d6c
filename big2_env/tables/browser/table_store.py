"""Tables and games as text, one JSON object each: written after every move, read when a visitor returns."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from big2_env.agents.interface import takes_from_record
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.base.json_values import numbers_at, parse_object, text_at, whole_at
from big2_env.base.language import Language
from big2_env.base.side_games import side_entry
from big2_env.notation import records, side_records
from big2_env.runs.atomic_files import write_text
from big2_env.tables.browser.messages import MAX_INTEGER, Refused
from big2_env.tables.browser.moves import MOST_MOVES
from big2_env.tables.browser.shared_places import (
    CLOCKS,
    MAX_NAME,
    MAX_SPECTATORS,
    Presence,
    Question,
    SharedSeat,
    checked_name,
)
from big2_env.tables.browser.shared_sights import MAX_SEEN, SpectatorVisibility
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.side_table import Guesses, SideTable
from big2_env.tables.browser.table import SHARED, Table
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.deals import named_deal
from big2_env.tables.session.saved import file_name, is_texts
from big2_env.tables.session.session import STARTED, Session
from big2_env.tables.session.shared_session import SharedGame
from big2_env.tables.session.side_session import SideSession, continued
from big2_env.tables.session.table_session import TableSession, resumed
from big2_env.tables.session.watching import Watching

SCHEMA: Final = 3
MAX_BYTES: Final = 1 << 20
"""Most bytes of a table."""
KEY: Final = re.compile(r"[A-Za-z0-9_-]{16}")
"""Pattern of a table's key."""


def table_text(table: Table) -> str:
    """Return a table as one line of JSON. It contains every card, and the invitation of a table of several people."""
    data: dict[str, Any] = {"schema": SCHEMA, "version": table.version, "deal": table.deal}
    session: Session | None = table.session
    if session is not None:
        data |= {"deals": session.deals_before, "before": list(session.before), "record": json.loads(table.record())}
    return json.dumps(data | table.stored(), ensure_ascii=False) + "\n"


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


def listed_tables(kept: Iterable[tuple[str, bytes]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the keys and data of saved tables that include a game.

    Args:
        kept: Keys and texts. Broken texts are skipped.
    """
    found = []
    for key, content in kept:
        with suppress(NotationError):
            found.append((key, table_data(content)))
    return [(key, data) for key, data in found if isinstance(data.get("record"), dict)]


def table_of(
    place: str, key: str, content: bytes, adviser: str | None = None, is_here: Presence = lambda owner: False
) -> Table:
    """Return the table that a text describes. A clock and the time to answer a question start again.

    Args:
        place: Digest of the visitor's secret, or `SHARED`.
        key: Key of the table.
        content: Text, in UTF-8.
        adviser: Agent that gives hints; `None` for the default of each game.
        is_here: Presence of people.

    Raises:
        ConfigError: The text describes no table, or contradicts the rules, or an agent of it needs an extra.
    """
    try:
        data = table_data(content)
        common = {
            "key": key,
            "version": whole_at(data, "version", MAX_INTEGER),
            "deal": whole_at(data, "deal", MAX_INTEGER),
        }
        return _shared(data, common, is_here) if place == SHARED else _own(data, common | {"owner": place}, adviser)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError, ImportError, Refused) as error:
        raise ConfigError(f"table {key}: {error}") from None


def record_of(line: str) -> records.GameRecord:
    """Return a record of a game at a table.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The line is not a record, or an agent is unknown or
            takes an argument.
    """
    record = records.loads(line)
    agents = record.extra.get("agents")
    if not is_texts(agents) or not all(":" not in one and takes_from_record(one) for one in agents):
        raise NotationError("agents: expected a list of names of installed agents")
    return record


def _own(data: dict[str, Any], common: dict[str, Any], adviser: str | None) -> Table:
    """Return the table of one visitor that an object describes.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The object describes no table.
    """
    kept = data.get("record")
    if not isinstance(kept, dict):
        raise NotationError("record: expected an object")
    line = json.dumps(kept, ensure_ascii=False)
    session = _side_session(line, kept, data) if "game" in kept else _climbing_session(line, data, adviser)
    _resume(session, data)
    common |= {"session": session, "started": text_at(kept, STARTED, 40)}
    if isinstance(session, SideSession):
        return SideTable(guesses=_guesses(data, len(session.before)), **common)
    linked = None
    if data.get("linked") is not None:
        linked = named_deal(session.ruleset.name, text_at(data, "linked", 40))
        if linked.seed != session.seed:
            raise NotationError("linked: expected the name of the current deal")
    return WebTable(linked=None if linked is None else linked.name, **common)


def _resume(session: Session, data: dict[str, Any]) -> None:
    """Set the score before the current deal."""
    session.before = numbers_at(data, "before", len(session.before))
    session.deals_before = whole_at(data, "deals", MAX_INTEGER)


def _guesses(data: Mapping[str, Any], seats: int) -> Guesses:
    guess, made = data.get("guess"), data.get("guesses")
    if not (isinstance(made, list) and len(made) == 2 and all(type(one) is int for one in made)):
        raise NotationError("guesses: expected two numbers")
    return Guesses(None if guess is None else whole_at(data, "guess", seats - 1), *made)


def _side_session(line: str, kept: dict[str, Any], data: Mapping[str, Any]) -> SideSession[Any]:
    """Return the session of a side game.

    Raises:
        NotationError, ConfigError, IllegalPlayError: The values describe none, or contradict the rules.
    """
    entry = side_entry(text_at(kept, "game", 60))
    if entry is None:
        raise NotationError("record: expected one of a side game")
    kind = entry.kind()
    record = side_records.loads(line, kind)
    game = record.game
    if not kind.has_choices:
        for _ in range(whole_at(data, "watched", MOST_MOVES)):
            game.play(game.legal_moves()[0] if not game.is_over else 0)
    session = continued(record, partial(kind.for_seats, game.num_players), lambda name: name in kind.opponents())
    session.counts_seeds = data.get("counts") is True
    return session


def _climbing_session(line: str, data: Mapping[str, Any], adviser: str | None) -> TableSession:
    """Return the session of a climbing game, in which a finished deal counts unless it is practice.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: The values describe none, or contradict the rules.
    """
    record = record_of(line)
    session = _watching(record, data["watch"], adviser) if "watch" in data else resumed(record, adviser=adviser)
    session.was_over = data.get("practice") is True
    return session


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


MAX_SEATS: Final = 20
MAX_INVITE: Final = 64
PLACE: Final = frozenset(field.name for field in fields(SharedSeat))


def _shared(data: dict[str, Any], common: dict[str, Any], is_here: Presence) -> SharedTable:
    """Return the table of several people that an object describes.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError, Refused: The object describes no table.
    """
    kind = SharedGame(text_at(data, "game", 60))
    places, seconds = data.get("places"), whole_at(data, "clock", max(CLOCKS))
    if not isinstance(places, list) or not 2 <= len(places) <= MAX_SEATS:
        raise NotationError("places: expected a list of seats")
    seats = [_place(place) for place in places]
    kind.check(len(seats), sorted({seat.agent for seat in seats}))
    owners = [seat.owner for seat in seats if seat.owner is not None]
    spectators, last = data.get("spectators"), len(seats) - 1
    if not isinstance(spectators, dict) or len(spectators) > MAX_SPECTATORS:
        raise NotationError(f"spectators: expected at most {MAX_SPECTATORS} names")
    if len({*owners, *spectators}) != len(owners) + len(spectators) or seconds not in CLOCKS:
        raise NotationError("expected one place for each person, and a known clock")
    seen = data.get("seen")
    if not isinstance(seen, dict) or len(seen) > MAX_SEEN + MAX_SEATS:
        raise NotationError("seen: expected the seats of hands that people have seen")
    session, question = kind.restored(len(seats), data["record"]) if "record" in data else None, data.get("question")
    if session is not None:
        _resume(session, data)
    return SharedTable(
        kind=kind,
        places=seats,
        host=whole_at(data, "host", last),
        seconds=seconds,
        session=session,
        started=text_at(data, STARTED, 40),
        spectators={_owner(owner): _name(name) for owner, name in spectators.items()},
        invite=_invite(data.get("invite")),
        sights=SpectatorVisibility(seen={_owner(owner): whole_at(seen, owner, last) for owner in seen}),
        question=None if question is None else _question(question, last),
        asked=set(_seats(data.get("asked", []), last)),
        moved=time.monotonic(),
        is_here=is_here,
        **common,
    )


def _place(data: object) -> SharedSeat:
    """Return the seat that JSON values describe.

    Raises:
        NotationError: They describe none.
    """
    if not isinstance(data, dict) or set(data) != PLACE or {type(data[key]) for key in ("stand_in", "is_free")} != {bool}:
        raise NotationError(f"places: expected objects with {', '.join(sorted(PLACE))}")
    owner, former = (None if data[key] is None else _owner(data[key]) for key in ("owner", "former"))
    if owner is not None and data["is_free"]:
        raise NotationError("places: expected no free seat with a person")
    name = "" if owner is None and data["name"] == "" else _name(data["name"])
    return SharedSeat(text_at(data, "agent", 60), owner, name, data["is_free"], data["stand_in"], former)


def _owner(value: object) -> str:
    if not isinstance(value, str) or not OWNER.fullmatch(value):
        raise NotationError("expected the digest of a person's secret")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise NotationError(f"expected a name of at most {MAX_NAME} characters")
    return checked_name(value, Language.EN)


def _invite(value: object) -> str:
    if not isinstance(value, str) or not value.isascii() or not 16 <= len(value) <= MAX_INVITE:
        raise NotationError("expected an invitation")
    return value


def _question(data: object, last: int) -> Question:
    """Return the question that JSON values describe.

    Raises:
        NotationError: They describe none.
    """
    if not isinstance(data, Mapping) or not data.get("waiting"):
        raise NotationError("question: expected an object with by and waiting")
    return Question(whole_at(data, "by", last), _seats(data["waiting"], last), time.monotonic())


def _seats(value: object, last: int) -> list[int]:
    if not isinstance(value, list) or not all(type(seat) is int and 0 <= seat <= last for seat in value):
        raise NotationError(f"expected a list of seats from 0 to {last}")
    return value


MAX_SAVED: Final = 10_000
"""Most tables of a server, and most shared ones."""
MAX_OWN: Final = 200
"""Most tables of one visitor, besides shared ones."""
DAY: Final = 86400.0
"""Seconds after its last move in which a table makes no room for others."""
DAYS: Final = 30
"""Days that a table is kept after its last move."""
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
    """The tables of a store, and the games played at them, `games/*.jsonl` in the format of `session.saved`.

    Args:
        store: Storage of the tables.
        games: Folder of games, created with the first one; `None` to keep none.
        is_here: Presence of people.
        adviser: Agent that gives hints; `None` for the default of each game.
    """

    def __init__(self, store: TableStore, games: Path | None, is_here: Presence, adviser: str | None = None) -> None:
        self.store = store
        self._games = games
        self._is_here = is_here
        self._adviser = adviser

    def save(self, table: Table) -> None:
        """Save a table.

        Raises:
            NoRoom: The table is new, and there are too many.
            OSError: The table cannot be written; the previous text is unchanged.
        """
        self.store.save(table.owner, table.key, table_text(table), table.members)

    def save_game(self, table: Table) -> None:
        """Save the current game as a record of its own if it `is_kept`. Saving it again replaces the file.

        Raises:
            OSError: The record cannot be written.
        """
        if self._games is not None and table.is_kept:
            self._games.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = file_name(table.started, table.session.game_name, f"{table.key[:6]}{table.deal}")
            write_text(self._games / name, table.record() + "\n")

    def load(self, place: str, key: str) -> Table | None:
        """Return a table, `None` if it does not exist.

        Args:
            place: Digest of the visitor's secret, or `SHARED`.
            key: Key of the table.

        Raises:
            ConfigError: The text describes no table.
        """
        content = self.store.load(place, key)
        return None if content is None else table_of(place, key, content, self._adviser, self._is_here)
