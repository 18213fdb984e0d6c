"""A table as text, one JSON object, and back: what a server keeps as a file and a browser among its own things."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from big2_env.agents import takes_from_record
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.json_values import parse_object, text_at
from big2_env.notation import records
from big2_env.play.saved import STARTED, resumed
from big2_env.play.sitting import DEFAULT_ADVISER
from big2_env.web.messages import MAX_INTEGER
from big2_env.web.web_table import WebTable

SCHEMA: Final = 1
MAX_BYTES: Final = 1 << 20
"""Most bytes of a table."""
KEY: Final = re.compile(r"[A-Za-z0-9_-]{16}")
"""What names a table."""
MAX_SCORE: Final = 1e12


def record_line(table: WebTable) -> str:
    """The record of a table's present game, without the end of the line."""
    return records.dumps(table.sitting.record(**{STARTED: table.started}))


def table_text(table: WebTable) -> str:
    """A table as one line of JSON."""
    sitting = table.sitting
    scores, deals = sitting.before
    data = {
        "schema": SCHEMA,
        "version": table.version,
        "deal": table.deal,
        "deals": deals,
        "scores": list(scores),
        "score": sitting.scores[sitting.seat],
        "record": json.loads(record_line(table)),
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


def table_data(content: bytes) -> dict[str, Any]:
    """The object of a table's text; nothing but its schema has been looked at.

    Raises:
        NotationError: it is none, or too long.
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


def table_of(owner: str, key: str, content: bytes, adviser: str = DEFAULT_ADVISER) -> WebTable:
    """The table that a text is.

    Args:
        owner: whose it is.
        key: its name.
        content: the text in UTF-8.
        adviser: the agent that gives hints.

    Raises:
        ConfigError: it is no table, or the rules contradict it.
    """
    try:
        return _table(owner, key, table_data(content), adviser)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
        raise ConfigError(str(error)) from None


def _table(owner: str, key: str, data: dict[str, Any], adviser: str) -> WebTable:
    """The table that an object is.

    Raises:
        NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError: it is none.
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
