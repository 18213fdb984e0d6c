"""Shared tables as text, one JSON object each: written after every change, read after a restart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.base.json_values import text_at, whole_at
from big2_env.base.language import Language
from big2_env.tables.browser.messages import MAX_INTEGER, Refused
from big2_env.tables.browser.shared_places import (
    CLOCKS,
    MAX_NAME,
    MAX_SPECTATORS,
    Question,
    SharedSeat,
    checked_name,
)
from big2_env.tables.browser.shared_sights import MAX_SEEN, SpectatorVisibility
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.table_store import OWNER, SCHEMA, table_data
from big2_env.tables.session.saved import STARTED
from big2_env.tables.session.shared_session import SharedGame

MAX_SEATS: Final = 20
MAX_INVITE: Final = 64
PLACE: Final = frozenset(field.name for field in fields(SharedSeat))


def shared_text(table: SharedTable) -> str:
    """Return a shared table as one line of JSON. It contains every card and the invitation."""
    question = table.question
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "game": table.kind.name,
        "version": table.version,
        "number": table.number,
        STARTED: table.started,
        "host": table.host,
        "clock": table.seconds,
        "places": [asdict(place) for place in table.places],
        "spectators": table.spectators,
        "invite": table.invite,
        "seen": table.sights.seen,
        "question": None if question is None else {"by": question.by, "waiting": question.waiting},
    }
    if table.session is not None:
        data["sitting"] = table.session.data(table.names())
    return json.dumps(data, ensure_ascii=False) + "\n"


def shared_table_of(key: str, content: bytes, time: float) -> SharedTable:
    """Return the table that a text describes.

    Args:
        key: Key of the table.
        content: Text, in UTF-8.
        time: Time now, when its clock starts again.

    Raises:
        ConfigError: The text describes no table, or contradicts the rules.
    """
    try:
        return _table(key, table_data(content), time)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError, Refused) as error:
        raise ConfigError(f"shared table {key}: {error}") from None


def _table(key: str, data: dict[str, Any], time: float) -> SharedTable:
    kind = SharedGame(text_at(data, "game", 60))
    places, seconds = data.get("places"), whole_at(data, "clock", max(CLOCKS))
    if not isinstance(places, list) or not 2 <= len(places) <= MAX_SEATS:
        raise NotationError("places: expected a list of seats")
    seats = [_place(place, kind) for place in places]
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
    session, question = data.get("sitting"), data.get("question")
    if session is not None and not isinstance(session, dict):
        raise NotationError("session: expected an object")
    return SharedTable(
        key,
        kind,
        seats,
        host=whole_at(data, "host", last),
        seconds=seconds,
        session=None if session is None else kind.restored(len(seats), session),
        version=whole_at(data, "version", MAX_INTEGER),
        number=whole_at(data, "number", MAX_INTEGER),
        started=text_at(data, STARTED, 40),
        spectators={_owner(owner): _name(name) for owner, name in spectators.items()},
        invite=_invite(data.get("invite")),
        sights=SpectatorVisibility(seen={_owner(owner): whole_at(seen, owner, last) for owner in seen}),
        question=None if question is None else _question(question, last, time),
        moved=time,
    )


def _place(data: object, kind: SharedGame) -> SharedSeat:
    """Return the seat that JSON values describe.

    Raises:
        NotationError: They describe none.
    """
    if not isinstance(data, dict) or set(data) != PLACE or {type(data[key]) for key in ("stand_in", "is_free")} != {bool}:
        raise NotationError(f"places: expected objects with {', '.join(sorted(PLACE))}")
    owner, former = (None if data[key] is None else _owner(data[key]) for key in ("owner", "former"))
    if owner is not None and data["is_free"]:
        raise NotationError("places: expected no free seat with a person")
    name = "" if owner is None else _name(data["name"])
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


def _question(data: object, last: int, time: float) -> Question:
    """Return the question that JSON values describe. The time to answer starts again.

    Raises:
        NotationError: They describe none.
    """
    waiting = data.get("waiting") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(waiting, list):
        raise NotationError("question: expected an object with by and waiting")
    if not waiting or not all(type(seat) is int and 0 <= seat <= last for seat in waiting):
        raise NotationError("question: expected seats that wait")
    return Question(whole_at(data, "by", last), waiting, time)
