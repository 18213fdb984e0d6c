"""Saved games that a person continues, each in its file."""

from __future__ import annotations

from pathlib import Path

from big2_env.notation.records import GameRecord
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import now
from big2_env.tables.session.session import STARTED
from big2_env.tables.session.table_session import TableSession, resumed


def continued(path: Path, line: str, record: GameRecord) -> TableSession:
    """Return a session that continues the game of a line, as `big2 play --resume` does; its `keep` replaces the line."""
    file = OwnFile()
    session = resumed(record, keep=file)
    file.go_on(path, line, session.dealt, str(record.extra.get(STARTED, now())))
    return session
